package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// report collects the rows of the result table.
type report struct {
	lines []string
	// bare is the rate of the bare handler in requests per second; the latest measurement
	// counts.
	bare float64
}

// row adds a row with a formatted result.
func (r *report) row(what, format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf("| %s | %s |", what, fmt.Sprintf(format, args...)))
}

// rate adds a row about requests, with the ratio to the bare handler.
func (r *report) rate(what string, m measurement) {
	text := fmt.Sprintf("%.0f/s, %.2f of bare; p50 %s, p99 %s, max %s; %.0f µs of the server's processors each", m.rate(),
		m.rate()/r.bare,
		millis(m.quantile(0.5)), millis(m.quantile(0.99)), millis(m.quantile(1)), m.cost(m.cpu))
	if m.database > 0 {
		text += fmt.Sprintf(" and %.0f µs of the database's", m.cost(m.database))
	}
	r.row(what, "%s", text)
}

// millis formats a duration in milliseconds.
func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// write writes the table under a headline.
func (r *report) write(w io.Writer, head string) error {
	_, err := fmt.Fprintf(w, "%s\n\n| measured | result |\n|---|---|\n%s\n", head, strings.Join(r.lines, "\n"))
	return err
}

// measurement holds the results of a number of requests.
type measurement struct {
	elapsed time.Duration
	// cpu is the processor time of the servers, database that of PostgreSQL.
	cpu, database time.Duration
	// latencies are sorted.
	latencies []time.Duration
}

// rate returns requests per second.
func (m *measurement) rate() float64 { return float64(len(m.latencies)) / m.elapsed.Seconds() }

// cost returns the processor time per request in microseconds: the basis for sizing a
// machine, and the figure that other load on it changes least.
func (m *measurement) cost(of time.Duration) float64 {
	return float64(of) / float64(time.Microsecond) / float64(max(len(m.latencies), 1))
}

// quantile returns the latency that a share q of all requests did not exceed.
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
