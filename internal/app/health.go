package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

const (
	// healthTimeout bounds the database query of a readiness check. Probes must wait for longer.
	healthTimeout = 2 * time.Second
	// sealingStalled is how long a transaction may be pending before the node reports a fault.
	// Sealing takes a second, and a few more when another node takes the lease over.
	sealingStalled = 30 * time.Second
)

// health is the body of /healthz and /readyz.
type health struct {
	OK      bool     `json:"ok"`
	Reasons []string `json:"reasons"` // why it is not OK, and what an operator should know besides
}

// serveAlive answers /healthz: the process is alive. Supervisors use it to decide on a restart, so
// it depends on nothing outside the process, which a restart would not mend.
func (s *Service) serveAlive(w http.ResponseWriter, _ *http.Request) { writeHealth(w, nil, nil) }

// serveReady answers /readyz: whether the node should receive requests. Load balancers use it.
func (s *Service) serveReady(w http.ResponseWriter, r *http.Request) {
	writeHealth(w, s.unready(r.Context()), s.warnings())
}

// unready returns the reasons why the node should not receive requests, none when it should.
func (s *Service) unready(ctx context.Context) []string { return s.reasons(s.backlog(ctx)) }

// backlog reads the pending work, within healthTimeout.
func (s *Service) backlog(ctx context.Context) (ledger.Backlog, error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	return store.Read(ctx, s.DB, s.Ledger.Backlog)
}

// reasons returns the reasons why a node that has read b, or got err, should not receive requests. The schema needs
// no check: the start has made sure that it is this program's.
func (s *Service) reasons(b ledger.Backlog, err error) (reasons []string) {
	if s.draining.Load() {
		reasons = append(reasons, "draining: the node received a signal to stop")
	}
	if s.DB.Full() {
		reasons = append(reasons, "database: its disk is full")
	}
	if s.DB.ClockDoubted() {
		reasons = append(reasons, "clock: the database's is not where it should be by this node's")
	}
	if err != nil {
		return append(reasons, fmt.Sprintf("database: %v", err))
	}
	if err := s.Ledger.RolledBack(); err != nil {
		reasons = append(reasons, fmt.Sprintf("sealing: %v", err))
	} else if s.Ledger.Recovering() {
		reasons = append(reasons, "recovering: the database lacks signed blocks that a node knows, or a recovery is to be stored")
	}
	if why := stalled(b, s.config.Now()); why != "" {
		reasons = append(reasons, why)
	}
	return reasons
}

// stalled returns a reason when sealing has stopped, else "".
func stalled(b ledger.Backlog, now time.Time) string {
	if b.Pending == 0 || now.Sub(b.Oldest) <= sealingStalled {
		return ""
	}
	return fmt.Sprintf("sealing: %d transactions are pending, the oldest for %v", b.Pending,
		now.Sub(b.Oldest).Round(time.Second))
}

// serveProbes serves /livez and /readyz alone on an address for probes, for any Host header: load balancers and
// supervisors name a node as they like. For the same reason a page of any site may read the answers, so they name
// the fault and no more. It returns a function that stops it, and does nothing without an address.
func (s *Service) serveProbes(ctx context.Context) (stop func() error, err error) {
	if s.config.ProbeListen == "" {
		return func() error { return nil }, nil
	}
	server := &http.Server{Handler: s.probes(), ReadTimeout: readHeaders, WriteTimeout: readHeaders,
		IdleTimeout: readHeaders, MaxHeaderBytes: probeHeaders}
	return s.serveBeside(ctx, "probe", s.config.ProbeListen, server, s.config.ReadyProbe)
}

// probes returns the handler of serveProbes. It reads the database at most once in a probeAge, however many ask.
func (s *Service) probes() http.Handler {
	var mu sync.Mutex // also while the database is read: all concurrent callers wait for the same answer
	var read time.Time
	var last ledger.Backlog
	var failed error
	backlog := func(ctx context.Context) (ledger.Backlog, error) {
		mu.Lock()
		defer mu.Unlock()
		if now := s.config.Now(); read.IsZero() || now.Before(read) || now.Sub(read) >= probeAge {
			last, failed = s.backlog(context.WithoutCancel(ctx)) // one that hangs up answers for the others, too
			read = s.config.Now()
		}
		return last, failed
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", s.serveAlive)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		writeHealth(w, short(s.reasons(backlog(r.Context()))), short(s.warnings()))
	})
	return mux
}

// short returns the names of reasons.
func short(reasons []string) (names []string) {
	for _, why := range reasons {
		name, _, _ := strings.Cut(why, ":")
		names = append(names, name)
	}
	return names
}

const (
	// probeHeaders bounds the headers of a probe, in bytes.
	probeHeaders = 8 << 10
	// probeAge is how old what a probe reads of the database may be.
	probeAge = time.Second
)

// writeHealth answers with the reasons against a node, and with warnings, which do not count against it.
func writeHealth(w http.ResponseWriter, reasons, warnings []string) {
	h := health{OK: len(reasons) == 0, Reasons: append(append([]string{}, reasons...), warnings...)}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !h.OK {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(h) // the client has disconnected
}
