package objects

import (
	"time"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Informers returns informers, never started, that know a pod and budgets.
//
// The budgets are listed in the given order. Ordinary informers list them in
// map order, and from 1.37 on their order decides how many violations there
// are.
func Informers(client kubernetes.Interface, pod *v1.Pod, budgets []*policy.PodDisruptionBudget) (informers.SharedInformerFactory, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	// The factory keeps the first informer that it is given for a type.
	factory.InformerFor(&policy.PodDisruptionBudget{}, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
		return orderedInformer{budgets: budgets}
	})
	return factory, factory.Core().V1().Pods().Informer().GetStore().Add(pod)
}

// orderedInformer and orderedIndexer have the one method that preemption
// calls; the embedded nil makes any other a panic rather than a wrong answer.
type (
	orderedInformer struct {
		cache.SharedIndexInformer
		budgets []*policy.PodDisruptionBudget
	}
	orderedIndexer struct {
		cache.Indexer
		budgets []*policy.PodDisruptionBudget
	}
)

func (i orderedInformer) GetIndexer() cache.Indexer {
	return orderedIndexer{budgets: i.budgets}
}

func (i orderedIndexer) List() []any {
	list := make([]any, len(i.budgets))
	for n, b := range i.budgets {
		list[n] = b
	}
	return list
}
