package scheduler

import (
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"
)

// A snapshot lists itself to plugins. Of the scheduler's lister it has what
// Filter plugins ask for, which is nothing about pod groups.
type lister struct {
	fwk.SharedLister // nil
	*snapshot
}

func (l lister) NodeInfos() fwk.NodeInfoLister       { return nodeLister{l.snapshot} }
func (l lister) StorageInfos() fwk.StorageInfoLister { return storageLister{l.snapshot} }

type nodeLister struct{ s *snapshot }

func (l nodeLister) List() ([]fwk.NodeInfo, error) { return l.s.infos, nil }

func (l nodeLister) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) { return l.s.withAffinity, nil }

func (l nodeLister) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return l.s.withAntiAffinity, nil
}

func (l nodeLister) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return l.s.withWideAnti, nil
}

func (l nodeLister) Get(name string) (fwk.NodeInfo, error) {
	for _, e := range l.s.nodes {
		if e.node.Name == name {
			return e.info, nil
		}
	}
	return nil, fmt.Errorf("node %s not found", name)
}

type storageLister struct{ s *snapshot }

func (l storageLister) IsPVCUsedByPods(key string) bool {
	for _, e := range l.s.nodes {
		if e.info.PVCRefCounts[key] > 0 {
			return true
		}
	}
	return false
}
