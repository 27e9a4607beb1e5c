package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/preemption/scheduler/explanation"
)

// server is an API server with a node, a pod on it, and one that is pending. It
// refuses to list volumes and does not serve pod groups.
type server struct {
	mu      sync.Mutex
	methods map[string]int
	// otherwise are answers in the place of its own, by path, or by path and "continue".
	otherwise map[string]answering
}

// An answering is the code and the body of an answer.
type answering struct {
	code int
	body string
}

// refused is an API server's refusal.
func refused(code int, reason, message string) answering {
	return answering{code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.methods[r.Method]++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	key := r.URL.Path
	if r.URL.Query().Get("continue") != "" {
		key += " continue"
	}
	if a, ok := s.otherwise[key]; ok {
		w.WriteHeader(a.code)
		fmt.Fprint(w, a.body)
		return
	}
	switch path := r.URL.Path; {
	case path == "/version":
		fmt.Fprint(w, `{"major":"1","minor":"36","gitVersion":"v1.36.4"}`)
	case path == "/api/v1/nodes":
		fmt.Fprint(w, `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4","pods":"9"}}}]}`)
	case path == "/api/v1/pods" && r.URL.Query().Get("limit") == "":
		// All at once, as it is asked for when a page has expired.
		fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","items":[
			{"metadata":{"namespace":"team","name":"web","uid":"1"},"spec":{"nodeName":"n1","priority":1,"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}},
			{"metadata":{"namespace":"team","name":"p","uid":"2"},"spec":{"priority":10,"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}}]}`)
	case path == "/api/v1/pods" && r.URL.Query().Get("continue") == "":
		fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"continue":"more"},"items":[
			{"metadata":{"namespace":"team","name":"web","uid":"1"},"spec":{"nodeName":"n1","priority":1,"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}}]}`)
	case path == "/api/v1/pods":
		fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","items":[
			{"metadata":{"namespace":"team","name":"p","uid":"2"},"spec":{"priority":10,"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}}]}`)
	case strings.Contains(path, "persistentvolume"):
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no volumes for you","reason":"Forbidden","code":403}`)
	case strings.Contains(path, "podgroups"):
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	default:
		fmt.Fprint(w, `{"kind":"List","apiVersion":"v1","items":[]}`)
	}
}

// A live cluster is listed, page by page, and never written to. What may not be
// listed is named; the rules are those of its version.
func TestLiveCluster(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nonexistent")
	s := &server{methods: map[string]int{}}
	api := httptest.NewServer(s)
	defer api.Close()
	code, stdout, stderr := run(nil, "explain", "p", "-n", "team", "-o", "json", "--server", api.URL)
	if code != ExitYes {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var e explanation.Explanation
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		t.Fatal(err)
	}
	if e.Outcome != explanation.Preempt || e.Victims[0].Name != "web" || e.KubernetesVersion != "1.36" {
		t.Errorf("%s of %v by the rules of %s", e.Outcome, e.Victims, e.KubernetesVersion)
	}
	if warnings := strings.Join(e.Warnings, "\n"); !strings.Contains(warnings, "cannot list persistentvolumeclaims") || strings.Contains(warnings, "podgroups") {
		t.Errorf("warnings:\n%s", warnings)
	}
	if len(s.methods) != 1 || s.methods[http.MethodGet] == 0 {
		t.Errorf("requests %v, want GET alone", s.methods)
	}
	if code, _, stderr := run(nil, "explain", "p", "--server", "http://127.0.0.1:1"); code != ExitError || !strings.Contains(stderr, "list nodes") {
		t.Errorf("exit code %d without a cluster: %s", code, stderr)
	}
}

// What an API server may answer in the place of a list: without nodes and pods there
// is no answer, what else is missing is said.
func TestLiveRefusals(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nonexistent")
	const events = `{"kind":"EventList","apiVersion":"v1","items":[{"metadata":{"namespace":"team","name":"e"},"reason":"Preempted","message":"Preempted by pod 2 on node n1","involvedObject":{"kind":"Pod","namespace":"team","name":"old","uid":"9"},"lastTimestamp":"2026-01-01T00:00:00Z"}]}`
	for _, tc := range []struct {
		name      string
		otherwise map[string]answering
		args      []string
		code      int
		says      string
	}{
		{"nodes are forbidden", map[string]answering{"/api/v1/nodes": refused(403, "Forbidden", `nodes is forbidden: User "alice" cannot list resource "nodes"`)}, nil,
			ExitError, `error: list nodes: nodes is forbidden: User "alice" cannot list resource "nodes"`},
		{"pods are forbidden", map[string]answering{"/api/v1/pods": refused(403, "Forbidden", "pods is forbidden")}, nil, ExitError, "error: list pods: pods is forbidden"},
		{"the second page is forbidden", map[string]answering{"/api/v1/pods continue": refused(403, "Forbidden", "no more pods")}, nil, ExitError, "error: list pods: no more pods"},
		{"the second page has expired", map[string]answering{"/api/v1/pods continue": refused(410, "Expired", "too old")}, nil, ExitYes, "preemption clears node n1"},
		{"nobody is known", map[string]answering{"/api/v1/nodes": refused(401, "Unauthorized", "Unauthorized")}, nil, ExitError, "error: list nodes: Unauthorized"},
		{"budgets are forbidden", map[string]answering{"/apis/policy/v1/poddisruptionbudgets": refused(403, "Forbidden", "no budgets for you")}, nil,
			ExitYes, "cannot list poddisruptionbudgets, so there are taken to be none: no budgets for you"},
		{"groups are forbidden", map[string]answering{"/apis/scheduling.k8s.io/v1beta1/podgroups": refused(403, "Forbidden", "no groups for you")}, nil, ExitYes, "cannot list podgroups"},
		{"classes fail", map[string]answering{"/apis/scheduling.k8s.io/v1/priorityclasses": refused(500, "InternalError", "etcd is away")}, nil, ExitYes, "cannot list priorityclasses"},
		{"no version", map[string]answering{"/version": refused(404, "NotFound", "nothing here")}, nil, ExitYes, "the cluster's version is not known: the rules are those of 1.37"},
		{"an old version", map[string]answering{"/version": {200, `{"major":"1","minor":"33+","gitVersion":"v1.33.5-eks-1a2b3c4"}`}}, nil, ExitYes, "the cluster is of version 1.33: the rules are those of 1.36"},
		{"no JSON", map[string]answering{"/api/v1/nodes": {200, "<html>a proxy's page</html>"}}, nil, ExitError, "error: list nodes: "},
		{"no nodes", map[string]answering{"/api/v1/nodes": {200, `{"kind":"NodeList","apiVersion":"v1","items":[]}`}}, nil, ExitError, "no nodes"},
		{"events", map[string]answering{"/api/v1/events": {200, events}}, []string{"who"}, ExitNo, "team/old"},
		{"events are forbidden", map[string]answering{"/api/v1/events": refused(403, "Forbidden", "no events for you")}, []string{"who"}, ExitYes, "cannot list events"},
		{"audit", nil, []string{"audit"}, ExitYes, "naked-pod"},
		{"can-evict", nil, []string{"can-evict", "web", "-n", "team"}, ExitNo, "It would be evicted now, for pod team/p."},
		{"capacity", nil, []string{"capacity", "--priority", "5", "--requests", "cpu=1"}, ExitYes, "Room for 1 as it is, and for 3 more with preemption"},
		{"simulate", nil, []string{"simulate"}, ExitYes, "it settles after"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &server{methods: map[string]int{}, otherwise: tc.otherwise}
			api := httptest.NewServer(s)
			defer api.Close()
			args := tc.args
			if args == nil {
				args = []string{"explain", "p", "-n", "team"}
			}
			code, stdout, stderr := run(nil, append(args, "--server", api.URL)...)
			if code != tc.code || !strings.Contains(stdout+stderr, tc.says) {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, tc.code, tc.says, stdout, stderr)
			}
			if code == ExitError && (stdout != "" || strings.Count(stderr, "\n") > 2) {
				t.Errorf("error %q, output %q", stderr, stdout)
			}
			if len(s.methods) != 1 || s.methods[http.MethodGet] == 0 {
				t.Errorf("requests %v, want GET alone", s.methods)
			}
		})
	}
}

// The cluster and the namespace are those of the kubeconfig's context, of the current
// one or of --context.
func TestContexts(t *testing.T) {
	api := httptest.NewServer(&server{methods: map[string]int{}})
	defer api.Close()
	kubeconfig := filepath.Join(t.TempDir(), "config")
	config := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: live, cluster: {server: %q}}, {name: away, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: team, context: {cluster: live, namespace: team}}, {name: default, context: {cluster: live}}, {name: away, context: {cluster: away}}]
current-context: team
`, api.URL)
	if err := os.WriteFile(kubeconfig, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", kubeconfig)
	for _, tc := range []struct {
		args []string
		code int
		says string
	}{
		{nil, ExitYes, "Pod team/p: priority 10"},
		{[]string{"--context", "default", "-n", "team"}, ExitYes, "Pod team/p: priority 10"},
		{[]string{"--context", "default"}, ExitError, "there is no pod default/p; the one of that name is in namespace team (-n team)"},
		{[]string{"--context", "away"}, ExitError, "list nodes: "},
		{[]string{"--context", "nosuch"}, ExitError, `context "nosuch" does not exist`},
		{[]string{"--kubeconfig", kubeconfig + "-nosuch"}, ExitError, "no such file or directory"},
	} {
		code, stdout, stderr := run(nil, append([]string{"explain", "p"}, tc.args...)...)
		if code != tc.code || !strings.Contains(stdout+stderr, tc.says) {
			t.Errorf("%v: exit code %d, want %d with %q: %s%s", tc.args, code, tc.code, tc.says, stdout, stderr)
		}
	}
}
