// Package kube turns Kubernetes objects into the plain data that package
// preemption decides on, and leads from a decision back to the objects.
//
// [Objects] holds what a client or a dump lists; [Objects.State] converts all of
// it at once. A scheduler that is told of changes one by one converts them one
// by one, with [Pod], [Node], [DisruptionBudget], [PodGroup] and
// [CompositePodGroup], or has informers feed a [Tracker]. Every pod and node keeps its Kubernetes object in the
// field Object; [PodOf] and [NodeOf] return it.
//
// The numbers are those kube-scheduler uses: requests with init containers,
// sidecars, overhead, pod-level resources and resizes in progress; a node's
// allocatable, not its capacity; a budget's status, not its spec. The objects are
// taken to be as the API server serves them, with defaults applied. They are
// never modified.
//
// Objects that no scheduler could work with, such as a pod with a negative
// request, are an error of type [ObjectError] that names the object and, by way
// of a field.Error, the field.
//
// # What fits
//
// [Filters] are the library's built-in filters with the whole of a pod's required
// node affinity in the place of its node selector. They know nothing of affinity
// between pods, topology spread, volumes or claimed devices; [Unjudged] lists
// what they overlook in a pod. The module example.com/preemption/scheduler has
// kube-scheduler's own filters.
package kube
