package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/preemption/scheduler/explanation"
)

// server is an API server with the objects of the queue's test. It refuses to
// list volumes and does not serve pod groups.
type server struct {
	mu      sync.Mutex
	methods map[string]int
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.methods[r.Method]++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch path := r.URL.Path; {
	case path == "/version":
		fmt.Fprint(w, `{"major":"1","minor":"36","gitVersion":"v1.36.4"}`)
	case path == "/api/v1/nodes":
		fmt.Fprint(w, `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4","pods":"9"}}}]}`)
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
