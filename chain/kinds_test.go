package chain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"roshambo/canon"
)

// shape is a valid transaction and its expected effects. fresh returns a new copy, which a
// test may corrupt.
type shape struct {
	fresh func() *Tx
	want  Effects
}

var escrow = Escrow("d1")

// move is a token transfer without coins.
func move(id, tier int64, from, to Address) Transfer {
	return Transfer{Token: true, TokenID: id, Tier: tier, From: from, To: to}
}

var shapes = map[string]shape{
	"genesis": {
		fresh: func() *Tx { return &Tx{Data: &Genesis{Name: "test/1", Rules: testRules()}} },
	},
	"rules": {
		fresh: func() *Tx { return &Tx{Data: &RulesChange{Number: 1, Rules: testRules()}} },
	},
	"rules.begin": {
		fresh: func() *Tx { return &Tx{Data: &RulesBegin{Number: 1}} },
	},
	"account.create": {
		fresh: func() *Tx {
			return &Tx{Actor: alice, Data: &AccountCreate{Commitment: hashOf(1), AccountKind: Guest},
				Transfers: []Transfer{coins(Address{}, alice, 1000)}}
		},
		want: Effects{
			Accounts: []AccountEffect{{Address: alice, Actor: true, Create: Guest, Delta: 1000, Publish: hashOf(1),
				Act: ActCreate}}},
	},
	"account.create with a bound start": {
		fresh: func() *Tx {
			return &Tx{Actor: alice, Data: &AccountCreate{Bound: true, Commitment: hashOf(1), AccountKind: Guest},
				Transfers: []Transfer{coins(Address{}, alice, 1000)}}
		},
		want: Effects{
			Accounts: []AccountEffect{{Address: alice, Actor: true, Create: Guest, Delta: 1000, Publish: hashOf(1),
				Act: ActCreate, Bound: 1000, BoundStart: true}}},
	},
	"account.secure": {
		fresh: func() *Tx { return &Tx{Actor: alice, Nonce: 4, Time: 7, Data: &AccountSecure{}} },
		want:  Effects{Accounts: []AccountEffect{{Address: alice, Actor: true, Nonce: 4, Act: ActSecure, Time: 7}}},
	},
	"faucet": {
		fresh: func() *Tx {
			return &Tx{Actor: alice, Nonce: 4, Data: &Faucet{}, Transfers: []Transfer{coins(Address{}, alice, 200)}}
		},
		want: Effects{Accounts: []AccountEffect{{Address: alice, Actor: true, Nonce: 4, Delta: 200, Bound: 200,
			Act: ActFaucet, Limit: 4000}}},
	},
	"start by fee":   startShape(EntryFee, 0, 50, coins(alice, Address{}, 50)),
	"start for free": startShape(EntryFree, 0, 0),
	"start daily":    startShape(EntryDaily, 0, 0),
	"start by burning": func() shape {
		s := startShape(EntryBurn, 2, 0, move(9, 0, alice, Address{}))
		s.want.Tokens = []TokenEffect{{ID: 9, From: alice, Tiers: 1 << 2, Mark: MarkFree}}
		return s
	}(),
	"end claimed": func() shape {
		s := endShape(RunEnd{Cleared: 3, Status: RunClaimed, Throws: 5}, move(9, 3, Address{}, alice))
		s.want.Tokens = []TokenEffect{{ID: 9, To: alice, Tiers: 1 << 3, Mark: MarkFree}}
		return s
	}(),
	"end claimed, bound": func() shape {
		s := endShape(RunEnd{Bound: true, Cleared: 3, Status: RunClaimed, Throws: 5}, move(9, 3, Address{}, alice))
		s.want.Tokens = []TokenEffect{{ID: 9, To: alice, Tiers: 1 << 3, Mark: MarkBound}}
		return s
	}(),
	"end lost":      endShape(RunEnd{Cleared: 2, Status: RunLost, Throws: 3}),
	"end abandoned": endShape(RunEnd{Cleared: 0, Status: RunAbandoned, Throws: 0}),
	"stake": {
		fresh: func() *Tx {
			return &Tx{Actor: bob, Nonce: 7, Data: &DuelStake{DuelID: "d1"}, Transfers: []Transfer{coins(bob, escrow, 30)}}
		},
		want: Effects{
			Accounts: []AccountEffect{{Address: bob, Actor: true, Nonce: 7, Delta: -30},
				{Address: escrow, Escrow: true, Delta: 30}},
			Games: []GameEffect{{ID: "duel:d1", Step: StepStake, A: bob, Stake: 30}},
		},
	},
	"settle won by a": settleShape(DuelSettle{A: alice, B: bob, Winner: "a", Rated: true}, 30, []AccountEffect{
		{Address: escrow, Escrow: true, Empty: true, Delta: -60}, {Address: alice, Delta: 60}, {Address: bob}},
		coins(escrow, alice, 60)),
	"settle won by b": settleShape(DuelSettle{A: alice, B: bob, Winner: "b"}, 30, []AccountEffect{
		{Address: escrow, Escrow: true, Empty: true, Delta: -60}, {Address: bob, Delta: 60}, {Address: alice}},
		coins(escrow, bob, 60)),
	"settle drawn": settleShape(DuelSettle{A: alice, B: bob}, 30, []AccountEffect{
		{Address: escrow, Escrow: true, Empty: true, Delta: -60}, {Address: alice, Delta: 30}, {Address: bob, Delta: 30}},
		coins(escrow, alice, 30), coins(escrow, bob, 30)),
	"settle without an opponent": settleShape(DuelSettle{A: alice}, 30, []AccountEffect{
		{Address: escrow, Escrow: true, Empty: true, Delta: -30}, {Address: alice, Delta: 30}}, coins(escrow, alice, 30)),
	"settle without a stake": settleShape(DuelSettle{A: alice, B: bob, Winner: "a", Rated: true}, 0,
		[]AccountEffect{{Address: alice}, {Address: bob}}),
	"settle unrated without a stake": settleShape(DuelSettle{A: alice, B: bob, Winner: "b"}, 0,
		[]AccountEffect{{Address: alice}, {Address: bob}}),
	"settle against the sparring bot": settleShape(DuelSettle{A: alice, B: SparringBot(), Winner: "b"}, 0,
		[]AccountEffect{{Address: alice}}),
	"sale": {
		fresh: func() *Tx {
			return &Tx{Actor: bob, Nonce: 7, Data: &MarketSale{ListingID: 5},
				Transfers: []Transfer{coins(bob, alice, 98), coins(bob, Address{}, 2), move(9, 0, alice, bob)}}
		},
		want: Effects{
			Accounts: []AccountEffect{{Address: bob, Actor: true, Nonce: 7, Delta: -100}, {Address: alice, Delta: 98}},
			Tokens:   []TokenEffect{{ID: 9, From: alice, To: bob, Mark: MarkFree}},
			Games:    []GameEffect{{ID: "listing:5", Step: StepClose}},
		},
	},
	"sale too cheap for a fee": {
		fresh: func() *Tx {
			return &Tx{Actor: bob, Data: &MarketSale{ListingID: 5},
				Transfers: []Transfer{coins(bob, alice, 39), move(9, 0, alice, bob)}}
		},
		want: Effects{
			Accounts: []AccountEffect{{Address: bob, Actor: true, Delta: -39}, {Address: alice, Delta: 39}},
			Tokens:   []TokenEffect{{ID: 9, From: alice, To: bob, Mark: MarkFree}},
			Games:    []GameEffect{{ID: "listing:5", Step: StepClose}},
		},
	},
	"buyback": {
		fresh: func() *Tx {
			return &Tx{Actor: alice, Nonce: 3, Data: &Buyback{OfferID: 6},
				Transfers: []Transfer{move(9, 0, alice, Address{}), coins(Address{}, alice, 153)}}
		},
		want: Effects{
			Accounts: []AccountEffect{{Address: alice, Actor: true, Nonce: 3, Delta: 153}},
			Tokens:   []TokenEffect{{ID: 9, From: alice, Tiers: 1 << 2, Mark: MarkFree}},
			Games:    []GameEffect{{ID: "offer:6", Step: StepClose}},
		},
	},
	"buyback of a bound token": {
		fresh: func() *Tx {
			return &Tx{Actor: alice, Nonce: 3, Data: &Buyback{Bound: true, OfferID: 6},
				Transfers: []Transfer{move(9, 0, alice, Address{}), coins(Address{}, alice, 153)}}
		},
		want: Effects{
			Accounts: []AccountEffect{{Address: alice, Actor: true, Nonce: 3, Delta: 153, Bound: 153}},
			Tokens:   []TokenEffect{{ID: 9, From: alice, Tiers: 1 << 2, Mark: MarkBound}},
			Games:    []GameEffect{{ID: "offer:6", Step: StepClose}},
		},
	},
	"cup.close": {
		fresh: func() *Tx { return &Tx{Data: &CupClose{Cup: 12, TableHash: hashOf(1)}} },
		want:  Effects{Games: []GameEffect{{ID: "cup:12", Step: StepClose}}},
	},
	"season.close": {
		fresh: func() *Tx { return &Tx{Data: &SeasonClose{Season: 12, TableHash: hashOf(1)}} },
		want:  Effects{Games: []GameEffect{{ID: "season:12", Step: StepClose}}},
	},
	"result.void": {
		fresh: func() *Tx { return &Tx{Data: &ResultVoid{Game: DuelGameID("d1"), ReasonHash: hashOf(1)}} },
		want:  Effects{Games: []GameEffect{{ID: "void:duel:d1", Step: StepClose}, {ID: "duel:d1", Step: StepKnown}}},
	},
	"result.restore": {
		fresh: func() *Tx { return &Tx{Data: &ResultRestore{Game: DuelGameID("d1"), ReasonHash: hashOf(1)}} },
		want: Effects{Games: []GameEffect{{ID: "restore:duel:d1", Step: StepClose},
			{ID: "void:duel:d1", Step: StepKnown}}},
	},
}

func startShape(entry Entry, tier, fee int64, transfers ...Transfer) shape {
	return shape{
		fresh: func() *Tx {
			d := &RunStart{ClientSeedHash: HashText("seed"), Commitment: hashOf(1), Entry: entry, FirstTier: tier,
				NextCommitment: hashOf(2),
				RunID:          "r1"}
			return &Tx{Actor: alice, Nonce: 3, Data: d, Transfers: append([]Transfer(nil), transfers...)}
		},
		want: Effects{
			Accounts: []AccountEffect{{Address: alice, Actor: true, Nonce: 3, Delta: -fee, Spend: hashOf(1),
				Publish: hashOf(2), Act: ActStart, Entry: entry, Limit: 3}},
			Games: []GameEffect{{ID: "run:r1", Step: StepStart, A: alice, Tier: tier}},
		},
	}
}

func endShape(end RunEnd, transfers ...Transfer) shape {
	end.RunID, end.TranscriptHash = "r1", hashOf(3)
	act := ActEnd
	if end.Status == RunClaimed {
		act = ActClaim
	}
	return shape{
		fresh: func() *Tx {
			d := end
			return &Tx{Actor: alice, Nonce: 4, Data: &d, Transfers: append([]Transfer(nil), transfers...)}
		},
		want: Effects{
			Accounts: []AccountEffect{{Address: alice, Actor: true, Nonce: 4, Act: act}},
			Games: []GameEffect{{ID: "run:r1", Step: StepEnd, A: alice, Tier: end.Cleared, Throws: end.Throws,
				Bound: end.Bound}},
		},
	}
}

func settleShape(settle DuelSettle, stake int64, accounts []AccountEffect, transfers ...Transfer) shape {
	settle.DuelID, settle.TranscriptHash = "d1", hashOf(3)
	step := StepSettle
	if settle.Rated {
		step = StepRated
	}
	return shape{
		fresh: func() *Tx {
			d := settle
			return &Tx{Data: &d, Transfers: append([]Transfer(nil), transfers...)}
		},
		want: Effects{Accounts: accounts,
			Games: []GameEffect{{ID: "duel:d1", Step: step, A: settle.A, B: settle.B, Stake: stake}}},
	}
}

func TestEffects(t *testing.T) {
	t.Parallel()
	rules := testRules()
	for what, s := range shapes {
		got, err := rules.Effects(s.fresh())
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if diff := cmp.Diff(s.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: effects (-want +got):\n%s", what, diff)
		}
	}
}

// TestAppendEffectsReuse checks that reused memory holds nothing of the previous transaction.
func TestAppendEffectsReuse(t *testing.T) {
	t.Parallel()
	rules := testRules()
	var reused Effects
	for range 2 {
		for what, s := range shapes {
			if err := rules.AppendEffects(s.fresh(), &reused); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			if diff := cmp.Diff(s.want, reused, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: effects (-want +got):\n%s", what, diff)
			}
		}
	}
}

// data returns the data of a transaction of a known kind.
func data[D Data](tx *Tx) D { return tx.Data.(D) }

const wrongTransfers = "its transfers are not those of its kind"

// invalidTxs are transactions with one fault: the valid shape, the fault and the expected error.
var invalidTxs = []struct {
	of, what string
	corrupt  func(tx *Tx)
	want     string
}{
	{"genesis", "an actor", func(tx *Tx) { tx.Actor = alice }, "has no actor"},
	{"genesis", "a nonce", func(tx *Tx) { tx.Nonce = 1 }, "nonce of the chain's own"},
	{"genesis", "coins for another account", func(tx *Tx) { tx.Transfers = []Transfer{coins(Address{}, bob, 5)} },
		wrongTransfers},
	{"genesis", "no name", func(tx *Tx) { data[*Genesis](tx).Name = "" }, "a chain's name"},
	{"genesis", "a name with a space", func(tx *Tx) { data[*Genesis](tx).Name = "a b" }, "a chain's name"},
	{"genesis", "a name with a plus", func(tx *Tx) { data[*Genesis](tx).Name = "a+b" }, "a chain's name"},
	{"genesis", "a name with a line end", func(tx *Tx) { data[*Genesis](tx).Name = "a\n" }, "a chain's name"},
	{"genesis", "a name beyond ASCII", func(tx *Tx) { data[*Genesis](tx).Name = "é" }, "a chain's name"},
	{"genesis", "a long name", func(tx *Tx) { data[*Genesis](tx).Name = strings.Repeat("a", 65) }, "a chain's name"},
	{"genesis", "invalid rules", func(tx *Tx) { data[*Genesis](tx).Rules.Tiers = nil }, "1 to 62 tiers"},

	{"rules", "an actor", func(tx *Tx) { tx.Actor = alice }, "has no actor"},
	{"rules", "coins for another account", func(tx *Tx) { tx.Transfers = []Transfer{coins(Address{}, bob, 5)} },
		wrongTransfers},
	{"rules", "invalid rules", func(tx *Tx) { data[*RulesChange](tx).Rules.EntryFee = 0 }, "entry fee and faucet"},
	{"rules.begin", "a negative number", func(tx *Tx) { data[*RulesBegin](tx).Number = -1 }, "number of the rules"},
	{"rules", "a negative number", func(tx *Tx) { data[*RulesChange](tx).Number = -1 }, "number of the rules"},

	{"account.create", "no actor", func(tx *Tx) { tx.Actor = Address{} }, "needs an actor"},
	{"account.create", "a later nonce", func(tx *Tx) { tx.Nonce = 1 }, "its nonce is 0"},
	{"account.create", "more coins", func(tx *Tx) { tx.Transfers[0].Amount++ }, wrongTransfers},
	{"account.create", "fewer coins", func(tx *Tx) { tx.Transfers[0].Amount-- }, wrongTransfers},
	{"account.create", "no coins", func(tx *Tx) { tx.Transfers = nil }, wrongTransfers},
	{"account.create", "coins for another account", func(tx *Tx) { tx.Transfers[0].To = bob }, wrongTransfers},
	{"account.create", "another account's coins", func(tx *Tx) { tx.Transfers[0].From = bob }, wrongTransfers},
	{"account.create", "no commitment", func(tx *Tx) { data[*AccountCreate](tx).Commitment = Hash{} },
		"a commitment of zeros"},
	{"account.create", "no kind", func(tx *Tx) { data[*AccountCreate](tx).AccountKind = "" },
		"a guest, an account or a bot"},

	{"faucet", "no actor", func(tx *Tx) { tx.Actor, tx.Nonce = Address{}, 0 }, "needs an actor"},
	{"faucet", "more coins", func(tx *Tx) { tx.Transfers[0].Amount++ }, wrongTransfers},
	{"faucet", "twice the coins", func(tx *Tx) { tx.Transfers = append(tx.Transfers, tx.Transfers[0]) }, wrongTransfers},
	{"faucet", "coins for another account", func(tx *Tx) { tx.Transfers[0].To = bob }, wrongTransfers},
	{"faucet", "a token besides", func(tx *Tx) { tx.Transfers = append(tx.Transfers, move(1, 3, Address{}, alice)) },
		wrongTransfers},
	{"faucet", "a token in place of coins", func(tx *Tx) { tx.Transfers = []Transfer{move(1, 3, Address{}, alice)} },
		wrongTransfers},

	{"start by fee", "no actor", func(tx *Tx) { tx.Actor, tx.Nonce = Address{}, 0 }, "needs an actor"},
	{"start by fee", "no fee", func(tx *Tx) { tx.Transfers = nil }, wrongTransfers},
	{"start by fee", "another fee", func(tx *Tx) { tx.Transfers[0].Amount-- }, wrongTransfers},
	{"start by fee", "another account's fee", func(tx *Tx) { tx.Transfers[0].From = bob }, wrongTransfers},
	{"start by fee", "a fee for another account", func(tx *Tx) { tx.Transfers[0].To = bob }, wrongTransfers},
	{"start by fee", "a first tier", func(tx *Tx) { data[*RunStart](tx).FirstTier = 1 }, "first tier is 0"},
	{"start by fee", "an unknown entry", func(tx *Tx) { data[*RunStart](tx).Entry = "gratis" }, "an unknown entry"},
	{"start by fee", "no id", func(tx *Tx) { data[*RunStart](tx).RunID = "" }, "an id has"},
	{"start by fee", "a long id", func(tx *Tx) { data[*RunStart](tx).RunID = strings.Repeat("a", 65) }, "an id has"},
	{"start by fee", "an id that is not UTF-8", func(tx *Tx) { data[*RunStart](tx).RunID = "\xff" }, "an id has"},
	{"start by fee", "no commitment", func(tx *Tx) { data[*RunStart](tx).Commitment = Hash{} }, "a commitment of zeros"},
	{"start by fee", "no next commitment", func(tx *Tx) { data[*RunStart](tx).NextCommitment = Hash{} },
		"a commitment of zeros"},
	{"start by fee", "the same commitment again", func(tx *Tx) { data[*RunStart](tx).NextCommitment = hashOf(1) },
		"that it uses up"},
	{"start for free", "a fee", func(tx *Tx) { tx.Transfers = []Transfer{coins(alice, Address{}, 50)} }, wrongTransfers},
	{"start daily", "a gift", func(tx *Tx) { tx.Transfers = []Transfer{coins(Address{}, alice, 50)} }, wrongTransfers},
	{"start daily", "a first tier", func(tx *Tx) { data[*RunStart](tx).FirstTier = 3 }, "first tier is 0"},
	{"start by burning", "no token", func(tx *Tx) { tx.Transfers = nil }, wrongTransfers},
	{"start by burning", "coins for a token", func(tx *Tx) { tx.Transfers[0] = coins(alice, Address{}, 50) },
		wrongTransfers},
	{"start by burning", "a token that goes to another account", func(tx *Tx) { tx.Transfers[0].To = bob },
		wrongTransfers},
	{"start by burning", "another account's token", func(tx *Tx) { tx.Transfers[0].From = bob }, wrongTransfers},
	{"start by burning", "a second token",
		func(tx *Tx) { tx.Transfers = append(tx.Transfers, move(8, 0, alice, Address{})) }, wrongTransfers},
	{"start by burning", "no first tier", func(tx *Tx) { data[*RunStart](tx).FirstTier = 0 }, "that of the burnt token"},
	{"start by burning", "a tier that no ladder has", func(tx *Tx) { data[*RunStart](tx).FirstTier = 63 },
		"that of the burnt token"},
	{"start by burning", "a negative first tier", func(tx *Tx) { data[*RunStart](tx).FirstTier = -1 },
		"that of the burnt token"},

	{"end claimed", "no actor", func(tx *Tx) { tx.Actor, tx.Nonce = Address{}, 0 }, "needs an actor"},
	{"end claimed", "no id", func(tx *Tx) { data[*RunEnd](tx).RunID = "" }, "an id has"},
	{"end claimed", "no token", func(tx *Tx) { tx.Transfers = nil }, wrongTransfers},
	{"end claimed", "a token of a higher tier", func(tx *Tx) { data[*RunEnd](tx).Cleared = 2 }, wrongTransfers},
	{"end claimed", "a token for another account", func(tx *Tx) { tx.Transfers[0].To = bob }, wrongTransfers},
	{"end claimed", "another account's token", func(tx *Tx) { tx.Transfers[0].From, tx.Transfers[0].Tier = bob, 0 },
		wrongTransfers},
	{"end claimed", "two tokens", func(tx *Tx) { tx.Transfers = append(tx.Transfers, move(8, 3, Address{}, alice)) },
		wrongTransfers},
	{"end claimed", "coins besides", func(tx *Tx) { tx.Transfers = append(tx.Transfers, coins(Address{}, alice, 1)) },
		wrongTransfers},
	{"end claimed", "no tier", func(tx *Tx) { data[*RunEnd](tx).Cleared, tx.Transfers = 0, nil }, "claims without a tier"},
	{"end claimed", "a tier beyond the highest", func(tx *Tx) { data[*RunEnd](tx).Cleared, tx.Transfers[0].Tier = 64, 64 },
		"a tier beyond the highest"},
	{"end claimed", "more throws than seeds", func(tx *Tx) { data[*RunEnd](tx).Throws = 257 },
		"more throws than a run has seeds"},
	{"end claimed", "an unknown status", func(tx *Tx) { data[*RunEnd](tx).Status = "won" }, "an unknown status"},
	{"end lost", "a token", func(tx *Tx) { tx.Transfers = []Transfer{move(9, 2, Address{}, alice)} }, wrongTransfers},
	{"end lost", "no throw", func(tx *Tx) { data[*RunEnd](tx).Cleared, data[*RunEnd](tx).Throws = 0, 0 },
		"lost without a throw"},
	{"end lost", "a tier beyond the highest", func(tx *Tx) { data[*RunEnd](tx).Cleared = 64 }, "a tier beyond the highest"},
	{"end lost", "a negative tier", func(tx *Tx) { data[*RunEnd](tx).Cleared = -1 }, "a tier beyond the highest"},
	{"end abandoned", "a token", func(tx *Tx) { tx.Transfers = []Transfer{move(9, 2, Address{}, alice)} }, wrongTransfers},
	{"end abandoned", "negative throws", func(tx *Tx) { data[*RunEnd](tx).Throws = -1 },
		"more throws than a run has seeds"},

	{"stake", "no actor", func(tx *Tx) { tx.Actor, tx.Nonce = Address{}, 0 }, "needs an actor"},
	{"stake", "no id", func(tx *Tx) { data[*DuelStake](tx).DuelID = "" }, "an id has"},
	{"stake", "another duel's escrow", func(tx *Tx) { data[*DuelStake](tx).DuelID = "d2" }, wrongTransfers},
	{"stake", "no coins", func(tx *Tx) { tx.Transfers = nil }, "a stake is"},
	{"stake", "coins destroyed", func(tx *Tx) { tx.Transfers[0].To = Address{} }, wrongTransfers},
	{"stake", "coins for another account", func(tx *Tx) { tx.Transfers[0].To = alice }, wrongTransfers},
	{"stake", "created coins", func(tx *Tx) { tx.Transfers[0].From = Address{} }, wrongTransfers},
	{"stake", "another account's coins", func(tx *Tx) { tx.Transfers[0].From = alice }, wrongTransfers},
	{"stake", "a token", func(tx *Tx) { tx.Transfers[0] = move(9, 0, bob, escrow) }, "a stake is"},
	{"stake", "two stakes", func(tx *Tx) { tx.Transfers = append(tx.Transfers, tx.Transfers[0]) }, "a stake is"},
	{"stake", "a stake above the limit", func(tx *Tx) { tx.Transfers[0].Amount = MaxID + 1 }, "a stake is"},

	{"settle won by a", "an actor", func(tx *Tx) { tx.Actor = alice }, "has no actor"},
	{"settle won by a", "no id", func(tx *Tx) { data[*DuelSettle](tx).DuelID = "" }, "an id has"},
	{"settle won by a", "the loser gets it", func(tx *Tx) { tx.Transfers[0].To = bob }, wrongTransfers},
	{"settle won by a", "the pot destroyed", func(tx *Tx) { tx.Transfers[0].To = Address{} }, wrongTransfers},
	{"settle won by a", "created coins", func(tx *Tx) { tx.Transfers[0].From = Address{} }, wrongTransfers},
	{"settle won by a", "another duel's escrow", func(tx *Tx) { tx.Transfers[0].From = Escrow("d2") }, wrongTransfers},
	{"settle won by a", "an odd coin", func(tx *Tx) { tx.Transfers[0].Amount++ }, wrongTransfers},
	{"settle won by a", "a token besides",
		func(tx *Tx) { tx.Transfers = append(tx.Transfers, move(9, 1, Address{}, alice)) }, wrongTransfers},
	{"settle won by a", "both sides the same", func(tx *Tx) { data[*DuelSettle](tx).B = alice }, "two different sides"},
	{"settle won by a", "no side a", func(tx *Tx) { data[*DuelSettle](tx).A = Address{} }, "two different sides"},
	{"settle won by a", "an unknown winner", func(tx *Tx) { data[*DuelSettle](tx).Winner = "c" }, "a, b or null"},
	{"settle won by b", "the loser gets it", func(tx *Tx) { tx.Transfers[0].To = alice }, wrongTransfers},
	{"settle won by b", "an odd coin", func(tx *Tx) { tx.Transfers[0].Amount++ }, wrongTransfers},
	{"settle won by b", "the stakes go back",
		func(tx *Tx) { tx.Transfers = []Transfer{coins(escrow, alice, 30), coins(escrow, bob, 30)} }, wrongTransfers},
	{"settle drawn", "one side gets all", func(tx *Tx) { tx.Transfers = []Transfer{coins(escrow, alice, 60)} },
		wrongTransfers},
	{"settle drawn", "one side gets more", func(tx *Tx) { tx.Transfers[0].Amount++ }, wrongTransfers},
	{"settle drawn", "a third gets it", func(tx *Tx) { tx.Transfers[1].To = Address{5} }, wrongTransfers},
	{"settle without an opponent", "another account gets it", func(tx *Tx) { tx.Transfers[0].To = bob }, wrongTransfers},
	{"settle without an opponent", "it goes back twice",
		func(tx *Tx) { tx.Transfers = append(tx.Transfers, tx.Transfers[0]) }, wrongTransfers},
	{"settle without an opponent", "a winner",
		func(tx *Tx) { data[*DuelSettle](tx).Winner, tx.Transfers[0].Amount = "a", 60 }, "without an opponent"},
	{"settle without an opponent", "rated", func(tx *Tx) { data[*DuelSettle](tx).Rated = true }, "without an opponent"},
	{"settle without an opponent", "no stake", func(tx *Tx) { tx.Transfers = nil }, "only a stake to return"},
	{"settle against the sparring bot", "rated", func(tx *Tx) { data[*DuelSettle](tx).Rated = true },
		"against the sparring bot"},
	{"settle against the sparring bot", "a stake",
		func(tx *Tx) { tx.Transfers = []Transfer{coins(escrow, SparringBot(), 60)} }, "against the sparring bot"},
	{"settle against the sparring bot", "both sides", func(tx *Tx) { data[*DuelSettle](tx).A = SparringBot() },
		"two different sides"},

	{"sale", "no actor", func(tx *Tx) { tx.Actor, tx.Nonce = Address{}, 0 }, "needs an actor"},
	{"sale", "no token", func(tx *Tx) { tx.Transfers = tx.Transfers[:2] }, wrongTransfers},
	{"sale", "no price", func(tx *Tx) { tx.Transfers = tx.Transfers[2:] }, "a price is"},
	{"sale", "no fee", func(tx *Tx) { tx.Transfers = []Transfer{coins(bob, alice, 100), tx.Transfers[2]} },
		wrongTransfers},
	{"sale", "too low a fee", func(tx *Tx) { tx.Transfers[0].Amount, tx.Transfers[1].Amount = 99, 1 }, wrongTransfers},
	{"sale", "too high a fee", func(tx *Tx) { tx.Transfers[0].Amount, tx.Transfers[1].Amount = 97, 3 }, wrongTransfers},
	{"sale", "the fee goes to another account", func(tx *Tx) { tx.Transfers[1].To = Address{5} }, wrongTransfers},
	{"sale", "the price goes to another account", func(tx *Tx) { tx.Transfers[0].To = Address{5} }, wrongTransfers},
	{"sale", "the token goes to another account", func(tx *Tx) { tx.Transfers[2].To = Address{5} }, wrongTransfers},
	{"sale", "the token destroyed", func(tx *Tx) { tx.Transfers[2].To = Address{} }, wrongTransfers},
	{"sale", "a third pays", func(tx *Tx) { tx.Transfers[0].From = Address{5} }, wrongTransfers},
	{"sale", "the price created", func(tx *Tx) { tx.Transfers[0].From = Address{} }, wrongTransfers},
	{"sale", "a created token", func(tx *Tx) { tx.Transfers[2] = move(9, 1, Address{}, bob) }, "a sale without a seller"},
	{"sale", "to oneself", func(tx *Tx) { tx.Transfers[0].To, tx.Transfers[2].From = bob, bob },
		"from an address to itself"},
	{"sale", "a price above the limit", func(tx *Tx) { tx.Transfers[0].Amount = canon.MaxInt }, "a price is"},
	{"sale", "a listing above the limit", func(tx *Tx) { data[*MarketSale](tx).ListingID = MaxID + 1 }, "a listing id"},
	{"sale", "a negative listing", func(tx *Tx) { data[*MarketSale](tx).ListingID = -1 }, "a listing id"},

	{"buyback", "no actor", func(tx *Tx) { tx.Actor, tx.Nonce = Address{}, 0 }, "needs an actor"},
	{"buyback", "no token", func(tx *Tx) { tx.Transfers = tx.Transfers[1:] }, wrongTransfers},
	{"buyback", "no coins", func(tx *Tx) { tx.Transfers = tx.Transfers[:1] }, "no tier has this price"},
	{"buyback", "the price of no tier", func(tx *Tx) { tx.Transfers[1].Amount++ }, "no tier has this price"},
	{"buyback", "another account's token", func(tx *Tx) { tx.Transfers[0].From = bob }, wrongTransfers},
	{"buyback", "coins for another account", func(tx *Tx) { tx.Transfers[1].To = bob }, wrongTransfers},
	{"buyback", "a token that goes to another account", func(tx *Tx) { tx.Transfers[0].To = bob }, wrongTransfers},
	{"buyback", "an offer above the limit", func(tx *Tx) { data[*Buyback](tx).OfferID = MaxID + 1 }, "an offer id"},
	{"buyback", "a negative offer", func(tx *Tx) { data[*Buyback](tx).OfferID = -1 }, "an offer id"},

	{"cup.close", "an actor", func(tx *Tx) { tx.Actor = alice }, "has no actor"},
	{"cup.close", "coins for another account", func(tx *Tx) { tx.Transfers = []Transfer{coins(Address{}, bob, 5)} },
		wrongTransfers},
	{"cup.close", "a negative number", func(tx *Tx) { data[*CupClose](tx).Cup = -1 }, "number of a cup"},
	{"season.close", "an actor", func(tx *Tx) { tx.Actor = alice }, "has no actor"},
	{"season.close", "coins for another account", func(tx *Tx) { tx.Transfers = []Transfer{coins(Address{}, bob, 5)} },
		wrongTransfers},
	{"result.restore", "a season", func(tx *Tx) { data[*ResultRestore](tx).Game = "season:1" }, "run: or duel:"},
	{"result.restore", "no id", func(tx *Tx) { data[*ResultRestore](tx).Game = "run:" }, "an id has"},
	{"result.void", "no game", func(tx *Tx) { data[*ResultVoid](tx).Game = "" }, "run: or duel:"},
	{"result.void", "an id alone", func(tx *Tx) { data[*ResultVoid](tx).Game = "d1" }, "run: or duel:"},
	{"result.void", "a season", func(tx *Tx) { data[*ResultVoid](tx).Game = "season:1" }, "run: or duel:"},
	{"result.void", "no id", func(tx *Tx) { data[*ResultVoid](tx).Game = "duel:" }, "an id has"},
	{"result.void", "a long id", func(tx *Tx) { data[*ResultVoid](tx).Game = "run:" + strings.Repeat("a", 65) },
		"an id has"},
	{"season.close", "a negative season", func(tx *Tx) { data[*SeasonClose](tx).Season = -1 }, "number of a season"},

	{"faucet", "a negative nonce", func(tx *Tx) { tx.Nonce = -1 }, "nonce and time"},
	{"faucet", "a nonce beyond 2^53", func(tx *Tx) { tx.Nonce = canon.MaxInt + 1 }, "nonce and time"},
	{"faucet", "a negative time", func(tx *Tx) { tx.Time = -1 }, "nonce and time"},
	{"faucet", "a time beyond 2^53", func(tx *Tx) { tx.Time = canon.MaxInt + 1 }, "nonce and time"},
	{"faucet", "no coins", func(tx *Tx) { tx.Transfers[0].Amount = 0 }, "a transfer of no coins"},
	{"faucet", "negative coins", func(tx *Tx) { tx.Transfers[0].Amount = -200 }, "a transfer of no coins"},
	{"faucet", "coins beyond 2^53", func(tx *Tx) { tx.Transfers[0].Amount = canon.MaxInt + 1 }, "a transfer of no coins"},
	{"faucet", "from null to null", func(tx *Tx) { tx.Transfers[0].To = Address{} }, "from an address to itself"},
	{"start by burning", "a tier that is stated again", func(tx *Tx) { tx.Transfers[0].Tier = 2 },
		"a token's tier is stated"},
	{"start by burning", "a token above the limit", func(tx *Tx) { tx.Transfers[0].TokenID = 2147483648 },
		"a token id beyond"},
	{"start by burning", "a negative token", func(tx *Tx) { tx.Transfers[0].TokenID = -1 }, "a token id beyond"},
	{"end claimed", "no tier stated", func(tx *Tx) { tx.Transfers[0].Tier = 0 }, "a token's tier is stated"},
	{"end claimed", "a negative tier", func(tx *Tx) { tx.Transfers[0].Tier = -1 }, "a tier beyond the highest"},
	{"end claimed", "coins on a token", func(tx *Tx) { tx.Transfers[0].Amount = 5 }, wrongTransfers},
	{"faucet", "a token id on coins", func(tx *Tx) { tx.Transfers[0].TokenID = 5 }, wrongTransfers},
}

func TestEffectsRefuses(t *testing.T) {
	t.Parallel()
	rules := testRules()
	for _, tt := range invalidTxs {
		s, ok := shapes[tt.of]
		if !ok {
			t.Fatalf("no shape %q", tt.of)
		}
		tx := s.fresh()
		tt.corrupt(tx)
		_, err := rules.Effects(tx)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %s: got %v, want an error with %q", tt.of, tt.what, err, tt.want)
		}
	}
}

// bounds are transactions with a value at the edge of its range, which Effects accepts.
var bounds = []struct {
	of, what string
	change   func(tx *Tx)
}{
	{"genesis", "the longest name",
		func(tx *Tx) { data[*Genesis](tx).Name = strings.Repeat("!", 32) + strings.Repeat("~", 32) }},
	{"rules", "number 0", func(tx *Tx) { data[*RulesChange](tx).Number = 0 }},
	{"rules", "the highest number", func(tx *Tx) { data[*RulesChange](tx).Number = canon.MaxInt }},
	{"faucet", "the highest nonce and time", func(tx *Tx) { tx.Nonce, tx.Time = canon.MaxInt, canon.MaxInt }},
	{"start by fee", "the longest id", func(tx *Tx) { data[*RunStart](tx).RunID = strings.Repeat("a", 64) }},
	{"start by burning", "the lowest tier", func(tx *Tx) { data[*RunStart](tx).FirstTier = 1 }},
	{"start by burning", "the highest tier", func(tx *Tx) { data[*RunStart](tx).FirstTier = 62 }},
	{"start by burning", "the highest token", func(tx *Tx) { tx.Transfers[0].TokenID = 2147483647 }},
	{"start by burning", "the lowest token", func(tx *Tx) { tx.Transfers[0].TokenID = 0 }},
	{"end claimed", "the lowest tier", func(tx *Tx) { data[*RunEnd](tx).Cleared, tx.Transfers[0].Tier = 1, 1 }},
	{"end claimed", "the highest tier", func(tx *Tx) { data[*RunEnd](tx).Cleared, tx.Transfers[0].Tier = 63, 63 }},
	{"end claimed", "without a throw", func(tx *Tx) { data[*RunEnd](tx).Throws = 0 }},
	{"end lost", "after one throw", func(tx *Tx) { data[*RunEnd](tx).Cleared, data[*RunEnd](tx).Throws = 0, 1 }},
	{"end lost", "after the last throw, from the highest tier",
		func(tx *Tx) { data[*RunEnd](tx).Cleared, data[*RunEnd](tx).Throws = 3, 256 }},
	{"stake", "one coin", func(tx *Tx) { tx.Transfers[0].Amount = 1 }},
	{"stake", "the most coins", func(tx *Tx) { tx.Transfers[0].Amount = MaxID }},
	{"settle won by a", "one coin each", func(tx *Tx) { tx.Transfers[0].Amount = 2 }},
	{"sale", "listing 0", func(tx *Tx) { data[*MarketSale](tx).ListingID = 0 }},
	{"sale", "the highest listing", func(tx *Tx) { data[*MarketSale](tx).ListingID = MaxID }},
	{"sale", "the highest price",
		func(tx *Tx) { tx.Transfers[0].Amount, tx.Transfers[1].Amount = MaxID-53687091, 53687091 }},
	{"sale too cheap for a fee", "one coin", func(tx *Tx) { tx.Transfers[0].Amount = 1 }},
	{"buyback", "offer 0", func(tx *Tx) { data[*Buyback](tx).OfferID = 0 }},
	{"buyback", "the highest offer", func(tx *Tx) { data[*Buyback](tx).OfferID = MaxID }},
	{"buyback", "the lowest tier", func(tx *Tx) { tx.Transfers[1].Amount = 76 }},
	{"buyback", "the highest tier", func(tx *Tx) { tx.Transfers[1].Amount = 307 }},
	{"season.close", "season 0", func(tx *Tx) { data[*SeasonClose](tx).Season = 0 }},
	{"cup.close", "cup 0", func(tx *Tx) { data[*CupClose](tx).Cup = 0 }},
	{"cup.close", "the highest cup", func(tx *Tx) { data[*CupClose](tx).Cup = canon.MaxInt }},
	{"result.void", "the longest id", func(tx *Tx) { data[*ResultVoid](tx).Game = "run:" + strings.Repeat("a", 64) }},
}

func TestEffectsAtTheirBounds(t *testing.T) {
	t.Parallel()
	rules := testRules()
	for _, tt := range bounds {
		tx := shapes[tt.of].fresh()
		tt.change(tx)
		if _, err := rules.Effects(tx); err != nil {
			t.Errorf("%s with %s: %v", tt.of, tt.what, err)
		}
	}
}
