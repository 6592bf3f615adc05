package bench

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

// eventStreams measures what an open stream of events costs the server in memory, and
// how long it takes from the sealing of a block, whose time is in the event, until all
// streams have it.
func (b *bench) eventStreams(ctx context.Context) error {
	if _, err := newWorker().guest(ctx, b.server); err != nil { // all is in place that the first one needs
		return err
	}
	before, _, err := b.server.memory()
	if err != nil {
		return err
	}
	streams := make([]*stream, b.Streams)
	defer func() {
		for _, s := range streams {
			if s != nil {
				_ = s.conn.Close() // it was only read
			}
		}
	}()
	opened, err := b.each(b.Streams, func(w *worker, i int) (err error) {
		began := time.Now()
		streams[i], err = listen(ctx, b.server, "/api/events?topics=blocks")
		w.latencies = append(w.latencies, time.Since(began))
		return err
	})
	if err != nil {
		return fmt.Errorf("%w (each stream takes a file on both sides: see ulimit -n)", err)
	}
	after, _, err := b.server.memory()
	if err != nil {
		return err
	}
	b.report.row(fmt.Sprintf("memory of each of %d open event streams", b.Streams), "%.1f kB of the server's resident memory; opened at %.0f/s",
		float64(after-before)/1e3/float64(b.Streams), opened.rate())
	received, err := b.receive(ctx, streams)
	if err != nil {
		return err
	}
	later, _, err := b.server.memory()
	b.report.row(fmt.Sprintf("a block's time until it is received, %d streams", b.Streams), "p50 %s, p99 %s, max %s; %d blocks; %.0f µs of the server's processors for each stream",
		millis(received.quantile(0.5)), millis(received.quantile(0.99)), millis(received.quantile(1)), len(received.latencies)/b.Streams, received.cost())
	b.report.row("memory of each of them once they were told of those", "%.1f kB", float64(later-before)/1e3/float64(b.Streams))
	return err
}

// receive has blocks made for the duration and returns how long each of the streams
// waited for each of them.
func (b *bench) receive(ctx context.Context, streams []*stream) (m measurement, err error) {
	end := time.Now().Add(b.Duration)
	var wait sync.WaitGroup
	for _, s := range streams {
		wait.Go(func() { s.err = s.blocks(end) })
	}
	before, err := b.cpu()
	if err != nil {
		return m, err
	}
	made := make(chan error, 1)
	go func() { made <- b.makeBlocks(ctx, end.Add(-time.Second)) }()
	wait.Wait()
	after, errCPU := b.cpu()
	m.cpu = after - before
	err = errors.Join(<-made, errCPU)
	var all []time.Duration
	for _, s := range streams {
		err = errors.Join(err, s.err)
		all = append(all, s.latencies...)
	}
	m.merge(all)
	return m, err
}

// makeBlocks opens an account now and then: each makes a block.
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

// stream is one client of GET /api/events, as small as one can be.
type stream struct {
	conn      net.Conn
	lines     *bufio.Reader
	latencies []time.Duration
	err       error
}

// listen opens a stream, and returns it once it stands.
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
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", path, address); err != nil {
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

// line reads a line. Between those of events stand those of the chunks that they came
// in, which look like none of them.
func (s *stream) line() (string, error) {
	text, err := s.lines.ReadSlice('\n')
	return strings.TrimRight(string(text), "\r\n"), err
}

// blocks notes how old each block is when it is told, until the end.
func (s *stream) blocks(end time.Time) error {
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
		if !ok || !strings.Contains(data, `"tx_count"`) {
			continue
		}
		now := time.Now()
		var block struct {
			Time time.Time `json:"time"`
		}
		if err := json.Unmarshal([]byte(data), &block); err != nil {
			return err
		}
		s.latencies = append(s.latencies, now.Sub(block.Time))
	}
}
