package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// eventStreams measures the memory of an open event stream, and the latency from the
// sealing of a block, whose time is in the event, until all streams have received it.
func (b *bench) eventStreams(ctx context.Context) error {
	if _, err := newWorker().guest(ctx, b.server); err != nil { // warms up everything that the first guest needs
		return err
	}
	before, _, err := b.server.memory()
	if err != nil {
		return err
	}
	streams, opened, err := b.listeners(ctx, "/api/events?topics=blocks")
	defer hangUp(streams)
	if err != nil {
		return err
	}
	after, _, err := b.server.memory()
	if err != nil {
		return err
	}
	b.report.row(fmt.Sprintf("memory of each of %d open event streams", b.Streams),
		"%.1f kB of the server's resident memory; opened at %.0f/s",
		float64(after-before)/1e3/float64(b.Streams), opened.rate())
	if err := b.receive(ctx, "a block's time until it is received", streams,
		publishing{b.makeBlocks, blockTime}); err != nil {
		return err
	}
	later, _, err := b.server.memory()
	b.report.row("memory of each of them after those events", "%.1f kB", float64(later-before)/1e3/float64(b.Streams))
	return err
}

// listeners opens Streams streams. On error it still returns those that it opened.
func (b *bench) listeners(ctx context.Context, path string) ([]*stream, measurement, error) {
	streams := make([]*stream, b.Streams)
	opened, err := b.each(b.Streams, func(w *worker, i int) (err error) {
		began := time.Now()
		streams[i], err = listen(ctx, b.server, path)
		w.latencies = append(w.latencies, time.Since(began))
		return err
	})
	if err != nil {
		err = fmt.Errorf("%w (each stream takes a file on both sides: see ulimit -n)", err)
	}
	return streams, opened, err
}

// hangUp closes the streams.
func hangUp(streams []*stream) {
	for _, s := range streams {
		if s != nil {
			_ = s.conn.Close() // it was only read
		}
	}
}

// publishing produces events while streams listen.
type publishing struct {
	// until produces events until end.
	until func(ctx context.Context, end time.Time) error
	// when returns the time of the change that an event reports; ok is false for events that
	// are not measured.
	when func(data string) (at time.Time, ok bool)
}

// receive produces events for Duration, and reports the latency over all streams and
// events.
func (b *bench) receive(ctx context.Context, what string, streams []*stream, p publishing) error {
	end := time.Now().Add(b.Duration)
	var wait sync.WaitGroup
	for _, s := range streams {
		wait.Go(func() { s.err = s.receive(end, p.when) })
	}
	before, err := b.cpu()
	if err != nil {
		return err
	}
	published := make(chan error, 1)
	go func() { published <- p.until(ctx, end.Add(-time.Second)) }()
	wait.Wait()
	after, err := b.cpu()
	err = errors.Join(<-published, err)
	var all []time.Duration
	for _, s := range streams {
		err = errors.Join(err, s.err)
		all = append(all, s.latencies...)
	}
	m := measurement{cpu: after - before}
	m.merge(all)
	b.report.row(fmt.Sprintf("%s, %d streams", what, b.Streams),
		"p50 %s, p99 %s, max %s; %d times; %.0f µs of the server's processors for each stream",
		millis(m.quantile(0.5)), millis(m.quantile(0.99)), millis(m.quantile(1)), len(m.latencies)/b.Streams, m.cost(m.cpu))
	return err
}

// makeBlocks creates an account every half second: each leads to a block.
func (b *bench) makeBlocks(ctx context.Context, end time.Time) error {
	w := newWorker()
	defer w.client.CloseIdleConnections()
	for time.Now().Before(end) {
		if _, err := w.guest(ctx, b.server); err != nil {
			return err
		}
		timer := time.NewTimer(500 * time.Millisecond)
		<-timer.C
	}
	return nil
}

// stream is a minimal client of GET /api/events.
type stream struct {
	conn      net.Conn
	lines     *bufio.Reader
	latencies []time.Duration
	err       error
}

// listen opens a stream and returns it when the service has sent the event "ready".
func listen(ctx context.Context, to *child, path string) (*stream, error) {
	address := strings.TrimPrefix(to.url, "http://")
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	s := &stream{conn: conn, lines: bufio.NewReaderSize(conn, 1024)}
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", path,
		address); err != nil {
		return nil, err
	}
	for {
		line, err := s.line()
		if err != nil {
			return nil, err
		}
		if status, ok := strings.CutPrefix(line, "HTTP/1.1 "); ok && !strings.HasPrefix(status, "200") {
			return nil, &statusError{http.StatusTooManyRequests, status}
		}
		if line == "event: ready" {
			return s, nil
		}
	}
}

// line reads a line. Lines of the chunked encoding occur between those of events; they
// match no prefix that is looked for.
func (s *stream) line() (string, error) {
	text, err := s.lines.ReadSlice('\n')
	return strings.TrimRight(string(text), "\r\n"), err
}

// receive records the latency of each event until end.
func (s *stream) receive(end time.Time, when func(string) (time.Time, bool)) error {
	if err := s.conn.SetDeadline(end); err != nil {
		return err
	}
	for {
		line, err := s.line()
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
			return nil
		}
		if err != nil {
			return err
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		now := time.Now()
		if at, ok := when(data); ok {
			s.latencies = append(s.latencies, now.Sub(at))
		}
	}
}

// blockTime returns the time of a sealed block.
func blockTime(data string) (time.Time, bool) {
	var block struct {
		Time    time.Time `json:"time"`
		TxCount int64     `json:"tx_count"`
	}
	err := json.Unmarshal([]byte(data), &block)
	return block.Time, err == nil && block.TxCount > 0
}
