package scheduler_test

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption/scheduler"
)

// others are what the plugins look at besides pods and nodes.
func (w *world) others() scheduler.Objects {
	o := w.storage
	o.Namespaces = namespaces
	return o
}

// makeStorage gives nodes few places for volumes, and each namespace some claims:
// most are bound to a volume, of a zone or of none, the others are bound with their
// first pod.
func (w *world) makeStorage(nodes []*v1.Node) {
	const driver = "csi.example.com"
	later := storagev1.VolumeBindingWaitForFirstConsumer
	w.storage.StorageClasses = []*storagev1.StorageClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "bound"}, Provisioner: driver},
		{ObjectMeta: metav1.ObjectMeta{Name: "later"}, Provisioner: driver, VolumeBindingMode: &later},
	}
	for _, n := range nodes {
		if zone, ok := n.Labels["zone"]; ok {
			n.Labels[v1.LabelTopologyZone] = zone
		}
		if w.chance(20) {
			continue // no limit
		}
		places := int32(1 + w.IntN(3))
		w.storage.CSINodes = append(w.storage.CSINodes, &storagev1.CSINode{
			ObjectMeta: metav1.ObjectMeta{Name: n.Name},
			Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{
				{Name: driver, NodeID: n.Name, Allocatable: &storagev1.VolumeNodeResources{Count: &places}},
			}},
		})
	}
	for _, space := range namespaces {
		for i := range 5 {
			name, class := fmt.Sprintf("c%d", i), "bound"
			mode := v1.PersistentVolumeAccessMode(w.one(string(v1.ReadWriteOnce), string(v1.ReadWriteMany), string(v1.ReadWriteOncePod)))
			claim := &v1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: space.Name, Name: name},
				Spec:       v1.PersistentVolumeClaimSpec{StorageClassName: &class, AccessModes: []v1.PersistentVolumeAccessMode{mode}},
			}
			w.storage.PersistentVolumeClaims = append(w.storage.PersistentVolumeClaims, claim)
			if w.chance(15) {
				class = "later"
				continue
			}
			claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
			claim.Spec.VolumeName = space.Name + "-" + name
			claim.Status.Phase = v1.ClaimBound
			volume := &v1.PersistentVolume{
				ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName},
				Spec: v1.PersistentVolumeSpec{
					StorageClassName:       class,
					AccessModes:            claim.Spec.AccessModes,
					ClaimRef:               &v1.ObjectReference{Namespace: space.Name, Name: name},
					PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: claim.Spec.VolumeName}},
				},
			}
			switch zone := w.one(zones...); w.IntN(4) {
			case 0:
				volume.Labels = map[string]string{v1.LabelTopologyZone: zone}
			case 1:
				volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
					MatchExpressions: []v1.NodeSelectorRequirement{{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: []string{zone}}},
				}}}}
			}
			w.storage.PersistentVolumes = append(w.storage.PersistentVolumes, volume)
			if w.chance(20) {
				w.storage.VolumeAttachments = append(w.storage.VolumeAttachments, &storagev1.VolumeAttachment{
					ObjectMeta: metav1.ObjectMeta{Name: "attached-" + volume.Name},
					Spec: storagev1.VolumeAttachmentSpec{
						NodeName: nodes[w.IntN(len(nodes))].Name, Attacher: driver,
						Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume.Name},
					},
				})
			}
		}
	}
}

// mount gives a pod some of its namespace's claims, rarely one that there is not, or
// a disk that one pod at a time can write to.
func (w *world) mount(p *v1.Pod) {
	for i := range w.IntN(3) {
		withClaim(p, fmt.Sprintf("c%d", (w.IntN(2)*2+i)%5))
	}
	switch w.IntN(20) {
	case 0:
		withClaim(p, "nosuch")
	case 1, 2:
		p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: "disk", VolumeSource: v1.VolumeSource{
			GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "disk", ReadOnly: w.chance(50)},
		}})
	}
}
