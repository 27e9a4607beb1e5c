package simulate

import (
	"fmt"
	"time"

	"example.com/preemption"
)

// A Recreation says what comes in the place of an evicted pod.
type Recreation struct {
	// Pod is what its owner creates, pending; nil: nothing, the pod is gone for good.
	Pod *preemption.Pod
	// OnceGone: it is created when the old pod has terminated, and not as soon as
	// its deletion begins.
	OnceGone bool
	// OnlyOn names the only node that may take it; "": any.
	OnlyOn string
}

// Recreate is what controllers do by default. A pod without an owner is gone for
// good. A StatefulSet's pod comes back under its own name once the old one is
// gone, a DaemonSet's once the old one is gone and for its own node only, every
// other as soon as its deletion begins. The pod is created as the original was,
// with the number of its life behind its UID and, but for a StatefulSet, its
// name: web~2 is the second web.
func Recreate(original, evicted *preemption.Pod, life int) Recreation {
	if original.Owner == (preemption.Owner{}) {
		return Recreation{}
	}
	p := *original
	p.NodeName, p.NominatedNode = "", ""
	p.Start, p.Termination, p.TerminatesAt = time.Time{}, preemption.NotTerminating, time.Time{}
	if p.UID != "" {
		p.UID = lifeName(p.UID, life)
	}
	r := Recreation{Pod: &p}
	switch original.Owner.Kind {
	case "StatefulSet":
		r.OnceGone = true
	case "DaemonSet":
		r.OnceGone, r.OnlyOn = true, evicted.NodeName
		p.Name = lifeName(p.Name, life)
	default:
		p.Name = lifeName(p.Name, life)
	}
	return r
}

// lifeName cannot be taken by a pod of a real cluster, whose names have no tilde.
func lifeName(name string, life int) string { return fmt.Sprintf("%s~%d", name, life) }
