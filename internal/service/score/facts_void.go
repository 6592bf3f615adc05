package score

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// Void describes a rated duel or a daily run whose result an operator declares void, or restores.
type Void struct {
	DuelID, RunID string          // one of them
	Accounts      []chain.Address // the people whose results change
	Reason        string          // public
	At            time.Time
	Tx            chain.Hash // the declaration
}

// factID returns the id of the facts.
func (v *Void) factID() string {
	if v.DuelID != "" {
		return factDuel + ":" + v.DuelID
	}
	return factRun + ":" + v.RunID
}

// ErrNotCounted reports that the report of a result is not reduced yet: the caller may try again after
// some milliseconds.
var ErrNotCounted = errors.New("score: the result is not counted yet")

// VoidResult takes a result out of all counts, boards and achievements of its accounts, and publishes a
// feed item. The tables of closed seasons are final: they keep its points. A result that is void frees
// no place among the counted ones of its day. Errors: ErrNotCounted.
//
// It is part of the transaction that declares the result void: a crash before its commit leaves
// everything as it was.
func (s *Service) VoidResult(ctx context.Context, tx *store.Tx, v Void) error {
	return s.correct(ctx, tx, v, ItemVoid)
}

// RestoreResult takes VoidResult back: the result counts as it did, and an achievement that it unlocks again
// has the time of the last result. Like VoidResult it is part of the transaction that declares it. The caller
// has checked that no season has closed since VoidResult (LastClosed). Errors: ErrNotCounted.
func (s *Service) RestoreResult(ctx context.Context, tx *store.Tx, v Void) error {
	return s.correct(ctx, tx, v, ItemRestored)
}

// LastClosed returns the number of the last closed season, 0 for none. It makes a concurrent close of the
// next one conflict with the transaction.
func (s *Service) LastClosed(ctx context.Context, tx *store.Tx) (int64, error) {
	if err := ledger.OneRow(q.New(tx).AdvanceStep(ctx)); err != nil {
		return 0, err
	}
	closed, err := q.New(tx).LastClosed(ctx)
	if err != nil {
		return 0, fmt.Errorf("score: last closed season: %w", err)
	}
	return closed, nil
}

// correct changes the facts of a result, with all that follows from them, and publishes an item of a kind.
func (s *Service) correct(ctx context.Context, tx *store.Tx, v Void, item string) error {
	// A step being reduced now has read the facts: make it stale.
	closed, err := s.LastClosed(ctx, tx)
	if err != nil {
		return err
	}
	u := newBoardUpdate()
	for _, account := range v.Accounts {
		if err := s.correctFact(ctx, tx, u, accountFact{account, v.factID(), closed, item == ItemRestored}); err != nil {
			return fmt.Errorf("score: correct %s of %v: %w", v.factID(), account, err)
		}
	}
	if err := u.store(ctx, tx, s.ranks); err != nil {
		return fmt.Errorf("score: correct: %w", err)
	}
	return s.publish(ctx, tx, []*FeedItem{{Kind: item, At: v.At, DuelID: v.DuelID, RunID: v.RunID,
		TxHash: v.Tx.String(), Reason: v.Reason}})
}

// accountFact names a fact.
type accountFact struct {
	account chain.Address
	id      string
	closed  int64 // the last closed season
	restore bool
}

// correctFact declares one fact void, or restores it, stores the counts of its account, and collects the entries that
// change.
func (s *Service) correctFact(ctx context.Context, tx *store.Tx, u *boardUpdate, of accountFact) error {
	queries, account, id := q.New(tx), of.account, of.id
	row, err := queries.GetFact(ctx, q.GetFactParams{Account: account[:], ID: id})
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotCounted
	}
	if err != nil {
		return err
	}
	team, season, err := setFact(ctx, queries, factOf(&row), of)
	if err != nil {
		return err
	}
	if team != 0 {
		if err := correctTeam(ctx, tx, u, team, season); err != nil {
			return err
		}
	}
	x, err := queries.GetExposure(ctx, account[:])
	if err != nil {
		return err
	}
	player, err := queries.GetPlayer(ctx, account[:])
	if err != nil {
		return err
	}
	d := derivation{exposure: exposureAt(x.BoundStart == 1, x.SecuredAt, tx.Now()), now: tx.Now()}
	counts, err := deriveAnew(ctx, tx, u, account, d)
	if err != nil {
		return err
	}
	target := store.UpsertTarget{Table: "score_player", Key: []string{"account"}, Others: []string{"counts", "version"}}
	return store.BulkUpsert(ctx, tx, target, [][]any{{account[:], counts.text(), player.Version + 1}})
}

// setFact stores that a fact is void, or that it counts again, and returns the team and the season whose
// points change; 0 for none.
func setFact(ctx context.Context, queries *q.Queries, f fact, of accountFact) (team, season int64, err error) {
	if of.restore {
		kind, _, _ := strings.Cut(of.id, ":")
		n, err := queries.RestoreFact(ctx, q.RestoreFactParams{Kind: kind, Account: of.account[:], ID: of.id})
		return -f.team, -f.season, ledger.OneRow(n, err)
	}
	p := q.SetVoidParams{Account: of.account[:], ID: of.id, Points: f.points, Season: f.season, Team: f.team}
	if f.season == 0 || f.season > of.closed {
		team, season = f.team, f.season
		p.Points, p.Season, p.Team = -f.points, -season, -team
	}
	n, err := queries.SetVoid(ctx, p)
	return team, season, ledger.OneRow(n, err)
}

// correctTeam makes the entry of an open team anew from the facts that count. A closed team has none.
func correctTeam(ctx context.Context, tx *store.Tx, u *boardUpdate, team, season int64) error {
	sum, err := q.New(tx).TeamSum(ctx, q.TeamSumParams{Team: team, Season: season})
	if err != nil {
		return err
	}
	k := entryKey{boardOf(kindTeams, season), string(teamMember(team))}
	return u.correct(ctx, tx, k, entry{sortKey: pointsKey(sum.Points, time.UnixMilli(sum.At)), value: sum.Points,
		ref: strconv.FormatInt(team, 10)})
}

// correct replaces an entry, whatever the step has changed before, by one that was made anew. One without points is
// removed.
func (u *boardUpdate) correct(ctx context.Context, tx *store.Tx, k entryKey, e entry) error {
	row, err := q.New(tx).GetEntry(ctx, q.GetEntryParams{Member: []byte(k.member), Board: int64(k.board)})
	existed := err == nil
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	// Both sides of a duel may be members of one team: the second one replaces the first one's result.
	delete(u.removed, k)
	delete(u.refreshed, k)
	u.forget(k)
	if existed {
		u.before[k] = entry{sortKey: row.Place, value: row.Value, ref: row.Ref}
	}
	switch {
	case e.value != 0:
		u.put(k, func(*entry) entry { return e })
	case existed:
		u.removed[k] = true
	}
	return nil
}
