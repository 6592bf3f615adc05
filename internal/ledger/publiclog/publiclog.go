// Package publiclog reads the public log of a service over HTTP, as a stranger does,
// and verifies all of it: every block, and that the entries and tiles which are served
// (c2sp.org/tlog-tiles) are those of the blocks.
package publiclog

import (
	"bytes"
	"context"
	"encoding/binary"
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
	"roshambo/verify"
)

// Log is a public log.
type Log struct {
	URL  string // of the service
	HTTP *http.Client
}

const (
	// maxAnswer bounds an answer, in bytes: a page of blocks has some 5 MB at most.
	maxAnswer = 64 << 20
	// attempts is how often a request is made that is put off or not answered.
	attempts = 6
	// maxWait bounds how long a server can put a request off.
	maxWait = 90 * time.Second
)

// Verify verifies the log up to its present checkpoint. What is wrong with it stands in
// the report; an error says that something was not to be had.
func (l *Log) Verify(ctx context.Context, o verify.ChainOptions) (verify.ChainReport, error) {
	checkpoint, err := l.get(ctx, "/log/checkpoint")
	if err != nil {
		return verify.ChainReport{}, err
	}
	key, about, err := l.head(ctx)
	if err != nil {
		return verify.ChainReport{}, err
	}
	o.Transactions = about
	c, err := verify.NewChain(o)
	if err != nil {
		return verify.ChainReport{}, err
	}
	defer c.Close()
	w := &walk{log: l, chain: c, size: stated(checkpoint)}
	if err := w.blocks(ctx); err != nil {
		return verify.ChainReport{}, err
	}
	return c.Finish(string(checkpoint), key)
}

// head asks for what the checkpoint does not say: the verifier key, and about how many
// transactions there are. Both are held against what is read.
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

// stated is the size that a checkpoint states; 0 when it cannot be read, which the
// verification names.
func stated(checkpoint []byte) int64 {
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

// walk goes through the blocks, and builds the entries and tiles that must be served.
type walk struct {
	log    *Log
	chain  *verify.Chain
	size   int64 // of the log, by its checkpoint
	next   int64 // height
	bundle []byte
	levels []level
}

// level is one level of tiles: the hashes of the tile being filled.
type level struct {
	tile   int64 // its number
	hashes []byte
	tree   chain.Tree // of the same hashes
}

// tileWidth is how many hashes or entries a full tile has.
const tileWidth = 256

func (w *walk) blocks(ctx context.Context) error {
	for w.next < w.size {
		path := fmt.Sprint("/log/blocks/", w.next)
		text, err := w.log.get(ctx, path)
		if err != nil {
			return err
		}
		before := w.next
		for part := export.NewPartReader(bytes.NewReader(text)); w.next < w.size; {
			b, err := part.Block()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if err := w.block(ctx, b); err != nil {
				return err
			}
		}
		if w.next == before {
			return fmt.Errorf("%s: no block, where the checkpoint has %d", path, w.size)
		}
	}
	return w.rest(ctx)
}

func (w *walk) block(ctx context.Context, b export.Block) error {
	w.chain.Block(b.Header, b.Txs)
	w.next++
	w.bundle = binary.BigEndian.AppendUint16(w.bundle, uint16(min(len(b.Header), 1<<16-1)))
	w.bundle = append(w.bundle, b.Header...)
	return w.add(ctx, 0, chain.LeafHash(b.Header))
}

// add adds a hash to a level, and compares the tile once it is full.
func (w *walk) add(ctx context.Context, n int, hash chain.Hash) error {
	if n == len(w.levels) {
		w.levels = append(w.levels, level{})
	}
	l := &w.levels[n]
	l.hashes = append(l.hashes, hash[:]...)
	l.tree.Add(hash)
	if l.tree.Size() < tileWidth {
		return nil
	}
	if err := w.compare(ctx, n, ""); err != nil {
		return err
	}
	root := l.tree.Root()
	l.tile, l.hashes, l.tree = l.tile+1, l.hashes[:0], chain.Tree{}
	return w.add(ctx, n+1, root)
}

// rest compares the tiles at the right edge, which are not full.
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

// compare holds what is served against what must be.
func (w *walk) compare(ctx context.Context, n int, partial string) error {
	l := &w.levels[n]
	name := tileName(l.tile) + partial
	if err := w.same(ctx, fmt.Sprintf("/log/tile/%d/%s", n, name), l.hashes); err != nil || n > 0 {
		return err
	}
	bundle := w.bundle
	w.bundle = nil
	return w.same(ctx, "/log/tile/entries/"+name, bundle)
}

func (w *walk) same(ctx context.Context, path string, want []byte) error {
	got, err := w.log.get(ctx, path)
	if err == nil && !bytes.Equal(got, want) {
		w.chain.AddProblem(noHeight, path, "what follows from the blocks", "something else")
	}
	return err
}

// noHeight is the height of what concerns no block.
const noHeight = -1

// tileName writes the number of a tile as c2sp.org/tlog-tiles does: x001/x234/067.
func tileName(n int64) string {
	name := fmt.Sprintf("%03d", n%1000)
	for n /= 1000; n > 0; n /= 1000 {
		name = fmt.Sprintf("x%03d/%s", n%1000, name)
	}
	return name
}

// get fetches a path. It waits when it is told to, and tries again what was not
// answered.
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

// try fetches a path once. wait is when to try again, negative for never.
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
	if err == nil && len(body) > maxAnswer {
		return nil, -1, fmt.Errorf("%s: more than %d bytes", request.URL, maxAnswer)
	}
	return body, 0, err
}
