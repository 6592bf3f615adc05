// Package publiclog downloads the public log of a service over HTTP and verifies all of it: every block,
// every game, and that the served entries and tiles (c2sp.org/tlog-tiles) follow from the blocks. A Mirror
// keeps a verified copy and reports when service and copy part. The package uses only what the service
// publishes, like any other reader.
package publiclog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/chain/export"
	"roshambo/internal/ledger/tile"
	"roshambo/verify"
)

// Log is the public log of a service.
type Log struct {
	URL  string       // of the service
	HTTP *http.Client // sends the requests
}

const (
	// maxAnswer bounds an answer, in bytes; a page of blocks has some 5 MB at most.
	maxAnswer = 64 << 20
	// attempts bounds how often a request is sent that fails or is rate limited.
	attempts = 6
	// maxWait bounds the pause that a Retry-After can demand.
	maxWait = 90 * time.Second
)

// Verify verifies the log up to its present checkpoint, or with witnesses to the one that most have
// cosigned. The report lists the differences; an error
// means that a part could not be fetched or parsed.
func (l *Log) Verify(ctx context.Context, o verify.ChainOptions) (verify.ChainReport, error) {
	path := "/log/checkpoint"
	if len(o.Witnesses) > 0 { // the newest block has no cosignature yet
		path = "/log/witnessed-checkpoint"
	}
	checkpoint, err := l.get(ctx, path)
	if err != nil {
		return verify.ChainReport{}, err
	}
	key, about, err := l.head(ctx)
	if err != nil {
		return verify.ChainReport{}, err
	}
	o.Transactions, o.VerifierKey = about, key
	c, err := verify.NewChain(o)
	if err != nil {
		return verify.ChainReport{}, err
	}
	defer c.Close()
	w := &walk{log: l, chain: c, size: statedSize(checkpoint), kept: keptReader{log: l}}
	if err := w.blocks(ctx); err != nil {
		return verify.ChainReport{}, err
	}
	return c.Finish(string(checkpoint))
}

// head fetches the verifier key and the approximate number of transactions, which the checkpoint
// does not state. Verify compares both with the blocks.
func (l *Log) head(ctx context.Context) (key string, transactions int64, err error) {
	text, err := l.get(ctx, "/api/chain/head")
	if err != nil {
		return "", 0, err
	}
	var out struct {
		Head struct {
			VerifierKey  string `json:"verifier_key"`
			Transactions int64  `json:"transactions"`
		} `json:"head"`
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return "", 0, fmt.Errorf("/api/chain/head: %w", err)
	}
	return out.Head.VerifierKey, out.Head.Transactions, nil
}

// statedSize returns the size that a checkpoint states; 0 for a malformed one, which the verification
// reports.
func statedSize(checkpoint []byte) int64 {
	lines := strings.SplitN(string(checkpoint), "\n", 3)
	if len(lines) < 3 {
		return 0
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return 0
	}
	return size
}

// walk reads the blocks in order and builds the entries and tiles that the service must serve.
type walk struct {
	log    *Log
	chain  *verify.Chain
	size   int64 // of the log, by its checkpoint
	next   int64 // height of the next block
	kept   keptReader
	bundle []byte  // entries of the current tile, each after its length in 2 bytes big-endian
	levels []level // of tiles, the lowest first
}

// level is one level of tiles, with the hashes of the current tile.
type level struct {
	tile   int64 // its number
	hashes []byte
	tree   chain.Tree // of the same hashes
}

// blocks reads all pages of blocks up to the size of the checkpoint.
func (w *walk) blocks(ctx context.Context) error {
	for w.next < w.size {
		page, err := w.log.page(ctx, w.next, w.size)
		if err != nil {
			return err
		}
		for _, b := range page {
			if err := w.block(ctx, b); err != nil {
				return err
			}
		}
	}
	return w.rest(ctx)
}

// page fetches the page of blocks from a height on, without those behind size, with their transcripts.
// Errors: errNoBlock for a page without any.
func (l *Log) page(ctx context.Context, first, size int64) (blocks []export.Block, err error) {
	path := fmt.Sprint("/log/blocks/", first)
	text, err := l.get(ctx, path)
	if err != nil {
		return nil, err
	}
	games, err := l.get(ctx, fmt.Sprint("/log/games/", first))
	if err != nil {
		return nil, err
	}
	transcripts, err := splitLines(games)
	if err != nil {
		return nil, fmt.Errorf("/log/games/%d: %w", first, err)
	}
	for part := export.NewPartReader(bytes.NewReader(text)); first+int64(len(blocks)) < size; {
		b, err := part.Block()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		// The page lists the transcripts and tables of all its blocks, in their order.
		ended := min(countPins(b.Txs), len(transcripts))
		b.Transcripts, transcripts = transcripts[:ended:ended], transcripts[ended:]
		blocks = append(blocks, b)
	}
	if len(blocks) == 0 {
		return nil, fmt.Errorf("%s: %w, where the checkpoint has %d", path, errNoBlock, size)
	}
	return blocks, nil
}

// errNoBlock reports a page without a block.
var errNoBlock = errors.New("no block")

// splitLines returns the lines of a page without their line ends. It returns an error for a last line
// that is cut off.
func splitLines(page []byte) (lines [][]byte, err error) {
	for line := range bytes.Lines(page) {
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole {
			return nil, errors.New("the last line is cut off")
		}
		lines = append(lines, text)
	}
	return lines, nil
}

// countPins returns how many of the transactions pin a transcript or table.
func countPins(raws [][]byte) (n int) {
	for _, raw := range raws {
		if chain.Pins(raw) {
			n++
		}
	}
	return n
}

// block passes a block to the verifier and adds its entry.
func (w *walk) block(ctx context.Context, b export.Block) error {
	w.chain.Block(b.Header, b.Txs, b.Transcripts)
	w.next++
	if err := w.kept.pass(ctx, w.next, w.chain); err != nil {
		return err
	}
	w.bundle = tile.AppendEntry(w.bundle, b.Header)
	return w.add(ctx, 0, chain.LeafHash(b.Header))
}

// add adds a hash to level n, and compares the tile when it is full. The root of a full tile is a
// hash of the level above.
func (w *walk) add(ctx context.Context, n int, hash chain.Hash) error {
	if n == len(w.levels) {
		w.levels = append(w.levels, level{})
	}
	l := &w.levels[n]
	l.hashes = append(l.hashes, hash[:]...)
	l.tree.Add(hash)
	if l.tree.Size() < tile.Width {
		return nil
	}
	if err := w.compare(ctx, n, ""); err != nil {
		return err
	}
	// The full tile is done: its root is the next hash of the level above.
	root := l.tree.Root()
	l.tile, l.hashes, l.tree = l.tile+1, l.hashes[:0], chain.Tree{}
	return w.add(ctx, n+1, root)
}

// rest compares the partial tiles at the right edge.
func (w *walk) rest(ctx context.Context) error {
	for n := range w.levels {
		if width := w.levels[n].tree.Size(); width > 0 {
			if err := w.compare(ctx, n, fmt.Sprint(".p/", width)); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare compares the current tile of level n, and on level 0 the bundle of entries, with the
// served ones. partial is the suffix of the path of a partial tile.
func (w *walk) compare(ctx context.Context, n int, partial string) error {
	l := &w.levels[n]
	name := tile.Name(l.tile) + partial
	if err := w.same(ctx, fmt.Sprintf("/log/tile/%d/%s", n, name), l.hashes); err != nil || n > 0 {
		return err
	}
	bundle := w.bundle
	w.bundle = nil
	return w.same(ctx, "/log/tile/entries/"+name, bundle)
}

// same fetches a path and notes a difference between the bytes at a path and the expected ones.
func (w *walk) same(ctx context.Context, path string, want []byte) error {
	got, err := w.log.get(ctx, path)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		w.chain.AddProblem(noHeight, path, "the bytes that follow from the blocks", "something else")
	}
	return nil
}

// noHeight is the height in a problem that concerns no block.
const noHeight = -1

// get fetches a path. It retries failed requests, and waits as long as a Retry-After demands.
func (l *Log) get(ctx context.Context, path string) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		body, wait, err := l.try(ctx, path)
		if err == nil || wait < 0 || attempt == attempts || ctx.Err() != nil {
			return body, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(max(wait, time.Duration(attempt)*100*time.Millisecond)):
		}
	}
}

// try fetches a path once. wait is the pause before a retry, negative for an error that retrying
// cannot mend.
func (l *Log) try(ctx context.Context, path string) (body []byte, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(l.URL, "/")+path, nil)
	if err != nil {
		return nil, -1, err
	}
	response, err := l.HTTP.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		err := fmt.Errorf("%s: %s", request.URL, response.Status)
		switch response.StatusCode {
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
			return nil, min(time.Duration(max(seconds, 0))*time.Second, maxWait), err
		}
		return nil, -1, err
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, 0, err
	}
	if len(body) > maxAnswer {
		return nil, -1, fmt.Errorf("%s: more than %d bytes", request.URL, maxAnswer)
	}
	return body, 0, nil
}
