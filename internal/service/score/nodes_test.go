package score

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
	"roshambo/internal/store/storetest"
)

// node is one of several that share a database. Each has its own clock, and what it has
// begun and not stored.
type node struct {
	*Service
	off   time.Duration // its clock is ahead
	turns []*reduceStep
	whys  []error // why a turn cannot be stored
}

// said is a report as it was made.
type said struct {
	account  chain.Address
	points   int64 // that a run gives
	season   int64 // in which they are to count if the report comes in time
	late     int64 // in milliseconds: when the season may be closed without it
	postedAt int64
	story    bool
}

// nodes is several nodes, and what they were told.
type nodes struct {
	*harness
	list    []*node
	players []chain.Address
	faults  atomic.Int64 // how the next commit goes
	said    map[string]said
	wins    map[string]int64 // by day, winner and loser
	refused map[string]bool  // ids of facts that were refused once
	n       int
}

func newNodes(t *testing.T) *nodes {
	m := &nodes{said: map[string]said{}, wins: map[string]int64{}, refused: map[string]bool{}}
	m.harness = newHarness(t, ledgertest.Options{DB: store.Config{Faults: &store.Faults{
		Commit: func() store.Fault { return store.Fault(m.faults.Swap(int64(store.NoFault))) },
	}}})
	for range 2 {
		m.list = append(m.list, m.begin(t, 0))
	}
	for i := range 5 {
		m.players = append(m.players, m.player(t, i+1, chain.Full))
	}
	return m
}

// begin starts a node, which remembers nothing of what was.
func (m *nodes) begin(t tester, off time.Duration) *node {
	t.Helper()
	n := &node{off: off}
	var err error
	n.Service, err = New(t.Context(), Config{
		DB: m.DB, Ledger: m.Ledger, Teams: m.teams, Feed: m.harness, Now: func() time.Time { return m.ledger.Clock.Now().Add(n.off) },
		Clock: func(context.Context) (time.Time, error) { return m.ledger.Clock.Now(), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	n.newBlockSize = 2
	return n
}

func (m *nodes) any(r *rapid.T) *node {
	return m.list[rapid.IntRange(0, len(m.list)-1).Draw(r, "node")]
}

func (m *nodes) id() string { m.n++; return fmt.Sprint("id-", m.n) }

// say notes a report that a node has made.
func (m *nodes) say(r *rapid.T, n *node, id string, s said, at time.Time) {
	last := int64(0)
	m.view(r, func(ctx context.Context, tx *store.Tx) (err error) {
		last, err = q.New(tx).LastClosed(ctx)
		return err
	})
	s.season = max(m.calendar.season(at), last+1)
	s.late, s.postedAt = m.Season(s.season).EndsAt.Add(closeGrace).UnixMilli(), n.now().UnixMilli()
	m.said[id] = s
}

func (m *nodes) run(r *rapid.T) {
	n := m.any(r)
	now := n.now().Add(-rapid.SampledFrom([]time.Duration{0, 0, 2 * time.Hour}).Draw(r, "held up"))
	e := Run{
		ID: m.id(), Account: rapid.SampledFrom(m.players).Draw(r, "player"), Entry: chain.EntryFree, EndedAt: now, StartedAt: now,
		Cleared: rapid.Int64Range(1, 9).Draw(r, "tier"), Status: rapid.SampledFrom([]chain.RunStatus{chain.RunClaimed, chain.RunLost}).Draw(r, "end"),
	}
	e.Throws = e.Cleared + 1
	m.update(r, func(ctx context.Context, tx *store.Tx) error { return n.RunEnded(ctx, tx, e) })
	s := said{account: e.Account}
	if e.Status == chain.RunClaimed {
		s.points, s.story = 1<<e.Cleared, e.Cleared >= notableTier
	}
	m.say(r, n, "run:"+e.ID, s, now)
}

func (m *nodes) daily(r *rapid.T) {
	n := m.any(r)
	a := rapid.SampledFrom(m.players).Draw(r, "player")
	now := n.now()
	id := fmt.Sprintf("%x %d", a[19:], DayOf(now))
	if _, played := m.said["run:"+id]; played {
		return
	}
	m.update(r, func(ctx context.Context, tx *store.Tx) error {
		return n.RunEnded(ctx, tx, Run{ID: id, Account: a, Entry: chain.EntryDaily, Status: chain.RunLost, Throws: 2, StartedAt: now, EndedAt: now})
	})
	m.say(r, n, "run:"+id, said{account: a}, now)
}

func (m *nodes) duel(r *rapid.T) {
	n := m.any(r)
	d := Duel{Code: m.id(), A: m.players[0], B: m.players[1], At: n.now(), Winner: rapid.SampledFrom([]string{"a", "b"}).Draw(r, "winner")}
	m.update(r, func(ctx context.Context, tx *store.Tx) error { return n.DuelFinished(ctx, tx, d) })
	m.wins[fmt.Sprint(DayOf(d.At), d.Winner)]++
}

func (m *nodes) team(r *rapid.T) {
	a := rapid.SampledFrom(m.players).Draw(r, "player")
	m.update(r, func(ctx context.Context, tx *store.Tx) error {
		if in, err := m.teams.TeamOf(ctx, tx, a); err != nil || in != 0 {
			_, err = m.teams.Leave(ctx, tx, a)
			return err
		}
		if _, err := m.teams.Join(ctx, tx, a, "Red", ""); err == nil {
			return nil
		}
		_, err := m.teams.Create(ctx, tx, a, "Red", false)
		return err
	})
}

// work has a node work out a turn, and leave it at that.
func (m *nodes) work(r *rapid.T) {
	n := m.any(r)
	t, err := n.Service.reduce(r.Context(), rapid.SampledFrom([]int64{1, 3, stepSize}).Draw(r, "size"))
	if len(t.reports) > 0 && (err == nil || len(t.reports) == 1) {
		n.turns, n.whys = append(n.turns, t), append(n.whys, err)
	}
}

// store has a node store a turn that it worked out at some time, or refuse what cannot be.
// The commit may go wrong in either way; its caller is told of none of that, as after a kill.
func (m *nodes) store(r *rapid.T) {
	n := m.any(r)
	if len(n.turns) == 0 {
		return
	}
	i := rapid.IntRange(0, len(n.turns)-1).Draw(r, "which")
	t, why := n.turns[i], n.whys[i]
	m.faults.Store(int64(rapid.SampledFrom([]store.Fault{store.NoFault, store.NoFault, store.NotStored, store.Stored}).Draw(r, "fault")))
	defer m.faults.Store(int64(store.NoFault))
	if why == nil {
		if err := m.DB.UpdateAt(r.Context(), store.Snapshot, t.store); err != nil && !errors.Is(err, errStale) && !errors.Is(err, store.ErrUnavailable) {
			r.Fatalf("a turn: %v", err)
		}
		return
	}
	_, _ = n.refuse(r.Context(), t, why)
}

// spoil makes a report one that cannot be reacted to.
func (m *nodes) spoil(r *rapid.T) {
	m.update(r, func(ctx context.Context, tx *store.Tx) error {
		list, err := q.New(tx).ListInbox(ctx, 20)
		if err != nil || len(list) == 0 {
			return err
		}
		e := list[rapid.IntRange(0, len(list)-1).Draw(r, "which")]
		if e.Kind != factRun {
			return nil
		}
		activities, err := decodeActivities(&e)
		if err != nil {
			return err
		}
		m.refused[activities[0].id] = true
		_, err = tx.ExecContext(ctx, "UPDATE score_inbox SET kind = 'rain' WHERE id = $1", e.ID)
		return err
	})
}

// mend makes all reports sound again, and has a node begin that takes what was refused.
func (m *nodes) mend(r *rapid.T) {
	m.exec(r, "UPDATE score_inbox SET kind = 'run' WHERE kind = 'rain'")
	m.exec(r, "UPDATE score_refused SET kind = 'run' WHERE kind = 'rain'")
	if err := m.any(r).requeueRefused(r.Context()); err != nil {
		r.Fatal(err)
	}
}

func (m *nodes) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"run": m.run, "runs": m.run, "daily": m.daily, "duel": m.duel, "team": m.team,
		"work": m.work, "works": m.work, "store": m.store, "stores": m.store, "spoil": m.spoil, "mend": m.mend,
		"kill": func(r *rapid.T) {
			i := rapid.IntRange(0, len(m.list)-1).Draw(r, "node")
			m.list[i] = m.begin(r, m.list[i].off)
		},
		"clock": func(r *rapid.T) {
			m.any(r).off = rapid.SampledFrom([]time.Duration{0, time.Second, 30 * time.Hour, -30 * time.Hour}).Draw(r, "off")
		},
		"time": func(r *rapid.T) {
			m.ledger.Clock.Add(rapid.SampledFrom([]time.Duration{time.Second, 13 * time.Hour, 24 * time.Hour, 9 * 24 * time.Hour}).Draw(r, "later"))
		},
		"fold": func(r *rapid.T) {
			if err := m.any(r).Compact(r.Context()); err != nil {
				r.Fatal(err)
			}
		},
		"end": m.end, "close": m.close,
		"look":  func(r *rapid.T) { m.look(r, m.any(r)) },
		"check": func(r *rapid.T) { m.wantBooked(r) },
		"react": m.react, "season": m.season,
	}
}

// end lets time pass until a season is about to end, or is over.
func (m *nodes) end(r *rapid.T) {
	end := m.SeasonAt(m.ledger.Clock.Now()).EndsAt
	if m.ledger.Clock.Now().Before(end.Add(-time.Minute)) {
		m.ledger.Clock.Set(end.Add(-time.Minute))
		return
	}
	m.ledger.Clock.Set(end.Add(rapid.SampledFrom([]time.Duration{closeGrace, closeGrace + time.Second, time.Hour}).Draw(r, "over")))
}

// season is the end of a season, and what is likely to happen around it, each now and then.
func (m *nodes) season(r *rapid.T) {
	for _, step := range []func(*rapid.T){
		m.end, m.run, m.react, m.end, m.react, m.react, m.run, m.work, m.close, m.run, m.work, m.react, m.store, m.store,
	} {
		if rapid.IntRange(0, 4).Draw(r, "left out") > 0 {
			step(r)
		}
	}
}

// react has a node do what the loop does.
func (m *nodes) react(r *rapid.T) { _, _ = m.any(r).Service.reduceNext(r.Context()) }

func (m *nodes) close(r *rapid.T) {
	n := m.any(r)
	m.faults.Store(int64(rapid.SampledFrom([]store.Fault{store.NoFault, store.NoFault, store.NotStored, store.Stored}).Draw(r, "fault")))
	_, err := n.closeNext(r.Context(), m.ledger.Clock.Now())
	m.faults.Store(int64(store.NoFault))
	if err != nil && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, ledger.ErrConflict) {
		r.Fatal(err)
	}
}

// look has a node show its boards, which it keeps in memory, as they are stored.
func (m *nodes) look(t tester, n *node) {
	t.Helper()
	m.view(t, func(ctx context.Context, tx *store.Tx) error {
		for _, id := range n.currentBoards(n.now()) {
			b, err := n.openBoard(ctx, tx, id)
			if err != nil {
				return err
			}
			top, err := n.top(ctx, b)
			if err != nil {
				return err
			}
			stored, err := b.queries.ListTop(ctx, q.ListTopParams{Board: int64(id), Count: MaxRows})
			if err != nil || len(stored) != len(top.rows) || b.total() != int64(len(stored)) {
				t.Fatalf("board %v: %d rows of %d shown, %d stored, error %v", id, len(top.rows), b.total(), len(stored), err)
			}
			for i, s := range stored {
				if row := top.rows[i]; string(row.Address[:]) != string(s.Member) || row.Value != s.Value || row.Rank != int64(i)+1 {
					t.Errorf("board %v, place %d: %+v shown, %+v stored", id, i+1, row, s)
				}
			}
		}
		return nil
	})
}

// wantBooked holds what is stored against what was said: nothing twice, nothing that nobody
// said, and all of it sound.
func (m *nodes) wantBooked(t tester) (facts map[string]fact) {
	t.Helper()
	m.view(t, func(ctx context.Context, tx *store.Tx) error {
		facts = map[string]fact{}
		wins := map[string]int64{}
		list, err := q.New(tx).ListFacts(ctx, q.ListFactsParams{Account: []byte{}, Count: 1 << 30})
		for i := range list {
			f := factOf(&list[i])
			if f.kind == factDuel && f.points > 0 {
				wins[fmt.Sprint(DayOf(f.at), f.account)]++
			}
			if f.kind != factRun {
				continue
			}
			s, ok := m.said[f.id]
			if facts[f.id] = f; !ok || f.points != s.points || f.account != s.account {
				t.Errorf("%+v stored, %+v said", f, s)
			}
			if f.points > 0 && f.season < s.season || f.season > s.season && !m.refused[f.id] && s.postedAt <= s.late {
				t.Errorf("%+v counts for season %d, said in %d: %+v", f.id, f.season, s.season, s)
			}
		}
		if err != nil {
			return err
		}
		for who, n := range wins {
			if n > winsPerDay {
				t.Errorf("%d wins of %s count", n, who)
			}
		}
		return m.Check(ctx, tx, func(d Divergence) {
			if d.Expected != expectReduced {
				t.Errorf("%+v", d)
			}
		})
	})
	return facts
}

// TestRandomNodes: two nodes react, refuse, fold and close at the same time, from whatever they
// have seen, with clocks of their own; any of them is killed before a commit or behind it.
// Whatever was said is counted once, for the season in which it was said unless it was refused,
// what was answered of boards is what is stored, and a season that is closed stays as it was.
func TestRandomNodes(t *testing.T) {
	t.Parallel()
	rounds := 0
	nodes := func(r *rapid.T, take func(map[string]func(*rapid.T))) {
		if rounds++; storetest.Postgres() && rounds > 25 { // each makes a database, and asks it much
			return
		}
		m := newNodes(t)
		defer m.ledger.Close(t)
		take(m.actions())
		m.mend(r)
		m.drainAll(r)
		facts := m.wantBooked(r)
		var stories map[string]int
		m.view(r, func(ctx context.Context, tx *store.Tx) error {
			stories = map[string]int{}
			list, err := m.FeedItems(ctx, tx, Newest, 1<<30)
			for _, s := range list {
				if s.Kind == ItemTier {
					stories["run:"+s.RunID]++
				}
			}
			return err
		})
		for id, s := range m.said {
			if _, ok := facts[id]; !ok {
				r.Errorf("%s is lost: %+v", id, s)
			}
			if (stories[id] == 1) != s.story || stories[id] > 1 {
				r.Errorf("%s was told %d times, want %v", id, stories[id], s.story)
			}
		}
		won := int64(0)
		for _, n := range m.wins {
			won += min(n, winsPerDay)
		}
		m.view(r, func(ctx context.Context, tx *store.Tx) error {
			counted := int64(0)
			err := tx.QueryRowContext(ctx, "SELECT count(*) FROM score_fact WHERE kind = 'duel' AND points > 0").Scan(&counted)
			if counted != won {
				r.Errorf("%d wins count, want %d: %v", counted, won, m.wins)
			}
			return err
		})
		for _, n := range m.list {
			m.look(r, n)
		}
	}
	testseed.Tour(t, func(r *rapid.T) { nodes(r, func(all map[string]func(*rapid.T)) { testseed.Each(r, 3, all) }) })
	rapid.Check(t, func(r *rapid.T) { nodes(r, r.Repeat) })
}
