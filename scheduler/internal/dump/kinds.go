package dump

import (
	"cmp"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"sigs.k8s.io/json"
)

// kinds says where the objects of each kind go.
var kinds = map[schema.GroupVersionKind]func(*Contents, piece) error{
	v1.SchemeGroupVersion.WithKind("Node"):                  into(several, func(c *Contents) *[]*v1.Node { return &c.Cluster.Nodes }),
	v1.SchemeGroupVersion.WithKind("Pod"):                   into(several|namespaced, func(c *Contents) *[]*v1.Pod { return &c.Cluster.Pods }, defaulted),
	v1.SchemeGroupVersion.WithKind("Namespace"):             into(0, func(c *Contents) *[]*v1.Namespace { return &c.Plugins.Namespaces }),
	v1.SchemeGroupVersion.WithKind("LimitRange"):            into(namespaced, func(c *Contents) *[]*v1.LimitRange { return &c.LimitRanges }),
	v1.SchemeGroupVersion.WithKind("PersistentVolume"):      into(0, func(c *Contents) *[]*v1.PersistentVolume { return &c.Plugins.PersistentVolumes }),
	v1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"): into(namespaced, func(c *Contents) *[]*v1.PersistentVolumeClaim { return &c.Plugins.PersistentVolumeClaims }),
	v1.SchemeGroupVersion.WithKind("Event"):                 event(coreEvent),
	eventsv1.SchemeGroupVersion.WithKind("Event"):           event(newEvent),

	nodev1.SchemeGroupVersion.WithKind("RuntimeClass"):          into(0, func(c *Contents) *[]*nodev1.RuntimeClass { return &c.RuntimeClasses }),
	policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"): into(several|namespaced, func(c *Contents) *[]*policyv1.PodDisruptionBudget { return &c.Cluster.PodDisruptionBudgets }),

	schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"):           into(0, func(c *Contents) *[]*schedulingv1.PriorityClass { return &c.Cluster.PriorityClasses }, class),
	schedulingv1beta1.SchemeGroupVersion.WithKind("PodGroup"):           into(several|namespaced, func(c *Contents) *[]*schedulingv1beta1.PodGroup { return &c.Cluster.PodGroups }),
	schedulingv1alpha3.SchemeGroupVersion.WithKind("CompositePodGroup"): into(several|namespaced, func(c *Contents) *[]*schedulingv1alpha3.CompositePodGroup { return &c.Cluster.CompositePodGroups }),

	storagev1.SchemeGroupVersion.WithKind("StorageClass"):       into(0, func(c *Contents) *[]*storagev1.StorageClass { return &c.Plugins.StorageClasses }),
	storagev1.SchemeGroupVersion.WithKind("CSINode"):            into(0, func(c *Contents) *[]*storagev1.CSINode { return &c.Plugins.CSINodes }),
	storagev1.SchemeGroupVersion.WithKind("CSIDriver"):          into(0, func(c *Contents) *[]*storagev1.CSIDriver { return &c.Plugins.CSIDrivers }),
	storagev1.SchemeGroupVersion.WithKind("CSIStorageCapacity"): into(namespaced, func(c *Contents) *[]*storagev1.CSIStorageCapacity { return &c.Plugins.CSIStorageCapacities }),
	storagev1.SchemeGroupVersion.WithKind("VolumeAttachment"):   into(0, func(c *Contents) *[]*storagev1.VolumeAttachment { return &c.Plugins.VolumeAttachments }),
}

// known are the kinds of any version.
var known = func() map[schema.GroupKind]bool {
	m := make(map[schema.GroupKind]bool, len(kinds))
	for gvk := range kinds {
		m[gvk.GroupKind()] = true
	}
	return m
}()

// A scope says how objects of a kind are told apart.
type scope uint8

const (
	namespaced scope = 1 << iota
	// Names that are there twice are found out later, or are taken to be from
	// different times.
	several
)

// object is a pointer to a T that has metadata.
type object[T any] interface {
	*T
	metav1.Object
}

// into decodes an object and appends it to a list. An object without a namespace,
// from a manifest, gets the one that it would be created in.
func into[T any, P object[T]](s scope, list func(*Contents) *[]P, then ...func(*Contents, P) error) func(*Contents, piece) error {
	return func(c *Contents, p piece) error {
		x := P(new(T))
		if err := decode(p.json, x); err != nil {
			return err
		}
		if x.GetName() == "" && x.GetGenerateName() == "" {
			return errors.New("without a name")
		}
		if s&namespaced != 0 && x.GetNamespace() == "" {
			x.SetNamespace(cmp.Or(c.Namespace, metav1.NamespaceDefault))
		}
		if s&several == 0 {
			if err := c.once(identity{p.kind, x.GetNamespace(), x.GetName()}, p.at); err != nil {
				return err
			}
		}
		for _, f := range then {
			if err := f(c, x); err != nil {
				return fmt.Errorf("%s: %w", fullName(x.GetNamespace(), x.GetName()), err)
			}
		}
		l := list(c)
		*l = append(*l, x)
		return nil
	}
}

// decode turns JSON into an object of a type. The error names the object and the
// field.
func decode(data []byte, x metav1.Object) error {
	err := json.UnmarshalCaseSensitivePreserveInts(data, x)
	if err == nil {
		return nil
	}
	var head struct {
		Metadata struct {
			Namespace    any `json:"namespace"`
			Name         any `json:"name"`
			GenerateName any `json:"generateName"`
		} `json:"metadata"`
	}
	name := ""
	if json.UnmarshalCaseSensitivePreserveInts(data, &head) == nil {
		name = cmp.Or(text(head.Metadata.Name), text(head.Metadata.GenerateName))
		name = fullName(text(head.Metadata.Namespace), name)
	}
	if name != "" {
		return fmt.Errorf("%s: %w", name, located(err, data))
	}
	return located(err, data)
}

func text(x any) string {
	s, _ := x.(string)
	return s
}

// defaulted gives a pod from a manifest, that the API server has not seen, the
// defaults that it would: requests follow limits, host ports the host's network.
func defaulted(_ *Contents, p *v1.Pod) error {
	if p.UID == "" && p.CreationTimestamp.IsZero() {
		defaults.SetObjectDefaults_Pod(p)
	}
	return nil
}
