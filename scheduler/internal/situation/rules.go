package situation

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"example.com/preemption"
	"example.com/preemption/scheduler/internal/dump"
)

// Rules returns the release whose rules a cluster of that version follows, or the
// nearest known one, with a note that says so.
func Rules(clusterVersion string) (preemption.Release, string) {
	if r, err := preemption.ParseRelease(clusterVersion); err == nil && clusterVersion != "" {
		return r, ""
	}
	v, err := version.ParseGeneric(clusterVersion)
	if err != nil {
		return preemption.Release137, fmt.Sprintf("the cluster's version is not known: the rules are those of %v", preemption.Release137)
	}
	minor := fmt.Sprintf("%d.%d", v.Major(), v.Minor())
	// A minor of a form that is not read in full, such as 1.37.2-eks-1 or 1.37+.
	if r, err := preemption.ParseRelease(minor); err == nil {
		return r, ""
	}
	known := preemption.Releases()
	nearest := known[len(known)-1]
	if v.LessThan(version.MustParseGeneric(known[0].String())) {
		nearest = known[0]
	}
	return nearest, fmt.Sprintf("the cluster is of version %s: the rules are those of %v, the nearest known; the text of the event may differ", minor, nearest)
}

// KubeletVersion returns the newest minor of the kubelets, "" where nodes do not
// say. That of the API server is never older.
func KubeletVersion(c *dump.Contents) string {
	var newest *version.Version
	for _, n := range c.Cluster.Nodes {
		v, err := version.ParseGeneric(strings.TrimSpace(n.Status.NodeInfo.KubeletVersion))
		if err == nil && (newest == nil || cmp.Compare(v.Minor(), newest.Minor()) > 0) {
			newest = v
		}
	}
	if newest == nil {
		return ""
	}
	return fmt.Sprintf("%d.%d", newest.Major(), newest.Minor())
}
