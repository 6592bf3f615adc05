package score

import (
	"context"
	"errors"
	"testing"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestVoidResult declares a rated duel of two members of one team, and a daily run, void, with each
// statement failing once: points, team and boards are those of the results that are left.
func TestVoidResult(t *testing.T) {
	t.Parallel()
	h := newFaulty(t)
	a, b, now := h.players[0], h.players[1], h.ledger.Clock.Now()
	var team int64
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		made, err := h.teams.Create(ctx, tx, a, "Rockets", false)
		if err == nil {
			team = made.ID
		}
		return err
	})
	duel := Void{DuelID: "DUEL", Accounts: []chain.Address{a, b}, Reason: "one person", At: now, Tx: chain.Hash{1}}
	err := h.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error { return h.VoidResult(ctx, tx, duel) })
	if !errors.Is(err, ErrNotCounted) {
		t.Errorf("before the duel is counted: %v", err)
	}
	h.claim(t, a, "run", 3)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		return h.DuelFinished(ctx, tx, Duel{Code: "DUEL", A: a, B: b, Winner: "a", Earned: true, At: now})
	})
	h.endRun(t, Run{ID: "daily", Account: a, Entry: chain.EntryDaily, Status: chain.RunClaimed, Cleared: 2, Throws: 3,
		StartedAt: now, EndedAt: now})
	h.drainAll(t)
	points := func() (account, ofTeam int64) {
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			for to, k := range map[*int64]entryKey{
				&account: {boardAll, string(a[:])}, &ofTeam: {boardOf(kindTeams, 1), string(teamMember(team))},
			} {
				row, err := h.entryOf(ctx, tx, k)
				if err != nil {
					return err
				}
				*to = row
			}
			return nil
		})
		return account, ofTeam
	}
	if account, ofTeam := points(); account != 8+8+4 || ofTeam != account {
		t.Fatalf("before: %d points, %d of the team", account, ofTeam)
	}
	h.each.Run(t, []storetest.Case{{Name: "void duel", Update: storetest.Do(h.VoidResult, duel)}})
	if account, ofTeam := points(); account != 8+4 || ofTeam != account {
		t.Errorf("without the duel: %d points, %d of the team", account, ofTeam)
	}
	run := Void{RunID: "daily", Accounts: []chain.Address{a}, Reason: "a script", At: now, Tx: chain.Hash{2}}
	h.each.Run(t, []storetest.Case{{Name: "void run", Update: storetest.Do(h.VoidResult, run)}})
	if account, ofTeam := points(); account != 8 || ofTeam != account {
		t.Errorf("without the daily run: %d points, %d of the team", account, ofTeam)
	}
	h.wantConsistent(t)
	last := Void{RunID: "run", Accounts: []chain.Address{a}, Reason: "a script", At: now, Tx: chain.Hash{3}}
	h.each.Run(t, []storetest.Case{{Name: "void last", Update: storetest.Do(h.VoidResult, last)}})
	h.wantBoard(t, boardOf(kindTeams, 1), nil) // nor with 0 points
	h.wantBoard(t, boardAll, nil)
	h.wantConsistent(t)
	for _, v := range []Void{last, run, duel} {
		h.each.Run(t, []storetest.Case{{Name: "restore", Update: storetest.Do(h.RestoreResult, v)}})
	}
	if account, ofTeam := points(); account != 8+8+4 || ofTeam != account { // the team's entry had gone
		t.Errorf("all restored: %d points, %d of the team", account, ofTeam)
	}
	h.wantConsistent(t)
}

// entryOf returns the value of an entry; 0 for none.
func (h *faulty) entryOf(ctx context.Context, tx *store.Tx, k entryKey) (value int64, err error) {
	err = tx.QueryRowContext(ctx,
		"SELECT COALESCE(max(value), 0) FROM score_entry WHERE board = $1 AND member = $2",
		int64(k.board), []byte(k.member)).Scan(&value)
	return value, err
}
