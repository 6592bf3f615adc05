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

// played is an answer of the size that a throw has.
type played struct {
	Run struct {
		ID      string  `json:"id"`
		Status  string  `json:"status"`
		Cleared int     `json:"cleared"`
		Entry   string  `json:"entry"`
		Throws  []throw `json:"throws"`
		TokenID *int    `json:"token_id"`
	} `json:"run"`
	Seed string `json:"seed"`
}

type throw struct {
	N       int    `json:"n"`
	Move    string `json:"move"`
	Entropy string `json:"entropy"`
	House   string `json:"house"`
	Outcome string `json:"outcome"`
	Seed    string `json:"seed"`
}

var seed = strings.Repeat("0123456789abcdef", 4)

// play makes the answer to a throw; both handlers call it.
func play(run, move string) *played {
	p := &played{Seed: seed}
	p.Run.ID, p.Run.Status, p.Run.Entry, p.Run.Cleared = run, "deciding", "fee", 3
	for n := range 3 {
		p.Run.Throws = append(p.Run.Throws, throw{n + 1, move, "", "scissors", "win", seed})
	}
	return p
}

type benchIn struct {
	RunID string `path:"run_id" maxLength:"64"`
	Body  struct {
		Move    string  `json:"move" required:"true" enum:"rock,paper,scissors,r,p,s"`
		Entropy *string `json:"entropy" maxLength:"64"`
	}
}

// checked is the throw as an operation: read strictly, checked, answered.
func checked() http.Handler {
	a := contract.New(contract.Info{}, contract.Options{})
	contract.Add(a, contract.Operation{ID: "throw", Method: http.MethodPost, Path: "/api/runs/{run_id}/throw"},
		func(_ context.Context, in *benchIn) (*played, error) {
			return play(in.RunID, in.Body.Move), nil
		})
	return a
}

// bare is the throw as one writes it with net/http and encoding/json alone,
// without a single check.
func bare() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/runs/{run_id}/throw", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Move    string  `json:"move"`
			Entropy *string `json:"entropy"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := json.Marshal(play(r.PathValue("run_id"), in.Move))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(out) //nolint:errcheck // a benchmark
	})
	return mux
}

const benchBody = `{"move":"rock","entropy":"0123456789abcdef0123456789abcdef"}`

var benchRequest = fmt.Sprintf("POST /api/runs/0197a3c2-7d1e-7b3a-9c5d-2f6e8a1b4c3d/throw HTTP/1.1\r\nHost: localhost\r\n"+
	"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(benchBody), benchBody)

// A client is a connection that costs as little as possible, so that what is
// measured is the server.
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

// do sends one throw and reads the whole answer.
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
			return fmt.Errorf("answer %q", line)
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

// BenchmarkThrow sends throws over loopback, in turns to the contract and to a
// bare handler, and reports the ratio of their rates: the contract is meant to
// keep at least 0.9 of the bare handler's. Both are measured in the same rounds,
// so that whatever else the machine does hits both.
//
//	go test ./contract -run '^$' -bench Throw -benchtime 20000x -count 5
func BenchmarkThrow(b *testing.B) {
	const (
		connections = 8
		round       = 256 // requests to a connection before the other's turn
	)
	handlers := []http.Handler{checked(), bare()}
	clients := make([][]*client, len(handlers))
	for i, h := range handlers {
		for range connections {
			clients[i] = append(clients[i], dial(b, h))
		}
	}
	var took [2]time.Duration
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
			took[i] += time.Since(began)
		}
	}
	rounds := (b.N + round*connections - 1) / (round * connections)
	requests := float64(rounds * round * connections)
	b.ReportMetric(0, "ns/op") // says nothing about two servers in turns
	b.ReportMetric(requests/took[0].Seconds(), "contract/s")
	b.ReportMetric(requests/took[1].Seconds(), "bare/s")
	b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "ratio")
}

// nowhere is an http.ResponseWriter that keeps nothing.
type nowhere struct{ header http.Header }

func (w nowhere) Header() http.Header         { return w.header }
func (w nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) WriteHeader(int)               {}

// BenchmarkHandler calls the two handlers without HTTP around them.
func BenchmarkHandler(b *testing.B) {
	for name, h := range map[string]http.Handler{"contract": checked(), "bare": bare()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/api/runs/0197a3c2-7d1e-7b3a-9c5d-2f6e8a1b4c3d/throw", nil)
			r.Header.Set("Content-Type", "application/json")
			body := strings.NewReader(benchBody)
			r.Body, r.ContentLength = io.NopCloser(body), int64(len(benchBody))
			w := nowhere{http.Header{}}
			for b.Loop() {
				body.Reset(benchBody)
				clear(w.header)
				h.ServeHTTP(w, r)
			}
		})
	}
}

// TestAllocations keeps the contract from allocating more than a bare handler
// for the same work: memory is what its checks could cost unseen.
func TestAllocations(t *testing.T) { //nolint:paralleltest // the allocations of others would be counted
	body := strings.NewReader(benchBody)
	count := func(h http.Handler) float64 {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/runs/0197a3c2-7d1e-7b3a-9c5d-2f6e8a1b4c3d/throw", nil)
		r.Header.Set("Content-Type", "application/json")
		r.Body, r.ContentLength = io.NopCloser(body), int64(len(benchBody))
		w := nowhere{http.Header{}}
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
