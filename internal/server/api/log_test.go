package api_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/server/api"
	"roshambo/internal/store"
)

// monitor follows the public log as a third party does: over HTTP, with the verifier key.
type monitor struct {
	t *testing.T
	p *player
}

// checkpoint fetches the newest tree head and checks its signature.
func (m monitor) checkpoint() tlog.Tree {
	m.t.Helper()
	a := m.p.get(m.t, "/log/checkpoint").ok(m.t)
	if kind, cache := a.header.Get("Content-Type"), a.header.Get("Cache-Control"); kind != "text/plain; charset=utf-8" ||
		cache != "no-cache" {
		m.t.Errorf("the checkpoint is %s, %s", kind, cache)
	}
	v, err := note.NewVerifier(m.p.s.key)
	if err != nil {
		m.t.Fatal(err)
	}
	n, err := note.Open([]byte(a.body), note.VerifierList(v))
	if err != nil {
		m.t.Fatalf("checkpoint %q: %v", a.body, err)
	}
	lines := strings.Split(n.Text, "\n")
	size, errSize := strconv.ParseInt(lines[1], 10, 64)
	hash, errHash := base64.StdEncoding.DecodeString(lines[2])
	if len(lines) != 4 || lines[0] != v.Name() || errSize != nil || errHash != nil || len(hash) != tlog.HashSize {
		m.t.Fatalf("checkpoint %q", n.Text)
	}
	return tlog.Tree{N: size, Hash: tlog.Hash(hash)}
}

// Height implements tlog.TileReader.
func (monitor) Height() int { return 8 }

// ReadTiles implements tlog.TileReader.
func (m monitor) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		all = append(all, []byte(m.tile(strings.TrimPrefix(tile.Path(), "tile/8/"))))
	}
	return all, nil
}

// SaveTiles implements tlog.TileReader.
func (monitor) SaveTiles([]tlog.Tile, [][]byte) {}

// tile fetches a tile by its path below /log/tile/.
func (m monitor) tile(path string) string {
	m.t.Helper()
	a := m.p.get(m.t, "/log/tile/"+path).ok(m.t)
	if kind, cache := a.header.Get("Content-Type"), a.header.Get("Cache-Control"); kind != "application/octet-stream" ||
		cache != "public, max-age=31536000, immutable" || a.header.Get("Access-Control-Allow-Origin") != "*" {
		m.t.Errorf("%s is %s, %s", path, kind, cache)
	}
	return a.body
}

// entries fetches a bundle of entries.
func (m monitor) entries(path string) (list []string) {
	m.t.Helper()
	bundle := m.tile("entries/" + path)
	for bundle != "" {
		n := int(binary.BigEndian.Uint16([]byte(bundle)))
		list = append(list, bundle[2:2+n])
		bundle = bundle[2+n:]
	}
	return list
}

// TestLog follows the log over more blocks than a tile holds: each checkpoint is consistent with
// the previous one, and every block is an entry.
func TestLog(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := monitor{t, s.anonymous(t)}
	visitors := s.anonymous(t)
	visitors.client.Jar = nil // each call is a new guest

	seen := m.checkpoint()
	if seen.N != 1 {
		t.Fatalf("a new log has %d entries, want that of genesis alone", seen.N)
	}
	sizes := []int64{2, 3, 255, 256, 257, 300}
	if testing.Short() { // more of the same shows the race detector nothing new
		sizes = []int64{2, 3}
	}
	for _, size := range sizes {
		for n := seen.N; n < size; n++ {
			visitors.post(t, "/api/guest", "").ok(t)
			s.seal(t)
		}
		tree := m.checkpoint()
		if tree.N != size {
			t.Fatalf("%d entries, want %d", tree.N, size)
		}
		hashes := tlog.TileHashReader(tree, m)
		proof, err := tlog.ProveTree(tree.N, seen.N, hashes)
		if err != nil {
			t.Fatal(err)
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, seen.N, seen.Hash); err != nil {
			t.Errorf("from %d to %d entries: %v", seen.N, tree.N, err)
		}
		seen = tree
	}
	m.entriesAreBlocks(seen)
	if testing.Short() {
		return
	}
	for _, path := range []string{
		"0/001.p/45", "0/001", "0/002", "1/000.p/2", "1/000", "2/000.p/1", "8/000", "x", "", "0/000.p/0", "0/000.p/256",
		"0/0", "0/-01", "00/000",
		"0/x000/000", "entries/001.p/45", "entries/001", "entries/x001/000", "entries/", "data/000", "0/000.p/1/",
		"0/x999/x999/x999/x999/x999/x999/x999/999",
	} {
		m.p.get(t, "/log/tile/"+path).fails(t, 404, "not_found")
	}
}

// entriesAreBlocks compares the entries with the leaves of the tree and with the blocks of the
// explorer.
func (m monitor) entriesAreBlocks(tree tlog.Tree) {
	m.t.Helper()
	hashes := tlog.TileHashReader(tree, m)
	var list []string
	if tree.N >= 256 {
		list = m.entries("000")
	}
	list = append(list, m.entries(fmt.Sprintf("%03d.p/%d", tree.N/256, tree.N%256))...)
	if int64(len(list)) != tree.N {
		m.t.Fatalf("%d entries, want %d", len(list), tree.N)
	}
	for height, entry := range list {
		leaf, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, int64(height))})
		if err != nil {
			m.t.Fatal(err)
		}
		if leaf[0] != tlog.RecordHash([]byte(entry)) {
			m.t.Errorf("entry %d is not the leaf of the tree", height)
		}
	}
	for _, height := range []int{0, 1, len(list) / 2, len(list) - 1} {
		block := decode[api.BlockOut](m.t, m.p.get(m.t, fmt.Sprint("/api/chain/blocks/", height)).ok(m.t)).Block
		if block.Raw != list[height] {
			m.t.Errorf("block %d is %s, entry is %s", height, block.Raw, list[height])
		}
	}
}

// TestReasonOfARecovery: the reason whose hash the chain holds is in the public log, for ever, byte for byte.
func TestReasonOfARecovery(t *testing.T) {
	t.Parallel()
	s := start(t)
	const reason = "The disk of the first node failed.\n"
	s.within(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO chain_recovery (number, tx, reason, lost_size, lost_root, last_pos)
			VALUES (1, $1, $2, 9, $1, 1)`, make([]byte, 32), reason)
		return err
	})
	p := s.anonymous(t)
	a := p.get(t, "/log/recoveries/1").ok(t)
	if a.body != reason || !strings.Contains(a.header.Get("Cache-Control"), "immutable") ||
		a.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("got %q with %v, want %q", a.body, a.header, reason)
	}
	for _, path := range []string{"/log/recoveries/2", "/log/recoveries/01", "/log/recoveries/"} {
		p.get(t, path).fails(t, 404, "not_found")
	}
}
