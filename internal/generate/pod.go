package generate

import (
	"fmt"

	"example.com/preemption/internal/golden"
)

var (
	apps  = []string{"a0", "a1", "a2"}
	tiers = []string{"x", "y"}
)

// newPod returns a pod that is nowhere yet.
func (g *generator) newPod(namespace string) golden.Pod {
	p := golden.Pod{
		Namespace: namespace,
		Priority:  pick(g, g.shape.priorities...),
		Requests:  g.requests(),
		Labels:    map[string]string{},
	}
	if g.chance(g.shape.namespaces) {
		p.Namespace = "other"
	}
	p.Name = g.newName(p.Namespace)
	if !g.chance(g.shape.bare) {
		p.Labels["app"] = pick(g, apps...)
		if g.chance(0.5) {
			p.Labels["tier"] = pick(g, tiers...)
		}
	}
	if g.chance(g.shape.ports) {
		p.HostPorts = g.hostPorts()
	}
	if g.chance(g.shape.terminating) {
		p.Terminating = pick(g, golden.ByPreemption, golden.ByPreemption, golden.ForAnotherReason)
	}
	g.join(&p)
	return p
}

// newName returns a name that is free in a namespace, if possible one that is
// taken in another: budgets list disrupted pods by name only.
func (g *generator) newName(namespace string) string {
	for i := 0; ; i++ {
		name := fmt.Sprintf("p%d", i)
		if key := namespace + "/" + name; !g.names[key] {
			g.names[key] = true
			return name
		}
	}
}

// requests returns requests that some pods fit and some do not.
func (g *generator) requests() golden.Resources {
	r := golden.Resources{}
	if g.chance(0.85) {
		r["cpu"] = g.amount(pick(g, g.shape.cpu...))
	}
	if g.chance(0.6) {
		r["memory"] = g.amount(pick[int64](g, 1, 4, 8, 16, 16) * unit("memory"))
	}
	for _, resource := range g.extra {
		if g.chance(0.4) {
			r[resource] = g.amount(pick[int64](g, 1, 1, 2, 4) * unit(resource))
		}
	}
	return r
}

// amount returns n, or zero now and then.
func (g *generator) amount(n int64) int64 {
	if g.chance(g.shape.zero) {
		return 0
	}
	return n
}

func (g *generator) hostPorts() []golden.HostPort {
	var ports []golden.HostPort
	for range 1 + g.rng.IntN(2) {
		ports = append(ports, golden.HostPort{
			Protocol: pick(g, "TCP", "TCP", "UDP", "SCTP", ""),
			IP:       pick(g, "", "0.0.0.0", "127.0.0.1", "10.0.0.1"),
			Port:     pick[int32](g, 80, 443),
		})
	}
	return ports
}
