package replay

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"roshambo/chain"
)

// stride is the distance between the bytes that a test changes. Short runs change a sample.
func stride() int {
	if testing.Short() {
		return 16
	}
	return 1
}

// TestEveryByteOfAChain changes the bytes of a stored chain, one at a time.
func TestEveryByteOfAChain(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	valid := b.blocks
	// flip verifies with one byte of block h changed.
	flip := func(h int, what string, text []byte, put func(block *Block, changed []byte)) {
		for i := h % stride(); i < len(text); i += stride() {
			changed := bytes.Clone(text)
			changed[i] ^= 1
			b.blocks = slices.Clone(valid)
			put(&b.blocks[h], changed)
			problemMatch{height: int64(h)}.check(t, fmt.Sprintf("block %d, %s, byte %d", h, what, i), run(t, Options{}, b.feed))
		}
	}
	for h, block := range valid {
		flip(h, "hash", block.Hash[:], func(block *Block, changed []byte) { block.Hash = chain.Hash(changed) })
		flip(h, "header", block.Header, func(block *Block, changed []byte) { block.Header = changed })
		for n, raw := range block.Txs {
			flip(h, fmt.Sprintf("transaction %d", n), raw, func(block *Block, changed []byte) {
				block.Txs = slices.Clone(block.Txs)
				block.Txs[n] = changed
			})
		}
	}
}

// TestEveryByteOfPending changes each byte of a pending transaction. No hash protects it, so only
// the resulting state shows a change. The hash of its client seed and its time affect no state and are exempt.
func TestEveryByteOfPending(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	raw := b.pendingTxs[0]
	free := make([]bool, len(raw))
	for _, text := range []string{chain.HashText("é").String(), fmt.Sprint(b.time)} {
		at := bytes.Index(raw, []byte(text))
		for i := range len(text) {
			free[at+i] = true
		}
	}
	for i := 0; i < len(raw); i += stride() {
		b.pendingTxs[0] = bytes.Clone(raw)
		b.pendingTxs[0][i] ^= 1
		if report := b.verify(t, Options{}); report.Valid() && !free[i] {
			t.Errorf("byte %d (%c) of %s: got valid", i, raw[i], raw)
		}
	}
}

// TestEveryByteOfTheTables changes each claimed value of the state, one at a time. The first
// problem must name the changed entry.
func TestEveryByteOfTheTables(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	changed := 0
	// check verifies with one claim changed. The order is fixed, so that short runs always skip
	// the same changes.
	check := func(name, what string, claim func(r *Replay)) {
		if changed++; changed%stride() != 0 {
			return
		}
		for _, opts := range []Options{{}, inMemory(3)} {
			opts.Compare = true
			report := run(t, opts, func(r *Replay) {
				b.feed(r)
				claim(r)
			})
			problemMatch{height: -1, what: what}.check(t, fmt.Sprintf("%s, %d parts", name, opts.Parts), report)
		}
	}
	for _, address := range slices.SortedFunc(maps.Keys(b.accounts),
		func(a, b chain.Address) int { return bytes.Compare(a[:], b[:]) }) {
		corrupted := corruptAccounts(b.accounts[address])
		for _, name := range slices.Sorted(maps.Keys(corrupted)) {
			check(fmt.Sprintf("account %v %s", address, name), "account "+address.String(), func(r *Replay) {
				b.expectAllBut(r, address, -1, "")
				r.ExpectAccount(address, corrupted[name])
			})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.tokens)) {
		corrupted := corruptTokens(b.tokens[id])
		for _, name := range slices.Sorted(maps.Keys(corrupted)) {
			check(fmt.Sprintf("token %d %s", id, name), fmt.Sprint("token ", id), func(r *Replay) {
				b.expectAllBut(r, none, id, "")
				r.ExpectToken(id, corrupted[name])
			})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.games)) {
		corrupted := corruptGames(b.games[id])
		for _, name := range slices.Sorted(maps.Keys(corrupted)) {
			check(fmt.Sprintf("game %s %s", id, name), fmt.Sprintf("game %q", id), func(r *Replay) {
				b.expectAllBut(r, none, -1, id)
				r.ExpectGame(id, corrupted[name])
			})
		}
	}
	if changed < 1000 {
		t.Errorf("only %d changes were tried", changed)
	}
}

// expectAllBut is expect without one account, token or game.
func (b *testLedger) expectAllBut(r *Replay, address chain.Address, token int64, game string) {
	for a, account := range b.accounts {
		if a != address {
			r.ExpectAccount(a, account)
		}
	}
	for id, t := range b.tokens {
		if id != token {
			r.ExpectToken(id, t)
		}
	}
	for id, g := range b.games {
		if id != game {
			r.ExpectGame(id, g)
		}
	}
}

// bits calls put with n and one bit changed, for each of the 64 bits.
func bits(n int64, put func(name string, changed int64)) {
	for bit := range 64 {
		put(fmt.Sprint("bit ", bit), n^(1<<bit))
	}
}

func corruptAccounts(a chain.Account) map[string]chain.Account {
	all := map[string]chain.Account{}
	bits(a.Balance, func(name string, changed int64) { c := a; c.Balance = changed; all["balance "+name] = c })
	bits(a.Nonce, func(name string, changed int64) { c := a; c.Nonce = changed; all["nonce "+name] = c })
	bits(a.Bound, func(name string, changed int64) { c := a; c.Bound = changed; all["bound "+name] = c })
	bits(a.SecuredAt, func(name string, changed int64) { c := a; c.SecuredAt = changed; all["secured "+name] = c })
	bits(a.FaucetAt, func(name string, changed int64) { c := a; c.FaucetAt = changed; all["faucet "+name] = c })
	bits(a.FreeDay, func(name string, changed int64) { c := a; c.FreeDay = changed; all["free day "+name] = c })
	bits(a.DailyDay, func(name string, changed int64) { c := a; c.DailyDay = changed; all["daily day "+name] = c })
	bits(a.Free, func(name string, changed int64) { c := a; c.Free = changed; all["free "+name] = c })
	bits(a.Daily, func(name string, changed int64) { c := a; c.Daily = changed; all["daily "+name] = c })
	marked, playing := a, a
	marked.BoundStart, playing.Playing = !a.BoundStart, "x"+a.Playing
	bits(a.Paid, func(name string, changed int64) { c := a; c.Paid = changed; all["paid "+name] = c })
	bits(a.PaidBound, func(name string, changed int64) { c := a; c.PaidBound = changed; all["paid bound "+name] = c })
	bits(a.Recovery, func(name string, changed int64) { c := a; c.Recovery = changed; all["recovery "+name] = c })
	all["bound start"], all["playing"] = marked, playing
	for i := range a.Commitment {
		c := a
		c.Commitment[i] ^= 1
		all[fmt.Sprint("commitment byte ", i)] = c
	}
	for _, kind := range []chain.AccountKind{"", chain.Guest, chain.Full, chain.Bot, "robot",
		chain.AccountKind(strings.Repeat("x", 300))} {
		if kind != a.Kind {
			c := a
			c.Kind = kind
			all[fmt.Sprintf("kind %.10s", kind)] = c
		}
	}
	return all
}

func corruptTokens(t chain.Token) map[string]chain.Token {
	bound := t
	bound.Bound = !t.Bound
	all := map[string]chain.Token{"bound": bound}
	bits(t.Tier, func(name string, changed int64) { c := t; c.Tier = changed; all["tier "+name] = c })
	for i := range t.Owner {
		c := t
		c.Owner[i] ^= 1
		all[fmt.Sprint("owner byte ", i)] = c
	}
	return all
}

func corruptGames(g chain.Game) map[string]chain.Game {
	all := map[string]chain.Game{}
	for bit := range 8 {
		c := g
		c.Step ^= 1 << bit
		all[fmt.Sprint("step bit ", bit)] = c
	}
	if g.Step != chain.StepStart && g.Step != chain.StepStake {
		return all // only the step of a game that is over is compared
	}
	bound := g
	bound.Bound = !g.Bound
	all["bound"] = bound
	bits(g.Tier, func(name string, changed int64) { c := g; c.Tier = changed; all["tier "+name] = c })
	bits(g.Stake, func(name string, changed int64) { c := g; c.Stake = changed; all["stake "+name] = c })
	for i := range g.A {
		a, b := g, g
		a.A[i] ^= 1
		b.B[i] ^= 1
		all[fmt.Sprint("side a byte ", i)], all[fmt.Sprint("side b byte ", i)] = a, b
	}
	return all
}

// TestMissingAndDuplicateRows checks rows that are missing, repeated or unfounded.
func TestMissingAndDuplicateRows(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	escrow := chain.Escrow("d3")
	unknown := chain.Address{9}
	for name, tt := range map[string]struct {
		claim func(r *Replay)
		want  problemMatch
	}{
		"an account is missing": {func(r *Replay) { b.expectAllBut(r, bob, -1, "") },
			problemMatch{-1, "account " + bob.String(), "missing"}},
		"an escrow is missing": {func(r *Replay) { b.expectAllBut(r, escrow, -1, "") },
			problemMatch{-1, "account " + escrow.String(), "missing"}},
		"a token is missing": {func(r *Replay) { b.expectAllBut(r, none, 3, "") }, problemMatch{-1, "token 3", "missing"}},
		"a burnt token is missing": {func(r *Replay) { b.expectAllBut(r, none, 1, "") },
			problemMatch{-1, "token 1", "missing"}},
		"an open run is missing": {func(r *Replay) { b.expectAllBut(r, none, -1, "run:r5") },
			problemMatch{-1, "game", "run started by transaction 0"}},
		"an open duel is missing": {func(r *Replay) { b.expectAllBut(r, none, -1, "duel:d3") },
			problemMatch{4, "game", "duel staked by transaction 4"}},
		"a run that is over is missing": {func(r *Replay) { b.expectAllBut(r, none, -1, "run:r2") },
			problemMatch{2, "game", "run ended by transaction 4"}},
		"a closed season is missing": {func(r *Replay) { b.expectAllBut(r, none, -1, "season:1") },
			problemMatch{4, "game", "closed by transaction 5"}},
		"an account twice": {func(r *Replay) { b.expect(r); r.ExpectAccount(bob, b.accounts[bob]) },
			problemMatch{-1, "account " + bob.String(), "no such entry"}},
		"a token twice": {func(r *Replay) { b.expect(r); r.ExpectToken(4, b.tokens[4]) },
			problemMatch{-1, "token 4", "no such entry"}},
		"a token without its owner": {
			func(r *Replay) { b.expectAllBut(r, none, 4, ""); r.ExpectToken(4, chain.Token{Tier: 1}) },
			problemMatch{-1, "token 4 owner", bob.String() + " / none"}},
		"a run twice": {func(r *Replay) { b.expect(r); r.ExpectGame("run:r1", b.games["run:r1"]) },
			problemMatch{-1, `game "run:r1"`, "none / run ended"}},
		"an account that was not opened": {
			func(r *Replay) { b.expect(r); r.ExpectAccount(unknown, chain.Account{Kind: chain.Guest}) },
			problemMatch{-1, "account " + unknown.String(), "no such entry"}},
		"a token that was not created": {
			func(r *Replay) { b.expect(r); r.ExpectToken(7, chain.Token{Tier: 3, Owner: alice}) },
			problemMatch{-1, "token 7", "no such entry"}},
		"a run that was not started": {
			func(r *Replay) { b.expect(r); r.ExpectGame("run:r9", chain.Game{Step: chain.StepEnd}) },
			problemMatch{-1, `game "run:r9"`, "none / run ended"}},
	} {
		for _, opts := range []Options{{}, inMemory(4)} {
			opts.Compare = true
			tt.want.check(t, name, run(t, opts, func(r *Replay) {
				b.feed(r)
				tt.claim(r)
			}))
		}
	}
}

// TestEmptyRowsAreAllowed checks that rows with zero values are equivalent to missing rows.
func TestEmptyRowsAreAllowed(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	for _, opts := range []Options{{}, inMemory(4)} {
		opts.Compare = true
		report := run(t, opts, func(r *Replay) {
			b.feed(r)
			b.expectAllBut(r, chain.Escrow("d1"), -1, "run:r1") // the stakes are paid out
			r.ExpectAccount(chain.Address{9}, chain.Account{})
			r.ExpectToken(99, chain.Token{}) // its id was reserved
			r.ExpectGame("run:r9", chain.Game{})
			r.ExpectGame("run:r1", chain.Game{Step: chain.StepEnd}) // only the step of a game that is over counts
		})
		if !report.Valid() {
			t.Errorf("%d parts: got %+v", opts.Parts, report.Problems)
		}
	}
}
