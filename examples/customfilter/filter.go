package main

import "example.com/preemption"

const (
	zoneLabel = "zone" // of a node
	appLabel  = "app"  // of a pod
)

// onePerZone is a filter that allows one pod of each app in a zone. It has to
// look beyond the node it is asked about: a pod anywhere in the zone is in the
// way.
type onePerZone struct{}

// Name identifies the filter in statuses.
func (onePerZone) Name() string { return "OnePerZone" }

// Prepare is called once a decision. It counts, zone by zone, the pods that are
// in the preemptor's way.
func (onePerZone) Prepare(preemptor *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	app := preemptor.Labels[appLabel]
	if app == "" {
		return nil, nil // not concerned with this pod
	}
	z := &zones{app: app, namespace: preemptor.Namespace, pods: make(map[string]int)}
	for _, node := range view.Nodes() {
		for _, p := range view.PodsOn(node) {
			if z.inTheWay(p) {
				z.pods[node.Labels[zoneLabel]]++
			}
		}
	}
	return z, nil
}

// zones is what the filter knows about the cluster for one preemptor. Dry runs
// on several nodes may share it at the same time: it is not changed any more.
type zones struct {
	app, namespace string
	pods           map[string]int // in the way, by zone
}

func (z *zones) inTheWay(p *preemption.Pod) bool {
	return p.Namespace == z.namespace && p.Labels[appLabel] == z.app
}

// Monotone declares that adding pods never turns a refusal into a fit, which
// saves fit tests. It is true here: more pods can only be more in the way.
func (*zones) Monotone() bool { return true }

// Begin starts a dry run of the node, with every pod in place. Its count is its
// own.
func (z *zones) Begin(node *preemption.Node) (preemption.DryRun, error) {
	zone, ok := node.Labels[zoneLabel]
	return &zoneRun{zones: z, zone: zone, everywhere: !ok, count: z.pods[zone]}, nil
}

// zoneRun is one dry run. Its state is a single number.
type zoneRun struct {
	*zones
	zone       string
	everywhere bool // the node is in no zone: nothing is in the way
	count      int  // pods in the way that are still in the zone
}

// Add puts a pod back. It may run on another node: where a victim is an atomic
// group, members elsewhere come and go with it. They count if they are in the
// same zone.
func (r *zoneRun) Add(p *preemption.Pod, on *preemption.Node) error {
	if on.Labels[zoneLabel] == r.zone && r.inTheWay(p) {
		r.count++
	}
	return nil
}

// Remove is the exact inverse of Add.
func (r *zoneRun) Remove(p *preemption.Pod, on *preemption.Node) error {
	if on.Labels[zoneLabel] == r.zone && r.inTheWay(p) {
		r.count--
	}
	return nil
}

// Fits refuses the node while a pod is in the way. Evictions can help, so the
// refusal is Unschedulable rather than Unresolvable.
func (r *zoneRun) Fits() (preemption.Status, error) {
	if r.everywhere || r.count == 0 {
		return preemption.Status{}, nil
	}
	return preemption.Status{
		Code:    preemption.Unschedulable,
		Reasons: []string{"node(s) had a pod of the same app in their zone"},
	}, nil
}
