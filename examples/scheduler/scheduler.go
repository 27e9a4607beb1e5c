package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/preemption"
)

// step is how much time passes between two rounds.
const step = 30 * time.Second

// epoch is when virtual time begins.
var epoch = time.Date(2026, time.January, 5, 8, 0, 0, 0, time.UTC)

// A scheduler holds the cluster and what the cluster does not know: who is
// waiting and who is about to go. Pods are known by name, because every change
// to a pod is a new object.
type scheduler struct {
	out       io.Writer
	cluster   *preemption.Cluster
	filter    preemption.Filter
	evaluator preemption.Evaluator

	arrivals []arrival                // still to come, by time
	queue    []string                 // pending pods, in the order of arrival
	leaving  []string                 // terminating pods, in the order of eviction
	gone     map[string]time.Duration // when they are gone
	now      time.Duration
	uids     int
	changed  bool              // in this round
	said     map[string]string // what was printed last about a pending pod
}

func newScheduler(nodes []*preemption.Node, arrivals []arrival, out io.Writer) (*scheduler, error) {
	cluster, err := preemption.NewCluster(preemption.ClusterState{Nodes: nodes})
	if err != nil {
		return nil, err
	}
	return &scheduler{
		out:      out,
		cluster:  cluster,
		filter:   preemption.All(preemption.DefaultFilters()...),
		arrivals: arrivals,
		gone:     make(map[string]time.Duration),
		said:     make(map[string]string),
	}, nil
}

// run goes on round by round until nothing changes and nothing is to come.
func (s *scheduler) run(ctx context.Context) error {
	for {
		s.changed = false
		fmt.Fprintf(s.out, "== after %s ==\n\n", seconds(s.now))
		if err := s.round(ctx); err != nil {
			return err
		}
		if !s.changed && len(s.leaving) == 0 && len(s.arrivals) == 0 {
			fmt.Fprintf(s.out, "  nothing changes any more\n\n")
			s.summary()
			return nil
		}
		fmt.Fprintln(s.out)
		s.now += step
	}
}

// round lets pods go and come, then tries every pending pod once, the one of the
// highest priority first.
func (s *scheduler) round(ctx context.Context) error {
	if err := s.finishEvictions(); err != nil {
		return err
	}
	if err := s.welcome(); err != nil {
		return err
	}
	for _, name := range s.byPriority() {
		if err := s.schedule(ctx, s.pod(name)); err != nil {
			return fmt.Errorf("pod %s: %w", name, err)
		}
	}
	return nil
}

// byPriority returns the queue as it is served. Equals keep their order.
func (s *scheduler) byPriority() []string {
	queue := slices.Clone(s.queue)
	slices.SortStableFunc(queue, func(a, b string) int {
		return cmp.Compare(s.pod(b).Priority, s.pod(a).Priority)
	})
	return queue
}

// welcome queues what arrives now.
func (s *scheduler) welcome() error {
	for len(s.arrivals) > 0 && s.arrivals[0].at <= s.now {
		a := s.arrivals[0]
		s.arrivals = s.arrivals[1:]
		for i := range a.replicas {
			name := a.app
			if a.replicas > 1 {
				name = fmt.Sprintf("%s-%d", a.app, i+1)
			}
			err := s.enqueue(&preemption.Pod{
				Name:        name,
				Priority:    a.priority,
				Requests:    preemption.Resources{preemption.CPU: a.cpu},
				GracePeriod: a.grace,
			})
			if err != nil {
				return err
			}
			s.say(name, "arrives: priority %d, asks for %dm", a.priority, a.cpu)
		}
	}
	return nil
}

// enqueue adds a new pending pod.
func (s *scheduler) enqueue(p *preemption.Pod) error {
	s.uids++
	p.UID = fmt.Sprintf("uid-%03d", s.uids)
	s.queue = append(s.queue, p.Name)
	s.changed = true
	return s.cluster.AddPod(p)
}

// evict tells a pod to go. Until its grace period is over it takes up room.
func (s *scheduler) evict(p *preemption.Pod) error {
	terminating := *p
	terminating.Termination = preemption.TerminatingByPreemption
	s.leaving = append(s.leaving, p.Name)
	s.gone[p.Name] = s.now + p.GracePeriod
	s.changed = true
	return s.cluster.UpdatePod(&terminating)
}

// finishEvictions takes away the pods whose grace period is over. Whoever owns
// them creates them anew, so they queue again.
func (s *scheduler) finishEvictions() error {
	leaving := s.leaving
	s.leaving = nil
	for _, name := range leaving {
		if s.gone[name] > s.now {
			s.leaving = append(s.leaving, name)
			continue
		}
		delete(s.gone, name)
		old := s.pod(name)
		if err := s.cluster.RemovePod(old.Namespace, name); err != nil {
			return err
		}
		s.say(name, "is gone from %s and queues again", old.NodeName)
		again := *old
		again.NodeName, again.Start, again.Termination = "", time.Time{}, preemption.NotTerminating
		if err := s.enqueue(&again); err != nil {
			return err
		}
	}
	return nil
}

func (s *scheduler) pod(name string) *preemption.Pod { return s.cluster.Pod("", name) }

// say prints what happens to a pod.
func (s *scheduler) say(name, format string, args ...any) {
	fmt.Fprintf(s.out, "  %-9s%s\n", name, fmt.Sprintf(format, args...))
}

// sayWhy prints why a pod has to wait, unless that was said before. What the
// message says about preemption gets a line of its own.
func (s *scheduler) sayWhy(name, message string) {
	if s.said[name] == message {
		return
	}
	s.said[name] = message
	filter, preemption, found := strings.Cut(message, " preemption: ")
	s.say(name, "has to wait: %s", filter)
	if found {
		s.say("", "preemption: %s", preemption)
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%d s", d/time.Second) }

// summary shows who runs where.
func (s *scheduler) summary() {
	for _, node := range s.cluster.Nodes() {
		fmt.Fprintf(s.out, "%-9s%s\n", node.Name, names(s.cluster.PodsOn(node)))
	}
	fmt.Fprintf(s.out, "%-9s%s\n", "pending", strings.Join(s.byPriority(), ", "))
}

func names(pods []*preemption.Pod) string {
	var names []string
	for _, p := range pods {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
