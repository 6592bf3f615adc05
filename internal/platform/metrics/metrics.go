// Package metrics counts what the service does, and shows it as Prometheus reads it.
//
// There are three kinds of numbers. What happens often is counted where it happens: a
// request (Requests), a round of a background loop (Loop). What is kept anyway is read
// when somebody asks (Read), from memory or from the database. And Go tells of itself.
//
// Labels have few values, all of them ours: an operation's id, a class of statuses, a
// code of docs/errors.md, a loop's name. Nothing that a client wrote becomes a label, or
// clients could make series without end.
package metrics

import (
	"context"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// namespace is what the name of every metric of the service begins with.
const namespace = "roshambo"

// Metrics are the metrics of one node. Use New.
type Metrics struct {
	Requests *Requests
	registry *prometheus.Registry
	loops    loops
}

// New returns the metrics of a node that has the given version.
func New(version string) *Metrics {
	m := &Metrics{Requests: newRequests(), registry: prometheus.NewRegistry(), loops: newLoops()}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, with the version of the program.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(m.Requests.collectors()...)
	m.registry.MustRegister(m.loops.collectors()...)
	return m
}

// Handler answers with all metrics. A reading that fails leaves out its own alone.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// Read has read called whenever somebody asks for the metrics. It must not keep them
// waiting for long.
func (m *Metrics) Read(read func(ctx context.Context, s *Sample)) {
	m.registry.MustRegister(reader(read))
}

// reader is a collector that says what it has when it is asked.
type reader func(context.Context, *Sample)

// Describe implements prometheus.Collector: nothing is known before it is read.
func (reader) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (r reader) Collect(out chan<- prometheus.Metric) { r(context.Background(), &Sample{out}) }

// Sample takes what is read. Names come without their namespace, and labels as names and
// values in turn.
type Sample struct{ out chan<- prometheus.Metric }

// Counter adds a number that only grows.
func (s *Sample) Counter(name, help string, value float64, labels ...string) {
	s.add(prometheus.CounterValue, name, help, value, labels)
}

// Gauge adds a number that goes up and down.
func (s *Sample) Gauge(name, help string, value float64, labels ...string) {
	s.add(prometheus.GaugeValue, name, help, value, labels)
}

func (s *Sample) add(kind prometheus.ValueType, name, help string, value float64, labels []string) {
	desc, values := describe(name, help, labels)
	s.out <- prometheus.MustNewConstMetric(desc, kind, value, values...)
}

// Histogram adds a distribution: how many values were at most each bound, besides those
// up to the bound before; behind the last bound, how many were more. Sum is of all.
func (s *Sample) Histogram(name, help string, bounds []float64, counts []int64, sum float64) {
	desc, _ := describe(name, help, nil)
	var all uint64
	buckets := make(map[float64]uint64, len(bounds))
	for i, n := range counts {
		all += uint64(n)
		if i < len(bounds) {
			buckets[bounds[i]] = all
		}
	}
	s.out <- prometheus.MustNewConstHistogram(desc, all, sum, buckets)
}

func describe(name, help string, labels []string) (desc *prometheus.Desc, values []string) {
	var names []string
	for i := 0; i < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, names, nil), values
}
