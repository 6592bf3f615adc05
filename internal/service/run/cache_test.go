package run

import (
	"bytes"
	"errors"
	"testing"

	"roshambo/chain"
	"roshambo/fair"
)

// cachedRun returns a run in play.
func cachedRun(id string, version int64) *liveRun {
	return &liveRun{run: Run{ID: id, Status: Active, version: version}}
}

// TestRunCache checks which runs are cached, in which version, and that callers get copies.
func TestRunCache(t *testing.T) {
	t.Parallel()
	var c runCache
	want := func(what, id string, version int64) { // -1 for none
		t.Helper()
		got := int64(-1)
		if live := c.get(id); live != nil {
			got = live.run.version
			live.run.version = 1000 // of a copy
		}
		if got != version {
			t.Errorf("%s: version %d of %s, want %d", what, got, id, version)
		}
	}
	want("empty", "a", -1)
	put := cachedRun("a", 3)
	c.put(put)
	put.run.version = 2000 // the caller goes on using its run
	want("put", "a", 3)
	want("got twice", "a", 3)
	c.put(cachedRun("a", 2))
	want("an older version", "a", 3)
	c.put(cachedRun("a", 3))
	want("the same version", "a", 3)
	c.put(cachedRun("a", 4))
	want("a newer version", "a", 4)
	over := cachedRun("a", 5)
	over.run.Status = Lost
	c.put(over)
	want("over", "a", -1)
	c.put(cachedRun("c", 9))
	late := cachedRun("c", 8)
	late.run.Status = Lost
	c.put(late)
	want("an older version that is over", "c", 9)
	c.put(cachedRun("b", 1))
	c.runs.Clear()
	want("cleared", "b", -1)
}

// TestSeedOf checks the seeds of throws in any order, and that the cached seed is the next one
// that serves the throw: a run in memory holds no seed further ahead than needed.
func TestSeedOf(t *testing.T) {
	t.Parallel()
	seeds, err := NewSeeds(make([]byte, seedKeySize), bytes.NewReader(bytes.Repeat([]byte{7}, 2*len(fair.Seed{}))))
	if err != nil {
		t.Fatal(err)
	}
	c, err := seeds.generate()
	if err != nil {
		t.Fatal(err)
	}
	all, err := seeds.open(c.commitment, c.sealed)
	if err != nil {
		t.Fatal(err)
	}
	live := &liveRun{run: Run{Commitment: c.commitment, sealed: c.sealed}}
	for _, n := range []int{1, 2, stride, stride + 1, stride, 3 * stride, 2*stride + 1, 2 * stride, 1, fair.Length} {
		seed, err := live.seedOf(seeds, n)
		if err != nil || seed != all.Seed(n) {
			t.Errorf("seed %d is %x, error %v, want %x", n, seed, err, all.Seed(n))
		}
		if n > live.seedIndex || n <= live.seedIndex-stride || live.seedIndex%stride != 0 {
			t.Errorf("seed %d is served by seed %d", n, live.seedIndex)
		}
	}
	live.run.sealed = nil
	if _, err := live.seedOf(seeds, fair.Length-1); err != nil {
		t.Errorf("a seed before the cached one: error %v", err)
	}
	if _, err := live.seedOf(seeds, 1); err == nil {
		t.Error("a seed that the cached one does not serve: no error without the sealed seed")
	}
	if chain.Hash(all.Commitment()) != c.commitment {
		t.Errorf("commitment %v, want %x", c.commitment, all.Commitment())
	}
}

// TestEarlySeeds checks that the first stride throws need seed number stride alone: they do not derive the
// whole chain from its last seed, which is the wrong one here.
func TestEarlySeeds(t *testing.T) {
	t.Parallel()
	seeds, err := NewSeeds(make([]byte, seedKeySize), bytes.NewReader(nil))
	if err != nil {
		t.Fatal(err)
	}
	all, wrong := fair.NewChain(fair.Seed{1}), fair.Seed{2}
	commitment, early := chain.Hash(all.Commitment()), all.Seed(stride)
	nonce := make([]byte, seeds.aead.NonceSize())
	sealed := seeds.aead.Seal(nonce, nonce, append(wrong[:], early[:]...), commitment[:])
	for n := 1; n <= stride+1; n++ {
		live := &liveRun{run: Run{Commitment: commitment, sealed: sealed}}
		switch seed, err := live.seedOf(seeds, n); {
		case n <= stride && (err != nil || seed != all.Seed(n)):
			t.Errorf("seed %d is %x, error %v, want %x", n, seed, err, all.Seed(n))
		case n > stride && !errors.Is(err, errMisled):
			t.Errorf("seed %d: error %v, want %v", n, err, errMisled)
		}
	}
}

// TestNonces checks that no two seeds are sealed with one nonce, not even where the source of seeds repeats itself: two
// texts under one nonce and key give each other away.
func TestNonces(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		seeds, err := NewSeeds(make([]byte, seedKeySize), bytes.NewReader(make([]byte, len(fair.Seed{}))))
		if err != nil {
			t.Fatal(err)
		}
		c, err := seeds.generate()
		if err != nil {
			t.Fatal(err)
		}
		seen[string(c.sealed[:seeds.aead.NonceSize()])] = true
	}
	if len(seen) != 100 {
		t.Errorf("100 seeds were sealed with %d nonces", len(seen))
	}
}

// TestFingerprint pins the fingerprint of a key: a database refuses a service that computes another one.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	key := make([]byte, seedKeySize)
	for i := range key {
		key[i] = byte(i)
	}
	if got := fingerprint(key); got != "24d0cd29be4b001890fbad8fb3510727" {
		t.Errorf("got %s", got)
	}
}
