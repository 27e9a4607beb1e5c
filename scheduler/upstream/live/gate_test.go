//go:build live

package live

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// A gate is what the scheduler talks to in the place of the API server. It has the
// rights of the scheduler's service account, writes down which pods were deleted,
// and can stop the scheduler in the middle of a preemption: then it lets one
// deletion through and keeps back those after it.
type gate struct {
	*httptest.Server
	held, opened chan struct{} // closed when a deletion is kept back, and when none is any more

	mu      sync.Mutex
	evicted []string // the deletions that the API server carried out
}

func newGate(config *rest.Config) (*gate, error) {
	to, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	account := rest.CopyConfig(config)
	account.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:kube-system:" + schedulerName,
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
	}
	transport, err := rest.TransportFor(account)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:     transport,
		FlushInterval: -1, // watches
	}
	g := &gate{held: make(chan struct{}), opened: make(chan struct{})}
	proxy.ModifyResponse = func(r *http.Response) error {
		if pod := deletedPod(r.Request); pod != "" && r.StatusCode == http.StatusOK {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.evicted = append(g.evicted, pod)
		}
		return nil
	}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if deletedPod(r) != "" && g.keepBack() {
			<-g.opened
			return // who asked for it is gone
		}
		proxy.ServeHTTP(w, r)
	}))
	return g, nil
}

// deletedPod returns the name of the pod that a request deletes, if it does.
func deletedPod(r *http.Request) string {
	if r.Method != http.MethodDelete || !strings.HasPrefix(r.URL.Path, "/api/v1/namespaces/default/pods/") {
		return ""
	}
	return path.Base(r.URL.Path)
}

func (g *gate) keepBack() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if isClosed(g.opened) || len(g.evicted) == 0 {
		return false
	}
	if !isClosed(g.held) {
		close(g.held)
	}
	return true
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// open lets everything through from now on. What was kept back is dropped: the
// scheduler that asked for it has been killed.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !isClosed(g.opened) {
		close(g.opened)
	}
}

// deletions returns the pods whose deletion the API server carried out for the
// scheduler, in that order.
func (g *gate) deletions() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.evicted...)
}
