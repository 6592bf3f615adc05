package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// logPath is where the public log lies, in the formats of c2sp.org/tlog-tiles.
const logPath = "/log/"

// blocksPath is where, below the log, the blocks behind its entries lie: each page is
// lines of package export, from the block of that height on.
const blocksPath = "blocks/"

// serveLog answers with the checkpoint, tiles and entries of the log, and with the blocks.
func (a *API) serveLog(w http.ResponseWriter, r *http.Request) {
	if !a.readOnly(w, r) {
		return
	}
	// Anybody may follow the log from a page of their own.
	w.Header().Set("Access-Control-Allow-Origin", "*")
	path := strings.TrimPrefix(r.URL.Path, logPath)
	var body []byte
	final := true // it never changes, so that caches may keep it for good
	err := a.DB.View(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		first, isPage := strings.CutPrefix(path, blocksPath)
		switch {
		case path == checkpointPath:
			final = false
			body, err = a.Ledger.Checkpoint(ctx, tx)
		case path == witnessedPath:
			final = false
			body, err = a.Ledger.Witnessed(ctx, tx)
		case isPage:
			body, final, err = a.logPage(ctx, tx, first)
		default:
			body, err = a.Ledger.Tile(ctx, tx, path)
		}
		return err
	})
	if err != nil {
		a.fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", logType(path))
	h.Set("Cache-Control", "no-cache")
	if final {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(body) // the caller has gone away; nobody is left to tell
}

// Where, below the log, the newest checkpoint lies, with the cosignatures that there are
// of it by now, and the newest that most witnesses have cosigned.
const (
	checkpointPath = "checkpoint"
	witnessedPath  = "witnessed-checkpoint"
)

func logType(path string) string {
	switch {
	case path == checkpointPath, path == witnessedPath:
		return "text/plain; charset=utf-8"
	case strings.HasPrefix(path, blocksPath):
		return "application/jsonl"
	}
	return "application/octet-stream"
}

// logPage returns some blocks from a height on, and whether that page is full.
func (a *API) logPage(ctx context.Context, tx *store.Tx, first string) ([]byte, bool, error) {
	height, err := strconv.ParseInt(first, 10, 64)
	if err != nil || strconv.FormatInt(height, 10) != first {
		return nil, false, ledger.ErrNotFound
	}
	return a.Ledger.LogPage(ctx, tx, height)
}
