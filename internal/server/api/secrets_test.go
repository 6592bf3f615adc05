package api_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"roshambo/fair"
	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// seedBook is the source of the seed chains. It is deterministic, so that tests know every seed: to
// win at will, and to find an unrevealed seed in an answer.
type seedBook struct {
	mu       sync.Mutex // guards all below
	source   *rand.ChaCha8
	seeds    map[string]seedRef     // all seeds of all chains except the commitments, as bytes
	byCommit map[string]*fair.Chain // by the commitment in hex
}

// seedRef locates a seed: the n-th of a chain.
type seedRef struct {
	chain *fair.Chain
	n     int
}

func newSeedBook() *seedBook {
	return &seedBook{
		source: rand.NewChaCha8([32]byte([]byte("a source that every test may know"))),
		seeds:  map[string]seedRef{}, byCommit: map[string]*fair.Chain{},
	}
}

// Read returns the last seed of a new chain, and records the chain.
func (b *seedBook) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, err := b.source.Read(p)
	if len(p) != len(fair.Seed{}) || err != nil {
		return n, errors.Join(errors.New("this is not how a seed is drawn"), err)
	}
	c := fair.NewChain(fair.Seed(p))
	for i := 1; i <= fair.Length; i++ {
		seed := c.Seed(i)
		b.seeds[string(seed[:])] = seedRef{c, i}
	}
	commitment := c.Commitment()
	b.byCommit[hex.EncodeToString(commitment[:])] = c
	return n, nil
}

// move returns the move that gives the next throw of a run an outcome.
func (b *seedBook) move(r api.Run, entropy string, want game.Outcome) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(r.Throws) + 1
	house := fair.HouseMove(b.byCommit[r.Commitment].Seed(n), n, fair.HashText(r.ClientSeed),
		fair.HashText(entropy))
	for _, m := range []game.Move{game.Rock, game.Paper, game.Scissors} {
		if m.Against(house) == want {
			return m.String()
		}
	}
	panic("no move leads to this outcome")
}

// unopened returns an unrevealed seed that a text contains, "" if there is none.
func (s *stack) unopened(t *testing.T, text string) string {
	t.Helper()
	for word := range words(text) {
		if at, ok := s.seeds.find(word); ok && s.thrown(t, at.chain) < at.n {
			return word
		}
	}
	return ""
}

// words returns the parts of a text that may contain a seed of 32 bytes: 43 characters or more of
// hex, or of base64 of either alphabet. Every answer of every test is searched, so this avoids
// regular expressions.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		begin := 0
		for i := range len(text) + 1 {
			if i < len(text) && inWord[text[i]] {
				continue
			}
			if i-begin >= 43 && !yield(text[begin:i]) {
				return
			}
			begin = i + 1
		}
	}
}

var inWord = func() (in [256]bool) {
	for _, c := range []byte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/_-") {
		in[c] = true
	}
	return in
}()

// find returns the seed that a word contains.
func (b *seedBook) find(word string) (seedRef, bool) {
	if plain, err := hex.DecodeString(word); err == nil {
		word = string(plain)
	} else if plain, err := base64.RawStdEncoding.DecodeString(word[:43]); err == nil {
		word = string(plain)
	} else if plain, err := base64.RawURLEncoding.DecodeString(word[:43]); err == nil {
		word = string(plain)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ok := b.seeds[word]
	return at, ok
}

// thrown returns how many throws have used a seed chain.
func (s *stack) thrown(t *testing.T, c *fair.Chain) int {
	t.Helper()
	commitment, n := c.Commitment(), 0
	err := s.db.View(context.WithoutCancel(t.Context()), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT throws FROM run WHERE commitment = $1", commitment[:]).Scan(&n)
	})
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		t.Fatal(err)
	}
	return n
}

// hidden returns the last seeds of all chains in all encodings: each reveals all other seeds of its
// chain.
func (b *seedBook) hidden() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for _, c := range b.byCommit {
		last := c.Seed(fair.Length)
		all = append(all, string(last[:]), hex.EncodeToString(last[:]), base64.StdEncoding.EncodeToString(last[:]),
			base64.RawURLEncoding.EncodeToString(last[:]))
	}
	return all
}

// searchLog fails the test when the log contains a secret: a session's or CSRF token, or an
// unrevealed seed.
func (s *stack) searchLog(t testing.TB) {
	t.Helper()
	text := s.log.String()
	for _, secret := range append(s.seeds.hidden(), s.tokens.list()...) {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds the secret %q:\n%s", secret, text)
		}
	}
}

// tokenBook records the returned tokens.
type tokenBook struct {
	mu  sync.Mutex // guards all
	all []string
}

func (b *tokenBook) add(token ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, token...)
}

func (b *tokenBook) list() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}

// TestSeedsStayHidden proves that the search of every answer would find a seed, and checks the
// database and the proof of a run in progress.
func TestSeedsStayHidden(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	r := p.play(t, p.start(t, ""), game.Tie, game.Tie)
	chain := s.seeds.byCommit[r.Commitment]
	for n := 1; n <= fair.Length; n++ {
		seed := chain.Seed(n)
		for _, text := range []string{
			hex.EncodeToString(seed[:]), base64.StdEncoding.EncodeToString(seed[:]),
			base64.RawURLEncoding.EncodeToString(seed[:]),
		} {
			if found := s.unopened(t, "… \""+text+"\" …") != ""; found != (n > 2) {
				t.Errorf("the search for unopened seeds finds seed %d after 2 throws: %v", n, found)
			}
		}
	}
	s.seal(t)
	proof := p.get(t, "/api/runs/"+r.ID+"/proof").ok(t)
	for n := 1; n <= 3; n++ {
		seed := chain.Seed(n)
		if shown := strings.Contains(proof.body, hex.EncodeToString(seed[:])); shown != (n <= 2) {
			t.Errorf("the proof after 2 throws shows seed %d: %v", n, shown)
		}
	}
	next := p.me(t).NextCommitment.Commitment
	if next == r.Commitment || s.thrown(t, s.seeds.byCommit[next]) != 0 {
		t.Errorf("the next run has the commitment %s, this one %s", next, r.Commitment)
	}
	p.databaseHidesSeeds(t)
}

// databaseHidesSeeds searches the database's files for seeds and tokens: a copy of them must reveal
// none.
func (p *player) databaseHidesSeeds(t *testing.T) {
	t.Helper()
	content := storetest.Content(t, p.s.place)
	for _, secret := range append(p.s.seeds.hidden(), p.s.tokens.list()...) {
		if bytes.Contains(content, []byte(secret)) {
			t.Errorf("the database holds the secret %q", secret)
		}
	}
}
