package sim

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"roshambo/fair"
)

// seedBook is the source of the seeds of house runs: the simulation knows each of them, computes
// every house move, and finds unrevealed seeds.
type seedBook struct {
	mu     sync.Mutex // guards the fields below
	source *rand.ChaCha8
	last   map[string]fair.Seed   // of every chain, by its commitment in hex
	chains map[string]*fair.Chain // those with a seen commitment
	seeds  map[fair.Seed]seedRef
	throws map[string]int // possible throws with a chain, by its commitment
}

// seedRef locates a seed: the n-th of the chain of a commitment.
type seedRef struct {
	commitment string
	n          int
}

func newSeedBook(seed [32]byte) *seedBook {
	return &seedBook{
		source: rand.NewChaCha8(seed), last: map[string]fair.Seed{}, chains: map[string]*fair.Chain{},
		seeds: map[fair.Seed]seedRef{}, throws: map[string]int{},
	}
}

// Read returns the last seed of a new chain, and records the chain.
func (b *seedBook) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(p) != len(fair.Seed{}) {
		return 0, errors.New("this is not how a seed is drawn")
	}
	n, err := io.ReadFull(b.source, p)
	if err == nil {
		first := fair.NewChain(fair.Seed(p)).Commitment()
		b.last[hex.EncodeToString(first[:])] = fair.Seed(p)
	}
	return n, err
}

// known returns the chain of a seen commitment. The caller holds b.mu.
func (b *seedBook) known(commitment string) *fair.Chain {
	c := b.chains[commitment]
	last, drawn := b.last[commitment]
	if c != nil || !drawn {
		return c
	}
	c = fair.NewChain(last)
	b.chains[commitment] = c
	for i := 1; i <= fair.Length; i++ {
		b.seeds[c.Seed(i)] = seedRef{commitment, i}
	}
	return c
}

// seed returns the n-th seed behind a commitment.
func (b *seedBook) seed(commitment string, n int) (fair.Seed, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.known(commitment)
	if c == nil || n < 1 || n > fair.Length {
		return fair.Seed{}, false
	}
	return c.Seed(n), true
}

// throwing records that one more throw may use a chain.
func (b *seedBook) throwing(commitment string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.throws[commitment]++
}

// unopened returns the seed that a word is, if no call has tried its throw yet.
func (b *seedBook) unopened(word []byte) (seedRef, bool) {
	var seed fair.Seed
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case len(word) == 64:
		if _, err := hex.Decode(seed[:], word); err != nil {
			return seedRef{}, false
		}
		b.known(string(word)) // a commitment, seen from now on
	case len(word) == 43:
		plain, err := base64.RawURLEncoding.DecodeString(string(word))
		if err != nil {
			return seedRef{}, false
		}
		seed = fair.Seed(plain)
	default:
		return seedRef{}, false
	}
	at, ok := b.seeds[seed]
	return at, ok && at.n > b.throws[at.commitment]
}

// vault holds the planted and returned secrets, with the rules that say which callers may see them.
type vault struct {
	mu  sync.Mutex // guards the fields below
	all map[string]*secret
}

// secret is a word that only some answers may contain.
type secret struct {
	what  string
	shown func(c *call) bool // whether an answer may contain it; nil for never
}

func (v *vault) plant(word, what string, shown func(c *call) bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, there := v.all[word]; !there {
		v.all[word] = &secret{what, shown}
	}
}

func (v *vault) find(word []byte) *secret {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.all[string(word)]
}

// isWord reports whether a byte may be part of an encoded secret: hex, base64 for URLs, a key, a
// password.
func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || b == '_' || b == '-'
}

// words calls fn for each word of a text that is long enough for a secret.
func words(text []byte, fn func(word []byte)) {
	for len(text) > 0 {
		start := bytes.IndexFunc(text, func(r rune) bool { return r < 128 && isWord(byte(r)) })
		if start < 0 {
			return
		}
		text = text[start:]
		end := 0
		for end < len(text) && isWord(text[end]) {
			end++
		}
		if end >= 8 {
			fn(text[:end])
		}
		text = text[end:]
	}
}

// search reports secrets in a text. c is the call of the answer; nil for a log, which may contain
// none.
func (s *sim) search(where string, text []byte, c *call) {
	words(text, func(word []byte) {
		if at, found := s.book.unopened(word); found {
			s.fail("%s contains seed %d behind %s, whose throw no call has tried:\n%s", where, at.n, at.commitment, clip(text))
		}
		if secret := s.vault.find(word); secret != nil && (c == nil || secret.shown == nil || !secret.shown(c)) {
			s.fail("%s holds the secret %s (%s):\n%s", where, word, secret.what, clip(text))
		}
	})
}

// clip shortens a text for printing.
func clip(text []byte) string {
	if len(text) > 2000 {
		return fmt.Sprintf("%s… (%d bytes)", text[:2000], len(text))
	}
	return string(text)
}
