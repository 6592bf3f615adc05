package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// loops holds the metrics of background loops.
type loops struct {
	rounds *prometheus.CounterVec
	last   *prometheus.GaugeVec
	period *prometheus.GaugeVec
	held   *prometheus.GaugeVec
}

func newLoops() loops {
	by := []string{"loop"}
	return loops{
		rounds: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "loop_rounds_total",
			Help: "Rounds of a background loop on this node, by result: ok or error.",
		}, []string{"loop", "result"}),
		last: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Name: "loop_last_success_timestamp_seconds",
			Help: "When a round of a background loop last succeeded on this node, or when the loop began. " +
				"Of several nodes the latest counts.",
		}, by),
		period: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Name: "loop_period_seconds",
			Help: "How long a background loop sleeps between rounds, at most.",
		}, by),
		held: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Name: "lease_held",
			Help: "1 on the node that holds a lease, otherwise 0.",
		}, []string{"lease"}),
	}
}

func (l loops) collectors() []prometheus.Collector {
	return []prometheus.Collector{l.rounds, l.last, l.period, l.held}
}

// Loop records the rounds of one background loop.
type Loop struct {
	ok, failed prometheus.Counter
	last       prometheus.Gauge
}

// Loop registers a background loop, which begins now. period is the longest pause between two
// rounds.
func (m *Metrics) Loop(name string, period time.Duration) *Loop {
	m.loops.period.WithLabelValues(name).Set(period.Seconds())
	l := &Loop{
		ok: m.loops.rounds.WithLabelValues(name, "ok"), failed: m.loops.rounds.WithLabelValues(name, "error"),
		last: m.loops.last.WithLabelValues(name),
	}
	l.last.SetToCurrentTime()
	return l
}

// HoldLease records that this node holds a lease until lost is called.
func (m *Metrics) HoldLease(lease string) (lost func()) {
	gauge := m.loops.held.WithLabelValues(lease)
	gauge.Set(1)
	return func() { gauge.Set(0) }
}

// Round records the end of a round, as failed if err is not nil.
func (l *Loop) Round(err error) {
	if err != nil {
		l.failed.Inc()
		return
	}
	l.ok.Inc()
	l.last.SetToCurrentTime()
}
