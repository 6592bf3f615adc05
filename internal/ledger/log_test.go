package ledger_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// stockClient reads the log like any client of c2sp.org/tlog-tiles that knows its public key
// alone. It implements tlog.TileReader.
type stockClient struct {
	t   testing.TB
	e   *economy
	key note.Verifier
}

func (c *stockClient) fetch(path string) (data []byte, err error) {
	err = c.e.DB.View(c.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		data, err = c.e.Tile(ctx, tx, path)
		return err
	})
	return data, err
}

func (c *stockClient) Height() int { return 8 }

func (c *stockClient) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var list [][]byte
	for _, tile := range tiles {
		data, err := c.fetch(strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", tile.Path(), err)
		}
		list = append(list, data)
	}
	return list, nil
}

func (c *stockClient) SaveTiles([]tlog.Tile, [][]byte) {}

// checkpoint returns the tree of the signed checkpoint.
func (c *stockClient) checkpoint() tlog.Tree {
	c.t.Helper()
	var signed []byte
	c.e.View(c.t, func(ctx context.Context, tx *store.Tx) (err error) {
		signed, err = c.e.Checkpoint(ctx, tx)
		return err
	})
	n, err := note.Open(signed, note.VerifierList(c.key))
	if err != nil {
		c.t.Fatal(err)
	}
	origin, rest, _ := strings.Cut(n.Text, "\n")
	size, rest, _ := strings.Cut(rest, "\n")
	root, rest, _ := strings.Cut(rest, "\n")
	if origin != c.key.Name() || rest != "" {
		c.t.Fatalf("checkpoint %q", n.Text)
	}
	var tree tlog.Tree
	if tree.N, err = strconv.ParseInt(size, 10, 64); err != nil {
		c.t.Fatal(err)
	}
	hash, err := base64.StdEncoding.DecodeString(root)
	if err != nil || copy(tree.Hash[:], hash) != tlog.HashSize {
		c.t.Fatalf("root %q: %v", root, err)
	}
	return tree
}

// entries returns all entries of the log, from its bundles.
func (c *stockClient) entries(tree tlog.Tree) (list [][]byte) {
	c.t.Helper()
	for n := int64(0); n*256 < tree.N; n++ {
		tile := tlog.Tile{H: 8, N: n, W: int(min(256, tree.N-n*256))}
		bundle, err := c.fetch(strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1))
		if err != nil {
			c.t.Fatal(err)
		}
		for len(bundle) > 0 {
			size := int(binary.BigEndian.Uint16(bundle))
			list = append(list, bundle[2:2+size])
			bundle = bundle[2+size:]
		}
	}
	return list
}

// TestLog checks that a stock client can read a log of more than one full tile, and that the
// signed checkpoints prove everything it reads.
func TestLog(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	key, err := note.NewVerifier(e.VerifierKey())
	if err != nil {
		t.Fatal(err)
	}
	c := &stockClient{t, e, key}
	ann := e.join(t)
	const blocks = 270
	var trees []tlog.Tree // signed, by size-1
	for n := range blocks {
		if n > 0 {
			e.Faucets(t, ann, 1)
			e.SealAll(t)
		}
		trees = append(trees, c.checkpoint())
	}
	last := trees[blocks-1]
	reader := tlog.TileHashReader(last, c)
	for i, tree := range trees {
		if tree.N != int64(i+1) {
			t.Fatalf("checkpoint %d is of %d blocks", i, tree.N)
		}
		// Every tree served before is a prefix of the present one.
		proof, err := tlog.ProveTree(last.N, tree.N, reader)
		if err != nil {
			t.Fatal(err)
		}
		if err := tlog.CheckTree(proof, last.N, last.Hash, tree.N, tree.Hash); err != nil {
			t.Errorf("checkpoint of %d blocks: %v", tree.N, err)
		}
	}
	entries := c.entries(last)
	if len(entries) != blocks {
		t.Fatalf("%d entries, want %d", len(entries), blocks)
	}
	for height, entry := range entries {
		header, err := chain.ParseHeader(entry)
		if err != nil || header.Height != int64(height) {
			t.Errorf("entry %d: %v %v", height, header, err)
		}
		proof, err := tlog.ProveRecord(last.N, int64(height), reader)
		if err != nil {
			t.Fatal(err)
		}
		if err := tlog.CheckRecord(proof, last.N, last.Hash, int64(height), tlog.RecordHash(entry)); err != nil {
			t.Errorf("block %d: %v", height, err)
		}
	}
	wantTiles(t, c, entries)
	e.WantValid(t)
}

// wantTiles compares every tile and bundle, full or of any width, with those computed from the
// entries.
func wantTiles(t *testing.T, c *stockClient, entries [][]byte) {
	t.Helper()
	var hashes memory
	for i, entry := range entries {
		more, err := tlog.StoredHashes(int64(i), entry, hashes)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, more...)
	}
	served, step := 0, 1
	if testing.Short() {
		step = 51 // 1, 52 … 256
	}
	for level := range 3 {
		have := len(entries) >> (8 * level)
		for n := 0; n <= have/256; n++ {
			for width := 1; width <= 257; width += step {
				path := tilePath(fmt.Sprint(level), n, width)
				got, err := c.fetch(path)
				if n*256+width > have || width > 256 {
					if !errors.Is(err, ledger.ErrNotFound) {
						t.Errorf("%s: got %d bytes, error %v, want ErrNotFound", path, len(got), err)
					}
					continue
				}
				want, errWant := tlog.ReadTileData(tlog.Tile{H: 8, L: level, N: int64(n), W: width}, hashes)
				if err != nil || errWant != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: got %x, %v, want %x, %v", path, got, err, want, errWant)
				}
				served++
				if level == 0 {
					wantBundle(t, c, tilePath("entries", n, width), entries[n*256:n*256+width])
				}
			}
		}
	}
	if served != len(entries)+1 && step == 1 || served < 8 {
		t.Errorf("%d tiles were served", served)
	}
}

// tilePath is a path of c2sp.org/tlog-tiles for tiles below number 1000.
func tilePath(level string, n, width int) string {
	path := fmt.Sprintf("tile/%s/%03d", level, n)
	if width != 256 {
		path += fmt.Sprintf(".p/%d", width)
	}
	return path
}

func wantBundle(t *testing.T, c *stockClient, path string, entries [][]byte) {
	t.Helper()
	var want []byte
	for _, entry := range entries {
		want = append(binary.BigEndian.AppendUint16(want, uint16(len(entry))), entry...)
	}
	if got, err := c.fetch(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
	}
}

// memory holds stored hashes.
type memory []tlog.Hash

func (m memory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		list[i] = m[x]
	}
	return list, nil
}

// wrongTiles lists paths without a tile.
var wrongTiles = []string{
	"",
	"/",
	"tile",
	"tile/",
	"tile/0",
	"tile/0/",
	"tile/0/0",
	"tile/0/00",
	"tile/0/0000",
	"/tile/0/000",
	"tile//000",
	"tile/0//000",
	"tile/0/000/",
	"tile/0/000.p",
	"tile/0/000.p/",
	"tile/0/000.p/0",
	"tile/0/000.p/00",
	"tile/0/000.p/01",
	"tile/0/000.p/-1",
	"tile/0/000.p/256",
	"tile/0/000.p/257",
	"tile/0/000.p/99999999999999999999",
	"tile/0/000.p/1/",
	"tile/0/000.P/1",
	"tile/0/000.p/1.p/1",
	"tile/-1/000.p/1",
	"tile/00/000.p/1",
	"tile/+0/000.p/1",
	"tile/7/000.p/1",
	"tile/8/000.p/1",
	"tile/63/000.p/1",
	"tile/64/000.p/1",
	"tile/99999999999999999999/000.p/1",
	"tile/8/0/000.p/1",
	"tile/0/x000/000.p/1",
	"tile/0/x001/000.p/1",
	"tile/0/001.p/1",
	"tile/0/x999/x999/x999/x999/x999/x999/999.p/1",
	"tile/0/x999/x999/x999/x999/x999/999.p/1",
	"tile/0/x036/x028/x797/x018/x963/967.p/255",
	"tile/data/000.p/1",
	"tile/entries",
	"tile/entries/",
	"tile/entries/0",
	"tile/entries/000",
	"tile/entries/000.p/0",
	"tile/entries/000.p/3",
	"tile/entries/0/000.p/1",
	"tile/entries/entries/000.p/1",
	"entries/000.p/1",
	"../tile/0/000.p/1",
	"tile/0/../0/000.p/1",
	"tile/0/000.p/1\n",
	"tile/0/000.p/1?",
	"TILE/0/000.p/1",
	"tile\\0\\000.p\\1",
	"checkpoint",
	"tile/0/٠٠٠.p/1",
}

func TestWrongTiles(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	e.join(t)
	e.SealAll(t)
	c := &stockClient{t: t, e: e}
	for _, path := range wrongTiles {
		if data, err := c.fetch(path); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("%q: got %d bytes, error %v, want ErrNotFound", path, len(data), err)
		}
	}
	for _, path := range []string{"tile/0/000.p/1", "tile/0/000.p/2", "tile/entries/000.p/2"} {
		if _, err := c.fetch(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// TestTileStatements checks that hashes of the log which are stored one after the other are read at once.
func TestTileStatements(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	e := newEconomy(t, ledgertest.Options{DB: store.Config{Faults: each.Faults()}})
	e.join(t)
	e.SealAll(t)
	each.Fail(3) // after the head and the hashes
	_, err := (&stockClient{t: t, e: e}).fetch("tile/0/000.p/2")
	if query := each.Failed(); err != nil || query != "" {
		t.Errorf("error %v, one more statement: %s", err, query)
	}
}

func FuzzTilePath(f *testing.F) {
	e := newEconomy(f, ledgertest.Options{})
	for _, path := range wrongTiles {
		f.Add(path)
	}
	f.Add("tile/0/000.p/1")
	f.Fuzz(func(t *testing.T, path string) {
		c := &stockClient{t: t, e: e}
		data, err := c.fetch(path)
		if found := path == "tile/0/000.p/1" ||
			path == "tile/entries/000.p/1"; found != (err == nil) ||
			!found && !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("%q: got %q, error %v", path, data, err)
		}
	})
}
