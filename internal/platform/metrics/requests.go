package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Requests counts requests by operation, status class and error code.
type Requests struct {
	inFlight prometheus.Gauge
	total    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	codes    *prometheus.CounterVec
	reruns   *prometheus.CounterVec
	known    sync.Map // operation id → *operation; a label lookup costs more than counting
	errors   sync.Map // error code → prometheus.Counter
}

// durations holds the bounds of the histogram in seconds: a throw takes one to ten milliseconds, a
// whole verification minutes.
var durations = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60}

func newRequests() *Requests {
	return &Requests{
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "http_requests_in_flight",
			Help: "Requests being processed, including long polls.",
		}),
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_requests_total",
			Help: "Answered requests, by operation of the contract and class of the status; " +
				"gone when the client had disconnected.",
		}, []string{"operation", "class"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "http_request_duration_seconds", Buckets: durations,
			Help: "Duration of requests, without long polls and streams.",
		}, []string{"operation"}),
		reruns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_reruns_total",
			Help: "Retries of use cases after a conflict or a commit that was not stored, by operation.",
		}, []string{"operation"}),
		codes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_errors_total", Help: "Answers with an error, by code.",
		}, []string{"code"}),
	}
}

func (r *Requests) collectors() []prometheus.Collector {
	return []prometheus.Collector{r.inFlight, r.total, r.duration, r.codes, r.reruns}
}

// classes holds the values of the label class by the first digit of a status; 0 is gone.
var classes = [6]string{"gone", "1xx", "2xx", "3xx", "4xx", "5xx"}

// operation holds the metrics of one operation.
type operation struct {
	classes  [len(classes)]prometheus.Counter
	duration prometheus.Observer
	reruns   prometheus.Counter
}

func (r *Requests) operation(id string) *operation {
	if o, ok := r.known.Load(id); ok {
		return o.(*operation)
	}
	o := &operation{duration: r.duration.WithLabelValues(id), reruns: r.reruns.WithLabelValues(id)}
	for i, class := range classes {
		if i != 1 { // no final status is 1xx
			o.classes[i] = r.total.WithLabelValues(id, class)
		}
	}
	known, _ := r.known.LoadOrStore(id, o)
	return known.(*operation)
}

// Begin counts the start of a request.
func (r *Requests) Begin() { r.inFlight.Inc() }

// Request describes a finished request.
type Request struct {
	Operation string // of a closed list
	Status    int    // 0 when the client had disconnected
	Code      string // of a closed list; "" for none
	Took      time.Duration
	Waited    bool // held on the caller's request (Prefer: wait), or a stream
	Reruns    int  // retries of its use case
}

// End counts a finished request.
func (r *Requests) End(e Request) {
	r.inFlight.Dec()
	o := r.operation(e.Operation)
	class := e.Status / 100
	if e.Status != 0 && (class < 2 || class >= len(classes)) {
		class = 5 // an invalid status is a defect of the service
	}
	o.classes[class].Inc()
	if !e.Waited && class != 0 {
		o.duration.Observe(e.Took.Seconds())
	}
	if e.Reruns > 0 {
		o.reruns.Add(float64(e.Reruns))
	}
	if e.Code != "" {
		r.code(e.Code).Inc()
	}
}

func (r *Requests) code(code string) prometheus.Counter {
	if c, ok := r.errors.Load(code); ok {
		return c.(prometheus.Counter)
	}
	c := r.codes.WithLabelValues(code)
	r.errors.Store(code, c)
	return c
}
