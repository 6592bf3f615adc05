package httpapi

import (
	"context"
	"net/http"
	"strings"

	"roshambo/internal/db"
)

// logPath is where the public log lies, in the formats of c2sp.org/tlog-tiles.
const logPath = "/log/"

// serveLog answers with the checkpoint, tiles and entries of the log.
func (a *API) serveLog(w http.ResponseWriter, r *http.Request) {
	if !a.readOnly(w, r) {
		return
	}
	// Anybody may follow the log from a page of their own.
	w.Header().Set("Access-Control-Allow-Origin", "*")
	path := strings.TrimPrefix(r.URL.Path, logPath)
	var body []byte
	err := a.DB.View(r.Context(), func(ctx context.Context, tx *db.Tx) (err error) {
		if path == "checkpoint" {
			body, err = a.Ledger.Checkpoint(ctx, tx)
		} else {
			body, err = a.Ledger.Tile(ctx, tx, path)
		}
		return err
	})
	if err != nil {
		a.fail(w, r, err)
		return
	}
	h := w.Header()
	if path == "checkpoint" {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Cache-Control", "no-cache")
	} else {
		// Tiles never change, so that caches may keep them for good.
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(body) // the caller has gone away; nobody is left to tell
}
