package dump

// keep says which fields of an object are left out while it is read: they make up
// most of a dump, and neither filters nor preemption look at them. Fields that are
// not named are kept with all below them. Arrays are looked through.
type keep struct {
	below map[string]*keep
	drop  map[string]bool
}

// field returns what to keep below a field, and whether to leave it out.
func (k *keep) field(name []byte) (*keep, bool) {
	if k == nil {
		return nil, false
	}
	if k.drop[string(name)] {
		return nil, true
	}
	return k.below[string(name)], false
}

func dropping(names ...string) *keep {
	k := &keep{drop: make(map[string]bool, len(names))}
	for _, name := range names {
		k.drop[name] = true
	}
	return k
}

// metadataKept: what was applied last is as large as the object once more.
var metadataKept = &keep{
	drop:  map[string]bool{"managedFields": true, "selfLink": true},
	below: map[string]*keep{"annotations": dropping("kubectl.kubernetes.io/last-applied-configuration")},
}

var (
	containersKept = dropping("env", "envFrom", "args", "command", "imagePullPolicy", "lifecycle",
		"livenessProbe", "readinessProbe", "startupProbe", "terminationMessagePath", "terminationMessagePolicy")
	// Resizes under way are told by the statuses of containers.
	statusesKept = dropping("containerID", "imageID", "lastState", "state", "volumeMounts")
)

// podSpecKept, also of the template of a workload.
var podSpecKept = &keep{below: map[string]*keep{
	"containers":          containersKept,
	"initContainers":      containersKept,
	"ephemeralContainers": containersKept,
}}

// fieldsKept are those of any object, whatever its kind, which may be said last.
var fieldsKept = &keep{below: map[string]*keep{
	"metadata": metadataKept,
	"spec":     podSpecKept,
	"status": {
		drop: map[string]bool{"images": true, "podIPs": true, "hostIPs": true},
		below: map[string]*keep{
			"containerStatuses":          statusesKept,
			"initContainerStatuses":      statusesKept,
			"ephemeralContainerStatuses": statusesKept,
		},
	},
}}
