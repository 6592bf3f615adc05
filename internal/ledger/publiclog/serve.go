package publiclog

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger/tile"
)

// A page that a mirror serves ends with the block that reaches one of these numbers.
const (
	servedBlocks = 256
	servedBytes  = 4 << 20 // of blocks and games together
)

// The copy is served from files that are only appended to, so a request that began before a round reads
// the same bytes after it.

// errNoSuch reports a path that the copy does not have.
var errNoSuch = errors.New("not found")

// ServeHTTP serves the copy under the paths of the service: /log/ and what a verifier reads of
// /api/chain/head. /readyz answers 503 while the copy is empty and after a round that failed.
func (m *Mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	c := m.copy.Load()
	if r.URL.Path == "/readyz" {
		if m.failed.Load() || c.size() == 0 {
			http.Error(w, "the last round failed", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n")) // the client has disconnected
		return
	}
	body, kind, err := m.answer(c, r.URL.Path)
	switch {
	case errors.Is(err, errNoSuch) || c.size() == 0:
		http.Error(w, "not found", http.StatusNotFound)
	case err != nil:
		m.logger.Error("the copy cannot be read", "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
	default:
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Cache-Control", "no-cache")
		h.Set("Access-Control-Allow-Origin", "*") // pages of any site may read the log
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(body) // the client has disconnected
	}
}

// answer returns the body of a path and its content type.
func (m *Mirror) answer(c *copied, path string) (body []byte, kind string, err error) {
	rest, inLog := strings.CutPrefix(path, "/log/")
	first, isPage := strings.CutPrefix(rest, "blocks/")
	games, isGames := strings.CutPrefix(rest, "games/")
	number, isKept := strings.CutPrefix(path, keptPath)
	switch {
	case path == "/api/chain/head":
		body, err = c.head()
		return body, "application/json", err
	case !inLog:
		return nil, "", errNoSuch
	case rest == "checkpoint", rest == "witnessed-checkpoint" && len(m.options.Witnesses) > 0:
		return []byte(c.state.Checkpoint), "text/plain; charset=utf-8", nil
	case isPage:
		body, _, err = m.servePage(c, first)
		return body, "application/jsonl", err
	case isGames:
		_, body, err = m.servePage(c, games)
		return body, "application/jsonl", err
	}
	if isKept {
		body, err = m.serveKept(c, number)
		return body, "application/jsonl", err
	}
	body, err = m.tile(c, rest)
	return body, "application/octet-stream", err
}

// head returns the members of GET /api/chain/head that a verifier of the log reads.
func (c *copied) head() ([]byte, error) {
	return json.Marshal(map[string]any{"head": map[string]any{
		"height": c.size() - 1, "transactions": c.transactions, "verifier_key": c.VerifierKey,
	}})
}

// servePage returns the blocks and the games of the page from a height on.
func (m *Mirror) servePage(c *copied, text string) (lines, games []byte, err error) {
	first, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(first, 10) != text || first < 0 || first >= c.size() {
		return nil, nil, errNoSuch
	}
	// Both pages end with the same block, whichever of them is asked for, as a service's pages do.
	end, from := first+1, c.places[first]
	for ; end < c.size() && end-first < servedBlocks; end++ {
		if to := c.places[end]; to.block-from.block+to.game-from.game >= servedBytes {
			break
		}
	}
	return m.files.read(c, first, end)
}

// serveKept returns the kept checkpoints from a number on.
func (m *Mirror) serveKept(c *copied, text string) ([]byte, error) {
	first, err := strconv.ParseInt(text, 10, 64)
	count := int64(len(c.kept)) - 1
	if err != nil || strconv.FormatInt(first, 10) != text || first < 0 || first > count {
		return nil, errNoSuch
	}
	from, to := c.kept[first], c.kept[min(first+servedBlocks, count)]
	lines := make([]byte, max(min(to, c.KeptBytes)-from, 0))
	if len(lines) > 0 {
		_, err = m.files.kept.ReadAt(lines, from)
	}
	if from < to && to > c.KeptBytes {
		lines = slices.Concat(lines, c.newestLine())
	}
	return lines, err
}

// tile returns a tile or a bundle of entries by its path below /log/.
func (m *Mirror) tile(c *copied, path string) ([]byte, error) {
	t, entries, ok := tile.Parse(path, c.size())
	switch {
	case !ok:
		return nil, errNoSuch
	case !entries:
		return tlog.ReadTileData(t, tlog.HashReaderFunc(c.storedHashes))
	}
	var bundle []byte
	for _, at := range c.places[t.N<<tile.Height:][:t.W] {
		header := make([]byte, at.header)
		if _, err := m.files.blocks.ReadAt(header, at.block); err != nil {
			return nil, err
		}
		bundle = tile.AppendEntry(bundle, header)
	}
	return bundle, nil
}
