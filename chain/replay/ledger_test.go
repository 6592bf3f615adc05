package replay

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"

	"roshambo/chain"
)

// testLedger is a minimal ledger in maps: it applies transactions by the rules of package chain and
// seals them into blocks.
type testLedger struct {
	rules      chain.InForce
	recovery   int64
	accounts   map[chain.Address]chain.Account
	tokens     map[int64]chain.Token
	games      map[string]chain.Game
	blocks     []Block
	pendingTxs [][]byte
	time       int64
	prev       chain.Hash
}

func testRules() chain.Rules {
	return chain.Rules{BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, FreePerDay: 1000, MarketFeeBPS: 250,
		StartingBalance: 1000,
		Tiers: []chain.Tier{{Material: "Clay", Value: 96}, {Material: "Wood", Value: 192},
			{Material: "Stone", Value: 384}}}
}

// genesisTime is the time of genesis, but for some milliseconds.
const genesisTime = 1_700_000_000_000

// newLedger starts a chain.
func newLedger(t rapid.TB) *testLedger {
	t.Helper()
	b := &testLedger{accounts: map[chain.Address]chain.Account{}, tokens: map[int64]chain.Token{},
		games: map[string]chain.Game{}, time: genesisTime}
	b.post(t, chain.Address{}, &chain.Genesis{Name: "test/1", Rules: testRules()})
	b.seal()
	return b
}

// try applies tx atomically.
func (b *testLedger) try(tx *chain.Tx) error {
	effects, err := b.rules.Now().Effects(tx)
	if err != nil {
		return err
	}
	effects.At(b.recovery)
	accounts, tokens, games := map[chain.Address]chain.Account{}, map[int64]chain.Token{}, map[string]chain.Game{}
	for _, e := range effects.Accounts {
		account := b.accounts[e.Address]
		if err := account.Apply(&e); err != nil {
			return err
		}
		accounts[e.Address] = account
	}
	for _, e := range effects.Tokens {
		token := b.tokens[e.ID]
		if err := token.Apply(&e); err != nil {
			return err
		}
		tokens[e.ID] = token
	}
	for _, e := range effects.Games {
		game := b.games[e.ID]
		if err := game.Apply(&e); err != nil {
			return err
		}
		games[e.ID] = game
	}
	maps.Copy(b.accounts, accounts)
	maps.Copy(b.tokens, tokens)
	maps.Copy(b.games, games)
	switch d := tx.Data.(type) {
	case *chain.Genesis:
		b.rules = chain.InForce{Latest: d.Rules, Began: tx.Time}
	case *chain.RulesChange:
		if b.rules, err = b.rules.Announce(d, tx.Time); err != nil {
			return err
		}
	case *chain.RulesBegin:
		if b.rules, err = b.rules.Begin(d, tx.Time); err != nil {
			return err
		}
	case *chain.Recovery:
		b.recovery = d.Number
	}
	b.pendingTxs = append(b.pendingTxs, tx.Raw())
	return nil
}

// post applies a transaction that the rules must allow.
func (b *testLedger) post(t rapid.TB, actor chain.Address, data chain.Data, transfers ...chain.Transfer) {
	t.Helper()
	b.time += 7
	tx := chain.Tx{Actor: actor, Nonce: b.accounts[actor].Nonce, Time: b.time, Data: data, Transfers: transfers}
	if err := b.try(&tx); err != nil {
		t.Fatalf("%s: %v", tx.Raw(), err)
	}
}

// seal puts the pending transactions into a block.
func (b *testLedger) seal() {
	b.blocks = append(b.blocks, forge(int64(len(b.blocks)), b.prev, b.time, b.pendingTxs...))
	b.prev, b.pendingTxs = b.blocks[len(b.blocks)-1].Hash, nil
}

// forge returns a block of arbitrary transactions with correct hashes.
func forge(height int64, prev chain.Hash, time int64, txs ...[]byte) Block {
	hashes := make([]chain.Hash, len(txs))
	for i, raw := range txs {
		hashes[i] = chain.HashTx(raw)
	}
	raw := chain.Header{Height: height, MerkleRoot: chain.MerkleRoot(hashes), Prev: prev, Time: time,
		TxCount: int64(len(txs))}.Raw()
	return Block{Hash: chain.HashBlock(raw), Header: raw, Txs: txs}
}

// feed adds the blocks and the pending transactions to a replay.
func (b *testLedger) feed(r *Replay) {
	for _, block := range b.blocks {
		r.Block(block)
	}
	for _, raw := range b.pendingTxs {
		r.Pending(raw)
	}
}

// expect claims the complete state of the ledger.
func (b *testLedger) expect(r *Replay) {
	for address, account := range b.accounts {
		r.ExpectAccount(address, account)
	}
	for id, token := range b.tokens {
		r.ExpectToken(id, token)
	}
	for id, game := range b.games {
		r.ExpectGame(id, game)
	}
}

// verify replays the ledger and compares the complete state.
func (b *testLedger) verify(t rapid.TB, opts Options) *Report {
	t.Helper()
	opts.Compare = true
	return run(t, opts, func(r *Replay) {
		b.feed(r)
		b.expect(r)
	})
}

// run performs a whole replay.
func run(t rapid.TB, opts Options, do func(r *Replay)) *Report {
	t.Helper()
	r, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	do(r)
	report, err := r.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// inMemory returns options with spill files in memory.
func inMemory(parts int) Options {
	return Options{Parts: parts, Spill: func() (io.ReadWriteCloser, error) { return buffer{new(bytes.Buffer)}, nil }}
}

type buffer struct{ *bytes.Buffer }

func (buffer) Close() error { return nil }

// inFiles returns options with real spill files.
func inFiles(tb testing.TB, parts int) Options {
	tb.Helper()
	dir := tb.TempDir()
	return Options{Parts: parts, Spill: func() (io.ReadWriteCloser, error) { return os.CreateTemp(dir, "spill-") }}
}

func coins(from, to chain.Address, amount int64) chain.Transfer {
	return chain.Transfer{Amount: amount, From: from, To: to}
}

func move(id, tier int64, from, to chain.Address) chain.Transfer {
	return chain.Transfer{Token: true, TokenID: id, Tier: tier, From: from, To: to}
}

// The accounts of the tests, and the null address.
var (
	none  = chain.Address{}
	alice = chain.Address{1, 1}
	bob   = chain.Address{2, 2}
	carol = chain.Address{3, 3}
)

func hashOf(b ...byte) (h chain.Hash) {
	h[31] = 1
	copy(h[:], b)
	return h
}

// sampleChain is a small chain with every kind of transaction; some of its games are not over.
func sampleChain(t rapid.TB) *testLedger {
	t.Helper()
	b := newLedger(t)
	for i, who := range []chain.Address{alice, bob, carol} {
		kinds := []chain.AccountKind{chain.Guest, chain.Full, chain.Bot}
		b.post(t, who, &chain.AccountCreate{Commitment: hashOf(byte(i + 1)), AccountKind: kinds[i]}, coins(none, who, 1000))
	}
	b.seal()
	start := func(who chain.Address, id string, entry chain.Entry, first int64, transfers ...chain.Transfer) {
		used := b.accounts[who].Commitment
		next := hashOf(append([]byte{9}, id...)...)
		b.post(t, who,
			&chain.RunStart{Bound: entry == chain.EntryFee && b.accounts[who].Bound > 0, ClientSeedHash: chain.HashText("é"),
				Commitment: used, Entry: entry, FirstTier: first, NextCommitment: next, RunID: id}, transfers...)
	}
	end := func(who chain.Address, id string, status chain.RunStatus, cleared, throws int64, transfers ...chain.Transfer) {
		b.post(t, who, &chain.RunEnd{Bound: b.games[chain.RunGameID(id)].Bound, Cleared: cleared, RunID: id,
			Status: status, Throws: throws, TranscriptHash: hashOf(7)}, transfers...)
	}
	b.post(t, alice, &chain.Faucet{}, coins(none, alice, 200))
	start(alice, "r1", chain.EntryFee, 0, coins(alice, none, 50))
	end(alice, "r1", chain.RunLost, 1, 2)
	start(alice, "r2", chain.EntryFree, 0)
	end(alice, "r2", chain.RunClaimed, 2, 3, move(1, 2, none, alice))
	b.seal()
	b.post(t, bob, &chain.MarketSale{ListingID: 1}, coins(bob, alice, 98), coins(bob, none, 2), move(1, 0, alice, bob))
	start(bob, "r3", chain.EntryBurn, 2, move(1, 0, bob, none))
	end(bob, "r3", chain.RunClaimed, 3, 1, move(2, 3, none, bob))
	b.post(t, bob, &chain.Buyback{OfferID: 1}, move(2, 0, bob, none), coins(none, bob, 307))
	start(bob, "r4", chain.EntryDaily, 0)
	end(bob, "r4", chain.RunClaimed, 1, 1, move(3, 1, none, bob))
	start(alice, "r6", chain.EntryFee, 0, coins(alice, none, 50))
	start(bob, "r7", chain.EntryBurn, 1, move(3, 0, bob, none))
	start(carol, "r8", chain.EntryFree, 0)
	b.post(t, alice, &chain.DuelStake{DuelID: "d4"}, coins(alice, chain.Escrow("d4"), 30))
	b.post(t, bob, &chain.DuelStake{DuelID: "d4"}, coins(bob, chain.Escrow("d4"), 30))
	b.post(t, none, &chain.Recovery{Number: 1})
	end(alice, "r6", chain.RunVoid, 0, 0, coins(none, alice, 50))
	end(bob, "r7", chain.RunVoid, 2, 1, move(4, 1, none, bob))
	end(carol, "r8", chain.RunClaimed, 1, 1, move(5, 1, none, carol))
	b.post(t, none, &chain.DuelSettle{A: alice, B: bob, DuelID: "d4", Void: true, TranscriptHash: hashOf(7)},
		coins(chain.Escrow("d4"), alice, 30), coins(chain.Escrow("d4"), bob, 30))
	for i, who := range []chain.Address{alice, bob, carol} {
		b.post(t, who, &chain.Rotate{Commitment: b.accounts[who].Commitment, NextCommitment: hashOf(10, byte(i))})
	}
	b.post(t, alice, &chain.AccountSecure{})
	other := testRules()
	other.EntryFee = 60
	b.post(t, none, &chain.RulesChange{Number: 1, Rules: other})
	b.seal()
	b.post(t, alice, &chain.DuelStake{DuelID: "d1"}, coins(alice, chain.Escrow("d1"), 30))
	b.post(t, bob, &chain.DuelStake{DuelID: "d1"}, coins(bob, chain.Escrow("d1"), 30))
	b.post(t, none, &chain.DuelSettle{A: alice, B: bob, DuelID: "d1", Rated: true, Winner: "b", TranscriptHash: hashOf(7)},
		coins(chain.Escrow("d1"), bob, 60))
	b.post(t, none, &chain.DuelSettle{A: alice, B: carol, DuelID: "d2", Rated: true, TranscriptHash: hashOf(7)})
	b.post(t, carol, &chain.DuelStake{DuelID: "d3"}, coins(carol, chain.Escrow("d3"), 40))
	b.time = chain.SeasonEnd(genesisTime, 1)
	b.post(t, none, &chain.SeasonClose{Season: 1, TableHash: hashOf(8)})
	b.post(t, none, &chain.RulesBegin{Number: 1})
	b.post(t, none, &chain.CupClose{Cup: 2, TableHash: hashOf(8)})
	b.post(t, none, &chain.CupClose{Cup: 1, TableHash: hashOf(8)})
	b.seal()
	start(carol, "r5", chain.EntryFee, 0, coins(carol, none, 60))
	return b
}

// manyRuns generates a chain of accounts that each play four runs, the usual load of a service, and
// passes every block of perBlock transactions to give. It holds one account and one block at a time.
func manyRuns(accounts, perBlock int, give func(Block)) (txs int64) {
	random := rand.New(rand.NewPCG(1, 2))
	var height int64
	var prev chain.Hash
	var pendingTxs [][]byte
	now := int64(1_700_000_000_000)
	seal := func() {
		block := forge(height, prev, now, pendingTxs...)
		height, prev, pendingTxs = height+1, block.Hash, nil
		give(block)
	}
	genesis := chain.Tx{Time: now, Data: &chain.Genesis{Name: "test/1", Rules: testRules()}}
	pendingTxs = append(pendingTxs, genesis.Raw())
	seal()
	for n := range accounts {
		for _, tx := range playedAccount(random, int64(n)) {
			now += 3
			tx.Time = now
			txs++
			if pendingTxs = append(pendingTxs, tx.Raw()); len(pendingTxs) == perBlock {
				seal()
			}
		}
	}
	if len(pendingTxs) > 0 {
		seal()
	}
	return txs + 1
}

// playedAccount returns the transactions of an account with four runs: two free, two for the fee,
// the last one claimed.
func playedAccount(random *rand.Rand, n int64) []chain.Tx {
	draw := func() (h chain.Hash) {
		for i := range h {
			h[i] = byte(random.Uint32())
		}
		return h
	}
	name, commitment := draw(), draw()
	who := chain.Address(name[:20])
	txs := []chain.Tx{{Actor: who, Data: &chain.AccountCreate{Commitment: commitment, AccountKind: chain.Guest},
		Transfers: []chain.Transfer{coins(none, who, 1000)}}}
	for i := range 4 {
		id, next := draw(), draw()
		start := &chain.RunStart{ClientSeedHash: chain.HashText("a player's own seed"), Commitment: commitment,
			Entry:          chain.EntryFree,
			NextCommitment: next,
			RunID:          fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])}
		end := &chain.RunEnd{Cleared: 2, RunID: start.RunID, Status: chain.RunLost, Throws: 4, TranscriptHash: draw()}
		commitment = next
		var fee, won []chain.Transfer
		if i%2 == 1 {
			start.Entry, fee = chain.EntryFee, []chain.Transfer{coins(who, none, 50)}
		}
		if i == 3 {
			end.Status, won = chain.RunClaimed, []chain.Transfer{move(n, 2, none, who)}
		}
		nonce := int64(len(txs))
		txs = append(txs, chain.Tx{Actor: who, Nonce: nonce, Data: start, Transfers: fee},
			chain.Tx{Actor: who, Nonce: nonce + 1, Data: end, Transfers: won})
	}
	return txs
}
