package simulate

import "example.com/preemption"

// An ownerName identifies a controller.
type ownerName struct {
	namespace string
	preemption.Owner
}

// An owner is what the simulation keeps of a controller. Pods without one have
// the nil owner.
type owner struct {
	ownerName
	wanted  int // pods that it counts on
	healthy int
	served  bool // it had a healthy pod at some time
	outages outages
}

func (s *Simulation) owner(p *preemption.Pod) *owner {
	if p.Owner == (preemption.Owner{}) {
		return nil
	}
	n := ownerName{p.Namespace, p.Owner}
	o := s.owners[n]
	if o == nil {
		o = &owner{ownerName: n}
		s.owners[n] = o
	}
	return o
}

func (o *owner) count(wanted, healthy int) {
	if o == nil {
		return
	}
	o.wanted += wanted
	o.healthy += healthy
	o.served = o.served || o.healthy > 0
}

// closeInstant looks at what the instant leaves behind: who has no healthy pod,
// or fewer than is wanted. What is mended within the instant is no outage.
func (s *Simulation) closeInstant() {
	for _, o := range s.shaken {
		o.outages.set(o.served && o.wanted > 0 && o.healthy == 0, s.now)
	}
	s.shaken = s.shaken[:0]
	for _, b := range s.recounted {
		b.outages.set(b.short, s.now)
	}
	s.recounted = s.recounted[:0]
}
