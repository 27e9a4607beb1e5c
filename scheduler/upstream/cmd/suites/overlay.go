package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An edit replaces a text that occurs exactly once.
type edit struct{ old, new string }

// edits are what is changed in kube-scheduler to put the library into
// DefaultPreemption, by file. If upstream changes one of the places, the edit
// fails instead of missing it.
var edits = map[string][]edit{
	"pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go": {
		{"\t\"k8s.io/kubernetes/pkg/scheduler/metrics\"\n)", "\t\"k8s.io/kubernetes/pkg/scheduler/metrics\"\n\n\t\"example.com/preemption/scheduler/upstream/record\"\n)"},
		{"\tEvaluator         *preemption.Evaluator\n", "\tEvaluator         *preemption.Evaluator\n\tlibrary           *record.PostFilter\n"},
		{
			"\tpl.Evaluator = preemption.NewEvaluator(Name, fh, &pl, pl.Executor)\n",
			"\tpl.Evaluator = preemption.NewEvaluator(Name, fh, &pl, pl.Executor)\n" +
				"\tlibrary, err := record.New(Name, fh, &pl, pl.Executor, fts)\n" +
				"\tif err != nil {\n\t\treturn nil, err\n\t}\n\tpl.library = library\n",
		},
		{"pl.Evaluator.Preempt(ctx, state, pod, m)", "pl.library.Preempt(ctx, state, pod, m)"},
	},
	// The API server is given ten seconds to become healthy, which two busy cores
	// miss.
	"test/integration/framework/test_server.go": {
		{"100*time.Millisecond, 10*time.Second, true, func(ctx context.Context)", "100*time.Millisecond, 2*time.Minute, true, func(ctx context.Context)"},
	},
}

// writeOverlay writes the edited files of the source tree to dir, and returns the
// overlay that puts them in their places.
func writeOverlay(tree, dir string) (string, error) {
	replace := make(map[string]string)
	for name, list := range edits {
		data, err := os.ReadFile(filepath.Join(tree, name))
		if err != nil {
			return "", err
		}
		text := string(data)
		for _, e := range list {
			if n := strings.Count(text, e.old); n != 1 {
				return "", fmt.Errorf("%s: the text to replace occurs %d times, want once:\n%s", name, n, e.old)
			}
			text = strings.Replace(text, e.old, e.new, 1)
		}
		to := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
			return "", err
		}
		replace[filepath.Join(tree, name)] = to
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o666)
}
