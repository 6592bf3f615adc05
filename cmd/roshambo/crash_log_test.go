package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// logWatch keeps the latest published checkpoint of the log.
type logWatch struct {
	logMu sync.Mutex // guards the fields below
	key   string     // the first verifier key of the service, which must not change
	tree  tlog.Tree
}

// followLog fetches a checkpoint after each answer until the server has ended.
func (w *world) followLog(ctx context.Context, url string) {
	v := &visitor{url: url, client: http.DefaultClient}
	for {
		if _, err := w.checkpoint(ctx, v); err != nil && !w.outcomeUnknown(ctx, err) {
			return
		}
		select {
		case <-w.progress:
		case <-ctx.Done():
			return
		}
	}
}

// blocks returns the size of the latest checkpoint.
func (l *logWatch) blocks() int {
	l.logMu.Lock()
	defer l.logMu.Unlock()
	return int(l.tree.N)
}

// checkpoint fetches the current checkpoint, verifies its signature and keeps it.
func (l *logWatch) checkpoint(ctx context.Context, v *visitor) (tlog.Tree, error) {
	l.logMu.Lock()
	key := l.key
	l.logMu.Unlock()
	if key == "" {
		var out struct {
			Head struct {
				VerifierKey string `json:"verifier_key"`
			}
		}
		if err := v.call(ctx, "GET", "/api/chain/head", "", &out); err != nil {
			return tlog.Tree{}, err
		}
		key = out.Head.VerifierKey
	}
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return tlog.Tree{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url+"/log/checkpoint", nil)
	if err != nil {
		return tlog.Tree{}, err
	}
	text, err := v.read(r)
	if err != nil {
		return tlog.Tree{}, err
	}
	signed, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, fmt.Errorf("checkpoint %q: %w", text, err)
	}
	lines := strings.Split(signed.Text, "\n")
	size, errSize := strconv.ParseInt(lines[1], 10, 64)
	hash, errHash := base64.StdEncoding.DecodeString(lines[2])
	if errSize != nil || errHash != nil || len(hash) != tlog.HashSize {
		return tlog.Tree{}, fmt.Errorf("checkpoint %q", text)
	}
	tree := tlog.Tree{N: size, Hash: tlog.Hash(hash)}
	l.logMu.Lock()
	defer l.logMu.Unlock()
	if l.key = key; tree.N > l.tree.N {
		l.tree = tree
	}
	return tree, nil
}

// checkConsistency proves that the log of a restarted server extends the last checkpoint.
func (l *logWatch) checkConsistency(ctx context.Context, v *visitor) error {
	before := l.tree
	now, err := l.checkpoint(ctx, v)
	if err != nil {
		return err
	}
	if before.N == 0 {
		return nil
	}
	if now.N < before.N {
		return fmt.Errorf("the log has %d entries, had %d", now.N, before.N)
	}
	tiles := tlog.TileHashReader(now, tiles{ctx, v.url})
	proof, err := tlog.ProveTree(now.N, before.N, tiles)
	if err != nil {
		return fmt.Errorf("log from %d to %d entries: %w", before.N, now.N, err)
	}
	if err := tlog.CheckTree(proof, now.N, now.Hash, before.N, before.Hash); err != nil {
		return fmt.Errorf("log from %d to %d entries: %w", before.N, now.N, err)
	}
	return nil
}

// tiles reads the tiles of the public log, for tlog.TileHashReader.
type tiles struct {
	ctx context.Context
	url string
}

// Height implements tlog.TileReader.
func (tiles) Height() int { return 8 }

// ReadTiles implements tlog.TileReader.
func (r tiles) ReadTiles(list []tlog.Tile) ([][]byte, error) {
	all := make([][]byte, len(list))
	for i, tile := range list {
		var err error
		if all[i], err = fetch(r.ctx, r.url+"/log/tile/"+strings.TrimPrefix(tile.Path(), "tile/8/")); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// SaveTiles implements tlog.TileReader.
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}
