package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption"
	"example.com/preemption/scheduler/internal/dump"
	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/situation"
)

type capacityOptions struct {
	*source
	podFile  string
	requests []string
	priority string
	class    string
	most     int
}

const capacityHelp = `Count how many more pods of one shape would find room: as it is, and with
preemption, on which nodes and at whose cost.

The shape is that of a manifest (--pod-file), of which one is decided on after
another, or of plain --requests. Its priority is that of --class or --priority,
else the manifest's. Victims are taken to be gone at once, and what their
controllers would create again is left out.

Exit codes: 0 if there is room for one at least, 1 if not, 2 on errors.`

func newCapacity(streams genericiooptions.IOStreams) *cobra.Command {
	o := &capacityOptions{source: newSource(streams)}
	cmd := &cobra.Command{
		Use:   "capacity",
		Short: "Count how many more pods would find room, and at whose cost",
		Long:  capacityHelp,
		Example: `  # Pods of a class and size
  kubectl preemption capacity --class urgent --requests cpu=2,memory=4Gi

  # Pods of a Deployment, against a dump
  kubectl preemption capacity --pod-file deployment.yaml -f dump.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			defer o.progress.done()
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.podFile, "pod-file", "", "A manifest of a pod, or of a workload with pods.")
	f.StringSliceVar(&o.requests, "requests", nil, "What a pod requests, such as cpu=500m,memory=1Gi.")
	f.StringVar(&o.priority, "priority", "", "The priority of the pods.")
	f.StringVar(&o.class, "class", "", "The PriorityClass of the pods.")
	f.IntVar(&o.most, "most", 1000, "Where to stop counting.")
	o.addFlags(cmd, false, "wide, json, yaml, jsonpath=..., go-template=... and the others of kubectl")
	return cmd
}

func (o *capacityOptions) run(ctx context.Context) error {
	if err := o.validate(); err != nil {
		return err
	}
	out, err := o.output()
	if err != nil {
		return err
	}
	if out.format == "name" {
		return errors.New("--output: name: there is nothing to name; -o jsonpath='{.nodes[*].node}' lists the nodes")
	}
	s, err := o.situation(ctx)
	if err != nil {
		return err
	}
	pod, err := o.pod(s)
	if err != nil {
		return err
	}
	o.progress.say("looking at the nodes")
	c, err := explain.Capacity(ctx, s, pod, o.most, o.progress.say)
	if err != nil {
		return err
	}
	o.progress.done()
	if out.structured() {
		err = out.object(c)
	} else {
		err = o.text(s).Capacity(c)
	}
	if err == nil && c.Free+c.WithPreemption == 0 {
		err = errNo
	}
	return err
}

func (o *capacityOptions) validate() error {
	switch {
	case (o.podFile == "") == (len(o.requests) == 0):
		return errors.New("give the shape of the pods, by either --pod-file or --requests")
	case o.priority != "" && o.class != "":
		return errors.New("--priority and --class exclude each other")
	case o.podFile == "" && o.priority == "" && o.class == "":
		return errors.New("give the pods' --priority or --class")
	case o.most < 1 || o.most > 100_000:
		return errors.New("--most: want a number from 1 to 100000")
	}
	return o.source.validate()
}

// pod is one of the pods to count.
func (o *capacityOptions) pod(s *situation.Situation) (*preemption.Pod, error) {
	pod, err := o.shape(s)
	if err != nil {
		return nil, err
	}
	change := ""
	switch {
	case o.class != "":
		change = "priorityClass=" + o.class
	case o.priority != "":
		change = "priority=" + o.priority
	default:
		return pod, nil
	}
	c, err := situation.ParseChange(change)
	if err != nil {
		return nil, fmt.Errorf("--priority: %q is no priority", o.priority)
	}
	pod, err = s.Apply(c, pod)
	if err != nil {
		return nil, fmt.Errorf("--class: there is no PriorityClass %s", o.class)
	}
	return pod, nil
}

func (o *capacityOptions) shape(s *situation.Situation) (*preemption.Pod, error) {
	if o.podFile != "" {
		t, err := dump.ReadTemplate(o.podFile, o.In, o.namespace())
		if err != nil {
			return nil, err
		}
		return s.Add(t.Pod)
	}
	zero := int32(0)
	p := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: o.defaultNamespace(), Name: "pod", UID: "capacity"},
		Spec:       v1.PodSpec{Priority: &zero, Containers: []v1.Container{{Name: "main"}}},
	}
	pod, err := s.Add(p)
	if err != nil {
		return nil, err
	}
	pod.Requests = preemption.Resources{}
	for _, text := range o.requests {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--requests: %s: want RESOURCE=QUANTITY", strconv.Quote(text))
		}
		if pod.Requests[name], err = situation.ParseAmount(name, value); err != nil {
			return nil, fmt.Errorf("--requests: %w", err)
		}
	}
	return pod, nil
}
