package chain

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"roshambo/canon"
)

var (
	alice = Address(bytes.Repeat([]byte{1}, 20))
	bob   = Address(bytes.Repeat([]byte{2}, 20))
)

const (
	aliceText = `"rps1qyqszqgpqyqszqgpqyqszqgpqyqszqgpe9dk27"`
	bobText   = `"rps1qgpqyqszqgpqyqszqgpqyqszqgpqyqszgptnpg"`
)

// hashOf returns a recognizable hash: one byte, 32 times.
func hashOf(b byte) Hash { return Hash(bytes.Repeat([]byte{b}, 32)) }

func hashText(b byte) string { return fmt.Sprintf(`"%v"`, hashOf(b)) }

const rulesText = `{"buyback_bps":8000,"entry_fee":50,"faucet_amount":200,"faucet_pause":4000,"free_per_day":3,"market_fee_bps":250,` +
	`"starting_balance":1000,"tiers":[{"material":"Clay","tier":1,"value":96},` +
	`{"material":"Wood","tier":2,"value":192},{"material":"Stone","tier":3,"value":384}]}`

func testRules() Rules {
	return Rules{BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, FaucetPause: 4000, FreePerDay: 3, MarketFeeBPS: 250,
		StartingBalance: 1000,
		Tiers:           []Tier{{"Clay", 96}, {"Wood", 192}, {"Stone", 384}}}
}

// knownTxs holds a transaction of each kind and shape, with its raw written by hand after the
// protocol.
var knownTxs = map[string]struct {
	tx  Tx
	raw string
}{
	"genesis": {
		Tx{Time: 1, Data: &Genesis{Name: "roshambo.example/1", Rules: testRules()}},
		`{"actor":null,"data":{"name":"roshambo.example/1","rules":` + rulesText +
			`},"kind":"genesis","nonce":0,"time":1,"transfers":[],"v":1}`,
	},
	"rules": {
		Tx{Time: 2, Data: &RulesChange{Number: 1, Rules: testRules()}},
		`{"actor":null,"data":{"number":1,"rules":` + rulesText + `},"kind":"rules","nonce":0,"time":2,"transfers":[],"v":1}`,
	},
	"rules.begin": {
		Tx{Time: 2, Data: &RulesBegin{Number: 1}},
		`{"actor":null,"data":{"number":1},"kind":"rules.begin","nonce":0,"time":2,"transfers":[],"v":1}`,
	},
	"account.create": {
		Tx{Actor: alice, Time: 3, Data: &AccountCreate{Commitment: hashOf(0xc0), AccountKind: Guest},
			Transfers: []Transfer{{Amount: 1000, To: alice}}},
		`{"actor":` + aliceText + `,"data":{"bound":false,"commitment":` + hashText(0xc0) +
			`,"kind":"guest"},"kind":"account.create","nonce":0,"time":3,` +
			`"transfers":[{"amount":1000,"asset":"coin","from":null,"to":` + aliceText + `}],"v":1}`,
	},
	"account.create with a bound start": {
		Tx{Actor: alice, Time: 3, Data: &AccountCreate{Bound: true, Commitment: hashOf(0xc0), AccountKind: Bot},
			Transfers: []Transfer{{Amount: 1000, To: alice}}},
		`{"actor":` + aliceText + `,"data":{"bound":true,"commitment":` + hashText(0xc0) +
			`,"kind":"bot"},"kind":"account.create","nonce":0,"time":3,` +
			`"transfers":[{"amount":1000,"asset":"coin","from":null,"to":` + aliceText + `}],"v":1}`,
	},
	"account.secure": {
		Tx{Actor: alice, Nonce: 1, Time: 4, Data: &AccountSecure{}},
		`{"actor":` + aliceText + `,"data":{"secured":true},"kind":"account.secure","nonce":1,"time":4,` +
			`"transfers":[],"v":1}`,
	},
	"faucet": {
		Tx{Actor: alice, Nonce: 1, Time: 4, Data: &Faucet{}, Transfers: []Transfer{{Amount: 200, To: alice}}},
		`{"actor":` + aliceText + `,"data":{},"kind":"faucet","nonce":1,"time":4,` +
			`"transfers":[{"amount":200,"asset":"coin","from":null,"to":` + aliceText + `}],"v":1}`,
	},
	"run.start by fee": {
		Tx{Actor: alice, Nonce: 2, Time: 5, Transfers: []Transfer{{Amount: 50, From: alice}},
			Data: &RunStart{ClientSeedHash: hashOf(0xcc), Commitment: hashOf(0xc0), Entry: EntryFee,
				NextCommitment: hashOf(0xc1), RunID: "é\n"}},
		`{"actor":` + aliceText + `,"data":{"bound":false,"client_seed_hash":` + hashText(0xcc) + `,"commitment":` +
			hashText(0xc0) +
			`,"entry":"fee","first_tier":0,` +
			`"next_commitment":` + hashText(0xc1) + `,"run_id":"é\n"},"kind":"run.start","nonce":2,"time":5,` +
			`"transfers":[{"amount":50,"asset":"coin","from":` + aliceText + `,"to":null}],"v":1}`,
	},
	"run.start by burning": {
		Tx{Actor: alice, Nonce: 3, Time: 6, Transfers: []Transfer{{Token: true, TokenID: 9, From: alice}},
			Data: &RunStart{ClientSeedHash: hashOf(0xcd), Commitment: hashOf(0xc1), Entry: EntryBurn, FirstTier: 2,
				NextCommitment: hashOf(0xc2), RunID: "r2"}},
		`{"actor":` + aliceText + `,"data":{"bound":false,"client_seed_hash":` + hashText(0xcd) + `,"commitment":` +
			hashText(0xc1) +
			`,"entry":"burn","first_tier":2,` +
			`"next_commitment":` + hashText(0xc2) + `,"run_id":"r2"},"kind":"run.start","nonce":3,"time":6,` +
			`"transfers":[{"asset":"token","from":` + aliceText + `,"to":null,"token_id":9}],"v":1}`,
	},
	"run.end claimed": {
		Tx{Actor: alice, Nonce: 4, Time: 7, Transfers: []Transfer{{Token: true, TokenID: 10, Tier: 3, To: alice}},
			Data: &RunEnd{Cleared: 3, RunID: "r2", Status: RunClaimed, Throws: 4, TranscriptHash: hashOf(0xdd)}},
		`{"actor":` + aliceText +
			`,"data":{"bound":false,"cleared":3,"run_id":"r2","status":"claimed","throws":4,"transcript_hash":` +
			hashText(0xdd) +
			`},"kind":"run.end","nonce":4,"time":7,"transfers":[{"asset":"token","from":null,"tier":3,"to":` + aliceText +
			`,"token_id":10}],"v":1}`,
	},
	"run.end lost": {
		Tx{Actor: alice, Nonce: 5, Time: 8,
			Data: &RunEnd{RunID: "r1", Status: RunLost, Throws: 1, TranscriptHash: hashOf(0xdd)}},
		`{"actor":` + aliceText +
			`,"data":{"bound":false,"cleared":0,"run_id":"r1","status":"lost","throws":1,"transcript_hash":` +
			hashText(0xdd) +
			`},"kind":"run.end","nonce":5,"time":8,"transfers":[],"v":1}`,
	},
	"duel.stake": {
		Tx{Actor: bob, Nonce: 1, Time: 9, Data: &DuelStake{DuelID: "7K3M9QWX"},
			Transfers: []Transfer{{Amount: 30, From: bob, To: Escrow("7K3M9QWX")}}},
		`{"actor":` + bobText +
			`,"data":{"duel_id":"7K3M9QWX"},"kind":"duel.stake","nonce":1,"time":9,"transfers":[{"amount":30,"asset":"coin",` +
			`"from":` + bobText + `,"to":"rps18s8uazf276l4upuvlz8my7t4sqnmlgaaw6933p"}],"v":1}`,
	},
	"duel.settle won": {
		Tx{Time: 10,
			Data:      &DuelSettle{A: alice, B: bob, DuelID: "7K3M9QWX", Rated: true, TranscriptHash: hashOf(0xdd), Winner: "b"},
			Transfers: []Transfer{{Amount: 60, From: Escrow("7K3M9QWX"), To: bob}}},
		`{"actor":null,"data":{"a":` + aliceText + `,"b":` + bobText +
			`,"duel_id":"7K3M9QWX","rated":true,"status":"finished","transcript_hash":` + hashText(0xdd) +
			`,"winner":"b"},"kind":"duel.settle","nonce":0,"time":10,"transfers":[{"amount":60,"asset":"coin",` +
			`"from":"rps18s8uazf276l4upuvlz8my7t4sqnmlgaaw6933p","to":` + bobText + `}],"v":1}`,
	},
	"duel.settle void": {
		Tx{Time: 10, Data: &DuelSettle{A: alice, B: bob, DuelID: "7K3M9QWX", Void: true, TranscriptHash: hashOf(0xdd)},
			Transfers: []Transfer{{Amount: 30, From: Escrow("7K3M9QWX"), To: alice},
				{Amount: 30, From: Escrow("7K3M9QWX"), To: bob}}},
		`{"actor":null,"data":{"a":` + aliceText + `,"b":` + bobText +
			`,"duel_id":"7K3M9QWX","rated":false,"status":"void","transcript_hash":` + hashText(0xdd) +
			`,"winner":null},"kind":"duel.settle","nonce":0,"time":10,"transfers":[{"amount":30,"asset":"coin",` +
			`"from":"rps18s8uazf276l4upuvlz8my7t4sqnmlgaaw6933p","to":` + aliceText + `},{"amount":30,"asset":"coin",` +
			`"from":"rps18s8uazf276l4upuvlz8my7t4sqnmlgaaw6933p","to":` + bobText + `}],"v":1}`,
	},
	"recovery": {
		Tx{Time: 10, Data: &Recovery{Lost: LostTree{Root: hashOf(0xcc), Size: 7}, ReasonHash: hashOf(0xdd), Number: 2}},
		`{"actor":null,"data":{"lost":{"root":` + hashText(0xcc) + `,"size":7},"reason_hash":` + hashText(0xdd) +
			`,"recovery":2},"kind":"recovery","nonce":0,"time":10,"transfers":[],"v":1}`,
	},
	"recovery without a lost tree": {
		Tx{Time: 10, Data: &Recovery{ReasonHash: hashOf(0xdd), Number: 1}},
		`{"actor":null,"data":{"lost":null,"reason_hash":` + hashText(0xdd) +
			`,"recovery":1},"kind":"recovery","nonce":0,"time":10,"transfers":[],"v":1}`,
	},
	"duel.settle without an opponent": {
		Tx{Time: 10, Data: &DuelSettle{A: bob, DuelID: "7K3M9QWX", TranscriptHash: hashOf(0xdd)},
			Transfers: []Transfer{{Amount: 30, From: Escrow("7K3M9QWX"), To: bob}}},
		`{"actor":null,"data":{"a":` + bobText + `,"b":null,"duel_id":"7K3M9QWX","rated":false,"status":"finished","transcript_hash":` +
			hashText(0xdd) +
			`,"winner":null},"kind":"duel.settle","nonce":0,"time":10,"transfers":[{"amount":30,"asset":"coin",` +
			`"from":"rps18s8uazf276l4upuvlz8my7t4sqnmlgaaw6933p","to":` + bobText + `}],"v":1}`,
	},
	"market.sale": {
		Tx{Actor: bob, Nonce: 2, Time: 11, Data: &MarketSale{ListingID: 5}, Transfers: []Transfer{
			{Amount: 98, From: bob, To: alice}, {Amount: 2, From: bob}, {Token: true, TokenID: 10, From: alice, To: bob}}},
		`{"actor":` + bobText + `,"data":{"listing_id":5},"kind":"market.sale","nonce":2,"time":11,"transfers":[` +
			`{"amount":98,"asset":"coin","from":` + bobText + `,"to":` + aliceText + `},{"amount":2,"asset":"coin","from":` +
			bobText + `,"to":null},` +
			`{"asset":"token","from":` + aliceText + `,"to":` + bobText + `,"token_id":10}],"v":1}`,
	},
	"buyback": {
		Tx{Actor: bob, Nonce: 3, Time: 12, Data: &Buyback{OfferID: 6}, Transfers: []Transfer{
			{Token: true, TokenID: 10, From: bob}, {Amount: 307, To: bob}}},
		`{"actor":` + bobText + `,"data":{"bound":false,"offer_id":6},"kind":"buyback","nonce":3,"time":12,"transfers":[` +
			`{"asset":"token","from":` + bobText + `,"to":null,"token_id":10},{"amount":307,"asset":"coin","from":null,"to":` +
			bobText + `}],"v":1}`,
	},
	"cup.close": {
		Tx{Time: 13, Data: &CupClose{Cup: 1, TableHash: hashOf(0xee)}},
		`{"actor":null,"data":{"cup":1,"table_hash":` + hashText(0xee) +
			`},"kind":"cup.close","nonce":0,"time":13,"transfers":[],"v":1}`,
	},
	"season.close": {
		Tx{Time: 13, Data: &SeasonClose{Season: 1, TableHash: hashOf(0xee)}},
		`{"actor":null,"data":{"season":1,"table_hash":` + hashText(0xee) +
			`},"kind":"season.close","nonce":0,"time":13,"transfers":[],"v":1}`,
	},
	"result.void": {
		Tx{Time: 14, Data: &ResultVoid{Game: DuelGameID("8ABC"), ReasonHash: hashOf(0xef)}},
		`{"actor":null,"data":{"game":"duel:8ABC","reason_hash":` + hashText(0xef) +
			`},"kind":"result.void","nonce":0,"time":14,"transfers":[],"v":1}`,
	},
	"result.restore": {
		Tx{Time: 15, Data: &ResultRestore{Game: DuelGameID("8ABC"), ReasonHash: hashOf(0xef)}},
		`{"actor":null,"data":{"game":"duel:8ABC","reason_hash":` + hashText(0xef) +
			`,"restored":true},"kind":"result.restore","nonce":0,"time":15,"transfers":[],"v":1}`,
	},
}

func TestKnownTxs(t *testing.T) {
	t.Parallel()
	rules := testRules()
	for what, known := range knownTxs {
		if got := string(known.tx.Raw()); got != known.raw {
			t.Errorf("%s: raw:\n got %s\nwant %s", what, got, known.raw)
		}
		tx, err := ParseTx([]byte(known.raw))
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if diff := cmp.Diff(known.tx, tx); diff != "" {
			t.Errorf("%s: parsed differently (-want +got):\n%s", what, diff)
		}
		if _, err := rules.Effects(&tx); err != nil {
			t.Errorf("%s: refused by the rules: %v", what, err)
		}
	}
}

// TestTxRoundTrip compares the raw of any transaction with another implementation of RFC 8785,
// and parses it again.
func TestTxRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tx := genTx(t)
		raw := tx.Raw()
		if want, err := jcs.Transform(raw); err != nil || !bytes.Equal(raw, want) {
			t.Fatalf("%v: not canonical:\n got %s\nwant %s", err, raw, want)
		}
		back, err := ParseTx(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(tx, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s: parsed differently (-want +got):\n%s", raw, diff)
		}
	})
}

func TestParseTxRefuses(t *testing.T) {
	t.Parallel()
	zero := `"` + (Address{}).String() + `"`
	for _, tt := range []struct{ of, what, old, new string }{
		{"faucet", "white space", `,"kind"`, `, "kind"`},
		{"faucet", "text after the end", `"v":1}`, `"v":1}}`},
		{"faucet", "another version", `"v":1`, `"v":2`},
		{"faucet", "members in another order", `"nonce":1,"time":4`, `"time":4,"nonce":1`},
		{"faucet", "a member twice", `"time":4`, `"time":4,"time":4`},
		{"faucet", "an extra member", `"v":1`, `"v":1,"w":1`},
		{"faucet", "no actor", `"actor":` + aliceText + `,`, ``},
		{"faucet", "an address wrong in one character", "e9dk27", "e9dk28"},
		{"faucet", "the address reserved for null", aliceText, zero},
		{"faucet", "an unknown kind", `"faucet"`, `"gift"`},
		{"faucet", "data of another kind", `"faucet"`, `"buyback"`},
		{"faucet", "null for data", `{}`, `null`},
		{"faucet", "data with an extra member", `{}`, `{"x":1}`},
		{"faucet", "a negative nonce", `"nonce":1`, `"nonce":-1`},
		{"faucet", "a negative zero", `"nonce":1`, `"nonce":-0`},
		{"faucet", "a fraction", `"amount":200`, `"amount":200.0`},
		{"faucet", "an exponent", `"amount":200`, `"amount":2e2`},
		{"faucet", "a negative amount", `"amount":200`, `"amount":-200`},
		{"faucet", "an amount beyond 2^53", `"amount":200`, `"amount":9007199254740992`},
		{"faucet", "another asset", `"coin"`, `"gold"`},
		{"faucet", "coins named a token", `"coin"`, `"token"`},
		{"faucet", "null among the transfers", `[{"amount"`, `[null,{"amount"`},
		{"faucet", "a comma too many", `}],"v"`, `},],"v"`},
		{"faucet", "a comma too few", `}],"v"`, `}{"amount":1,"asset":"coin","from":null,"to":null}],"v"`},
		{"market.sale", "a fourth transfer", `"transfers":[`,
			`"transfers":[{"amount":1,"asset":"coin","from":null,"to":` + bobText + `},`},
		{"run.end claimed", "tier 0", `"tier":3`, `"tier":0`},
		{"run.end claimed", "tier behind to", `"tier":3,"to":` + aliceText, `"to":` + aliceText + `,"tier":3`},
		{"run.end claimed", "an unknown status", `"claimed"`, `"won"`},
		{"run.end claimed", "a negative tier", `"cleared":3`, `"cleared":-3`},
		{"run.end claimed", "a negative token", `"token_id":10`, `"token_id":-10`},
		{"run.start by fee", "an unknown entry", `"fee"`, `"gratis"`},
		{"run.start by fee", "an escape that is not needed", `é`, `\u00e9`},
		{"run.start by fee", "invalid UTF-8", `é`, "\xff"},
		{"run.start by fee", "a control character", `\n`, "\n"},
		{"run.start by fee", "a short hash", "c0c0", "c0"},
		{"run.start by fee", "a hash in upper case", "c0c0", "C0C0"},
		{"run.start by fee", "null for a client seed", hashText(0xcc), `null`},
		{"run.start by fee", "a text for a client seed", hashText(0xcc), `"mine"`},
		{"account.create", "no mark", `"bound":false,`, ``},
		{"account.create", "a mark of another type", `"bound":false`, `"bound":0`},
		{"account.secure", "not secured", `true`, `false`},
		{"account.create", "an unknown kind of account", `"guest"`, `"admin"`},
		{"duel.settle won", "an unknown winner", `"winner":"b"`, `"winner":"c"`},
		{"duel.settle won", "no side a", `"a":` + aliceText, `"a":null`},
		{"duel.settle won", "side a is the address reserved for null", `"a":` + aliceText, `"a":` + zero},
		{"duel.settle won", "side b is the address reserved for null", `"b":` + bobText, `"b":` + zero},
		{"duel.settle won", "rated is a number", `true`, `1`},
		{"genesis", "tiers out of order", `"tier":2`, `"tier":3`},
		{"genesis", "tiers from 0", `"tier":1`, `"tier":0`},
		{"genesis", "no tier list", `"tiers":[`, `"tiers":null,[`},
		{"rules", "a negative number", `"number":1`, `"number":-1`},
		{"rules", "a negative fee", `"entry_fee":50`, `"entry_fee":-50`},
		{"season.close", "no hash", `,"table_hash":` + hashText(0xee), ``},
		{"cup.close", "no hash", `,"table_hash":` + hashText(0xee), ``},
	} {
		known := knownTxs[tt.of].raw
		raw := strings.Replace(known, tt.old, tt.new, 1)
		if raw == known {
			t.Fatalf("%s, %s: %s is not in %s", tt.of, tt.what, tt.old, known)
		}
		if tx, err := ParseTx([]byte(raw)); err == nil || tx.Data != nil {
			t.Errorf("%s, %s: accepted: %s", tt.of, tt.what, raw)
		}
	}
}

// TestParseTxRefusesTruncated checks that no proper prefix of a raw is accepted, and no raw that
// lacks one byte.
func TestParseTxRefusesTruncated(t *testing.T) {
	t.Parallel()
	for what, known := range knownTxs {
		for i := range known.raw {
			if _, err := ParseTx([]byte(known.raw[:i])); err == nil {
				t.Errorf("%s: its first %d bytes: accepted", what, i)
			}
			less := known.raw[:i] + known.raw[i+1:]
			if tx, err := ParseTx([]byte(less)); err == nil && string(tx.Raw()) != less {
				t.Errorf("%s: accepted, but its canonical text is %s", less, tx.Raw())
			}
		}
	}
}

// FuzzParseTx checks that every accepted text is canonical and the only one of its transaction.
func FuzzParseTx(f *testing.F) {
	for _, known := range knownTxs {
		f.Add([]byte(known.raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		tx, err := ParseTx(raw)
		if err != nil {
			return
		}
		if back := tx.Raw(); !bytes.Equal(back, raw) {
			t.Errorf("%s: accepted, but its canonical text is %s", raw, back)
		}
		if err := canon.Check(raw); err != nil {
			t.Errorf("%s: accepted, but is not canonical: %v", raw, err)
		}
	})
}

func BenchmarkParseTx(b *testing.B) {
	for _, what := range []string{"account.create", "run.start by fee", "run.end claimed", "market.sale"} {
		b.Run(what, func(b *testing.B) {
			raw := []byte(knownTxs[what].raw)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseTx(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
