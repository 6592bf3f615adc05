package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
)

// scale measures verification and the explorer by the length of the chain: on chains of
// each of Sizes, generated from the same seed while no server runs on them. The results of
// the first chain are the reference for the others.
func (b *bench) scale(ctx context.Context) error {
	var first *scaled
	for _, size := range b.Sizes {
		s := &scaled{bench: b, size: size}
		if err := s.measure(ctx); err != nil {
			return fmt.Errorf("%d transactions: %w", size, err)
		}
		if first == nil {
			first = s
		}
		s.addRows(first)
	}
	return nil
}

// scaled holds the results for one chain.
type scaled struct {
	*bench
	size int64
	made longchain.Made
	// making is the time to generate the chain.
	making time.Duration
	// alone is the rate of SHA-256 alone on one core, in transactions per second.
	alone float64
	// bytes is the size of the database.
	bytes  int64
	verify verifyResponse
	// before and peak are the peak resident memory of the server, in bytes, before and after
	// verification.
	before, peak int64
	// pages are the results by index of pageNames.
	pages [4]measurement
}

// Indexes of the measured pages.
const (
	pageBlock = iota
	pageQuiet
	pageBusy
	pageDeep
)

var pageNames = [4]string{
	pageBlock: "GET /api/chain/blocks/…, any block",
	pageQuiet: "GET /api/chain/address/…, few entries",
	pageBusy:  "the same, one of a hundred transactions",
	pageDeep:  "the same, a page of its history anywhere",
}

// measure generates the chain and runs all measurements on it.
func (s *scaled) measure(ctx context.Context) (err error) {
	folder, done, err := s.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	// The first start creates the keys and the genesis block.
	server, err := s.boardServer(ctx, folder)
	if err != nil {
		return err
	}
	server.stop()
	s.say("making a chain of %d transactions …", s.size)
	if err := s.fill(ctx, folder); err != nil {
		return err
	}
	if s.bytes, err = databaseBytes(folder); err != nil {
		return err
	}
	return s.reading(ctx, folder, func(to *child) error {
		if err := s.read(ctx, to); err != nil {
			return err
		}
		return s.verified(ctx, to)
	})
}

// folder creates the chain's data folder and returns a function that removes it. With
// --keep the folder is named after the length, must not exist, and is not removed.
func (s *scaled) folder() (path string, done func() error, err error) {
	if s.Keep == "" {
		path, err = os.MkdirTemp("", "roshambo-bench-scale-")
		return path, func() error { return os.RemoveAll(path) }, err
	}
	if err := os.MkdirAll(s.Keep, 0o700); err != nil {
		return "", nil, err
	}
	path = filepath.Join(s.Keep, strconv.FormatInt(s.size, 10))
	return path, func() error { return nil }, os.Mkdir(path, 0o700)
}

// fill generates the chain, and hashes its transactions block by block on the way: the
// minimum of work that a verification must do.
func (s *scaled) fill(ctx context.Context, folder string) (err error) {
	signer, key, err := logKey(folder)
	if err != nil {
		return err
	}
	d, err := sqlite.Open(ctx, store.Config{Path: filepath.Join(folder, "roshambo.db")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	inspected, err := ledger.Inspect(ctx, d, time.Now) // for the rules
	if err != nil {
		return err
	}
	l, err := ledger.Open(ctx, ledger.Config{DB: d, Rules: *inspected.Rules(), Signer: signer, VerifierKey: key,
		Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	began, reported := time.Now(), int64(0)
	var hashing time.Duration
	s.made, err = longchain.Make(ctx, l, longchain.Options{
		Transactions: s.size, Seed: 1, Start: began.UnixMilli(),
		Block: func(raws [][]byte) {
			began := time.Now()
			for _, raw := range raws {
				runtime.KeepAlive(sha256.Sum256(raw)) // prevents the compiler from removing the call
			}
			hashing += time.Since(began)
		},
		Progress: func(done int64) {
			if done-reported >= 500_000 {
				reported = done
				s.say("… %d", done)
			}
		},
	})
	s.making = time.Since(began)
	s.alone = float64(s.size) / hashing.Seconds()
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
	files, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if strings.HasPrefix(f.Name(), "roshambo.db") {
			total += info.Size()
		}
	}
	return total, nil
}

// read measures the pages with one request at a time: concurrent requests would measure the
// other load of the machine.
func (s *scaled) read(ctx context.Context, to *child) error {
	random := rand.New(rand.NewPCG(2, 0))
	address := func(list []chain.Address) string {
		return "/api/chain/address/" + list[random.IntN(len(list))].String()
	}
	deep, err := s.cursors(ctx, to)
	if err != nil {
		return err
	}
	paths := [4]func() string{
		pageBlock: func() string { return fmt.Sprintf("/api/chain/blocks/%d", random.Int64N(s.made.Blocks)) },
		pageQuiet: func() string { return address(s.made.Quiet) },
		pageBusy:  func() string { return address(s.made.Busy) },
		pageDeep:  func() string { return deep[random.IntN(len(deep))] },
	}
	connections := s.Connections
	s.Connections = 1
	defer func() { s.Connections = connections }()
	for i, path := range paths {
		s.say("%s …", pageNames[i])
		s.pages[i], err = s.bench.measure(ctx, func(ctx context.Context, w *worker) error {
			return w.call(ctx, request{to: to, method: "GET", path: path()}, nil)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cursors returns pages from all parts of the busy addresses' histories.
func (s *scaled) cursors(ctx context.Context, to *child) (paths []string, err error) {
	w := newWorker()
	defer w.client.CloseIdleConnections()
	for _, a := range s.made.Busy {
		path := "/api/chain/address/" + a.String()
		for more := ""; ; {
			var out struct {
				Next *string `json:"next"`
			}
			if err := w.call(ctx, request{to: to, method: "GET", path: path + "?limit=100" + more}, &out); err != nil {
				return nil, err
			}
			if out.Next == nil {
				break
			}
			more = "&cursor=" + url.QueryEscape(*out.Next)
			paths = append(paths, path+"?limit=20"+more)
		}
	}
	if len(paths) == 0 { // the chain is short
		paths = []string{"/api/chain/address/" + s.made.Busy[0].String()}
	}
	return paths, nil
}

// verified measures GET /api/chain/verify: three times, or once if it takes over 10 s.
func (s *scaled) verified(ctx context.Context, to *child) (err error) {
	if _, s.before, err = to.memory(); err != nil {
		return err
	}
	w := newWorker()
	defer w.client.CloseIdleConnections()
	for range 3 {
		s.say("verifying …")
		var out verifyResponse
		if err := w.call(ctx, request{to: to, method: "GET", path: "/api/chain/verify"}, &out); err != nil {
			return err
		}
		if !out.Valid || out.Transactions != s.size {
			return fmt.Errorf("the chain does not verify: %+v", out)
		}
		if s.verify.TookMS == 0 || out.TookMS < s.verify.TookMS {
			s.verify = out
		}
		if out.TookMS > 10_000 {
			break
		}
	}
	_, s.peak, err = to.memory()
	return err
}

// addRows adds the results to the report, compared with the first chain.
func (s *scaled) addRows(first *scaled) {
	row := func(what, format string, args ...any) {
		s.report.row(fmt.Sprintf("%d transactions: %s", s.size, what), format, args...)
	}
	rate := float64(s.size) / (float64(max(s.verify.TookMS, 1)) / 1000)
	row("made", "in %.1f s; %d blocks", s.making.Seconds(), s.made.Blocks)
	row("on disk", "%.0f bytes each", float64(s.bytes)/float64(s.size))
	row("SHA-256 alone on one core", "%.0f/s", s.alone)
	row("verification", "%.0f/s, %.2f of SHA-256 alone; %.1f s", rate, rate/s.alone, float64(s.verify.TookMS)/1000)
	row("the server's peak resident memory", "%.0f MB, and %.0f MB before it had verified", float64(s.peak)/1e6,
		float64(s.before)/1e6)
	for i, name := range pageNames {
		m, reference := &s.pages[i], &first.pages[i]
		p99 := m.quantile(0.99)
		row(name, "p50 %s, p99 %s, %.2f of that with %d transactions", millis(m.quantile(0.5)), millis(p99),
			float64(p99)/float64(reference.quantile(0.99)), first.size)
	}
}

// checkSizes returns an error if a size is too small for the generator.
func checkSizes(sizes []int64) error {
	if len(sizes) == 0 || slices.Min(sizes) < 1000 {
		return errors.New("bench: the sizes of chains must be 1000 transactions at least")
	}
	return nil
}
