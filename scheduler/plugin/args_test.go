package plugin

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
)

func TestArgs(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"{}", ""},
		{"nodes: Sample\ncrossCheck: Full\nminCandidateNodesPercentage: 0\nminCandidateNodesAbsolute: 1", ""},
		{`{"nodes":"Some"}`, `args.nodes: Unsupported value: "Some": supported values: "All", "Sample"`},
		{`{"crossCheck":"on"}`, `args.crossCheck: Unsupported value: "on": supported values: "None", "Full"`},
		{`{"node":"All"}`, `unknown field "node"`},
		{`{"minCandidateNodesPercentage":101}`, "args.minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]"},
		{`{"minCandidateNodesPercentage":0,"minCandidateNodesAbsolute":0}`, "cannot be zero at the same time"},
	} {
		args, err := parseArgs(&runtime.Unknown{Raw: []byte(c.in)})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.in, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", c.in, err, c.want)
		case err == nil && c.in == "" && (args.Nodes != NodesAll || args.CrossCheck != CrossCheckNone || *args.MinCandidateNodesAbsolute != 100 || *args.MinCandidateNodesPercentage != 10):
			t.Errorf("defaults: %+v", args)
		}
	}
}

// The sample configuration is what kube-scheduler and the plugin can read.
func TestSampleConfiguration(t *testing.T) {
	c, err := options.LoadConfigFromFile(klog.Background(), "../cmd/kube-scheduler/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range c.Profiles[0].PluginConfig {
		if x.Name == Name {
			if _, err := parseArgs(x.Args); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("no arguments for %s", Name)
}
