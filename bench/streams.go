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
	streams, opened, err := b.listeners(ctx, "/api/events?topics=blocks")
	defer hangUp(streams)
	if err != nil {
		return err
	}
	after, _, err := b.server.memory()
	if err != nil {
		return err
	}
	b.report.row(fmt.Sprintf("memory of each of %d open event streams", b.Streams), "%.1f kB of the server's resident memory; opened at %.0f/s",
		float64(after-before)/1e3/float64(b.Streams), opened.rate())
	if err := b.receive(ctx, "a block's time until it is received", streams, publishing{b.makeBlocks, blockTime}); err != nil {
		return err
	}
	later, _, err := b.server.memory()
	b.report.row("memory of each of them once they were told of those", "%.1f kB", float64(later-before)/1e3/float64(b.Streams))
	return err
}

// listeners opens as many streams as are to be measured. Some may be open even when
// there is an error.
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

func hangUp(streams []*stream) {
	for _, s := range streams {
		if s != nil {
			_ = s.conn.Close() // it was only read
		}
	}
}

// publishing is what happens while streams listen.
type publishing struct {
	until func(ctx context.Context, end time.Time) error // has things happen
	when  func(data string) (at time.Time, ok bool)      // did happen what an event tells of; not ok for others
}

// receive has things happen for the duration, and reports how long each of the streams
// waited for each of them.
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
	b.report.row(fmt.Sprintf("%s, %d streams", what, b.Streams), "p50 %s, p99 %s, max %s; %d times; %.0f µs of the server's processors for each stream",
		millis(m.quantile(0.5)), millis(m.quantile(0.99)), millis(m.quantile(1)), len(m.latencies)/b.Streams, m.cost(m.cpu))
	return err
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

// receive notes how long ago what it is told of happened, until the end.
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

// blockTime is when a block was made.
func blockTime(data string) (time.Time, bool) {
	var block struct {
		Time    time.Time `json:"time"`
		TxCount int64     `json:"tx_count"`
	}
	err := json.Unmarshal([]byte(data), &block)
	return block.Time, err == nil && block.TxCount > 0
}
