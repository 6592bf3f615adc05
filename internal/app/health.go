package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

const (
	// healthTime is how long the database may take to answer for its health.
	healthTime = 2 * time.Second
	// sealingStalled is how long a transaction may wait for its block before something
	// is wrong. It takes a second, and some more when another node has to take over.
	sealingStalled = 30 * time.Second
)

// health is the answer of /healthz and /readyz.
type health struct {
	OK      bool     `json:"ok"`
	Reasons []string `json:"reasons"` // why it is not; empty when it is
}

// serveAlive says that the process is alive. Who restarts processes asks this: it depends
// on nothing outside, as a restart would mend nothing there.
func (s *Service) serveAlive(w http.ResponseWriter, _ *http.Request) { writeHealth(w, nil) }

// serveReady says whether requests should be sent here. Who balances load asks this.
func (s *Service) serveReady(w http.ResponseWriter, r *http.Request) {
	writeHealth(w, s.unready(r.Context()))
}

// unready returns why no requests should be sent here, nothing when they should. That
// the schema is this program's was made sure before the service began to listen.
func (s *Service) unready(ctx context.Context) (reasons []string) {
	if s.draining.Load() {
		reasons = append(reasons, "draining: it was told to stop")
	}
	if s.DB.Full() {
		reasons = append(reasons, "database: its disk is full")
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	var b ledger.Backlog
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		b, err = s.Ledger.Backlog(ctx, tx)
		return err
	})
	if err != nil {
		return append(reasons, fmt.Sprintf("database: %v", err))
	}
	if err := s.Ledger.RolledBack(); err != nil {
		reasons = append(reasons, fmt.Sprintf("sealing: %v", err))
	}
	if why := stalled(b, s.config.Now()); why != "" {
		reasons = append(reasons, why)
	}
	return reasons
}

// stalled says that sealing has stopped; "" when it has not.
func stalled(b ledger.Backlog, now time.Time) string {
	if b.Pending == 0 || now.Sub(b.Oldest) <= sealingStalled {
		return ""
	}
	return fmt.Sprintf("sealing: %d transactions wait for a block, the first for %v", b.Pending, now.Sub(b.Oldest).Round(time.Second))
}

func writeHealth(w http.ResponseWriter, reasons []string) {
	h := health{OK: len(reasons) == 0, Reasons: append([]string{}, reasons...)}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !h.OK {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(h) // who asked has gone away
}
