package plugin

import (
	"fmt"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"sigs.k8s.io/yaml"

	"example.com/preemption"
)

// Args is the configuration of the plugin in a KubeSchedulerConfiguration, under
// pluginConfig. Without any the plugin looks at every node and checks its choice.
type Args struct {
	// DefaultPreemptionArgs are those of DefaultPreemption. They say how large a
	// sample kube-scheduler's own search looks at, where it decides, and with Nodes
	// set to Sample the library's.
	configv1.DefaultPreemptionArgs `json:",inline"`
	// Nodes says where victims are looked for: on all nodes (All, the default) or on
	// a sample of them (Sample), as kube-scheduler does.
	Nodes string `json:"nodes,omitempty"`
	// CrossCheck says how decisions are checked: by kube-scheduler's dry run of the
	// chosen node (None, the default), or in addition by its whole search (Full),
	// which takes as long as there are nodes to search.
	CrossCheck string `json:"crossCheck,omitempty"`
}

// The values of Args.
const (
	NodesAll       = "All"
	NodesSample    = "Sample"
	CrossCheckNone = "None"
	CrossCheckFull = "Full"
)

type victim = upstream.Victim

// parseArgs reads, completes and validates the arguments. kube-scheduler hands
// over those of plugins that it does not know as they are in the file, or none.
func parseArgs(in runtime.Object) (*Args, error) {
	args := &Args{}
	switch x := in.(type) {
	case nil:
	case *runtime.Unknown:
		if err := yaml.UnmarshalStrict(x.Raw, args); err != nil {
			return nil, fmt.Errorf("args: %w", err)
		}
	case *config.DefaultPreemptionArgs:
		args.MinCandidateNodesPercentage, args.MinCandidateNodesAbsolute = &x.MinCandidateNodesPercentage, &x.MinCandidateNodesAbsolute
	default:
		return nil, fmt.Errorf("args: they are of type %T, want an object with nodes, crossCheck, minCandidateNodesPercentage, minCandidateNodesAbsolute", in)
	}
	args.complete()
	return args, args.validate()
}

// complete fills in kube-scheduler's defaults.
func (a *Args) complete() {
	fill := func(p **int32, n int32) {
		if *p == nil {
			*p = &n
		}
	}
	fill(&a.MinCandidateNodesPercentage, 10)
	fill(&a.MinCandidateNodesAbsolute, 100)
	if a.Nodes == "" {
		a.Nodes = NodesAll
	}
	if a.CrossCheck == "" {
		a.CrossCheck = CrossCheckNone
	}
}

func (a *Args) validate() error {
	path := field.NewPath("args")
	var wrong field.ErrorList
	if a.Nodes != NodesAll && a.Nodes != NodesSample {
		wrong = append(wrong, field.NotSupported(path.Child("nodes"), a.Nodes, []string{NodesAll, NodesSample}))
	}
	if a.CrossCheck != CrossCheckNone && a.CrossCheck != CrossCheckFull {
		wrong = append(wrong, field.NotSupported(path.Child("crossCheck"), a.CrossCheck, []string{CrossCheckNone, CrossCheckFull}))
	}
	if err := wrong.ToAggregate(); err != nil {
		return err
	}
	return validation.ValidateDefaultPreemptionArgs(path, &config.DefaultPreemptionArgs{
		MinCandidateNodesPercentage: *a.MinCandidateNodesPercentage,
		MinCandidateNodesAbsolute:   *a.MinCandidateNodesAbsolute,
	})
}

// sampling returns the sample to look at, nil for all nodes.
func (a *Args) sampling() *preemption.Sampling {
	if a.Nodes == NodesAll {
		return nil
	}
	return &preemption.Sampling{Percent: int(*a.MinCandidateNodesPercentage), Min: int(*a.MinCandidateNodesAbsolute), Offset: rand.IntN}
}
