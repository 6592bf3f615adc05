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

// blocksPath is the prefix, below logPath, of the blocks behind the log's entries. A page holds
// lines of package export, from the block of a height on.
const blocksPath = "blocks/"

// gamesPath is the prefix of the transcripts and tables that the blocks of a page pin.
const gamesPath = "games/"

// keptPath is the prefix of the kept checkpoints, by number.
const keptPath = "kept/"

// recoveriesPath is the prefix of the published reasons of recoveries, by number.
const recoveriesPath = "recoveries/"

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
	final := true // the body never changes, so that caches may keep it
	err := e.DB.View(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		first, isPage := strings.CutPrefix(path, blocksPath)
		games, isGames := strings.CutPrefix(path, gamesPath)
		kept, isKept := strings.CutPrefix(path, keptPath)
		number, isReason := strings.CutPrefix(path, recoveriesPath)
		switch {
		case path == checkpointPath:
			final = false
			body, err = e.Ledger.Checkpoint(ctx, tx)
		case path == witnessedPath:
			final = false
			body, err = e.Ledger.Witnessed(ctx, tx)
		case isPage:
			body, final, err = logPage(ctx, tx, first, e.Ledger.LogPage)
		case isGames:
			body, final, err = logPage(ctx, tx, games, e.Ledger.LogGames)
		case isKept:
			body, final, err = logPage(ctx, tx, kept, e.Ledger.LogKept)
		case isReason:
			body, final, err = logPage(ctx, tx, number, e.recoveryReason)
		default:
			body, err = e.Ledger.Tile(ctx, tx, path)
		}
		return err
	})
	if err == nil && r.Method == http.MethodGet {
		err = e.countLogBytes(r.Context(), w.Client, len(body))
	}
	if err != nil {
		e.API.Fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", logType(path))
	h.Set("Cache-Control", "no-cache")
	if final {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.OfferPacked(r)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client has disconnected
}

// Paths below logPath: the newest checkpoint with its cosignatures so far, and the newest
// checkpoint that a majority of the witnesses has cosigned.
const (
	checkpointPath = "checkpoint"
	witnessedPath  = "witnessed-checkpoint"
)

// logType returns the content type of a path below logPath.
func logType(path string) string {
	switch {
	case path == checkpointPath, path == witnessedPath, strings.HasPrefix(path, recoveriesPath):
		return "text/plain; charset=utf-8"
	case strings.HasPrefix(path, blocksPath), strings.HasPrefix(path, gamesPath),
		strings.HasPrefix(path, keptPath):
		return "application/jsonl"
	}
	return "application/octet-stream"
}

// recoveryReason returns the reason of a recovery: the text whose hash the chain holds.
func (e *Edge) recoveryReason(ctx context.Context, tx *store.Tx, number int64) ([]byte, bool, error) {
	reason, err := e.Ledger.RecoveryReason(ctx, tx, number)
	return []byte(reason), true, err
}

// pageReader reads the page of a number: ledger.LogPage, ledger.LogGames, ledger.LogKept or recoveryReason.
type pageReader func(ctx context.Context, tx *store.Tx, first int64) (lines []byte, full bool, err error)

// logPage returns the page from a height on, and whether it is full and so final. Errors:
// ledger.ErrNotFound.
func logPage(ctx context.Context, tx *store.Tx, first string, read pageReader) ([]byte, bool, error) {
	height, err := strconv.ParseInt(first, 10, 64)
	if err != nil || strconv.FormatInt(height, 10) != first {
		return nil, false, ledger.ErrNotFound
	}
	return read(ctx, tx, height)
}
