package score

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
	"roshambo/internal/store/storetest"
)

// reportClaim reports that a player claimed a tier, and leaves the report pending.
func (h *harness) reportClaim(t tester, a chain.Address, id string, tier int64) {
	t.Helper()
	now := h.ledger.Clock.Now()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		return h.RunEnded(ctx, tx, Run{
			ID: id, Account: a, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: tier, Throws: tier + 1,
			StartedAt: now, EndedAt: now,
		})
	})
}

func (h *harness) backlog(t tester) (b Backlog) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
		b, err = h.Backlog(ctx, tx)
		return err
	})
	return b
}

func (h *harness) wantConsistent(t tester) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		return h.Check(ctx, tx, func(d Divergence) { t.Errorf("%+v", d) })
	})
}

// TestReducedOnce checks that each report counts once when commits fail before or after they
// are stored, and when four reducers run at the same time.
func TestReducedOnce(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]store.Fault{
		"sound": store.NoFault, "not stored": store.NotStored, "stored": store.Stored,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var faults atomic.Int64 // number of commits that are still to fail
			h := newHarness(t, ledgertest.Options{DB: store.Config{Faults: &store.Faults{
				Commit: func() store.Fault {
					if faults.Add(-1) >= 0 {
						return crash
					}
					return store.NoFault
				},
				Twice: func() bool { return crash == store.NoFault },
			}}})
			ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest)
			const each = runsPerDay
			for i := range each {
				h.reportClaim(t, ann, fmt.Sprint("ann ", i), 1)
				h.reportClaim(t, bob, fmt.Sprint("bob ", i), 2)
			}
			if b := h.backlog(t); b.Reports != 2*each || b.Oldest.IsZero() || b.Refused != 0 {
				t.Errorf("before the reducers ran: %+v", b)
			}
			h.wantBoard(t, boardAll, nil)
			h.wantConsistent(t)
			faults.Store(3)
			done := make(chan error, 4)
			for range cap(done) {
				go func() {
					err := h.Drain(t.Context())
					for errors.Is(err, store.ErrUnavailable) { // the outcome is unknown: retry
						err = h.Drain(t.Context())
					}
					done <- err
				}()
			}
			for range cap(done) {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			now := h.ledger.Clock.Now().Unix()
			h.wantBoard(t, boardAll, []line{{string(bob[:]), 4 * each, 0, now}, {string(ann[:]), 2 * each, 0, now}})
			h.wantConsistent(t)
			if b := h.backlog(t); b != (Backlog{}) {
				t.Errorf("after the reducers ran: %+v", b)
			}
		})
	}
}

// TestRefused checks that a report that cannot be reduced does not delay the others, shows in
// the backlog and in Check, and counts once it can be reduced.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest)
	h.claim(t, ann, "first", 1)
	damage := func(sql string) {
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, sql)
			return err
		})
	}
	damage("UPDATE score_player SET counts = 'x' || counts")
	for i := range runsPerDay {
		h.reportClaim(t, bob, fmt.Sprint("bob ", i), 1)
		if i == 15 {
			h.reportClaim(t, ann, "ann", 3)
			h.reportClaim(t, bob, "bob 1", 1) // a duplicate
			damage(`INSERT INTO score_inbox (posted_at, kind, account, team, other_team, body)
				SELECT 1, 'rain', address, 0, 0, '{}' FROM account LIMIT 1`)
		}
	}
	err := h.Drain(t.Context())
	if err == nil || strings.Count(err.Error(), " refused: ") != 3 ||
		!strings.Contains(err.Error(), `unknown kind "rain"`) {
		t.Errorf("got error %v, want three refused reports", err)
	}
	if b := h.backlog(t); b.Reports != 0 || b.Refused != 3 {
		t.Errorf("backlog %+v, want 3 refused", b)
	}
	now := h.ledger.Clock.Now().Unix()
	h.wantBoard(t, boardAll, []line{{string(bob[:]), 2 * runsPerDay, 0, now}, {string(ann[:]), 2, 0, now}})
	var found []string
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		found = nil
		return h.Check(ctx, tx, func(d Divergence) { found = append(found, d.What) })
	})
	if len(found) != 4 { // three reports, and the unreadable counts
		t.Errorf("Check finds %q, want 4 divergences", found)
	}
	damage("UPDATE score_player SET counts = substr(counts, 2) WHERE counts LIKE 'x%'")
	ctx, stop := context.WithCancel(t.Context())
	refused := make(chan error, 10)
	done := make(chan struct{})
	go func() { defer close(done); h.RunReducer(ctx, func(err error) { refused <- err }) }()
	for range 2 {
		t.Log(<-refused)
	}
	stop()
	<-done
	if b := h.backlog(t); b.Reports != 0 || b.Refused != 2 {
		t.Errorf("backlog %+v after requeueing, want 2 refused", b)
	}
	h.wantBoard(t, boardAll, []line{{string(bob[:]), 2 * runsPerDay, 0, now}, {string(ann[:]), 10, 0, now}})
}

// TestRunReducer checks that the reducer processes reports that are pending when it starts,
// reports of its own node, and reports of which another node notifies it.
func TestRunReducer(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	notified := make(chan struct{}, 100)
	other, err := New(t.Context(), Config{DB: h.DB, Ledger: h.Ledger, Teams: h.Teams, Now: h.Now, Notify: func() {
		h.Wake()
		notified <- struct{}{}
	}})
	if err != nil {
		t.Fatal(err)
	}
	ann := h.player(t, 1, chain.Full)
	h.reportClaim(t, ann, "before", 1)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); h.RunReducer(ctx, func(err error) { t.Error(err) }) }()
	waitForPoints := func(want int64) {
		for got := int64(0); got != want; {
			h.view(t, func(ctx context.Context, tx *store.Tx) error {
				b, err := h.AllTimeBoard(ctx, tx, &ann, PageRequest{Count: 1})
				if err == nil && b.Me != nil {
					got = b.Me.Value
				}
				return err
			})
		}
	}
	waitForPoints(2)
	h.reportClaim(t, ann, "here", 2)
	waitForPoints(6)
	now := h.ledger.Clock.Now()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		return other.RunEnded(ctx, tx, Run{
			ID: "there", Account: ann, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: 3, Throws: 3,
			StartedAt: now, EndedAt: now,
		})
	})
	<-notified
	waitForPoints(14)
	stop()
	<-done
	h.wantConsistent(t)
	// A node that no longer reduces notifies the others again.
	h.Notify = func() { notified <- struct{}{} }
	h.reportClaim(t, ann, "after", 1)
	if len(notified) != 1 {
		t.Errorf("%d notifications of a report after the reducer has ended, want 1", len(notified))
	}
}

// TestNotifyPace checks that a node notifies the others of reports at most once per notifyPace, and at
// once after its clock was set back.
func TestNotifyPace(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	var notified atomic.Int64
	h.Notify = func() { notified.Add(1) }
	ann := h.player(t, 1, chain.Full)
	for i, c := range []struct {
		later time.Duration // since the report before
		want  int64         // notifications so far
	}{
		{0, 1}, {0, 1}, {1 * time.Millisecond, 1}, {notifyPace - 2*time.Millisecond, 1}, {1 * time.Millisecond, 2},
		{notifyPace - 1*time.Millisecond, 2}, {time.Hour, 3}, {0, 3}, {-1 * time.Millisecond, 4}, {0, 4},
		{-time.Hour, 5}, {notifyPace - 1*time.Millisecond, 5}, {1 * time.Millisecond, 6},
	} {
		h.ledger.Clock.Add(c.later)
		h.reportClaim(t, ann, fmt.Sprint("run ", i), 1)
		if n := notified.Load(); n != c.want {
			t.Errorf("report %d, %v after the one before: %d notifications so far, want %d", i, c.later, n, c.want)
		}
	}
}

// TestReducerPace checks that a report wakes the reducer, which polls otherwise, and that after an
// error nothing but the poll makes it try again: a database that fails is not asked without end.
func TestReducerPace(t *testing.T) {
	t.Parallel()
	var failing atomic.Bool
	place := storetest.At(storetest.NewSQLite(t), store.Config{Faults: &store.Faults{Statement: func(string) error {
		if failing.Load() {
			return store.ErrUnavailable
		}
		return nil
	}}})
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, ledgertest.Options{DB: place})
		ann := h.player(t, 1, chain.Full)
		ctx, stop := context.WithCancel(t.Context())
		var failures atomic.Int64
		done := make(chan struct{})
		go func() { defer close(done); h.RunReducer(ctx, func(error) { failures.Add(1) }) }()
		synctest.Wait()
		for n := range 3 {
			<-time.After(2*pollInterval + stepPace/2) // between two polls
			h.reportClaim(t, ann, fmt.Sprint("run ", n), 1)
			<-time.After(stepPace)
			synctest.Wait()
			if b := h.backlog(t); b.Reports != 0 {
				t.Errorf("%d reports are not reduced after %v", b.Reports, stepPace)
			}
		}
		failing.Store(true)
		for range 10 {
			h.Wake()
			synctest.Wait()
		}
		if n := failures.Load(); n != 1 {
			t.Errorf("tried %d times at once while the database fails, want 1", n)
		}
		<-time.After(3 * pollInterval)
		synctest.Wait()
		if n := failures.Load(); n != 4 {
			t.Errorf("tried %d times in three intervals, want 4", n)
		}
		stop()
		<-done
		failing.Store(false)
	})
}

// TestStepReadsWinsOfItsDays checks that a step reads the wins of the days of its duels, and no
// others: the read must not grow with the history of two opponents.
func TestStepReadsWinsOfItsDays(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Full)
	finish := func(code string, at time.Time) {
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			return h.DuelFinished(ctx, tx, Duel{Code: code, A: ann, B: bob, Winner: "a", Earned: true, At: at})
		})
	}
	for n := 1; n <= 5; n++ {
		finish(fmt.Sprint("before ", n), day(n))
	}
	h.drainAll(t)
	finish("late", day(4))
	finish("later", day(2))
	finish("between", day(3))
	step, err := h.reduce(t.Context(), stepSize)
	if err != nil {
		t.Fatal(err)
	}
	want := map[accountDay]int64{}
	for n := 2; n <= 4; n++ {
		want[accountDay{ann, DayOf(day(n))}] = 2 // one read, one of this step
	}
	if !maps.Equal(step.wins, want) {
		t.Errorf("wins %v, want %v", step.wins, want)
	}
}

// TestTeamAtReport checks that points count for the player's team at the time of the report,
// whenever it is reduced, and not for a team that has closed since.
func TestTeamAtReport(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest)
	var red, blue int64
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		r, err := h.teams.Create(ctx, tx, ann, "Red", false)
		if err != nil {
			return err
		}
		red = r.ID
		_, err = h.teams.Join(ctx, tx, bob, "Red", "")
		return err
	})
	h.reportClaim(t, ann, "for red", 3)
	leave := func(a chain.Address) {
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := h.teams.Leave(ctx, tx, a)
			return err
		})
	}
	leave(ann)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		b, err := h.teams.Create(ctx, tx, ann, "Blue", false)
		if err == nil {
			blue = b.ID
		}
		return err
	})
	h.reportClaim(t, ann, "for blue", 4)
	h.drainAll(t)
	now := h.ledger.Clock.Now().Unix()
	teams := boardOf(kindTeams, 1)
	h.wantBoard(t, teams, []line{{string(teamMember(blue)), 16, 0, now}, {string(teamMember(red)), 8, 0, now}})
	h.reportClaim(t, bob, "the last for red", 5)
	leave(bob)
	h.wantConsistent(t) // while red still has its entry
	h.drainAll(t)
	h.wantBoard(t, teams, []line{{string(teamMember(blue)), 16, 0, now}})
	h.wantConsistent(t)
}

// TestSeasonWaitsForReports checks that a season is not closed before its pending reports are
// reduced, and that a step that assumed an open season is stale after the closing.
func TestSeasonWaitsForReports(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(-time.Second))
	h.reportClaim(t, ann, "at the last moment", 3)
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(closeGrace + time.Hour))
	h.reportClaim(t, ann, "of the next season", 4) // does not delay the closing
	if done, err := h.closeNext(t.Context()); done || err != nil {
		t.Fatalf("closed before all reports were reduced: %v, error %v", done, err)
	}
	if n, err := h.reduceNext(t.Context()); n != 2 || err != nil {
		t.Fatalf("reduced %d reports, error %v, want 2", n, err)
	}
	last := h.Season(1).EndsAt.Add(-time.Second)
	h.update(t, func(ctx context.Context, tx *store.Tx) error { // after the grace
		return h.RunEnded(ctx, tx, Run{
			ID: "late", Account: ann, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: 5, Throws: 5,
			StartedAt: last, EndedAt: last,
		})
	})
	late, err := h.reduce(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := h.closeNext(t.Context()); !done || err != nil {
		t.Fatalf("not closed: %v, error %v", done, err)
	}
	if err := h.DB.Update(t.Context(), late.store); !errors.Is(err, errStale) {
		t.Errorf("a step from before the closing is stored: error %v", err)
	}
	h.drainAll(t)
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		c, err := h.ClosedSeason(ctx, tx, 1)
		if err == nil && !strings.Contains(string(c.Raw), `"points":8,`) {
			t.Errorf("closed with %s", c.Raw)
		}
		return err
	})
	// The late report counts for no season.
	h.wantBoard(t, boardAll, []line{{string(ann[:]), 56, 0, h.ledger.Clock.Now().Unix()}})
	h.wantBoard(t, boardOf(kindSeason, 2), []line{{string(ann[:]), 16, 0, h.ledger.Clock.Now().Unix()}})
	h.wantConsistent(t)
}

// inbox returns kind, number of accounts and body of each pending report.
func (h *harness) inbox(t *testing.T) (reports []string) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		reports = nil
		list, err := q.New(tx).ListInbox(ctx, 100)
		for _, r := range list {
			accounts := (len(r.Account) + len(r.Other)) / len(chain.Address{})
			reports = append(reports, fmt.Sprintf("%s %d %s", r.Kind, accounts, r.Body))
		}
		return err
	})
	return reports
}

// TestReportFormat fixes the stored form of reports and the facts decoded from it, member by
// member: nodes of two releases read one another's reports.
func TestReportFormat(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest)
	token, tx := int64(7), chain.Hash{1}
	at := time.UnixMilli(1793455200123)
	h.update(t, func(ctx context.Context, u *store.Tx) error {
		return errors.Join(
			h.RunEnded(ctx, u, Run{
				ID: "r", Account: ann, Entry: chain.EntryDaily, Status: chain.RunClaimed, First: 1, Cleared: 2,
				Throws: 3, StartedAt: at, EndedAt: at, TokenID: &token, EndTx: tx,
			}),
			h.DuelFinished(ctx, u, Duel{
				Code: "D", A: ann, B: bob, Winner: "b", Stake: 5, Practice: true, At: at, SettleTx: &tx,
			}),
			h.Sold(ctx, u, Sale{
				ListingID: 9, Seller: ann, Buyer: bob, TokenID: token, Tier: 4, Price: 6, At: at, Tx: tx,
			}),
			h.BoughtBack(ctx, u, Buyback{OfferID: 10, Seller: ann, TokenID: token, Tier: 4, Price: 6, At: at, Tx: tx}),
			h.TeamJoined(ctx, u, Joined{Account: ann, Team: 11, Seq: 12, At: at}),
			h.TeamClosed(ctx, u, 13),
			h.Renamed(ctx, u, bob[:]),
		)
	})
	hash := tx.String()
	want := []string{
		`run 1 {"id":"r","at":1793455200123,"result":"claimed","entry":"daily","day":20757,` +
			`"tier":2,"first":1,"throws":3,"token_id":7,"tx":"` + hash + `"}`,
		`duel 2 {"id":"D","at":1793455200123,"coins":5,"winner":"b","practice":true,"tx":"` + hash + `"}`,
		`sale 2 {"id":"9","at":1793455200123,"tier":4,"coins":6,"token_id":7,"tx":"` + hash + `"}`,
		`buyback 1 {"id":"10","at":1793455200123,"tier":4,"coins":6,"token_id":7,"tx":"` + hash + `"}`,
		`team 1 {"id":"11:12","at":1793455200123}`, `team_closed 0 {}`, `renamed 1 {}`,
	}
	if got := h.inbox(t); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	h.drainAll(t)
	var facts []string
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		facts = nil
		list, err := q.New(tx).ListFacts(ctx, q.ListFactsParams{Account: []byte{}, Count: 100})
		for i := range list {
			f := factOf(&list[i])
			f.at = f.at.UTC()
			text, _ := json.Marshal([]any{
				f.id, f.kind, f.result, f.points, f.entry, f.day, f.tier, f.first, f.throws, f.coins, f.at.Equal(at),
				len(list[i].Other),
			})
			facts = append(facts, string(text))
		}
		return err
	})
	wantFacts := []string{
		`["buyback:10","buyback","",0,"",0,4,0,0,6,true,0]`,
		`["duel:D","duel","practice lost",0,"",0,0,0,0,5,true,20]`,
		`["run:r","run","claimed",2,"daily",20757,2,1,3,0,true,0]`,
		`["sale:9","sale","",0,"",0,4,0,0,6,true,0]`,
		`["team:11:12","team","",0,"",0,0,0,0,0,true,0]`,
		`["duel:D","duel","practice won",0,"",0,0,0,0,5,true,20]`,
		`["purchase:9","purchase","",0,"",0,4,0,0,6,true,0]`,
	}
	if !slices.Equal(facts, wantFacts) {
		t.Errorf("facts\n%s\nwant\n%s", strings.Join(facts, "\n"), strings.Join(wantFacts, "\n"))
	}
}
