package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"roshambo/bench/longchain"
	"roshambo/bench/probe"
	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// scaled is a chain of some length, made while no server runs on it, and the server on it: the first
// build on SQLite.
type scaled struct {
	*rival
	b      *bench
	size   int64
	made   longchain.Made
	bytes  int64 // of the database
	sample [][]byte
	random *rand.Rand
	deep   []string // pages from all parts of the history of busy addresses
}

// scale measures verification and the explorer on chains of each of Sizes, made from the same seed.
func (b *bench) scale(ctx context.Context) error {
	for _, size := range b.Sizes {
		s := &scaled{b: b, size: size, random: rand.New(rand.NewPCG(2, 0))}
		if rows := s.rows(); slices.ContainsFunc(rows, b.selected) {
			if err := s.measure(ctx, rows); err != nil {
				return fmt.Errorf("bench: a chain of %d transactions: %w", size, err)
			}
		}
	}
	return nil
}

// rows returns the rows about the chain.
func (s *scaled) rows() []row {
	of := fmt.Sprintf(" of %d transactions", s.size)
	address := func(list []chain.Address) string {
		return "/api/chain/address/" + list[s.random.IntN(len(list))].String()
	}
	explorer := func(name string, path func() string) row {
		return row{name: name + ", p99" + of, value: "%.1f ms", ours: true, figures: []string{"p50 %.1f ms"},
			do: func(ctx context.Context, b *bench, r *rival) (result, error) { return b.page(ctx, r, path) }}
	}
	return []row{
		{name: "verification" + of, value: "%.2f of SHA-256 alone", ours: true, do: s.verify,
			figures: []string{"%.0f/s", "peak memory %.0f MB"}},
		{name: "bytes on disk of each" + of, value: "%.0f", ours: true, once: true,
			do: func(context.Context, *bench, *rival) (result, error) {
				return result{Value: float64(s.bytes) / float64(s.size)}, nil
			}},
		explorer("page of any block", func() string { return fmt.Sprintf("/api/chain/blocks/%d", s.random.Int64N(s.made.Blocks)) }),
		explorer("page of an address with few entries", func() string { return address(s.made.Quiet) }),
		explorer("page of an address with a hundredth of all", func() string { return address(s.made.Busy) }),
		explorer("page anywhere in its history", func() string { return s.deep[s.random.IntN(len(s.deep))] }),
	}
}

// page measures a page with one request at a time: concurrent requests would measure the other load of the
// machine.
func (b *bench) page(ctx context.Context, r *rival, path func() string) (result, error) {
	var all []time.Duration
	_, err := b.drive(ctx, r, 1, func(w *wire, _ int) (int, error) {
		err := w.ask(stranger, "GET", path(), nil, nil)
		all = append(all, w.latencies[len(w.latencies)-1])
		return 1, err
	})
	return result{probe.Millis(probe.Quantile(all, 0.99)), []float64{probe.Millis(probe.Quantile(all, 0.5))}}, err
}

// measure makes the chain and measures the rows on it.
func (s *scaled) measure(ctx context.Context, rows []row) (err error) {
	given := *s.b.rivals[0]
	s.rival, given.database = &given, ""
	if given.folder, err = s.newFolder(); err != nil {
		return err
	}
	if s.b.Keep == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(given.folder)) }()
	}
	// The first start creates the keys and the genesis block.
	if err := s.start(ctx); err != nil {
		return err
	}
	s.stop()
	s.b.say("making a chain of %d transactions …", s.size)
	if err := s.fill(ctx); err != nil {
		return err
	}
	if s.bytes, err = databaseBytes(given.folder); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	defer s.stop()
	if err := s.cursors(); err != nil {
		return err
	}
	return s.b.rows(ctx, []*rival{s.rival}, rows)
}

// newFolder creates the chain's data folder. With --keep it is named after the length and must not exist.
func (s *scaled) newFolder() (string, error) {
	parent := s.b.folder
	if s.b.Keep != "" {
		parent = s.b.Keep
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return "", err
		}
	}
	path := filepath.Join(parent, strconv.FormatInt(s.size, 10))
	return path, os.Mkdir(path, 0o700)
}

// sampled is how many transactions are kept, to be hashed beside each verification.
const sampled = 20_000

// fill makes the chain.
func (s *scaled) fill(ctx context.Context) (err error) {
	signer, key, err := logKey(s.folder)
	if err != nil {
		return err
	}
	d, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	inspected, err := ledger.Inspect(ctx, d, time.Now) // for the rules
	if err != nil {
		return err
	}
	var genesis int64
	if err := d.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		b, err := inspected.Block(ctx, tx, 0)
		genesis = b.Header.Time
		return err
	}); err != nil {
		return err
	}
	l, err := ledger.Open(ctx, ledger.Config{DB: d, Rules: *inspected.Rules(), Signer: signer, VerifierKey: key,
		Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	s.made, err = longchain.Make(ctx, l, longchain.Options{
		Transactions: s.size, Seed: 1, Genesis: genesis,
		Block: func(raws [][]byte) {
			for _, raw := range raws[:min(len(raws), sampled-len(s.sample))] {
				s.sample = append(s.sample, slices.Clone(raw))
			}
		},
	})
	return err
}

// logKey reads the signing key of the chain in a data folder.
func logKey(folder string) (note.Signer, string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "keys.json"))
	if err != nil {
		return nil, "", err
	}
	var keys struct {
		LogKey      string `json:"log_key"`
		VerifierKey string `json:"verifier_key"`
	}
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, "", err
	}
	signer, err := note.NewSigner(keys.LogKey)
	return signer, keys.VerifierKey, err
}

// databaseBytes returns the size of the database files.
func databaseBytes(folder string) (total int64, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "roshambo.db*"))
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			return 0, err
		}
		total += info.Size()
	}
	return total, err
}

// cursors finds pages in all parts of the busy addresses' histories.
func (s *scaled) cursors() error {
	for _, a := range s.made.Busy {
		path := "/api/chain/address/" + a.String()
		s.deep = append(s.deep, path)
		for more := ""; ; {
			var out struct{ Next *string }
			if err := s.ask(stranger, "GET", path+"?limit=100"+more, nil, &out); err != nil {
				return err
			}
			if out.Next == nil {
				break
			}
			more = "&cursor=" + url.QueryEscape(*out.Next)
			s.deep = append(s.deep, path+"?limit=20"+more)
		}
	}
	return nil
}

// verify measures GET /api/chain/verify against SHA-256 alone on one core over transactions of the chain,
// hashed right before: the minimum of work that a verification must do.
func (s *scaled) verify(_ context.Context, _ *bench, r *rival) (m result, err error) {
	began, hashed := time.Now(), 0
	for time.Since(began) < 100*time.Millisecond {
		for _, raw := range s.sample {
			runtime.KeepAlive(sha256.Sum256(raw)) // prevents the compiler from removing the call
		}
		hashed += len(s.sample)
	}
	alone := float64(hashed) / time.Since(began).Seconds()
	var text json.RawMessage
	if err := r.ask(stranger, "GET", "/api/chain/verify", nil, &text); err != nil {
		return m, err
	}
	var out struct {
		Valid        bool
		Transactions int64
		TookMS       int64 `json:"took_ms"`
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return m, err
	}
	if !out.Valid || out.Transactions != s.size {
		return m, fmt.Errorf("the chain does not verify: %s", strings.TrimSpace(string(text)))
	}
	_, peak, err := r.server.Memory()
	rate := float64(s.size) / (float64(max(out.TookMS, 1)) / 1000)
	return result{rate / alone, []float64{rate, float64(peak) / 1e6}}, err
}
