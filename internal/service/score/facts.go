package score

import (
	"encoding/json"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/scoreq"
)

// The kinds of fact, which are stored.
const (
	factRun      = "run"
	factDuel     = "duel"
	factSale     = "sale"
	factPurchase = "purchase"
	factBuyback  = "buyback"
	factTeam     = "team"
	factVoid     = "void" // a run or duel whose result is void: counts for nothing but a closed season
)

// The results of a duel for one side. Results of practice have practicePrefix, results of a duel in which no two
// reveals decided a round have unplayedPrefix.
const (
	duelWon   = "won"
	duelLost  = "lost"
	duelDrawn = "drawn"

	practicePrefix = "practice "
	unplayedPrefix = "unplayed "
)

// fact is a stored event of one account. Members that do not apply to its kind are zero.
type fact struct {
	account  chain.Address
	id       string // kind and id of the run, duel, listing, offer or membership
	kind     string
	at       time.Time
	result   string // of a run or duel
	points   int64
	season   int64 // that counts the points; 0 for none: without points, or once it was closed
	team     int64 // that counts the points; 0 for none
	entry    chain.Entry
	day      int64 // of a daily run, by its start
	unranked bool  // the day's board does not show the daily run
	tier     int64 // cleared, or traded
	first    int64 // the tier that a run started from
	throws   int64
	coins    int64          // stake or price
	aside    int64          // whether the week's board and the team leave the points out, and why
	other    *chain.Address // the opponent in a duel; not read back by factOf
}

// claim reports whether the fact is a run whose tier was claimed.
func (f *fact) claim() bool { return f.kind == factRun && f.result == string(chain.RunClaimed) }

// daily reports whether the fact is a daily run.
func (f *fact) daily() bool { return f.kind == factRun && f.entry == chain.EntryDaily }

// activity is a fact in the course of a reduce step.
type activity struct {
	fact

	teamThen      int64    // the account's team when the event was reported; 0 for none
	practice      bool     // of a duel
	unplayed      bool     // of a duel: no two reveals decided a round
	unlisted      bool     // makes no item of the feed
	earned        bool     // of a duel: its winner gets points
	above         int64    // of a duel: by how many points the loser was rated above the winner
	opponent      string   // of a duel: the opponent's username
	firstHere     bool     // of a claim: no player has claimed the tier before
	item          FeedItem // template of the feed items
	before, after Counts   // of the account
	unlocked      []*Achievement
}

// decodeActivities returns the activities of a report, one for each account that takes part.
func decodeActivities(r *q.ScoreInbox) ([]*activity, error) {
	var b reportBody
	if err := json.Unmarshal([]byte(r.Body), &b); err != nil {
		return nil, fmt.Errorf("body %q: %w", r.Body, err)
	}
	account, other, err := parties(r)
	if err != nil {
		return nil, err
	}
	f := fact{
		account: account, id: r.Kind + ":" + b.ID, kind: r.Kind, at: column.Time(b.At), result: b.Result,
		entry: chain.Entry(b.Entry), day: b.Day, unranked: b.Unranked, tier: b.Tier, first: b.First, throws: b.Throws,
		coins: b.Coins,
	}
	item := FeedItem{TokenID: b.TokenID, TxHash: b.Tx, Tier: b.Tier, Coins: b.Coins, network: r.Network}
	switch r.Kind {
	case factRun:
		f.points = f.worth() // at most: see best
		item.RunID = b.ID
		return []*activity{{fact: f, teamThen: r.Team, unlisted: b.Unlisted, item: item}}, nil
	case factDuel:
		item.DuelID = b.ID
		sideA := activity{fact: f, teamThen: r.Team, practice: b.Practice, unplayed: b.Unplayed, earned: b.Earned,
			unlisted: b.Unlisted, above: b.Above, item: item}
		sideB := sideA
		sideB.account, sideB.teamThen = other, r.OtherTeam
		sideA.setResult("a", b.Winner, other)
		sideB.setResult("b", b.Winner, account)
		return []*activity{&sideA, &sideB}, nil
	case factSale:
		purchase := f
		purchase.account, purchase.kind, purchase.id = other, factPurchase, factPurchase+":"+b.ID
		return []*activity{{fact: f, unlisted: b.Unlisted, item: item},
			{fact: purchase, unlisted: b.Unlisted, item: item}}, nil
	case factBuyback, factTeam:
		return []*activity{{fact: f, unlisted: b.Unlisted, item: item}}, nil
	}
	return nil, fmt.Errorf("a report of the unknown kind %q", r.Kind)
}

// parties returns the accounts of a report. Only duels and sales have a second one.
func parties(r *q.ScoreInbox) (account, other chain.Address, err error) {
	two := r.Kind == factDuel || r.Kind == factSale
	if len(r.Account) != len(account) || len(r.Other) != len(other) && (two || r.Other != nil) {
		return account, other, fmt.Errorf("addresses %x and %x", r.Account, r.Other)
	}
	copy(account[:], r.Account)
	copy(other[:], r.Other)
	return account, other, nil
}

// setResult sets opponent, result and points of one side of a duel. winner is "" for a draw.
func (a *activity) setResult(side, winner string, opponent chain.Address) {
	a.other = &opponent
	switch winner {
	case side:
		a.result = duelWon
		if a.earned {
			a.points = tables.DuelPoints
		}
	case "":
		a.result = duelDrawn
	default:
		a.result = duelLost
	}
}

// row returns the row of a fact, in the order of factColumns.
func (f *fact) row() []any {
	var other []byte
	if f.other != nil {
		other = f.other[:]
	}
	return []any{
		f.account[:], f.id, f.kind, f.at.UnixMilli(), f.result, f.points, f.season, f.team,
		string(f.entry), f.day, column.Bool(f.unranked), f.tier, f.first, f.throws, f.coins, f.aside,
		other,
	}
}

var factColumns = []string{
	"account", "id", "kind", "at", "result", "points", "season", "team",
	"entry", "day", "unranked", "tier", "first", "throws", "coins", "aside", "other",
}

// factOf returns a stored fact, without its opponent.
func factOf(r *q.ScoreFact) fact {
	return fact{
		account: chain.Address(r.Account), id: r.ID, kind: r.Kind, at: column.Time(r.At), result: r.Result,
		points: r.Points, season: r.Season, team: r.Team, entry: chain.Entry(r.Entry), day: r.Day,
		unranked: r.Unranked != 0, tier: r.Tier, first: r.First, throws: r.Throws, coins: r.Coins,
		aside: r.Aside,
	}
}
