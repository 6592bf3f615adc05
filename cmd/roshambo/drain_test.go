package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

var draining = regexp.MustCompile(`msg=draining`)

// hang sends the headers of a request for a new run and returns when its handler waits for the
// body.
func (v *visitor) hang(t *testing.T, body string) (conn net.Conn, answer *bufio.Reader) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(v.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn,
		"POST /api/runs HTTP/1.1\r\nHost: x\r\nCookie: %s\r\nX-CSRF-Token: %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n",
		v.cookie, v.csrf, len(body))
	if err != nil {
		t.Fatal(err)
	}
	answer = bufio.NewReader(conn)
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("got %q, %v, want 100 Continue", line, err)
	}
	return conn, answer
}

// TestDrain sends SIGTERM during a request: the service closes its listener, completes the
// request, seals its transactions, and ends with exit status 0.
func TestDrain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	server, err := serve(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVisitor(t.Context(), server.url)
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"client_seed":"at the last moment"}`
	conn, reader := v.hang(t, body)
	server.signal(t, syscall.SIGTERM)
	if _, err := server.await(draining); err != nil {
		t.Fatal(err)
	}
	for { // the listener is closed shortly after the log line
		another, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(server.url, "http://"))
		if err != nil {
			break
		}
		_ = another.Close()
	}
	if _, err := io.WriteString(conn, body); err != nil {
		t.Fatal(err)
	}
	run := readRun(t, reader)
	if <-server.done; server.err != nil {
		t.Fatalf("the server ended with %v:\n%s", server.err, server.logged())
	}

	server, err = serve(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	v.url = server.url
	var again struct{ Run runView }
	if err := v.call(t.Context(), "GET", "/api/runs/"+run.ID, "", &again); err != nil ||
		again.Run.ClientSeed != "at the last moment" {
		t.Errorf("after the restart: %+v, %v", again, err)
	}
	if err := server.stop(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, server.logged())
	}
}

// readRun reads the response to a raw request.
func readRun(t *testing.T, reader *bufio.Reader) runView {
	t.Helper()
	if _, err := reader.ReadString('\n'); err != nil { // empty line after 100 Continue
		t.Fatal(err)
	}
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatalf("the request in flight got no response: %v", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	var out struct{ Run runView }
	if err != nil || response.StatusCode != http.StatusOK || unmarshal(text, &out) != nil {
		t.Fatalf("the request in flight got %s %s, %v", response.Status, text, err)
	}
	return out.Run
}

// TestDrainIsBounded stops a service whose client never completes its request.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	server, err := serve(t.Context(), t.TempDir(), "--drain", "100ms")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVisitor(t.Context(), server.url)
	if err != nil {
		t.Fatal(err)
	}
	v.hang(t, "{}")
	if err := server.stop(); err == nil || !strings.Contains(server.logged(), "drain: ") {
		t.Errorf("cut off, the server ended with %v:\n%s", err, server.logged())
	}
}

// TestSecondSignal checks that a second signal ends the process at once.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	server, err := serve(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVisitor(t.Context(), server.url)
	if err != nil {
		t.Fatal(err)
	}
	v.hang(t, "{}")
	server.signal(t, syscall.SIGTERM)
	if _, err := server.await(draining); err != nil {
		t.Fatal(err)
	}
	server.signal(t, syscall.SIGTERM)
	<-server.done
	if status := server.cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
		t.Errorf("the server ended with %v, want by the second signal", server.err)
	}
}
