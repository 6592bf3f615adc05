package contract_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/contract"
)

// painted is an output of a typical size, about 600 bytes of JSON.
type painted struct {
	Job struct {
		ID      string `json:"id"`
		Status  string `json:"status"`
		Cleared int    `json:"cleared"`
		Entry   string `json:"entry"`
		Coats   []coat `json:"coats"`
		TokenID *int   `json:"token_id"`
	} `json:"job"`
	Seed string `json:"seed"`
}

type coat struct {
	N       int    `json:"n"`
	Tint    string `json:"tint"`
	Remarks string `json:"remarks"`
	House   string `json:"house"`
	Outcome string `json:"outcome"`
	Seed    string `json:"seed"`
}

var seed = strings.Repeat("0123456789abcdef", 4)

// paint makes the output; both handlers call it.
func paint(job, tint string) *painted {
	p := &painted{Seed: seed}
	p.Job.ID, p.Job.Status, p.Job.Entry, p.Job.Cleared = job, "deciding", "fee", 3
	for n := range 3 {
		p.Job.Coats = append(p.Job.Coats, coat{n + 1, tint, "", "burgundy", "win", seed})
	}
	return p
}

type benchIn struct {
	JobID string `path:"job_id" maxLength:"64"`
	Body  struct {
		Tint    string  `json:"tint" required:"true" enum:"teal,amber,burgundy,r,p,s"`
		Remarks *string `json:"remarks" maxLength:"64"`
	}
}

// checked serves the operation through the contract: parsed strictly and validated.
func checked() http.Handler {
	a := contract.New(contract.Info{}, contract.Options{})
	contract.Add(a, contract.Operation{ID: "paint", Method: http.MethodPost, Path: "/api/jobs/{job_id}/paint"},
		func(_ context.Context, in *benchIn) (*painted, error) {
			return paint(in.JobID, in.Body.Tint), nil
		})
	return a
}

// bare serves the same operation with net/http and encoding/json alone, without
// validation.
func bare() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/jobs/{job_id}/paint", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Tint    string  `json:"tint"`
			Remarks *string `json:"remarks"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := json.Marshal(paint(r.PathValue("job_id"), in.Tint))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(out) //nolint:errcheck // a benchmark
	})
	return mux
}

const benchBody = `{"tint":"teal","remarks":"0123456789abcdef0123456789abcdef"}`

var benchRequest = fmt.Sprintf(
	"POST /api/jobs/0197a3c2-7d1e-7b3a-9c5d-2f6e8a1b4c3d/paint HTTP/1.1\r\nHost: localhost\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(benchBody), benchBody)

// A client is a connection with as little cost of its own as possible, so that
// the benchmark measures the server.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(b *testing.B, h http.Handler) *client {
	b.Helper()
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() }) //nolint:errcheck // only read from
	return &client{conn, bufio.NewReader(conn)}
}

// do sends one request and reads the whole response.
func (c *client) do() error {
	if _, err := io.WriteString(c.conn, benchRequest); err != nil {
		return err
	}
	length := 0
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && string(line) != "HTTP/1.1 200 OK\r\n" {
			return fmt.Errorf("response %q", line)
		}
		if text, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			if _, err := fmt.Sscan(text, &length); err != nil {
				return err
			}
		}
		if len(line) == 2 {
			_, err := c.in.Discard(length)
			return err
		}
	}
}

// BenchmarkLoopback sends requests over loopback, alternately to the contract and
// to a bare handler, and reports the ratio of their rates: the goal is at least
// 0.9. Both are measured in the same rounds, so that other load on the machine
// affects both.
//
//	go test ./contract -run '^$' -bench Loopback -benchtime 20000x -count 5
func BenchmarkLoopback(b *testing.B) {
	const (
		connections = 8
		round       = 256 // requests per connection before the handlers alternate
	)
	handlers := []http.Handler{checked(), bare()}
	clients := make([][]*client, len(handlers))
	for i, h := range handlers {
		for range connections {
			clients[i] = append(clients[i], dial(b, h))
		}
	}
	var elapsed [2]time.Duration
	b.ResetTimer()
	for sent := 0; sent < b.N; sent += round * connections {
		for i := range handlers {
			began := time.Now()
			var wg sync.WaitGroup
			for _, c := range clients[i] {
				wg.Go(func() {
					for range round {
						if err := c.do(); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			elapsed[i] += time.Since(began)
		}
	}
	rounds := (b.N + round*connections - 1) / (round * connections)
	requests := float64(rounds * round * connections)
	b.ReportMetric(0, "ns/op") // meaningless for two alternating servers
	b.ReportMetric(requests/elapsed[0].Seconds(), "contract/s")
	b.ReportMetric(requests/elapsed[1].Seconds(), "bare/s")
	b.ReportMetric(elapsed[1].Seconds()/elapsed[0].Seconds(), "ratio")
}

// discard is an http.ResponseWriter that stores nothing.
type discard struct{ header http.Header }

func (w discard) Header() http.Header         { return w.header }
func (w discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)               {}

// BenchmarkHandler calls the two handlers directly, without a connection.
func BenchmarkHandler(b *testing.B) {
	for name, h := range map[string]http.Handler{"contract": checked(), "bare": bare()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequestWithContext(b.Context(), http.MethodPost,
				"/api/jobs/0197a3c2-7d1e-7b3a-9c5d-2f6e8a1b4c3d/paint", nil)
			r.Header.Set("Content-Type", "application/json")
			body := strings.NewReader(benchBody)
			r.Body, r.ContentLength = io.NopCloser(body), int64(len(benchBody))
			w := discard{http.Header{}}
			for b.Loop() {
				body.Reset(benchBody)
				clear(w.header)
				h.ServeHTTP(w, r)
			}
		})
	}
}

// TestAllocations limits the contract to the allocations of a bare handler for the
// same work: benchmarks on a busy machine would not show a regression.
func TestAllocations(t *testing.T) { //nolint:paralleltest // counts the allocations of all goroutines
	body := strings.NewReader(benchBody)
	count := func(h http.Handler) float64 {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost,
			"/api/jobs/0197a3c2-7d1e-7b3a-9c5d-2f6e8a1b4c3d/paint", nil)
		r.Header.Set("Content-Type", "application/json")
		r.Body, r.ContentLength = io.NopCloser(body), int64(len(benchBody))
		w := discard{http.Header{}}
		return testing.AllocsPerRun(200, func() {
			body.Reset(benchBody)
			clear(w.header)
			h.ServeHTTP(w, r)
		})
	}
	if got, limit := count(checked()), count(bare()); got > limit {
		t.Errorf("%v allocations, a bare handler makes %v", got, limit)
	}
}
