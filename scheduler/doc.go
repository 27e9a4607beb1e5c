// Package scheduler lends kube-scheduler's own Filter plugins to package
// preemption, so that a decision about Kubernetes objects is the scheduler's own
// decision.
//
// The plugins are those of the default profile of kube-scheduler 1.37 that need
// no API server: node name, unschedulable, taints, node affinity, volumes,
// declared features, topology spread and affinity between pods. They run as they
// do there, with the state of their PreFilter and its AddPod and RemovePod, on
// node infos of their own. Resources and host ports are left to the library's
// own filters, which give the same answers and let it decide without running
// anything:
//
//	s, err := scheduler.New(scheduler.Objects{Namespaces: namespaces})
//	evaluator := preemption.Evaluator{Filters: s.Filters()}
//
// Pods and nodes must have been converted by package kube.
//
// # What is left out
//
// DynamicResources, which allocates devices, takes no part. The volume plugins
// take part where claims are given; see [Objects]. Feature gates and the
// arguments of plugins are the defaults of 1.37, whatever release's rules of
// preemption the cluster was compiled for.
package scheduler
