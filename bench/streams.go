package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// stream is a minimal client of GET /api/events.
type stream struct {
	conn      net.Conn
	lines     *bufio.Reader
	latencies []time.Duration
	err       error
}

// listenAll opens n streams one after the other. On error it still returns those that it opened.
func listenAll(ctx context.Context, address, path string, n int) (list []*stream, err error) {
	for range n {
		s, err := listen(ctx, address, path)
		if s != nil {
			list = append(list, s)
		}
		if err != nil {
			return list, fmt.Errorf("%w (each stream takes a file on both sides: see ulimit -n)", err)
		}
	}
	return list, nil
}

// hangUp closes streams.
func hangUp(list []*stream) {
	for _, s := range list {
		_ = s.conn.Close() // it was only read
	}
}

// listen opens a stream and returns it when the service has sent the event "ready".
func listen(ctx context.Context, address, path string) (*stream, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	s := &stream{conn: conn, lines: bufio.NewReaderSize(conn, 1024)}
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return s, err
	}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", path, address)
	for err == nil {
		var line string
		line, err = s.line()
		if status, ok := strings.CutPrefix(line, "HTTP/1.1 "); ok && !strings.HasPrefix(status, "200") {
			return s, errors.New("a stream: status " + status)
		}
		if line == "event: ready" {
			return s, nil
		}
	}
	return s, err
}

// line reads a line. Lines of the chunked encoding occur between the lines of events;
// they match no prefix that is looked for.
func (s *stream) line() (string, error) {
	text, err := s.lines.ReadSlice('\n')
	return strings.TrimRight(string(text), "\r\n"), err
}

// receive records the latency of each block with transactions until end.
func (s *stream) receive(end time.Time) error {
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
		now := time.Now()
		var block struct {
			Time    time.Time `json:"time"`
			TxCount int64     `json:"tx_count"`
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if ok && json.Unmarshal([]byte(data), &block) == nil && block.TxCount > 0 {
			s.latencies = append(s.latencies, now.Sub(block.Time))
		}
	}
}
