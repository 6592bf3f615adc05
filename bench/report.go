package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// report gathers what was measured.
type report struct {
	lines []string
	bare  float64 // requests per second of the bare handler
}

func (r *report) row(what, format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf("| %s | %s |", what, fmt.Sprintf(format, args...)))
}

// rate adds a row about requests, beside the bare handler.
func (r *report) rate(what string, m measurement) {
	text := fmt.Sprintf("%.0f/s, %.2f of bare; p50 %s, p99 %s, max %s; %.0f µs of the server's processors each", m.rate(), m.rate()/r.bare,
		millis(m.quantile(0.5)), millis(m.quantile(0.99)), millis(m.quantile(1)), m.cost(m.cpu))
	if m.database > 0 {
		text += fmt.Sprintf(" and %.0f µs of the database's", m.cost(m.database))
	}
	r.row(what, "%s", text)
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func (r *report) write(w io.Writer, head string) error {
	_, err := fmt.Fprintf(w, "%s\n\n| measured | result |\n|---|---|\n%s\n", head, strings.Join(r.lines, "\n"))
	return err
}

// measurement is what a number of requests took.
type measurement struct {
	took      time.Duration
	cpu       time.Duration   // that the servers used, of which one is busy
	database  time.Duration   // that PostgreSQL used
	latencies []time.Duration // sorted
}

func (m *measurement) rate() float64 { return float64(len(m.latencies)) / m.took.Seconds() }

// cost returns how many microseconds of some processor time each request took: what a
// machine is sized by, and what other programs on it change least.
func (m *measurement) cost(of time.Duration) float64 {
	return float64(of) / float64(time.Microsecond) / float64(max(len(m.latencies), 1))
}

// quantile returns the latency that a share q of all requests stayed within.
func (m *measurement) quantile(q float64) time.Duration {
	if len(m.latencies) == 0 {
		return 0
	}
	return m.latencies[min(int(q*float64(len(m.latencies))), len(m.latencies)-1)]
}

// merge adds the latencies of one worker.
func (m *measurement) merge(latencies []time.Duration) {
	m.latencies = append(m.latencies, latencies...)
	slices.Sort(m.latencies)
}
