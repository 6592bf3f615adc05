package replay

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"roshambo/chain"
)

// TestMisplacedBlocks checks valid blocks that are missing, repeated or out of order.
func TestMisplacedBlocks(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	valid := b.blocks
	for name, tt := range map[string]struct {
		blocks []Block
		want   problemMatch
	}{
		"the first is missing": {valid[1:], problemMatch{0, "block height", "0 / 1"}},
		"one is missing":       {slices.Delete(slices.Clone(valid), 2, 3), problemMatch{2, "block height", "2 / 3"}},
		"two are swapped": {[]Block{valid[0], valid[2], valid[1], valid[3], valid[4]},
			problemMatch{1, "block height", "1 / 2"}},
		"one is repeated":     {slices.Insert(slices.Clone(valid), 2, valid[1]), problemMatch{2, "block height", "2 / 1"}},
		"genesis twice":       {slices.Insert(slices.Clone(valid), 0, valid[0]), problemMatch{1, "block height", "1 / 0"}},
		"the last is missing": {valid[:4], problemMatch{-1, "transaction", "not those of its kind"}},
	} {
		b.blocks = tt.blocks
		for _, opts := range []Options{{}, inMemory(5)} {
			tt.want.check(t, name, b.verify(t, opts))
		}
	}
}

// TestForgedHeaders checks blocks with correct hashes and false headers.
func TestForgedHeaders(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	for name, tt := range map[string]struct {
		forge func(h *chain.Header)
		want  problemMatch
	}{
		"another height": {func(h *chain.Header) { h.Height = 5 }, problemMatch{4, "block height", "4 / 5"}},
		"another block before": {func(h *chain.Header) { h.Prev = b.blocks[2].Hash },
			problemMatch{4, "hash of the block before", b.blocks[3].Hash.String()}},
		"no block before": {func(h *chain.Header) { h.Prev = chain.Hash{} },
			problemMatch{4, "hash of the block before", chain.Hash{}.String()}},
		"a time that goes back": {func(h *chain.Header) { h.Time = 1_700_000_000_000 },
			problemMatch{4, "block time", "/ 1700000000000"}},
		"fewer transactions": {func(h *chain.Header) { h.TxCount-- }, problemMatch{4, "number of transactions", "8 / 9"}},
		"another merkle root": {func(h *chain.Header) { h.MerkleRoot = b.prev },
			problemMatch{4, "merkle root", b.prev.String()}},
	} {
		last := b.blocks[4]
		header, err := chain.ParseHeader(last.Header)
		if err != nil {
			t.Fatal(err)
		}
		tt.forge(&header)
		raw := header.Raw()
		blocks := slices.Clone(b.blocks)
		blocks[4] = Block{Hash: chain.HashBlock(raw), Header: raw, Txs: last.Txs}
		forged := *b
		forged.blocks = blocks
		report := forged.verify(t, inMemory(2))
		tt.want.check(t, name, report)
		// The transactions are later than a time that goes back.
		if report.ProblemCount != 1 && name != "a time that goes back" || report.Problems[0].Hash != blocks[4].Hash.String() {
			t.Errorf("%s: got %+v, want one problem with the block's hash", name, report.Problems)
		}
	}
}

// TestGenesisOnlyInBlock0 checks that a genesis in any other position has no effect, so that the
// chain lacks one.
func TestGenesisOnlyInBlock0(t *testing.T) {
	t.Parallel()
	raw := (&chain.Tx{Data: &chain.Genesis{Name: "test/1", Rules: testRules()}}).Raw()
	for name, add := range map[string]func(r *Replay){
		"in block 1": func(r *Replay) {
			first := forge(0, chain.Hash{}, 1)
			r.Block(first)
			r.Block(forge(1, first.Hash, 1, raw))
		},
		"second":        func(r *Replay) { r.Block(forge(0, chain.Hash{}, 1, []byte("{}"), raw)) },
		"without block": func(r *Replay) { r.Pending(raw) },
	} {
		report := run(t, Options{}, add)
		if last := report.Problems[len(report.Problems)-1]; report.Name != "" || last.Expected != "a genesis transaction" {
			t.Errorf("%s: got %+v, want no genesis", name, report)
		}
	}
}

// TestMalformedHeader checks that a header that is not canonical is a problem although its hash
// is correct.
func TestMalformedHeader(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	raw := append(bytes.Clone(b.blocks[4].Header), ' ')
	b.blocks[4].Header, b.blocks[4].Hash = raw, chain.HashBlock(raw)
	problemMatch{4, "block header", "a canonical header"}.check(t, "white space", b.verify(t, Options{}))
}

// TestTimeNeverGoesBack checks that block times are compared with the highest so far: one block
// from the future must not hide later ones.
func TestTimeNeverGoesBack(t *testing.T) {
	t.Parallel()
	var blocks []Block
	var prev chain.Hash
	genesis := chain.Tx{Data: &chain.Genesis{Name: "test/1", Rules: testRules()}}
	for i, time := range []int64{10, 10, 30, 20, 29, 30} {
		var txs [][]byte
		if i == 0 {
			txs = [][]byte{genesis.Raw()}
		}
		blocks = append(blocks, forge(int64(i), prev, time, txs...))
		prev = blocks[i].Hash
	}
	report := run(t, Options{}, func(r *Replay) {
		for _, b := range blocks {
			r.Block(b)
		}
	})
	got := fmt.Sprint(report.ProblemCount)
	for _, p := range report.Problems {
		got += fmt.Sprintf(" %d:%s", p.Height, p.What)
	}
	if want := "2 3:block time 4:block time"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// forgedChain is a chain that an operator might seal, with correct hashes, and its first problem.
type forgedChain struct {
	blocks [][]*chain.Tx
	want   problemMatch // height -2 marks a valid chain
}

func forgedChains() map[string]forgedChain {
	genesis := &chain.Tx{Data: &chain.Genesis{Name: "test/1", Rules: testRules()}}
	invalidRules := &chain.Tx{Data: &chain.Genesis{Name: "test/1"}}
	create := func(who chain.Address, time int64) *chain.Tx {
		return &chain.Tx{Actor: who, Time: time, Data: &chain.AccountCreate{Commitment: hashOf(1), AccountKind: chain.Full},
			Transfers: []chain.Transfer{coins(none, who, 1000)}}
	}
	faucet := func(who chain.Address, nonce, amount int64) *chain.Tx {
		return &chain.Tx{Actor: who, Nonce: nonce, Data: &chain.Faucet{},
			Transfers: []chain.Transfer{coins(none, who, amount)}}
	}
	start := &chain.Tx{Actor: alice, Nonce: 1,
		Data: &chain.RunStart{RunID: "r1", Entry: chain.EntryFree, Commitment: hashOf(1), NextCommitment: hashOf(2)}}
	again := &chain.Tx{Actor: alice, Nonce: 3,
		Data: &chain.RunStart{RunID: "r2", Entry: chain.EntryFree, Commitment: hashOf(2), NextCommitment: hashOf(3)}}
	won := []chain.Transfer{move(1, 1, none, alice)}
	end := &chain.Tx{Actor: alice, Nonce: 2,
		Data: &chain.RunEnd{RunID: "r1", Status: chain.RunClaimed, Cleared: 1, Throws: 1}, Transfers: won}
	endAgain := &chain.Tx{Actor: alice, Nonce: 4,
		Data: &chain.RunEnd{RunID: "r2", Status: chain.RunClaimed, Cleared: 1, Throws: 1}, Transfers: won}
	closing := &chain.Tx{Data: &chain.SeasonClose{Season: 1, TableHash: hashOf(2)}}
	return map[string]forgedChain{
		"an account":         {[][]*chain.Tx{{genesis}, {create(alice, 1)}}, problemMatch{height: -2}},
		"empty blocks later": {[][]*chain.Tx{{genesis}, {}, {create(alice, 1)}, {}}, problemMatch{height: -2}},
		"no block":           {nil, problemMatch{-1, "chain", "genesis"}},
		"no transaction":     {[][]*chain.Tx{{}, {}}, problemMatch{0, "number of transactions", "genesis alone"}},
		"no genesis":         {[][]*chain.Tx{{create(alice, 1)}}, problemMatch{0, "transaction", "genesis first"}},
		"genesis late":       {[][]*chain.Tx{{}, {genesis}}, problemMatch{0, "number of transactions", "genesis alone / 0"}},
		"genesis late, after another transaction": {[][]*chain.Tx{{closing}, {genesis}},
			problemMatch{0, "transaction", "genesis first"}},
		"genesis not alone": {[][]*chain.Tx{{genesis, create(alice, 1)}},
			problemMatch{0, "number of transactions", "genesis alone / 2"}},
		"genesis second": {[][]*chain.Tx{{create(alice, 1), genesis}},
			problemMatch{0, "number of transactions", "genesis alone / 2"}},
		"genesis twice": {[][]*chain.Tx{{genesis}, {genesis}},
			problemMatch{1, "transaction", "one genesis, alone in block 0"}},
		"genesis with invalid rules": {[][]*chain.Tx{{invalidRules}, {create(alice, 1)}},
			problemMatch{0, "transaction", "1 to 62 tiers"}},
		"an account twice": {[][]*chain.Tx{{genesis}, {create(alice, 0), create(alice, 1)}},
			problemMatch{1, "account " + alice.String(), "exists already"}},
		"a transaction twice": {[][]*chain.Tx{{genesis},
			{create(alice, 1), faucet(alice, 1, 200), faucet(alice, 1, 200)}}, problemMatch{1, "account",
			"nonce is 1, and must be 2"}},
		"a transaction missing": {[][]*chain.Tx{{genesis}, {create(alice, 1), faucet(alice, 2, 200)}},
			problemMatch{1, "account", "nonce is 2, and must be 1"}},
		"too much from the faucet": {[][]*chain.Tx{{genesis}, {create(alice, 1), faucet(alice, 1, 201)}},
			problemMatch{1, "transaction", "not those of its kind"}},
		"new rules": {[][]*chain.Tx{{genesis},
			{create(alice, 1), rulesTx(1, 300), beginTx(1), faucet(alice, 1, 300)}, {rulesTx(2, 400), beginTx(2),
				faucet(alice, 2, 400)}}, problemMatch{height: -2}},
		"new rules and an old amount": {[][]*chain.Tx{{genesis},
			{create(alice, 1), rulesTx(1, 300), beginTx(1), faucet(alice, 1, 200)}},
			problemMatch{1, "transaction", "not those of its kind"}},
		"a rules number skipped": {[][]*chain.Tx{{genesis}, {rulesTx(2, 300)}},
			problemMatch{1, "transaction", "rules number 1"}},
		"a rules number repeated": {[][]*chain.Tx{{genesis}, {rulesTx(1, 300), beginTx(1), rulesTx(1, 400)}},
			problemMatch{1, "transaction", "rules number 2"}},
		"rules with the number of genesis": {[][]*chain.Tx{{genesis}, {rulesTx(0, 300)}},
			problemMatch{1, "transaction", "rules number 1"}},
		"invalid rules": {[][]*chain.Tx{{genesis}, {rulesTx(1, 0)}},
			problemMatch{1, "transaction", "entry fee and faucet"}},
		"rules before genesis": {[][]*chain.Tx{{rulesTx(1, 300)}},
			problemMatch{0, "transaction", "genesis first"}},
		"a token twice": {[][]*chain.Tx{{genesis},
			{create(alice, 1), start, end, again, endAgain}}, problemMatch{1, "token 1", "created once"}},
	}
}

// rulesTx returns a rules transaction with the given faucet amount.
func rulesTx(number, amount int64) *chain.Tx {
	rules := testRules()
	rules.FaucetAmount = amount
	return &chain.Tx{Data: &chain.RulesChange{Number: number, Rules: rules}}
}

// forgedBeginnings are chains that break a rule about the beginning of announced rules.
func forgedBeginnings() map[string]forgedChain {
	genesis := &chain.Tx{Data: &chain.Genesis{Name: "test/1", Rules: testRules()}}
	create := &chain.Tx{Actor: alice, Time: 1, Data: &chain.AccountCreate{Commitment: hashOf(1), AccountKind: chain.Full},
		Transfers: []chain.Transfer{coins(none, alice, 1000)}}
	faucet := &chain.Tx{
		Actor:     alice,
		Nonce:     1,
		Data:      &chain.Faucet{},
		Transfers: []chain.Transfer{coins(none, alice, 300)},
	}
	return map[string]forgedChain{
		"rules that have not begun": {[][]*chain.Tx{{genesis}, {create, rulesTx(1, 300), faucet}},
			problemMatch{1, "transaction", "not those of its kind"}},
		"rules begun twice": {[][]*chain.Tx{{genesis}, {rulesTx(1, 300), beginTx(1), beginTx(1)}},
			problemMatch{1, "transaction", "rules that were announced and wait"}},
		"other rules begun": {[][]*chain.Tx{{genesis}, {rulesTx(1, 300), beginTx(2)}},
			problemMatch{1, "transaction", "the beginning of the rules number 1"}},
	}
}

// beginTx returns the beginning of rules.
func beginTx(number int64) *chain.Tx { return &chain.Tx{Data: &chain.RulesBegin{Number: number}} }

// TestForgedChains replays chains with correct hashes that break one rule.
func TestForgedChains(t *testing.T) {
	t.Parallel()
	chains := forgedChains()
	maps.Copy(chains, forgedBeginnings())
	for name, tt := range chains {
		var blocks []Block
		var prev chain.Hash
		for height, txs := range tt.blocks {
			var raws [][]byte
			for _, tx := range txs {
				raws = append(raws, tx.Raw())
			}
			blocks = append(blocks, forge(int64(height), prev, 1, raws...))
			prev = blocks[height].Hash
		}
		for _, opts := range []Options{{}, inMemory(3)} {
			report := run(t, opts, func(r *Replay) {
				for _, b := range blocks {
					r.Block(b)
				}
			})
			if tt.want.height != -2 {
				tt.want.check(t, name, report)
			} else if !report.Valid() {
				t.Errorf("%s: got %+v, want a valid chain", name, report.Problems)
			}
		}
	}
}

// TestAccountOnEscrow checks that no account can be opened at a duel's escrow, where it could
// spend the stakes.
func TestAccountOnEscrow(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	escrow := chain.Escrow("d3")
	theft := chain.Tx{Actor: escrow, Time: b.time,
		Data:      &chain.AccountCreate{Commitment: hashOf(5), AccountKind: chain.Full},
		Transfers: []chain.Transfer{coins(none, escrow, 1000)}}
	b.pendingTxs = append(b.pendingTxs, theft.Raw())
	problemMatch{-1, "account " + escrow.String(), "exists already"}.check(t, "theft", b.verify(t, Options{}))
}

// TestReplayContinuesAfterProblem checks that a forbidden transaction has no effect and that the
// rest of the chain is applied.
func TestReplayContinuesAfterProblem(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	want := b.verify(t, Options{})
	gift := chain.Tx{Actor: alice, Nonce: b.accounts[alice].Nonce, Data: &chain.Faucet{},
		Transfers: []chain.Transfer{coins(none, alice, 5000)}}
	b.pendingTxs = slices.Insert(b.pendingTxs, 0, gift.Raw())
	got := b.verify(t, inMemory(3))
	if got.ProblemCount != 1 || got.Problems[0].Hash != chain.HashTx(gift.Raw()).String() {
		t.Fatalf("got %+v, want the forbidden transaction alone", got.Problems)
	}
	if got.Created != want.Created || got.Addresses != want.Addresses || !bytes.Equal(got.HeaderRaw, want.HeaderRaw) {
		t.Errorf("got %+v, want everything else as in %+v", got, want)
	}
}
