package score

import (
	"encoding/json"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/scoreq"
)

// The kinds of fact.
const (
	factRun      = "run"
	factDuel     = "duel"
	factSale     = "sale"
	factPurchase = "purchase"
	factBuyback  = "buyback"
	factTeam     = "team"
)

// How duels end for one side.
const (
	duelWon   = "won"
	duelLost  = "lost"
	duelDrawn = "drawn"
)

// fact is what one account did, as it is stored.
type fact struct {
	account chain.Address
	id      string // of the fact, from what it is about
	kind    string
	at      time.Time
	result  string // of a run or duel
	points  int64
	season  int64
	team    int64 // 0 for none
	entry   chain.Entry
	day     int64 // of a daily run, by its start
	tier    int64 // cleared, or traded
	first   int64 // the tier that a run began with
	throws  int64
	coins   int64          // stake or price
	other   *chain.Address // side of a duel
}

// daily says whether it is a run of the daily challenge.
func (f *fact) daily() bool { return f.kind == factRun && f.entry == chain.EntryDaily }

// deed is a fact that is being reacted to.
type deed struct {
	fact

	inTeam        int64 // that the account was in then; 0 for none
	practice      bool  // of a duel
	what          Story // that it makes if it is notable
	before, after Counts
	unlocked      []*Achievement
}

// deedsOf returns the facts that a report tells of, one for each account.
func deedsOf(r *q.ScoreInbox) ([]*deed, error) {
	var b body
	if err := json.Unmarshal([]byte(r.Body), &b); err != nil {
		return nil, fmt.Errorf("body %q: %w", r.Body, err)
	}
	account, other, err := parties(r)
	if err != nil {
		return nil, err
	}
	f := fact{
		account: account, id: r.Kind + ":" + b.ID, kind: r.Kind, at: column.Time(b.At), result: b.Result, entry: chain.Entry(b.Entry),
		day: b.Day, tier: b.Tier, first: b.First, throws: b.Throws, coins: b.Coins,
	}
	what := Story{TokenID: b.TokenID, TxHash: b.Tx, Tier: b.Tier, Coins: b.Coins}
	switch r.Kind {
	case factRun:
		if f.result == string(chain.RunClaimed) {
			f.points = tierPoints(f.tier)
		}
		what.RunID = b.ID
		return []*deed{{fact: f, inTeam: r.Team, what: what}}, nil
	case factDuel:
		what.DuelID = b.ID
		mine := deed{fact: f, inTeam: r.Team, practice: b.Practice, what: what}
		theirs := mine
		mine.side("a", b.Winner, other)
		theirs.account, theirs.inTeam = other, r.OtherTeam
		theirs.side("b", b.Winner, account)
		return []*deed{&mine, &theirs}, nil
	case factSale:
		bought := f
		bought.account, bought.kind, bought.id = other, factPurchase, factPurchase+":"+b.ID
		return []*deed{{fact: f, what: what}, {fact: bought, what: what}}, nil
	case factBuyback, factTeam:
		return []*deed{{fact: f, what: what}}, nil
	}
	return nil, fmt.Errorf("a report of %q", r.Kind)
}

// parties returns the accounts that a report is about.
func parties(r *q.ScoreInbox) (account, other chain.Address, err error) {
	two := r.Kind == factDuel || r.Kind == factSale
	if len(r.Account) != len(account) || len(r.Other) != len(other) && (two || r.Other != nil) {
		return account, other, fmt.Errorf("addresses %x and %x", r.Account, r.Other)
	}
	copy(account[:], r.Account)
	copy(other[:], r.Other)
	return account, other, nil
}

// side makes of a duel what it was for one side.
func (d *deed) side(mine, winner string, other chain.Address) {
	d.other = &other
	switch winner {
	case mine:
		d.result, d.points = duelWon, duelPoints
	case "":
		d.result = duelDrawn
	default:
		d.result = duelLost
	}
}

// row is a fact as it is stored, in the order of factColumns.
func (f *fact) row() []any {
	var other []byte
	if f.other != nil {
		other = f.other[:]
	}
	return []any{
		f.account[:], f.id, f.kind, f.at.UnixMilli(), f.result, f.points, f.season, f.team, string(f.entry), f.day, f.tier, f.first,
		f.throws, f.coins, other,
	}
}

var factColumns = []string{
	"account", "id", "kind", "at", "result", "points", "season", "team", "entry", "day", "tier", "first", "throws", "coins", "other",
}

func factOf(r *q.ScoreFact) fact {
	return fact{
		account: chain.Address(r.Account), id: r.ID, kind: r.Kind, at: column.Time(r.At), result: r.Result, points: r.Points,
		season: r.Season, team: r.Team, entry: chain.Entry(r.Entry), day: r.Day, tier: r.Tier, first: r.First,
		throws: r.Throws, coins: r.Coins,
	}
}
