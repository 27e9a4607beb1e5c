package scheduler

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
)

// A handle is what plugins see of the scheduler: one snapshot, and informers. Of
// the interface it has what they ask for when they are put together; they are
// never asked to do anything but filter.
type handle struct {
	fwk.Handle // nil
	snapshot   *snapshot
	informers  informers.SharedInformerFactory
}

func (h handle) SnapshotSharedLister() fwk.SharedLister {
	return lister{snapshot: h.snapshot}
}

func (h handle) SharedInformerFactory() informers.SharedInformerFactory { return h.informers }
func (h handle) ClientSet() kubernetes.Interface                        { return nil }
func (h handle) Parallelizer() fwk.Parallelizer                         { return inOrder{} }

func (h handle) SharedCSIManager() fwk.CSIManager {
	return nodevolumelimits.NewCSIManager(h.informers.Storage().V1().CSINodes().Lister())
}

// inOrder runs pieces of work one after another: the library decides what runs
// at the same time.
type inOrder struct{}

func (inOrder) Until(ctx context.Context, pieces int, do workqueue.DoWorkPieceFunc, _ string) {
	for i := 0; i < pieces && ctx.Err() == nil; i++ {
		do(i)
	}
}
