package dump

import (
	"cmp"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
)

// kinds says where the objects of each kind go.
var kinds = map[schema.GroupVersionKind]func(*Contents, *unstructured.Unstructured) error{
	v1.SchemeGroupVersion.WithKind("Node"):                  into(func(c *Contents) *[]*v1.Node { return &c.Cluster.Nodes }),
	v1.SchemeGroupVersion.WithKind("Pod"):                   namespaced(pod),
	v1.SchemeGroupVersion.WithKind("Namespace"):             into(func(c *Contents) *[]*v1.Namespace { return &c.Plugins.Namespaces }),
	v1.SchemeGroupVersion.WithKind("PersistentVolume"):      into(func(c *Contents) *[]*v1.PersistentVolume { return &c.Plugins.PersistentVolumes }),
	v1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"): namespaced(into(func(c *Contents) *[]*v1.PersistentVolumeClaim { return &c.Plugins.PersistentVolumeClaims })),

	policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"): namespaced(into(func(c *Contents) *[]*policyv1.PodDisruptionBudget { return &c.Cluster.PodDisruptionBudgets })),

	schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"):           into(func(c *Contents) *[]*schedulingv1.PriorityClass { return &c.Cluster.PriorityClasses }),
	schedulingv1beta1.SchemeGroupVersion.WithKind("PodGroup"):           namespaced(into(func(c *Contents) *[]*schedulingv1beta1.PodGroup { return &c.Cluster.PodGroups })),
	schedulingv1alpha3.SchemeGroupVersion.WithKind("CompositePodGroup"): namespaced(into(func(c *Contents) *[]*schedulingv1alpha3.CompositePodGroup { return &c.Cluster.CompositePodGroups })),

	storagev1.SchemeGroupVersion.WithKind("StorageClass"):       into(func(c *Contents) *[]*storagev1.StorageClass { return &c.Plugins.StorageClasses }),
	storagev1.SchemeGroupVersion.WithKind("CSINode"):            into(func(c *Contents) *[]*storagev1.CSINode { return &c.Plugins.CSINodes }),
	storagev1.SchemeGroupVersion.WithKind("CSIDriver"):          into(func(c *Contents) *[]*storagev1.CSIDriver { return &c.Plugins.CSIDrivers }),
	storagev1.SchemeGroupVersion.WithKind("CSIStorageCapacity"): namespaced(into(func(c *Contents) *[]*storagev1.CSIStorageCapacity { return &c.Plugins.CSIStorageCapacities })),
	storagev1.SchemeGroupVersion.WithKind("VolumeAttachment"):   into(func(c *Contents) *[]*storagev1.VolumeAttachment { return &c.Plugins.VolumeAttachments }),
}

// known are the kinds of any version.
var known = func() map[schema.GroupKind]bool {
	m := make(map[schema.GroupKind]bool, len(kinds))
	for gvk := range kinds {
		m[gvk.GroupKind()] = true
	}
	return m
}()

// into converts an object and appends it to a list.
func into[T any](list func(*Contents) *[]*T) func(*Contents, *unstructured.Unstructured) error {
	return func(c *Contents, u *unstructured.Unstructured) error {
		x, err := convert[T](u)
		if err == nil {
			l := list(c)
			*l = append(*l, x)
		}
		return err
	}
}

// pod takes in a pod. One from a manifest, that the API server has not seen, gets
// the defaults that it would: requests follow limits, host ports the host's
// network.
func pod(c *Contents, u *unstructured.Unstructured) error {
	p, err := convert[v1.Pod](u)
	if err != nil {
		return err
	}
	if p.UID == "" && p.CreationTimestamp.IsZero() {
		defaults.SetObjectDefaults_Pod(p)
	}
	c.Cluster.Pods = append(c.Cluster.Pods, p)
	return nil
}

// namespaced gives an object without a namespace, from a manifest, the one that
// it would be created in.
func namespaced(add func(*Contents, *unstructured.Unstructured) error) func(*Contents, *unstructured.Unstructured) error {
	return func(c *Contents, u *unstructured.Unstructured) error {
		if u.GetNamespace() == "" {
			u.SetNamespace(cmp.Or(c.Namespace, metav1.NamespaceDefault))
		}
		return add(c, u)
	}
}
