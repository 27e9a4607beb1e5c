package command

import "testing"

// Whatever the input, there is an answer or an error that says why not.
func FuzzExplain(f *testing.F) {
	f.Add([]byte(oneNode + podJSON("p", `{"priority":5,"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]}`)))
	f.Add([]byte(crowd))
	f.Add([]byte(`{"apiVersion":"v1","kind":"List","items":[` + oneNode + `]}`))
	f.Add([]byte(oneNode + podJSON("p", `{"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone","labelSelector":{"matchLabels":{"a":"b"}}}]}},"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"}]}`)))
	f.Fuzz(func(t *testing.T, input []byte) {
		code, stdout, stderr := run(input, "explain", "-f", "-", "--all-pending", "-o", "wide")
		if (code == ExitError) != (stderr != "") {
			t.Errorf("exit code %d, error %q, output %q", code, stderr, stdout)
		}
	})
}
