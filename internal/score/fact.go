package score

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/db"
	"roshambo/internal/ledger"
	q "roshambo/internal/query/scoreq"
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

// Run is a house run that has ended.
type Run struct {
	ID                 string
	Account            chain.Address
	Entry              chain.Entry
	Status             chain.RunStatus
	First, Cleared     int64 // tiers
	Throws             int64
	StartedAt, EndedAt time.Time
	TokenID            *int64
	EndTx              chain.Hash
}

// RunEnded is told of the end of a run.
func (s *Service) RunEnded(ctx context.Context, tx *db.Tx, r Run) error {
	f := fact{
		account: r.Account, id: "run:" + r.ID, kind: factRun, at: r.EndedAt, result: string(r.Status),
		entry: r.Entry, tier: r.Cleared, first: r.First, throws: r.Throws,
	}
	if r.Entry == chain.EntryDaily {
		f.day = DayOf(r.StartedAt)
	}
	if r.Status == chain.RunClaimed {
		f.points = tierPoints(r.Cleared)
	}
	what := Story{RunID: r.ID, TokenID: r.TokenID, TxHash: r.EndTx.String(), Tier: r.Cleared}
	return s.record(ctx, tx, f, what)
}

// Duel is a duel that has been decided.
type Duel struct {
	Code     string
	A, B     chain.Address
	Winner   string // "a", "b" or "" for a draw
	Stake    int64
	Practice bool // against the sparring bot, or a bot of one's own
	At       time.Time
	SettleTx *chain.Hash // when it was staked or rated
}

// DuelFinished is told of the end of a duel that both sides have joined.
func (s *Service) DuelFinished(ctx context.Context, tx *db.Tx, d Duel) error {
	for _, side := range []struct {
		name     string
		me, them chain.Address
	}{{"a", d.A, d.B}, {"b", d.B, d.A}} {
		f := fact{account: side.me, id: "duel:" + d.Code, kind: factDuel, at: d.At, coins: d.Stake, other: &side.them}
		switch d.Winner {
		case side.name:
			f.result, f.points = duelWon, duelPoints
		case "":
			f.result = duelDrawn
		default:
			f.result = duelLost
		}
		if d.Practice {
			f.points, f.result = 0, "practice "+f.result
		}
		what := Story{DuelID: d.Code, Coins: d.Stake}
		if d.SettleTx != nil {
			what.TxHash = d.SettleTx.String()
		}
		if err := s.record(ctx, tx, f, what); err != nil {
			return err
		}
	}
	return nil
}

// Sale is a token that was sold on the market.
type Sale struct {
	ListingID     int64
	Seller, Buyer chain.Address
	TokenID, Tier int64
	Price         int64
	At            time.Time
	Tx            chain.Hash
}

// Sold is told of a sale.
func (s *Service) Sold(ctx context.Context, tx *db.Tx, e Sale) error {
	what := Story{TokenID: &e.TokenID, Tier: e.Tier, Coins: e.Price, TxHash: e.Tx.String()}
	f := fact{account: e.Seller, id: fmt.Sprint("sale:", e.ListingID), kind: factSale, at: e.At, tier: e.Tier, coins: e.Price}
	if err := s.record(ctx, tx, f, what); err != nil {
		return err
	}
	f.account, f.id, f.kind = e.Buyer, fmt.Sprint("purchase:", e.ListingID), factPurchase
	return s.record(ctx, tx, f, what)
}

// Buyback is a token that the house bought back.
type Buyback struct {
	OfferID       int64
	Seller        chain.Address
	TokenID, Tier int64
	Price         int64
	At            time.Time
	Tx            chain.Hash
}

// BoughtBack is told of a buyback.
func (s *Service) BoughtBack(ctx context.Context, tx *db.Tx, e Buyback) error {
	f := fact{account: e.Seller, id: fmt.Sprint("buyback:", e.OfferID), kind: factBuyback, at: e.At, tier: e.Tier, coins: e.Price}
	return s.record(ctx, tx, f, Story{TokenID: &e.TokenID, Tier: e.Tier, Coins: e.Price, TxHash: e.Tx.String()})
}

// Joined is somebody who has founded a team or joined it.
type Joined struct {
	Account chain.Address
	Team    int64
	Seq     int64 // no two of a team have the same
	At      time.Time
}

// TeamJoined is told of somebody who founds or joins a team.
func (s *Service) TeamJoined(ctx context.Context, tx *db.Tx, j Joined) error {
	f := fact{account: j.Account, id: fmt.Sprintf("team:%d:%d", j.Team, j.Seq), kind: factTeam, at: j.At}
	return s.record(ctx, tx, f, Story{})
}

// record stores a fact and all that follows of it. what is the story that the fact
// makes if it is notable.
func (s *Service) record(ctx context.Context, tx *db.Tx, f fact, what Story) error {
	if err := s.react(ctx, tx, f, what); err != nil {
		return fmt.Errorf("score: %s of %v: %w", f.id, f.account, err)
	}
	return nil
}

func (s *Service) react(ctx context.Context, tx *db.Tx, f fact, what Story) error {
	queries := q.New(tx.Later())
	who, err := queries.GetWho(ctx, f.account[:])
	if errors.Is(err, sql.ErrNoRows) || err == nil && chain.AccountKind(who.Kind) == chain.Bot {
		return nil // the house itself, or a bot
	}
	if err != nil {
		return err
	}
	if err := s.decide(ctx, tx, &f); err != nil {
		return err
	}
	if err := insertFact(ctx, queries, &f); err != nil {
		return err
	}
	t := turn{fact: &f}
	if t.before, t.after, err = count(ctx, queries, &f, who); err != nil {
		return err
	}
	t.unlocked = unlockedBetween(t.before, t.after)
	if err := s.place(ctx, tx, &t); err != nil {
		return err
	}
	what.At, what.Account, what.Username = f.at, f.account, who.Username
	return s.tell(ctx, tx, newStories(&t, what, s.Ledger.Rules().Top()))
}

// decide works out what of a fact depends on others.
func (s *Service) decide(ctx context.Context, tx *db.Tx, f *fact) error {
	if f.points == 0 {
		return nil
	}
	if f.kind == factDuel {
		counts, err := winCounts(ctx, q.New(tx), f)
		if err != nil {
			return err
		}
		if !counts {
			f.points = 0
			return nil
		}
	}
	var err error
	if f.season, err = s.openSeason(ctx, tx, f.at); err != nil || s.Teams == nil {
		return err
	}
	f.team, err = s.Teams.TeamOf(ctx, tx, f.account)
	return err
}

// winCounts says whether a duel that was won gives points: not over one's own bot, and not
// more often than samePerDay over the same other.
func winCounts(ctx context.Context, queries *q.Queries, f *fact) (bool, error) {
	own, err := queries.IsBotOf(ctx, q.IsBotOfParams{Bot: f.other[:], Owner: f.account[:]})
	if err != nil || own > 0 {
		return false, err
	}
	day := DayStart(DayOf(f.at))
	wins, err := queries.CountWinsOver(ctx, q.CountWinsOverParams{
		Account: f.account[:], Other: f.other[:], Since: day.UnixMilli(), Upto: day.AddDate(0, 0, 1).UnixMilli()})
	return wins < samePerDay, err
}

// skew is by how much the clock of another node, which closes a season, may be ahead.
const skew = time.Minute

// openSeason returns the season that points of a time count in: its own, or, when that
// is closed already, the first that is not.
func (s *Service) openSeason(ctx context.Context, tx *db.Tx, at time.Time) (int64, error) {
	season := s.calendar.season(at)
	if _, end := s.calendar.span(season); s.now().Before(end.Add(-skew)) {
		return season, nil
	}
	closed, err := q.New(tx).IsClosed(ctx, season)
	if err != nil || closed == 0 {
		return season, err
	}
	last, err := q.New(tx).LastClosed(ctx)
	return last + 1, err
}

// count adds a fact to its account's counts.
func count(ctx context.Context, queries *q.Queries, f *fact, who q.GetWhoRow) (before, after Counts, err error) {
	if who.Counts != nil {
		if before, err = parseCounts(*who.Counts); err != nil {
			return before, after, err
		}
	}
	after = before
	after.add(f)
	text := after.text()
	if who.Version == nil {
		err = queries.InsertPlayer(ctx, q.InsertPlayerParams{Account: f.account[:], Counts: text})
		return before, after, conflict(err)
	}
	n, err := queries.UpdatePlayer(ctx, q.UpdatePlayerParams{Account: f.account[:], Counts: text, Version: *who.Version})
	return before, after, ledger.OneRow(n, err)
}

func insertFact(ctx context.Context, queries *q.Queries, f *fact) error {
	var other []byte
	if f.other != nil {
		other = f.other[:]
	}
	return conflict(queries.InsertFact(ctx, q.InsertFactParams{
		Account: f.account[:], ID: f.id, Kind: f.kind, At: f.at.UnixMilli(), Result: f.result, Points: f.points,
		Season: f.season, Team: f.team, Entry: string(f.entry), Day: f.day, Tier: f.tier, First: f.first,
		Throws: f.throws, Coins: f.coins, Other: other,
	}))
}

// conflict turns the error of a row that somebody else has just made into ErrConflict.
func conflict(err error) error {
	if db.IsUnique(err) {
		return ledger.ErrConflict
	}
	return err
}
