package score

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// Void describes a rated duel or a daily run whose result an operator declares void.
type Void struct {
	DuelID, RunID string          // one of them
	Accounts      []chain.Address // the people whose results are void
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
	// A step being reduced now has read the facts: make it stale.
	if err := ledger.OneRow(q.New(tx).AdvanceStep(ctx)); err != nil {
		return err
	}
	closed, err := q.New(tx).LastClosed(ctx)
	if err != nil {
		return fmt.Errorf("score: void: %w", err)
	}
	u := newBoardUpdate()
	for _, account := range v.Accounts {
		if err := s.voidFact(ctx, tx, u, accountFact{account, v.factID(), closed}); err != nil {
			return fmt.Errorf("score: void %s of %v: %w", v.factID(), account, err)
		}
	}
	if err := u.store(ctx, tx, s.ranks); err != nil {
		return fmt.Errorf("score: void: %w", err)
	}
	return s.publish(ctx, tx, []*FeedItem{{Kind: ItemVoid, At: v.At, DuelID: v.DuelID, RunID: v.RunID,
		TxHash: v.Tx.String(), Reason: v.Reason}})
}

// accountFact names a fact.
type accountFact struct {
	account chain.Address
	id      string
	closed  int64 // the last closed season
}

// voidFact declares one fact void, stores the counts of its account, and collects the entries that
// change.
func (s *Service) voidFact(ctx context.Context, tx *store.Tx, u *boardUpdate, of accountFact) error {
	queries, account, id := q.New(tx), of.account, of.id
	row, err := queries.GetFact(ctx, q.GetFactParams{Account: account[:], ID: id})
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotCounted
	}
	if err != nil {
		return err
	}
	before := factOf(&row)
	after := before
	if before.season == 0 || before.season > of.closed {
		after.points, after.season, after.team = 0, 0, 0
	}
	n, err := queries.SetVoid(ctx, q.SetVoidParams{
		Account: account[:], ID: id, Points: after.points, Season: after.season, Team: after.team})
	if err := ledger.OneRow(n, err); err != nil {
		return err
	}
	if before.team != 0 && after.team == 0 {
		if err := voidTeam(ctx, tx, u, before.team, before.season); err != nil {
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
	d := derivation{exposure: exposure{bound: x.BoundStart == 1, securedAt: x.SecuredAt}, now: s.now()}
	counts, err := deriveAnew(ctx, tx, u, account, d)
	if err != nil {
		return err
	}
	target := store.UpsertTarget{Table: "score_player", Key: []string{"account"}, Others: []string{"counts", "version"}}
	return store.BulkUpsert(ctx, tx, target, [][]any{{account[:], counts.text(), player.Version + 1}})
}

// voidTeam makes the entry of an open team anew from the facts that are left. A closed team has none.
func voidTeam(ctx context.Context, tx *store.Tx, u *boardUpdate, team, season int64) error {
	queries := q.New(tx)
	k := entryKey{boardOf(kindTeams, season), string(teamMember(team))}
	row, err := queries.GetEntry(ctx, q.GetEntryParams{Member: []byte(k.member), Board: int64(k.board)})
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	sum, err := queries.TeamSum(ctx, q.TeamSumParams{Team: team, Season: season})
	if err != nil {
		return err
	}
	// Both sides of a duel may be members of one team: the second one replaces the first one's result.
	u.before[k] = entry{sortKey: row.Place, value: row.Value, ref: row.Ref}
	delete(u.removed, k)
	if sum.Points == 0 {
		u.forget(k)
		u.removed[k] = true
		return nil
	}
	u.put(k, func(*entry) entry {
		return entry{sortKey: pointsKey(sum.Points, time.UnixMilli(sum.At)), value: sum.Points, ref: row.Ref}
	})
	return nil
}
