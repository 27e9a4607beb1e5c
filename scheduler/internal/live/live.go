// Package live reads the objects that a decision depends on from a cluster. It
// lists, and does nothing else.
package live

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"

	"example.com/preemption/scheduler/internal/dump"
)

// Fetch lists everything. Without nodes or pods there is nothing to decide on,
// so that failing to list them is an error; what else may not be listed is
// named in the notes. A kind that the cluster does not serve has no objects.
func Fetch(ctx context.Context, client kubernetes.Interface) (*dump.Contents, []string, error) {
	c := &dump.Contents{Live: true}
	var notes []string
	for _, kind := range []struct {
		name     string
		required bool
		list     pager.ListPageFunc
		add      func(runtime.Object)
	}{
		{"nodes", true, page(client.CoreV1().Nodes().List), to[v1.Node](&c.Cluster.Nodes)},
		{"pods", true, page(client.CoreV1().Pods("").List), to[v1.Pod](&c.Cluster.Pods)},
		{"poddisruptionbudgets", false, page(client.PolicyV1().PodDisruptionBudgets("").List), to[policyv1.PodDisruptionBudget](&c.Cluster.PodDisruptionBudgets)},
		{"priorityclasses", false, page(client.SchedulingV1().PriorityClasses().List), to[schedulingv1.PriorityClass](&c.Cluster.PriorityClasses)},
		{"podgroups", false, page(client.SchedulingV1beta1().PodGroups("").List), to[schedulingv1beta1.PodGroup](&c.Cluster.PodGroups)},
		{"compositepodgroups", false, page(client.SchedulingV1alpha3().CompositePodGroups("").List), to[schedulingv1alpha3.CompositePodGroup](&c.Cluster.CompositePodGroups)},
		{"namespaces", false, page(client.CoreV1().Namespaces().List), to[v1.Namespace](&c.Plugins.Namespaces)},
		{"persistentvolumeclaims", false, page(client.CoreV1().PersistentVolumeClaims("").List), to[v1.PersistentVolumeClaim](&c.Plugins.PersistentVolumeClaims)},
		{"persistentvolumes", false, page(client.CoreV1().PersistentVolumes().List), to[v1.PersistentVolume](&c.Plugins.PersistentVolumes)},
		{"storageclasses", false, page(client.StorageV1().StorageClasses().List), to[storagev1.StorageClass](&c.Plugins.StorageClasses)},
		{"csinodes", false, page(client.StorageV1().CSINodes().List), to[storagev1.CSINode](&c.Plugins.CSINodes)},
		{"csidrivers", false, page(client.StorageV1().CSIDrivers().List), to[storagev1.CSIDriver](&c.Plugins.CSIDrivers)},
		{"csistoragecapacities", false, page(client.StorageV1().CSIStorageCapacities("").List), to[storagev1.CSIStorageCapacity](&c.Plugins.CSIStorageCapacities)},
		{"limitranges", false, page(client.CoreV1().LimitRanges("").List), to[v1.LimitRange](&c.LimitRanges)},
		{"runtimeclasses", false, page(client.NodeV1().RuntimeClasses().List), to[nodev1.RuntimeClass](&c.RuntimeClasses)},
		{"events", false, page(client.CoreV1().Events("").List), func(o runtime.Object) {
			if e, ok := o.(*v1.Event); ok && dump.Tells(e) {
				c.Events = append(c.Events, dump.CoreEvent(e))
			}
		}},
		{"volumeattachments", false, page(client.StorageV1().VolumeAttachments().List), to[storagev1.VolumeAttachment](&c.Plugins.VolumeAttachments)},
	} {
		err := list(ctx, kind.list, kind.add)
		switch {
		case err == nil || apierrors.IsNotFound(err):
		case kind.required || ctx.Err() != nil:
			return nil, nil, fmt.Errorf("list %s: %w", kind.name, err)
		default:
			notes = append(notes, fmt.Sprintf("cannot list %s, so there are taken to be none: %v", kind.name, err))
		}
	}
	return c, notes, nil
}

// list goes through all objects, page by page. Where a page has expired meanwhile, as
// in a busy cluster, it asks for all of them at once: walking the pages alone would not.
func list(ctx context.Context, fetch pager.ListPageFunc, add func(runtime.Object)) error {
	all, _, err := pager.New(fetch).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return meta.EachListItem(all, func(o runtime.Object) error {
		add(o)
		return nil
	})
}

// page adapts a typed list call.
func page[L runtime.Object](list func(context.Context, metav1.ListOptions) (L, error)) pager.ListPageFunc {
	return func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		return list(ctx, opts)
	}
}

// to appends listed objects to a slice.
func to[T any, P interface {
	*T
	runtime.Object
}](list *[]P) func(runtime.Object) {
	return func(o runtime.Object) {
		if x, ok := o.(P); ok {
			*list = append(*list, x)
		}
	}
}
