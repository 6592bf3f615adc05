// Package metrics collects the service's metrics and serves them to Prometheus.
//
// There are three kinds. Frequent events are counted where they happen: requests (Requests) and
// rounds of background loops (Loop). Values that the service holds anyway, in memory or in the
// database, are read when Prometheus scrapes (Read). The Go runtime and the process have
// collectors of their own.
//
// Labels have few values, all defined by the service: an operation's id, a class of statuses, a
// code of docs/errors.md, a loop's name. A value from a client never becomes a label, because
// clients could then create series without limit.
package metrics

import (
	"context"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// namespace begins the name of every metric of the service.
const namespace = "roshambo"

// Metrics holds the metrics of one node. Use New.
type Metrics struct {
	Requests *Requests
	registry *prometheus.Registry
	loops    loops
}

// New returns the metrics of a node that runs a version of the program.
func New(version string) *Metrics {
	m := &Metrics{Requests: newRequests(), registry: prometheus.NewRegistry(), loops: newLoops()}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, with the version of the program.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(
		build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.registry.MustRegister(m.Requests.collectors()...)
	m.registry.MustRegister(m.loops.collectors()...)
	return m
}

// Handler serves all metrics. A failed reading omits only its own.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// Read registers a function that adds values at every scrape. It must return quickly.
func (m *Metrics) Read(read func(ctx context.Context, s *Sample)) {
	m.registry.MustRegister(reader(read))
}

// reader is a collector that calls a function of Read.
type reader func(context.Context, *Sample)

// Describe implements prometheus.Collector. The metrics are unknown before they are read.
func (reader) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (r reader) Collect(out chan<- prometheus.Metric) { r(context.Background(), &Sample{out}) }

// Sample collects the values of one reading. Names come without the namespace.
type Sample struct{ out chan<- prometheus.Metric }

// Counter adds a value that only grows.
func (s *Sample) Counter(name, help string, value float64) {
	s.add(prometheus.CounterValue, name, help, value)
}

// Gauge adds a value that rises and falls.
func (s *Sample) Gauge(name, help string, value float64) {
	s.add(prometheus.GaugeValue, name, help, value)
}

func (s *Sample) add(kind prometheus.ValueType, name, help string, value float64) {
	s.out <- prometheus.MustNewConstMetric(describe(name, help), kind, value)
}

// Histogram adds a distribution: counts[i] values are above bounds[i-1] and at most bounds[i]; the
// last count, beyond the bounds, is of greater values. sum is the sum of all values.
func (s *Sample) Histogram(name, help string, bounds []float64, counts []int64, sum float64) {
	var all uint64
	buckets := make(map[float64]uint64, len(bounds))
	for i, n := range counts {
		all += uint64(n)
		if i < len(bounds) {
			buckets[bounds[i]] = all
		}
	}
	s.out <- prometheus.MustNewConstHistogram(describe(name, help), all, sum, buckets)
}

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, nil, nil)
}
