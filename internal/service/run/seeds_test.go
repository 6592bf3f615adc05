package run_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// holds reports whether text contains a seed, in any common encoding.
func holds(text []byte, seed fair.Seed) bool {
	written := hex.EncodeToString(seed[:])
	for _, form := range []string{string(seed[:]), written, strings.ToUpper(written),
		base64.StdEncoding.EncodeToString(seed[:])[:42]} {
		if bytes.Contains(text, []byte(form)) {
			return true
		}
	}
	return false
}

// TestSeedsAtRest checks that the database's files contain a seed in plain text only after
// its throw, not even when its run has ended.
func TestSeedsAtRest(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann, bob := h.join(t), h.join(t)
	done := h.begin(t, ann, run.StartOptions{})
	h.climb(t, ann, done, 2)
	if _, err := h.claim(t, ann, done); err != nil {
		t.Fatal(err)
	}
	open := h.begin(t, bob, run.StartOptions{})
	h.climb(t, bob, open, 1)
	h.SealAll(t)
	thrown := map[chain.Hash]int{h.get(t, done).Commitment: 2, h.get(t, open).Commitment: 1}
	if len(h.drawn.chains) != 4 {
		t.Fatalf("%d chains were made, want 4", len(h.drawn.chains))
	}
	files := storetest.Content(t, h.Location)
	for commitment, seeds := range h.drawn.chains {
		if !holds(files, fair.Seed(commitment)) {
			t.Errorf("commitment %v is not in the files: the search is broken", commitment)
		}
		for n := 1; n <= fair.Length; n++ {
			if found := holds(files, seeds.Seed(n)); found != (n <= thrown[commitment]) {
				t.Errorf("seed %d of %v: found %v after %d throws", n, commitment, found, thrown[commitment])
			}
		}
	}
}

// TestTamperedSeeds checks that a throw fails if the stored seed was changed or belongs to
// another commitment.
func TestTamperedSeeds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ column, value string }{
		"first byte": {"seed", "CASE WHEN substr(seed, 1, 1) = x'00' THEN x'01' ELSE x'00' END || substr(seed, 2)"},
		"last byte": {"seed",
			"substr(seed, 1, 91) || CASE WHEN substr(seed, 92) = x'00' THEN x'01' ELSE x'00' END"},
		"shorter":             {"seed", "substr(seed, 1, 91)"},
		"longer":              {"seed", "seed || x'00'"},
		"as short as a nonce": {"seed", "substr(seed, 1, 12)"},
		"shorter than that":   {"seed", "x''"},
		"another's":           {"seed", "(SELECT r.seed FROM run r WHERE r.id <> $1)"},
		"another commitment":  {"commitment", "(SELECT r.commitment FROM run r WHERE r.id <> $1)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t, ledgertest.Options{})
			ann, bob := h.join(t), h.join(t)
			id := h.begin(t, ann, run.StartOptions{})
			h.begin(t, bob, run.StartOptions{})
			h.Update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx,
					storetest.SQL("UPDATE run SET "+tt.column+" = CAST("+tt.value+" AS BLOB) WHERE id = $1"), id)
				return err
			})
			h.restart(t)
			before := h.Dump(t)
			err := h.do(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := h.Throw(ctx, tx, ann, id, run.Play{Move: game.Rock})
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "stored seed") {
				t.Errorf("error %v", err)
			}
			if after := h.Dump(t); strings.Join(before, "\n") != strings.Join(after, "\n") {
				t.Error("the failed throw changed the database")
			}
		})
	}
}

// TestWrongSeedKey checks that a throw fails if the seed is encrypted with another key.
func TestWrongSeedKey(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann := h.join(t)
	bob := h.join(t)
	id := h.begin(t, ann, run.StartOptions{})
	h.key[0] ^= 1
	h.restart(t)
	before := h.Dump(t)
	_, err := h.start(t, bob, run.StartOptions{First: &run.Play{}})
	if err == nil || !strings.Contains(err.Error(), "wrong seed key") {
		t.Errorf("another key, a start with a throw: error %v", err)
	}
	if after := h.Dump(t); strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Error("the start without its throw changed the database")
	}
	if _, err := h.throw(t, ann, id, game.Win); err == nil || !strings.Contains(err.Error(), "wrong seed key") {
		t.Errorf("another key: error %v", err)
	}
	h.key[0] ^= 1
	h.restart(t)
	if _, err := h.throw(t, ann, id, game.Win); err != nil {
		t.Errorf("the right key: error %v", err)
	}
	for _, length := range []int{0, 16, 31, 33} {
		if _, err := run.NewSeeds(make([]byte, length), testseed.Reader(t)); err == nil {
			t.Errorf("a key of %d bytes was accepted", length)
		}
	}
}

// TestCheckKey checks that CheckKey finds a wrong key, also in a database without a
// fingerprint.
func TestCheckKey(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*fixture){
		"nothing there yet": func(*fixture) {},
		"an account": func(h *fixture) {
			h.join(t)
			if err := h.CheckKey(t.Context()); err != nil {
				t.Error(err)
			}
		},
		"an account, no fingerprint": func(h *fixture) { h.join(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t, ledgertest.Options{})
			prepare(h)
			if name != "nothing there yet" {
				h.key[0] ^= 1
				h.restart(t)
				if err := h.CheckKey(t.Context()); !errors.Is(err, run.ErrSeedKey) {
					t.Errorf("another key: error %v", err)
				}
				h.key[0] ^= 1
				h.restart(t)
			}
			for range 2 {
				if err := h.CheckKey(t.Context()); err != nil {
					t.Errorf("the right key: error %v", err)
				}
			}
			h.key[31] ^= 1
			h.restart(t)
			if err := h.CheckKey(t.Context()); !errors.Is(err, run.ErrSeedKey) {
				t.Errorf("another key, later: error %v", err)
			}
			h.WantValid(t)
		})
	}
}

// TestNoRandomness checks that no run starts without randomness for the next commitment.
func TestNoRandomness(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann := h.join(t)
	var err error
	if h.Seeds, err = run.NewSeeds(h.key, io.LimitReader(testseed.Reader(t), 31)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.start(t, ann, run.StartOptions{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
	if err := h.Seeds.Fill(t.Context()); err == nil {
		t.Error("Fill succeeded without randomness")
	}
	if err := h.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := h.FirstCommitment(ctx, tx, chain.Address{1})
		return err
	}); !errors.Is(err, io.EOF) {
		t.Errorf("a new account: error %v", err)
	}
	h.WantValid(t)
}

// TestFill checks that each prepared seed chain is used once.
func TestFill(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- h.Seeds.Fill(ctx) }()
	seen := map[chain.Hash]bool{}
	for i := range 300 { // more than preparedChains
		h.Update(t, func(ctx context.Context, tx *store.Tx) error {
			commitment, err := h.FirstCommitment(ctx, tx, chain.Address{1, byte(i >> 8), byte(i)})
			if seen[commitment] {
				t.Errorf("commitment %v was used twice", commitment)
			}
			seen[commitment] = true
			return err
		})
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
