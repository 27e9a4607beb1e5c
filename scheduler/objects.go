package scheduler

import (
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Objects are what the plugins look at besides pods and nodes.
//
// Where no claims are given the volume plugins take no part: nothing could be
// said about a pod's volumes then. Where they are, the other kinds of volume
// objects are needed too: a pod whose claim or volume is missing fits nowhere.
type Objects struct {
	// Namespaces matter through their labels, to affinity terms that select
	// namespaces.
	Namespaces             []*v1.Namespace
	PersistentVolumeClaims []*v1.PersistentVolumeClaim
	PersistentVolumes      []*v1.PersistentVolume
	StorageClasses         []*storagev1.StorageClass
	CSINodes               []*storagev1.CSINode
	CSIDrivers             []*storagev1.CSIDriver
	CSIStorageCapacities   []*storagev1.CSIStorageCapacity
	VolumeAttachments      []*storagev1.VolumeAttachment
}

// factory returns informers, never started, that know the objects.
func (o *Objects) factory() (informers.SharedInformerFactory, error) {
	f := informers.NewSharedInformerFactory(nil, 0)
	var failed error
	know(f, &failed, o.Namespaces)
	know(f, &failed, o.PersistentVolumeClaims)
	know(f, &failed, o.PersistentVolumes)
	know(f, &failed, o.StorageClasses)
	know(f, &failed, o.CSINodes)
	know(f, &failed, o.CSIDrivers)
	know(f, &failed, o.CSIStorageCapacities)
	know(f, &failed, o.VolumeAttachments)
	return f, failed
}

// know makes the factory's informer of the objects' type one that lists them.
func know[T any, P interface {
	*T
	runtime.Object
}](f informers.SharedInformerFactory, failed *error, objects []P) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, o := range objects {
		if err := indexer.Add(o); err != nil && *failed == nil {
			*failed = err
		}
	}
	// The factory keeps the first informer that it is given for a type.
	f.InformerFor(P(new(T)), func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
		return staticInformer{indexer: indexer}
	})
}

// staticInformer has the few methods of an informer that plugins call when they
// are put together. It never changes, so that nobody needs to be told.
type staticInformer struct {
	cache.SharedIndexInformer // nil
	indexer                   cache.Indexer
}

func (i staticInformer) GetIndexer() cache.Indexer { return i.indexer }
func (i staticInformer) GetStore() cache.Store     { return i.indexer }
func (i staticInformer) HasSynced() bool           { return true }

func (i staticInformer) AddIndexers(indexers cache.Indexers) error {
	return i.indexer.AddIndexers(indexers)
}

func (i staticInformer) AddEventHandler(cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return nil, nil
}
