// Package simulate answers what happens after a preemption: who comes back and
// where, who loses a place for good, whether everything of one service goes at
// once, whether it settles, and how long it takes until a pod runs.
//
// A [World] is a cluster with what is pending, who re-creates what, and what
// comes and goes from outside. [Run] plays it to its end and returns a [Report];
// [New] and [Simulation.Until] play it piece by piece.
//
// Nothing reads a clock or draws a random number. Time is a duration since the
// start, and the same world gives the same report, byte for byte, whatever the
// order of its lists and the number of workers of its evaluator.
//
// # What happens when
//
// At one instant pods that are terminating end, then pods become healthy, then
// pods depart and arrive, those that wait at the start before any departs, and then
// scheduling cycles run one after another: the highest priority first, then the pod
// that was queued first, then by UID and name. What a cycle causes at the same instant
// happens before the next cycle.
//
// A cycle asks the evaluator. A pod that fits is bound to its nominated node if
// that takes it, and otherwise to the node that the placer chooses. A pod that
// has to preempt nominates its node, its victims begin to terminate, and their
// owners re-create them. A pod that nothing helps sleeps until something happens
// that could help it, and, as in kube-scheduler's queue, is tried again no
// sooner than its back-off allows: one second after the first cycle, doubling up
// to ten.
//
// Controllers act at once: a Deployment's pod is re-created as soon as its
// deletion begins, and what a budget allows follows the healthy pods without
// delay.
package simulate
