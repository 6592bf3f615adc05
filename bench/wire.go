package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// wire is one keep-alive connection of the load generator. It writes
// HTTP/1.1 requests and reads the responses without goroutines of its own, so that on a shared
// machine the generator takes little of the processors. It is not safe for concurrent use.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	body []byte // of the last response
	// cookie is the cookie of the last response that set one, as a client returns it.
	cookie string
	// latencies are the durations of all calls since the last reset.
	latencies []time.Duration
}

// caller is an account with its credentials, as header lines, each ended by CR LF.
type caller struct {
	header  string
	run     string    // of Roshambo: the run; "" for none
	status  string    // of the run
	throwAt time.Time // the earliest time of the next throw
}

// with returns a caller that sends one more header line.
func (c *caller) with(line string) *caller { return &caller{header: c.header + line + "\r\n"} }

// stranger calls without credentials.
var stranger = &caller{}

// statusError is a response with a status other than 200.
type statusError struct {
	status int
	body   string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.body) }

// refused reports whether a call was answered with a status.
func refused(err error, status int) bool {
	e, ok := errors.AsType[*statusError](err)
	return ok && e.status == status
}

// ask makes a call with in as its body, which is sent as it is if it is text, and none if it is nil. It
// decodes the response into out, unless that is nil. Errors: *statusError.
func (w *wire) ask(by *caller, method, path string, in, out any) (err error) {
	body, ready := in.([]byte)
	if in != nil && !ready {
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	status, text, err := w.call(method, path, by.header, body)
	switch {
	case err != nil:
		return err
	case status != 200:
		return &statusError{status, string(text)}
	case out == nil:
		return nil
	}
	return json.Unmarshal(text, out)
}

// wireTimeout bounds each call, so that a server that hangs fails the measurement. The last of 1,000 queued logins
// can wait for more than a minute on two cores.
const wireTimeout = 3 * time.Minute

// dial opens a connection to a host:port.
func dial(address string) (*wire, error) {
	conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

// call sends a request with further header lines, each ended by CR LF, and returns status and
// body. The body is valid until the next call.
func (w *wire) call(method, path, header string, body []byte) (status int, text []byte, err error) {
	w.out = append(append(append(append(w.out[:0], method...), ' '), path...), " HTTP/1.1\r\nHost: bench\r\n"...)
	w.out = append(w.out, header...)
	if method != "GET" {
		w.out = append(w.out, "Content-Type: application/json\r\nContent-Length: "...)
		w.out = append(strconv.AppendInt(w.out, int64(len(body)), 10), "\r\n"...)
	}
	w.out = append(append(w.out, "\r\n"...), body...)
	began := time.Now()
	if err := w.conn.SetDeadline(began.Add(wireTimeout)); err != nil {
		return 0, nil, err
	}
	if _, err := w.conn.Write(w.out); err != nil {
		return 0, nil, err
	}
	status, err = w.receive()
	w.latencies = append(w.latencies, time.Since(began))
	return status, w.body, err
}

// receive reads one response into w.body.
func (w *wire) receive() (status int, err error) {
	line, err := w.line()
	if err != nil {
		return 0, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return 0, fmt.Errorf("bench: %q is no status line", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length, chunked := 0, false
	for {
		if line, err = w.line(); err != nil {
			return 0, err
		}
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		case bytes.EqualFold(name, []byte("Set-Cookie")):
			w.cookie, _, _ = strings.Cut(string(value), ";")
		}
	}
	w.body = w.body[:0]
	if chunked {
		return status, w.chunks()
	}
	return status, w.take(length)
}

// chunks reads a chunked body without trailers.
func (w *wire) chunks() error {
	for {
		line, err := w.line()
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(string(line), 16, 32)
		if err != nil {
			return err
		}
		if err := w.take(int(size)); err != nil {
			return err
		}
		if line, err = w.line(); err != nil {
			return err
		}
		if len(line) != 0 {
			return errors.New("bench: a chunk is longer than its size")
		}
		if size == 0 {
			return nil
		}
	}
}

// take appends n bytes of the connection to w.body.
func (w *wire) take(n int) error {
	have := len(w.body)
	w.body = append(w.body, make([]byte, n)...)
	_, err := io.ReadFull(w.in, w.body[have:])
	return err
}

// line reads one line without its end.
func (w *wire) line() ([]byte, error) {
	line, err := w.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}

// close closes the connection.
func (w *wire) close() { _ = w.conn.Close() } // every response was read
