package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"example.com/preemption/scheduler/explanation"
)

// A pod that the API server has not seen gets its defaults, in the dump and out
// of it; one that it has seen is what it is.
func TestManifestDefaults(t *testing.T) {
	const spec = `"spec":{"hostNetwork":true,"containers":[{"name":"a","resources":{"limits":{"cpu":"3"}},"ports":[{"containerPort":80}]}]}`
	manifest := `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"p"},` + spec + `}`
	stored := `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"p","uid":"1"},` + spec + `}`
	taken := podJSON("web", `{"nodeName":"n1","priority":5,"hostNetwork":true,"containers":[{"name":"a","ports":[{"containerPort":80}]}]}`)
	file := filepath.Join(t.TempDir(), "pod.json")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, input, pod string
		code             int
		cpu              string
	}{
		{"in the dump", oneNode + taken + manifest, "p", ExitNo, "3"},
		{"in a file", oneNode + taken, "--pod-file=" + file, ExitNo, "3"},
		{"stored", oneNode + taken + stored, "p", ExitYes, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := run([]byte(tc.input), "explain", "-f", "-", "-o", "json", tc.pod)
			var e explanation.Explanation
			if err := json.Unmarshal([]byte(stdout), &e); err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
			if code != tc.code || e.Pod.Requests["cpu"] != tc.cpu {
				t.Errorf("exit code %d, requests %v, %s", code, e.Pod.Requests, e.Message)
			}
		})
	}
}
