package publiclog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/ledger/publiclog"
	"roshambo/internal/store"
	"roshambo/verify"
)

// service serves the log of a ledger like the API, and falsifies one path.
type service struct {
	*ledgertest.Ledger
	lie func(path string, body []byte) []byte
}

// ServeHTTP answers from the tables.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	err := s.DB.View(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		path, inLog := strings.CutPrefix(r.URL.Path, "/log/")
		first, isPage := strings.CutPrefix(path, "blocks/")
		games, isGames := strings.CutPrefix(path, "games/")
		kept, isKept := strings.CutPrefix(path, "kept/")
		switch {
		case !inLog:
			head, errHead := s.Head(ctx, tx)
			body, err = json.Marshal(
				map[string]any{
					"head": map[string]any{"verifier_key": s.VerifierKey(), "transactions": head.Transactions},
				},
			)
			if errHead != nil {
				err = errHead
			}
		case path == "checkpoint":
			body, err = s.Checkpoint(ctx, tx)
		case isPage:
			height, _ := strconv.ParseInt(first, 10, 64)
			body, _, err = s.LogPage(ctx, tx, height)
		case isKept:
			number, _ := strconv.ParseInt(kept, 10, 64)
			body, _, err = s.LogKept(ctx, tx, number)
		case isGames:
			height, _ := strconv.ParseInt(games, 10, 64)
			body, _, err = s.LogGames(ctx, tx, height)
		default:
			body, err = s.Tile(ctx, tx, path)
		}
		return err
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if s.lie != nil {
		body = s.lie(r.URL.Path, body)
	}
	_, _ = w.Write(body)
}

// TestVerify reads a log of more than one tile. It is valid unless the server falsifies a part of
// it.
func TestVerify(t *testing.T) {
	t.Parallel()
	s := &service{Ledger: ledgertest.Open(t, ledgertest.Options{})}
	for i := range 259 {
		p := s.Join(t)
		if i == 10 || i == 257 { // a game on each page
			s.Win(t, p, 2)
		}
		s.SealAll(t)
	}
	var asked []string
	limited := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if limited = !limited; !limited && s.lie == nil { // every second request is put off
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		asked = append(asked, r.URL.Path)
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	l := &publiclog.Log{URL: server.URL, HTTP: server.Client()}
	report, err := l.Verify(t.Context(), verify.ChainOptions{Key: new(s.VerifierKey())})
	if err != nil || !report.Valid || report.Blocks != 260 || report.Addresses != 259 || report.Record.Runs != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	// A log without kept checkpoints has an empty page, which cannot be spoilt.
	paths := slices.DeleteFunc(asked, func(path string) bool { return path == "/log/kept/0" })
	if len(paths) != 11 { // checkpoint, head, 2 pages of blocks and of games, 2 bundles, 2 tiles below and 1 above
		t.Fatalf("asked for %q", paths)
	}
	for _, path := range paths {
		for _, spoil := range []func([]byte) []byte{
			func(b []byte) []byte { return b[:len(b)-1] },
			func(b []byte) []byte { b = bytes.Clone(b); b[len(b)/2] ^= 1; return b },
			func([]byte) []byte { return nil },
		} {
			s.lie = func(at string, body []byte) []byte {
				if at == path {
					return spoil(body)
				}
				return body
			}
			if report, err := l.Verify(t.Context(), verify.ChainOptions{}); err == nil && report.Valid {
				t.Errorf("a lie about %s is not noticed: %s", path, fmt.Sprint(report))
			}
		}
	}
	s.lie = nil
	if report, err := l.Verify(t.Context(), verify.ChainOptions{Key: new(s.VerifierKey())}); err != nil || !report.Valid {
		t.Errorf("without a lie: %+v, %v", report, err)
	}
}
