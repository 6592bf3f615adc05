package edge

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"roshambo/internal/ledger"
	"roshambo/internal/server/api"
	"roshambo/internal/store"
)

// logPath is the prefix of the public log, in the formats of c2sp.org/tlog-tiles.
const logPath = "/log/"

// logPages are the pages by number below logPath. A page of blocks holds lines of package export, from the block
// of a height on; one of games the transcripts and tables that these blocks pin.
var logPages = []struct {
	prefix, contentType string
	read                func(l *ledger.Ledger, ctx context.Context, tx *store.Tx, number int64) ([]byte, bool, error)
}{
	{"blocks/", "application/jsonl", (*ledger.Ledger).LogPage},
	{"games/", "application/jsonl", (*ledger.Ledger).LogGames},
	{"kept/", "application/jsonl", (*ledger.Ledger).LogKept},
	{"recoveries/", plainText, func(l *ledger.Ledger, ctx context.Context, tx *store.Tx, n int64) ([]byte, bool, error) {
		reason, err := l.RecoveryReason(ctx, tx, n) // whose hash the chain holds
		return []byte(reason), true, err
	}},
}

const plainText = "text/plain; charset=utf-8"

// serveLog answers with the checkpoint, tiles, entries, blocks, games and kept checkpoints of the log, and the
// reasons of recoveries.
func (e *Edge) serveLog(w *api.Response, r *http.Request) {
	if !e.readOnly(w, r) {
		return
	}
	// Pages of any site may read the log.
	w.Header().Set("Access-Control-Allow-Origin", "*")
	path := strings.TrimPrefix(r.URL.Path, logPath)
	var body []byte
	var contentType string
	var final bool
	err := e.DB.View(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		body, contentType, final, err = e.logBody(ctx, tx, path)
		return err
	})
	if err == nil && r.Method == http.MethodGet {
		err = e.API.CountLogBytes(r.Context(), w.Client, len(body))
	}
	if err != nil {
		e.API.Fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-cache")
	if final {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.OfferPacked(r)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client has disconnected
}

// logBody returns the body of a path below logPath, with its type, and whether it never changes, so that caches
// may keep it. Errors: ledger.ErrNotFound.
func (e *Edge) logBody(
	ctx context.Context, tx *store.Tx, path string,
) (body []byte, contentType string, final bool, err error) {
	switch path {
	case "checkpoint": // the newest one, with its cosignatures so far
		body, err = e.Ledger.Checkpoint(ctx, tx)
		return body, plainText, false, err
	case "witnessed-checkpoint": // the newest one that a majority of the witnesses has cosigned
		body, err = e.Ledger.Witnessed(ctx, tx)
		return body, plainText, false, err
	}
	for _, p := range logPages {
		if text, ok := strings.CutPrefix(path, p.prefix); ok {
			number, err := strconv.ParseInt(text, 10, 64)
			if err != nil || strconv.FormatInt(number, 10) != text {
				return nil, "", false, ledger.ErrNotFound
			}
			body, final, err = p.read(e.Ledger, ctx, tx, number)
			return body, p.contentType, final, err
		}
	}
	body, err = e.Ledger.Tile(ctx, tx, path)
	return body, "application/octet-stream", true, err
}
