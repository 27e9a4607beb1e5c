// Package preemption answers one question exactly: a pending pod fits on no
// node; which node should be cleared for it, of which pods, and why?
//
// It is kube-scheduler's preemption as composable functions without
// Kubernetes. For every node where pods of lower priority are in the way, all of
// them are removed, the preemptor is tested, and as many as possible are put
// back (reprieved): those whose eviction would violate a disruption budget
// first, the most important first. What cannot go back is evicted. Between
// nodes the fewest budget violations win, then the lowest top victim priority,
// the smallest priority sum, the fewest pods, and the latest start.
//
// # Where to start
//
// Fill a [ClusterState] with [Node], [Pod] and [PodDisruptionBudget] values,
// compile it with [NewCluster], and ask an [Evaluator]. [Evaluator.Preempt] is
// the decision; [Evaluator.Examine] is the same decision with every node looked
// at, ready to be explained by [Examination.Explain]. [Evaluator.PreemptGroup]
// decides for a gang of pods that are of use together only.
//
// The steps are functions of their own, for those who build something else
// from them:
//
//   - [Release.Victims] groups the pods of a node into units of eviction.
//   - [CompareImportance] orders the units.
//   - [FilterVictimsWithPDBViolation] splits them by the budgets.
//   - [SelectVictimsOnNode] removes, tests and reprieves on one node.
//   - [PickOneNode] chooses between nodes, by any [Order].
//   - [Sampling] limits how many nodes are looked at, as kube-scheduler does.
//
// What fits is decided by a [Filter]: the built-in ones ([DefaultFilters]), a
// function ([FilterFunc]), your own, or several together ([All]).
//
// # Guarantees
//
// Nothing here reads a clock, draws a random number, logs, keeps global state
// or leaves a goroutine behind, and no result depends on map order or on the
// number of workers. Inputs are never modified. A refusal is data, a failure is
// an error that names the node, the pod and the step; bad data never panics, and
// a caller's function that panics is not silenced. A nil argument where a value
// is required is a programming mistake and does panic.
//
// # Units
//
// CPU is in millicores, memory in bytes, every other resource in its own unit.
// A priority is an int32 as in Kubernetes; sums of them are int64 and exact. A
// zero start time means "not started yet" and is younger than any other.
//
// # Which kube-scheduler
//
// The rules differ in detail between minors; [Release] pins one, the zero value
// is the newest. Where kube-scheduler leaves the answer to chance (ties between
// equal pods or equal nodes, the order of a group's pods, the sampling offset)
// this package defines it: the lower UID, the first node in order, the offset
// the caller gives.
package preemption
