package plugin

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"example.com/preemption/scheduler/decide"
)

// The metrics of the plugin. They come beside those of DefaultPreemption, which
// count attempts and victims as ever.
var (
	decisions = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: subsystem, Name: "decisions_total", StabilityLevel: metrics.ALPHA,
		Help: "Decisions by outcome: preempts, unhelpful, ineligible, or left to kube-scheduler's own search.",
	}, []string{"profile", "outcome"})
	latency = metrics.NewHistogramVec(&metrics.HistogramOpts{
		Subsystem: subsystem, Name: "decision_duration_seconds", StabilityLevel: metrics.ALPHA,
		Help:    "Time by phase: following the scheduler's snapshot, deciding, and checking by kube-scheduler's dry run of the chosen node.",
		Buckets: metrics.ExponentialBuckets(1e-6, 2, 21),
	}, []string{"profile", "phase"})
	nodes = metrics.NewHistogramVec(&metrics.HistogramOpts{
		Subsystem: subsystem, Name: "nodes_evaluated", StabilityLevel: metrics.ALPHA,
		Help:    "Nodes that a decision ranged over.",
		Buckets: metrics.ExponentialBuckets(1, 4, 9),
	}, []string{"profile"})
	agreement = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: subsystem, Name: "agreement_total", StabilityLevel: metrics.ALPHA,
		Help: "What kube-scheduler made of decisions: agreed, refused, differs (another number of victims or violations), worse (cross-check only). All but the first are followed by its own whole search.",
	}, []string{"profile", "result"})
	betterThanSample = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: subsystem, Name: "better_than_sample_total", StabilityLevel: metrics.ALPHA,
		Help: "Decisions better by kube-scheduler's criteria than what its sample of nodes would have led to. Counted by the cross-check only.",
	}, []string{"profile"})
	register = sync.OnceFunc(func() {
		legacyregistry.MustRegister(decisions, latency, nodes, agreement, betterThanSample)
	})
)

const subsystem = "preemption_plugin"

// observer counts the decisions of one profile.
type observer struct{ profile string }

func newObserver(profile string) observer {
	register()
	return observer{profile}
}

func (o observer) observe(d decide.Decision) {
	decisions.WithLabelValues(o.profile, d.Outcome.String()).Inc()
	if d.Outcome == decide.Left {
		return
	}
	nodes.WithLabelValues(o.profile).Observe(float64(d.Nodes))
	latency.WithLabelValues(o.profile, "following").Observe(d.Following.Seconds())
	latency.WithLabelValues(o.profile, "deciding").Observe(d.Deciding.Seconds())
	if d.Outcome == decide.Preempts {
		latency.WithLabelValues(o.profile, "checking").Observe(d.Checking.Seconds())
	}
	agreement.WithLabelValues(o.profile, d.Agreement.String()).Inc()
	if d.BetterThanSample {
		betterThanSample.WithLabelValues(o.profile).Inc()
	}
}
