package verify_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/chain/export"
	"roshambo/internal/platform/testseed"
	"roshambo/verify"
)

// rawChain is a chain as the raws of each block's transactions.
type rawChain [][]string

// firstTime is the time of genesis, and lateBlock the first block after the end of the first season,
// which is over at lateTime.
const (
	firstTime = 7
	lateBlock = 7
)

var lateTime = chain.SeasonEnd(firstTime, 1)

// timeOfBlock returns the time of a block.
func timeOfBlock(height int) int64 {
	switch {
	case height == lateBlock-1: // announces rules
		return firstTime + 3*chain.RulesTrial
	case height < lateBlock:
		return firstTime + int64(1000*height)
	}
	return lateTime + int64(1000*height)
}

// header returns the header of a block, after one with the hash.
func (l rawChain) header(height int, prev chain.Hash) []byte {
	var hashes []chain.Hash
	for _, raw := range l[height] {
		hashes = append(hashes, chain.HashTx([]byte(raw)))
	}
	return chain.Header{
		Height: int64(height), MerkleRoot: chain.MerkleRoot(hashes), Prev: prev, Time: timeOfBlock(height),
		TxCount: int64(len(hashes)),
	}.Raw()
}

// seal returns the export of the chain, with correct hashes, roots and signatures for any raws.
func (l rawChain) seal(tb testing.TB, signer note.Signer, key string, cosigners ...note.Signer) []byte {
	tb.Helper()
	var body []byte
	var tree chain.Tree
	var prev chain.Hash
	txs := int64(0)
	for height, raws := range l {
		block := export.Block{}
		for _, raw := range raws {
			block.Txs = append(block.Txs, []byte(raw))
			block.Transcripts = append(block.Transcripts, transcriptsOf(raw)...)
		}
		block.Header = l.header(height, prev)
		prev = chain.HashBlock(block.Header)
		tree.Add(chain.LeafHash(block.Header))
		body = export.AppendBlock(body, block)
		txs += int64(len(raws))
	}
	root := tree.Root()
	text := fmt.Sprintf("%s\n%d\n%s\n", signer.Name(), len(l), base64.StdEncoding.EncodeToString(root[:]))
	signed, err := note.Sign(&note.Note{Text: text}, append([]note.Signer{signer}, cosigners...)...)
	if err != nil {
		tb.Fatal(err)
	}
	out := export.AppendInfo(nil, export.Info{Blocks: int64(len(l)), Transactions: txs, VerifierKey: key})
	return export.AppendCheckpoint(append(out, body...), string(signed))
}

// writer builds a chain transaction by transaction.
type writer struct {
	time    int64 // of the next transactions
	nonces  map[chain.Address]int64
	next    map[chain.Address]chain.Hash // outstanding commitments
	renewed byte                         // commitments so far
	games   player
	raws    []string
	blocks  rawChain
}

func (w *writer) post(actor chain.Address, data chain.Data, transfers ...chain.Transfer) {
	w.games.play(data, transfers)
	tx := chain.Tx{Actor: actor, Time: w.time, Data: data, Transfers: transfers}
	if actor != (chain.Address{}) {
		tx.Nonce = w.nonces[actor]
		w.nonces[actor]++
	}
	w.raws = append(w.raws, string(tx.Raw()))
}

// create opens an account with the given coins.
func (w *writer) create(who chain.Address, coins int64) {
	w.post(who, &chain.AccountCreate{Commitment: chain.Hash{99}, AccountKind: chain.Full},
		coinsOf(chain.Address{}, who, coins))
}

func (w *writer) seal() { w.blocks, w.raws = append(w.blocks, w.raws), nil }

func coinsOf(from, to chain.Address, amount int64) chain.Transfer {
	return chain.Transfer{Amount: amount, From: from, To: to}
}

func tokenOf(id, tier int64, from, to chain.Address) chain.Transfer {
	return chain.Transfer{Token: true, TokenID: id, Tier: tier, From: from, To: to}
}

// standardRules are the first rules of the valid chain.
func standardRules() chain.Rules {
	return chain.Rules{
		BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, FaucetPause: 5, FreePerDay: 2, MarketFeeBPS: 250,
		StartingBalance: 1000,
		Tiers: []chain.Tier{{Material: "Clay", Value: 96}, {Material: "Wood", Value: 192},
			{Material: "Stone", Value: 384}},
	}
}

// validChain returns a chain with every kind of transaction, in nine blocks. The last two follow
// the end of the first season.
func validChain(name string) *writer {
	none, alice, bob, carol := chain.Address{}, chain.Address{1}, chain.Address{2}, chain.Address{3}
	rules := standardRules()
	w := &writer{time: firstTime, nonces: map[chain.Address]int64{}, games: player{runs: map[string]begun{}},
		next: map[chain.Address]chain.Hash{}}
	w.post(none, &chain.Genesis{Name: name, Rules: rules})
	w.seal()
	w.games.genesis = chain.HashBlock(w.blocks.header(0, chain.Hash{}))
	for i, who := range []chain.Address{alice, bob, carol} {
		w.post(who,
			&chain.AccountCreate{Commitment: chain.Hash{byte(i + 1)},
				AccountKind: []chain.AccountKind{chain.Guest, chain.Full, chain.Bot}[i]},
			coinsOf(none, who, 1000))
	}
	w.seal()
	bound := map[string]bool{}
	for i, who := range []chain.Address{alice, bob, carol} {
		w.next[who] = chain.Hash{byte(i + 1)}
	}
	start := func(who chain.Address, id string, entry chain.Entry, first int64, entryPaid ...chain.Transfer) {
		used := w.next[who]
		// With coins of the faucet, and as the service decides.
		bound[id] = who == alice && entry == chain.EntryFee || id == "r7"
		w.post(who,
			&chain.RunStart{Bound: bound[id], ClientSeedHash: chain.HashText("é"), Commitment: used, Entry: entry,
				FirstTier: first, NextCommitment: w.renew(who), RunID: id}, entryPaid...)
	}
	end := func(who chain.Address, id string, status chain.RunStatus, cleared, throws int64, won ...chain.Transfer) {
		w.post(who,
			&chain.RunEnd{Bound: bound[id], Cleared: cleared, RunID: id, Status: status, Throws: throws,
				TranscriptHash: chain.Hash{7}}, won...)
	}
	w.post(alice, &chain.Faucet{}, coinsOf(none, alice, 200))
	start(alice, "r1", chain.EntryFee, 0, coinsOf(alice, none, 50))
	end(alice, "r1", chain.RunLost, 1, 2)
	start(alice, "r2", chain.EntryFree, 0)
	end(alice, "r2", chain.RunClaimed, 2, 3, tokenOf(1, 2, none, alice))
	w.seal()
	w.post(bob, &chain.MarketSale{ListingID: 1}, coinsOf(bob, alice, 98), coinsOf(bob, none, 2), tokenOf(1, 0, alice, bob))
	start(bob, "r3", chain.EntryBurn, 2, tokenOf(1, 0, bob, none))
	end(bob, "r3", chain.RunClaimed, 3, 1, tokenOf(2, 3, none, bob))
	w.post(bob, &chain.Buyback{OfferID: 1}, tokenOf(2, 0, bob, none), coinsOf(none, bob, 307))
	start(bob, "r4", chain.EntryDaily, 0)
	end(bob, "r4", chain.RunAbandoned, 0, 1)
	w.seal()
	w.duels(alice, bob, carol)
	w.seal()
	w.recover(start, end)
	w.time += 2 * chain.RulesTrial // can begin a day later, before lateTime
	w.announce(rules)
	w.time = lateTime
	w.post(none, &chain.RulesBegin{Number: 1})
	w.post(alice, &chain.AccountSecure{})
	w.post(alice, &chain.Faucet{}, coinsOf(none, alice, 200))
	start(alice, "r9", chain.EntryFree, 0)
	end(alice, "r9", chain.RunLost, 0, 1)
	start(bob, "r10", chain.EntryDaily, 0)
	end(bob, "r10", chain.RunLost, 0, 1)
	start(alice, "r7", chain.EntryFree, 0)
	end(alice, "r7", chain.RunClaimed, 2, 2, tokenOf(5, 2, none, alice))
	w.post(alice, &chain.Buyback{Bound: true, OfferID: 2}, tokenOf(5, 0, alice, none), coinsOf(none, alice, 153))
	w.post(none, &chain.SeasonClose{Season: 1, TableHash: chain.Hash{8}})
	w.results()
	w.cup(2)
	w.cup(1)
	w.seal()
	start(carol, "r5", chain.EntryFee, 0, coinsOf(carol, none, 60))
	w.seal()
	return w
}

// results declares two results void, and restores one of them.
func (w *writer) results() {
	var none chain.Address
	for _, game := range []string{"duel:d1", "run:r7"} {
		w.post(none, &chain.ResultVoid{Game: game, ReasonHash: chain.Hash{9}})
	}
	w.post(none, &chain.ResultRestore{Game: "run:r7", ReasonHash: chain.Hash{10}})
}

// announce posts rules with an entry fee of 60.
func (w *writer) announce(rules chain.Rules) {
	rules.EntryFee = 60
	w.post(chain.Address{}, &chain.RulesChange{Number: 1, Rules: rules})
	w.seal()
}

// duels posts duels with and without a stake, an opponent and the sparring bot.
func (w *writer) duels(alice, bob, carol chain.Address) {
	var none chain.Address
	w.post(alice, &chain.DuelStake{DuelID: "d1"}, coinsOf(alice, chain.Escrow("d1"), 30))
	w.post(bob, &chain.DuelStake{DuelID: "d1"}, coinsOf(bob, chain.Escrow("d1"), 30))
	w.post(none,
		&chain.DuelSettle{A: alice, B: bob, DuelID: "d1", Rated: true, Winner: "b",
			TranscriptHash: chain.Hash{7}}, coinsOf(chain.Escrow("d1"), bob, 60))
	w.post(none, &chain.DuelSettle{A: alice, B: carol, DuelID: "d2", Rated: true, TranscriptHash: chain.Hash{7}})
	w.post(none, &chain.DuelSettle{A: alice, B: bob, DuelID: "d5", Winner: "b"})
	w.post(none, &chain.DuelSettle{A: bob, B: chain.SparringBot(), DuelID: "d6", Winner: "b"})
	w.post(carol, &chain.DuelStake{DuelID: "d3"}, coinsOf(carol, chain.Escrow("d3"), 40))
	w.post(none, &chain.DuelSettle{A: carol, DuelID: "d3", TranscriptHash: chain.Hash{7}},
		coinsOf(chain.Escrow("d3"), carol, 40))
}

// invalidTxs append transactions that the rules forbid to the valid chain, each for one reason.
func invalidTxs() map[string]func(w *writer) {
	var none chain.Address
	alice, bob, carol := chain.Address{1}, chain.Address{2}, chain.Address{3}
	claim := func(id, tier int64) func(w *writer) {
		return func(w *writer) {
			w.post(carol,
				&chain.RunEnd{Cleared: tier, RunID: "r5", Status: chain.RunClaimed, Throws: 9,
					TranscriptHash: chain.Hash{7}}, tokenOf(id, tier, none, carol))
		}
	}
	post := func(data chain.Data) func(w *writer) { return func(w *writer) { w.post(none, data) } }
	return map[string]func(w *writer){
		"a result voided twice":                 post(&chain.ResultVoid{Game: "duel:d1"}),
		"the result of an unrated duel voided":  post(&chain.ResultVoid{Game: "duel:d5"}),
		"the result of an open duel voided":     post(&chain.ResultVoid{Game: "duel:d3"}),
		"a result voided without a game":        post(&chain.ResultVoid{}),
		"a result restored twice":               post(&chain.ResultRestore{Game: "run:r7"}),
		"a result voided after it was restored": post(&chain.ResultVoid{Game: "run:r7"}),
		"a valid result restored":               post(&chain.ResultRestore{Game: "run:r10"}),
		"a token created twice":                 claim(1, 1),
		"a tier beyond the highest":             claim(9, 4),
		"a sale without a token":                func(w *writer) { w.post(bob, &chain.MarketSale{ListingID: 2}) },
		"a sale without a price": func(w *writer) {
			claim(9, 1)(w)
			w.post(bob, &chain.MarketSale{ListingID: 2}, tokenOf(9, 0, carol, bob))
		},
		"a buyback without a token": func(w *writer) { w.post(bob, &chain.Buyback{OfferID: 2}) },
		"a buyback at the price of another tier": func(w *writer) {
			claim(9, 1)(w)
			w.post(carol, &chain.Buyback{OfferID: 2}, tokenOf(9, 0, carol, none), coinsOf(none, carol, 153))
		},
		"a burnt token of another tier": func(w *writer) {
			claim(9, 1)(w)
			w.post(carol,
				&chain.RunStart{Commitment: w.next[carol], Entry: chain.EntryBurn, FirstTier: 2, NextCommitment: chain.Hash{23},
					RunID: "r6"}, tokenOf(9, 0, carol, none))
		},
		"a season closed twice": func(w *writer) {
			w.post(none, &chain.SeasonClose{Season: 1, TableHash: chain.Hash{8}})
		},
		"a cup closed twice":            func(w *writer) { w.post(none, &chain.CupClose{Cup: 2, TableHash: chain.Hash{9}}) },
		"an account twice":              func(w *writer) { w.nonces[bob] = 0; w.create(bob, 1000) },
		"more coins than the start":     func(w *writer) { w.create(chain.Address{9}, 1001) },
		"too much from the faucet":      func(w *writer) { w.post(alice, &chain.Faucet{}, coinsOf(none, alice, 201)) },
		"the faucet to another account": func(w *writer) { w.post(alice, &chain.Faucet{}, coinsOf(none, bob, 200)) },
		"a stake above the balance": func(w *writer) {
			w.post(alice, &chain.DuelStake{DuelID: "d4"}, coinsOf(alice, chain.Escrow("d4"), 1<<31-1))
		},
		"the end of another account's run": func(w *writer) {
			w.post(alice, &chain.RunEnd{RunID: "r5", Status: chain.RunAbandoned, TranscriptHash: chain.Hash{7}})
		},
		"more tiers than throws": func(w *writer) {
			w.post(carol,
				&chain.RunEnd{Cleared: 2, RunID: "r5", Status: chain.RunAbandoned, Throws: 1, TranscriptHash: chain.Hash{7}})
		},
		"lost without a throw": func(w *writer) {
			w.post(carol, &chain.RunEnd{RunID: "r5", Status: chain.RunLost, TranscriptHash: chain.Hash{7}})
		},
		"claimed without a tier": func(w *writer) {
			w.post(carol, &chain.RunEnd{RunID: "r5", Status: chain.RunClaimed, TranscriptHash: chain.Hash{7}},
				tokenOf(9, 1, none, carol))
		},
		"invalid rules": func(w *writer) { w.post(none, &chain.RulesChange{Number: 2}) },
	}
}

// invalidDuels are the invalid transactions of duels.
func invalidDuels() map[string]func(w *writer) {
	var none chain.Address
	alice, bob, carol := chain.Address{1}, chain.Address{2}, chain.Address{3}
	settle := func(d chain.DuelSettle, entryPaid ...chain.Transfer) func(w *writer) {
		return func(w *writer) {
			w.post(alice, &chain.DuelStake{DuelID: "d4"}, coinsOf(alice, chain.Escrow("d4"), 5))
			w.post(bob, &chain.DuelStake{DuelID: "d4"}, coinsOf(bob, chain.Escrow("d4"), 5))
			d.DuelID = "d4"
			w.post(none, &d, entryPaid...)
		}
	}
	return map[string]func(w *writer){
		"two stakes of one side": func(w *writer) {
			w.post(alice, &chain.DuelStake{DuelID: "d4"}, coinsOf(alice, chain.Escrow("d4"), 5))
			w.post(alice, &chain.DuelStake{DuelID: "d4"}, coinsOf(alice, chain.Escrow("d4"), 5))
		},
		"a stake in a duel that is settled": func(w *writer) {
			w.post(alice, &chain.DuelStake{DuelID: "d1"}, coinsOf(alice, chain.Escrow("d1"), 5))
		},
		"an escrow with an account": func(w *writer) {
			w.create(chain.Escrow("d4"), 1000)
			w.post(alice, &chain.DuelStake{DuelID: "d4"}, coinsOf(alice, chain.Escrow("d4"), 5))
		},
		"an account at an escrow that holds stakes": func(w *writer) {
			w.post(alice, &chain.DuelStake{DuelID: "d4"}, coinsOf(alice, chain.Escrow("d4"), 5))
			w.create(chain.Escrow("d4"), 1000)
		},
		"a duel settled twice": func(w *writer) {
			w.post(none, &chain.DuelSettle{A: alice, B: carol, DuelID: "d2", Rated: true})
		},
		"a duel against oneself": func(w *writer) {
			w.post(none, &chain.DuelSettle{A: alice, B: alice, DuelID: "d4", Rated: true})
		},
		"a duel without a stake and an opponent": func(w *writer) {
			w.post(none, &chain.DuelSettle{A: alice, DuelID: "d4"})
		},
		"a rated duel against the sparring bot": func(w *writer) {
			w.post(none, &chain.DuelSettle{A: alice, B: chain.SparringBot(), DuelID: "d4", Rated: true})
		},
		"a sparring bot that is side a": func(w *writer) {
			w.post(none, &chain.DuelSettle{A: chain.SparringBot(), B: bob, DuelID: "d4"})
		},
		"a duel with a missing account": func(w *writer) {
			w.post(none, &chain.DuelSettle{A: alice, B: chain.Address{9}, DuelID: "d4", Rated: true})
		},
		"a rated duel without b": func(w *writer) { w.post(none, &chain.DuelSettle{A: alice, DuelID: "d4", Rated: true}) },
		"the pot to a third": settle(chain.DuelSettle{A: alice, B: bob, Winner: "a"},
			coinsOf(chain.Escrow("d4"), carol, 10)),
		"a part of the pot": settle(chain.DuelSettle{A: alice, B: bob, Winner: "a"},
			coinsOf(chain.Escrow("d4"), alice, 8)),
		"the sides swapped, and the pot to b": settle(chain.DuelSettle{A: bob, B: alice, Winner: "a"},
			coinsOf(chain.Escrow("d4"), alice, 10)),
		"nothing of the pot": settle(chain.DuelSettle{A: alice, B: bob, Winner: "a", Rated: true}),
	}
}

// mutant returns a copy of the chain with one change, and its description.
func (l rawChain) mutant(random *rand.Rand) (rawChain, string) {
	out := make(rawChain, len(l))
	for i := range l {
		out[i] = slices.Clone(l[i])
	}
	b := random.IntN(len(out))
	i := random.IntN(len(out[b]))
	where := fmt.Sprintf("transaction %d of block %d", i, b)
	switch random.IntN(20) {
	case 0:
		out[b] = slices.Delete(out[b], i, i+1)
		return out, where + " left out"
	case 1:
		to := random.IntN(len(out))
		out[to] = slices.Insert(out[to], random.IntN(len(out[to])+1), out[b][i])
		return out, where + " twice"
	case 2:
		to := random.IntN(len(out))
		j := random.IntN(len(out[to]))
		out[b][i], out[to][j] = out[to][j], out[b][i]
		return out, fmt.Sprintf("%s swapped with %d of block %d", where, j, to)
	case 3:
		return out[:b], fmt.Sprintf("cut off at block %d", b)
	case 4:
		return slices.Insert(out, b, []string{}), fmt.Sprintf("an empty block %d", b)
	}
	before := out[b][i]
	out[b][i] = l.mutateRaw(before, random)
	if random.IntN(2) == 0 { // drop the rest, which could reveal the change
		out, out[b] = out[:b+1], out[b][:i+1]
	}
	return out, fmt.Sprintf("%s: %s -> %s", where, before, out[b][i])
}

// mutateRaw changes one value of a raw: to a value of the same member elsewhere in the chain, to a
// nearby number, or to null; or it removes the member.
func (l rawChain) mutateRaw(raw string, random *rand.Rand) string {
	var tx any
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&tx); err != nil {
		panic(err)
	}
	type location struct {
		name  string
		value any
		set   func(any)
		drop  func()
	}
	var locations []location
	var walk func(name string, v any, set func(any), drop func())
	walk = func(name string, v any, set func(any), drop func()) {
		locations = append(locations, location{name, v, set, drop})
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(k, v[k], func(x any) { v[k] = x }, func() { delete(v, k) })
			}
		case []any:
			for i := range v {
				walk(name, v[i], func(x any) { v[i] = x }, func() { set(slices.Delete(slices.Clone(v), i, i+1)) })
			}
		}
	}
	walk("", tx, func(x any) { tx = x }, func() {})
	// Choose the member first, so that long lists are not chosen too often.
	names := map[string][]location{}
	for _, s := range locations[1:] {
		names[s.name] = append(names[s.name], s)
	}
	member := slices.Sorted(maps.Keys(names))[random.IntN(len(names))]
	at := names[member][random.IntN(len(names[member]))]
	number, isNumber := at.value.(json.Number)
	word, isText := at.value.(string)
	switch pick := random.IntN(9); {
	case pick == 8 && isText:
		at.set(word + "x")
	case pick == 0:
		at.drop()
	case pick == 1:
		at.set(nil)
	case pick < 5 && isNumber:
		n, _ := number.Int64()
		at.set(json.Number(fmt.Sprint([]int64{0, 1, n + 1, max(n-1, 0), 2 * n, 1 << 31, 1<<53 - 1}[random.IntN(7)])))
	default:
		at.set(l.mismatch(at.name, random))
	}
	b, err := json.Marshal(tx)
	if err != nil {
		panic(err)
	}
	if b, err = jcs.Transform(b); err != nil {
		panic(err)
	}
	return string(b)
}

// another returns a value that a member of that name, or of a similar one, has in the chain.
func (l rawChain) mismatch(name string, random *rand.Rand) any {
	alike := map[string][]string{"from": {"from", "to", "actor", "a", "b"}, "to": {"from", "to", "actor", "a", "b"},
		"actor": {"from", "to", "a", "b"}, "commitment": {"commitment", "next_commitment"}, "next_commitment": {"commitment",
			"next_commitment"},
		"run_id": {"run_id", "duel_id"}, "tier": {"tier", "cleared"}}
	names := append([]string{name}, alike[name]...)
	var found []any
	var walk func(name string, v any)
	walk = func(name string, v any) {
		if slices.Contains(names, name) {
			found = append(found, v)
		}
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				walk(k, v[k])
			}
		case []any:
			for _, x := range v {
				walk("", x)
			}
		}
	}
	for _, block := range l {
		for _, raw := range block {
			var tx any
			d := json.NewDecoder(strings.NewReader(raw))
			d.UseNumber()
			if d.Decode(&tx) == nil {
				walk("", tx)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	// Sort by text: the order of maps is random.
	slices.SortFunc(found, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return found[random.IntN(len(found))]
}

// TestPinOfChain checks that a pin is required whatever its text: the right key passes, and another
// key and malformed texts, "" included, are problems.
func TestPinOfChain(t *testing.T) {
	t.Parallel()
	private, key, err := note.GenerateKey(rand.NewChaCha8([32]byte{1}), "mutants/1")
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := note.GenerateKey(rand.NewChaCha8([32]byte{2}), "mutants/1")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	text := validChain("mutants/1").blocks.seal(t, signer, key)
	for _, tt := range []struct {
		pin   *string
		valid bool
	}{{nil, true}, {&key, true}, {&other, false}, {new(""), false}, {new(" "), false}, {new("house"), false}} {
		report, err := verify.Export(bytes.NewReader(text), verify.ChainOptions{Key: tt.pin})
		if err != nil {
			t.Fatal(err)
		}
		if report.Valid != tt.valid {
			t.Errorf("pin %v: valid %v, want %v: %v", tt.pin, report.Valid, tt.valid, report.Problems)
		}
	}
}

// TestPythonAcceptsSameChains compares Python and Go on chains with one change each, and with correct
// hashes and signatures.
func TestPythonAcceptsSameChains(t *testing.T) {
	t.Parallel()
	random := testseed.Rand(t)
	private, key, err := note.GenerateKey(rand.NewChaCha8([32]byte{1}), "mutants/1")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	validChain := validChain(signer.Name())
	rounds := 2500
	if testing.Short() {
		rounds = 400
	}
	exports, about := [][]byte{validChain.blocks.seal(t, signer, key)}, []string{"the valid chain"}
	invalid := invalidTxs()
	maps.Copy(invalid, invalidDuels())
	maps.Copy(invalid, invalidValue())
	maps.Copy(invalid, invalidLimits())
	maps.Copy(invalid, invalidRecoveries())
	for name, corrupt := range invalid {
		w := validChain.clone()
		corrupt(w)
		w.seal()
		exports, about = append(exports, w.blocks.seal(t, signer, key)), append(about, name)
	}
	handWritten := len(exports)
	for range rounds {
		mutant, where := validChain.blocks.mutant(random)
		exports, about = append(exports, mutant.seal(t, signer, key)), append(about, where)
	}
	cmd := twin(t, "python3", "testdata/twin.py", "exports")
	var input, stderr bytes.Buffer
	for _, e := range exports {
		input.WriteString(base64.StdEncoding.EncodeToString(e) + "\n")
	}
	cmd.Stdin, cmd.Stderr = &input, &stderr
	out, err := cmd.Output()
	results := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil || len(results) != len(exports) {
		t.Fatalf("%v, %d results for %d exports\n%s", err, len(results), len(exports), stderr.Bytes())
	}
	valid := 0
	for i, e := range exports {
		report, err := verify.Export(bytes.NewReader(e), verify.ChainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if python := results[i] == ""; python != report.Valid {
			t.Errorf("%s:\nGo: valid %v, %v\nPython fails: %q", about[i], report.Valid, report.Problems, results[i])
		}
		if report.Valid {
			valid++
		}
		if i < handWritten && report.Valid != (i == 0) {
			t.Errorf("%s: valid is %v: %v", about[i], report.Valid, report.Problems)
		}
	}
	t.Logf("%d of %d valid", valid, len(exports))
	if valid < 2 || valid > len(exports)/2 {
		t.Errorf("%d of %d are valid, want both results", valid, len(exports))
	}
}
