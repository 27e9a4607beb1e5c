package decide

import (
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// events collects what informers say has changed, for the state to look at before
// the next decision. Handlers only take notes, so that no decision ever sees half
// an update.
type events struct {
	mu    sync.Mutex
	noted changes
}

type changes struct {
	// The names of budgets and groups that changed.
	budgets, groups, composites map[types.NamespacedName]bool
	claims                      []claim
}

// A claim says that a pod is nominated to a node, or not any more, by what
// somebody saw. The scheduler's nominator has the last word; it is asked until it
// agrees, since its informer handlers may be behind the ones here, or until the
// claim is old.
type claim struct {
	pod       types.UID
	node      string
	nominated bool
	object    *v1.Pod // the pod as it was seen; nil if nobody saw it
	until     time.Time
}

// patience is how long the nominator is given to come to agree with a claim.
const patience = time.Second

func newEvents() *events { return &events{noted: noChanges()} }

func noChanges() changes {
	return changes{
		budgets:    map[types.NamespacedName]bool{},
		groups:     map[types.NamespacedName]bool{},
		composites: map[types.NamespacedName]bool{},
	}
}

// nomination takes note that a pod's nomination moves. The object may be nil.
func (e *events) nomination(pod types.UID, from, to string, object *v1.Pod) {
	e.mu.Lock()
	defer e.mu.Unlock()
	until := time.Now().Add(patience)
	if from != "" && from != to {
		e.noted.claims = append(e.noted.claims, claim{pod, from, false, nil, until})
	}
	if to != "" {
		e.noted.claims = append(e.noted.claims, claim{pod, to, true, object, until})
	}
}

// take returns what has been noted and forgets it.
func (e *events) take() changes {
	e.mu.Lock()
	defer e.mu.Unlock()
	taken := e.noted
	e.noted = noChanges()
	return taken
}

// again notes claims that are not settled, but for those that are old.
func (e *events) again(claims []claim) {
	if len(claims) == 0 {
		return
	}
	now := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range claims {
		if now.Before(c.until) {
			e.noted.claims = append(e.noted.claims, c)
		}
	}
}

// pods returns the handlers of pod events: only nominations matter, the rest
// comes with the snapshot.
func (e *events) pods() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { e.seen(nil, o) },
		UpdateFunc: func(old, o any) {
			e.seen(old, o)
		},
		DeleteFunc: func(o any) { e.seen(deleted(o), nil) },
	}
}

func (e *events) seen(old, new any) {
	was, from := nominationOf(old)
	is, to := nominationOf(new)
	object, _ := new.(*v1.Pod)
	switch {
	case from == "" && to == "":
	case was == "" || is == "" || was == is:
		e.nomination(max(was, is), from, to, object)
	default: // one pod in the place of another
		e.nomination(was, from, "", nil)
		e.nomination(is, "", to, object)
	}
}

// nominationOf returns the node that a pending pod is nominated to.
func nominationOf(o any) (types.UID, string) {
	p, ok := o.(*v1.Pod)
	if !ok || p.Spec.NodeName != "" {
		return "", ""
	}
	return p.UID, p.Status.NominatedNodeName
}

// names returns handlers that note the names of objects in a set.
func (e *events) names(set func(*changes) map[types.NamespacedName]bool) cache.ResourceEventHandler {
	note := func(o any) {
		if m, ok := deleted(o).(metav1.Object); ok {
			e.mu.Lock()
			defer e.mu.Unlock()
			set(&e.noted)[types.NamespacedName{Namespace: m.GetNamespace(), Name: m.GetName()}] = true
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: note, UpdateFunc: func(_, o any) { note(o) }, DeleteFunc: note}
}

// deleted returns the last known state of an object whose deletion was missed.
func deleted(o any) any {
	if unknown, ok := o.(cache.DeletedFinalStateUnknown); ok {
		return unknown.Obj
	}
	return o
}
