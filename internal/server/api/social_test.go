package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/api"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// boardOut is a leaderboard as a client reads it.
type boardOut struct {
	Board  string
	Period *api.Period
	Rows   []api.BoardRow
	Me     *api.BoardRow
	Total  *int64
	Next   *string
}

func (p *player) board(t *testing.T, name string) boardOut {
	t.Helper()
	p.s.settle(t)
	return decode[boardOut](t, p.get(t, "/api/leaderboard?board="+name).ok(t))
}

// boardsAreRight requires that all rows of package score follow from its facts.
func (s *stack) boardsAreRight(t *testing.T) {
	t.Helper()
	check := func() {
		t.Helper()
		err := s.db.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return s.score.Check(ctx, tx, func(d score.Divergence) { t.Errorf("%+v", d) })
		})
		if err != nil {
			t.Error(err)
		}
	}
	check() // also with unprocessed reports
	s.settle(t)
	check()
}

// lines shows rows as "1 name value".
func lines(p map[string]string, rows []api.BoardRow) string {
	var b strings.Builder
	for _, r := range rows {
		name := r.Name
		if r.Address != nil {
			name = p[*r.Address]
		}
		fmt.Fprintf(&b, "%d %s %d;", r.Rank, name, r.Value)
	}
	return b.String()
}

func TestLeaderboards(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob, cyd := s.guest(t), s.guest(t), s.guest(t)
	names := map[string]string{ann.address: "ann", bob.address: "bob", cyd.address: "cyd"}
	if out := ann.board(t, "all"); len(out.Rows) != 0 || out.Me != nil || *out.Total != 0 {
		t.Errorf("before anything was played: %+v", out)
	}
	ann.win(t)                     // 2 points
	bob.win(t, game.Win)           // 4
	s.clock.forward(2 * time.Hour) // so that the order is clear
	cyd.win(t)                     // 2, later
	want := "1 bob 4;2 ann 2;3 cyd 2;"
	for _, name := range []string{"all", "week"} {
		out := cyd.board(t, name)
		if got := lines(names, out.Rows); got != want || *out.Total != 3 {
			t.Errorf("%s: %s of %d, want %s", name, got, *out.Total, want)
		}
		if out.Me == nil || out.Me.Rank != 3 || out.Me.Value != 2 || *out.Me.Address != cyd.address {
			t.Errorf("%s: cyd's own row is %+v", name, out.Me)
		}
	}
	if out := s.anonymous(t).board(t, "all"); out.Me != nil || lines(names, out.Rows) != want {
		t.Errorf("for an anonymous caller: %+v", out)
	}
	if got := s.anonymous(t).board(t, "week").Period.Name; got != "2026-W47" {
		t.Errorf("week %s", got)
	}
	if out := decode[boardOut](t, ann.get(t, "/api/leaderboard?limit=1").ok(t)); len(out.Rows) != 1 || out.Me.Rank != 2 {
		t.Errorf("with limit 1: %+v", out)
	}
	first := decode[boardOut](t, ann.get(t, "/api/leaderboard?limit=2").ok(t))
	second := decode[boardOut](t, ann.get(t, "/api/leaderboard?limit=2&cursor="+*first.Next).ok(t))
	if got := lines(names, append(first.Rows, second.Rows...)); got != want || second.Next != nil {
		t.Errorf("in pages: %s, next %v, want %s", got, second.Next, want)
	}
	ann.get(t, "/api/leaderboard?board=week&cursor="+*first.Next).fails(t, 400, "bad_request")
	ann.get(t, "/api/leaderboard?cursor=strange").fails(t, 400, "bad_request")
	// A new name is on the board at once.
	bob.register(t, "Bob-the-first")
	if out := ann.board(t, "all"); out.Rows[0].Name != "Bob-the-first" || out.Rows[0].Kind != "account" {
		t.Errorf("once renamed: %+v", out.Rows[0])
	}
	if out := bob.board(t, "all"); out.Me == nil || out.Me.Name != "Bob-the-first" || out.Me.Kind != "account" {
		t.Errorf("once renamed, the own row is %+v", out.Me)
	}
	// Bots have points on no board.
	bot := s.bot(t)
	bot.win(t)
	if out := ann.board(t, "all"); *out.Total != 3 {
		t.Errorf("with the bot: %+v", out)
	}
	s.joined(t, 0, ann, cyd).play(t, "rs", "rs", "rs") // casual: no points
	if got, want := lines(names, ann.board(t, "all").Rows), "1 bob 4;2 ann 2;3 cyd 2;"; got != want {
		t.Errorf("after a duel: %s, want %s", got, want)
	}
	// A win over the player's own bot is practice, with or without a stake.
	s.joined(t, 5, cyd, cyd.bot(t).player).play(t, "rs", "rs", "rs")
	if got, want := lines(names, ann.board(t, "all").Rows), "1 bob 4;2 ann 2;3 cyd 2;"; got != want {
		t.Errorf("after a duel with a bot of cyd's own: %s, want %s", got, want)
	}
	s.clock.forward(7 * 24 * time.Hour)
	if out := ann.board(t, "week"); len(out.Rows) != 0 || out.Me != nil {
		t.Errorf("in the next week: %+v", out)
	}
	s.boardsAreRight(t)
}

func TestLeaderboardQuery(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.anonymous(t)
	p.get(t, "/api/leaderboard?board=month&limit=201").invalid(t, "query.board enum", "query.limit less_than_equal")
	p.get(t, "/api/leaderboard?limit=0").invalid(t, "query.limit greater_than_equal")
	for _, name := range []string{"all", "week", "daily", "teams", "duels", "bots"} {
		if out := p.board(t, name); out.Board != name || out.Rows == nil {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

func TestRatingBoards(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	ann.register(t, newName())
	bob.register(t, newName())
	g := s.paired(t, ann, bob)
	if d := g.play(t, "rs", "rs", "rs"); !d.Rated || d.Kind != "quick" {
		t.Errorf("two players' duel is not rated: %+v", d)
	}
	out := ann.board(t, "duels")
	if len(out.Rows) != 2 || out.Me == nil || out.Me.Rank != 1 || out.Me.Value <= 1500 || out.Me.Provisional == nil ||
		!*out.Me.Provisional {
		t.Errorf("duels: %+v", out)
	}
	if out := s.guest(t).board(t, "duels"); out.Me != nil {
		t.Errorf("an unrated guest is on the board: %+v", out.Me)
	}
}

func TestDaily(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	daily := func(p *player) api.DailyOut {
		s.settle(t)
		return decode[api.DailyOut](t, p.get(t, "/api/daily").ok(t))
	}
	if out := daily(ann); out.Day != "2026-11-20" || out.Me == nil || !out.Me.Available || out.Me.Attempt != nil ||
		len(out.Rows) != 0 {
		t.Errorf("before: %+v", out)
	}
	if out := daily(s.anonymous(t)); out.Me != nil {
		t.Errorf("for an anonymous caller: %+v", out.Me)
	}
	r := decode[api.StartRunOut](t, ann.post(t, "/api/daily/start", "").ok(t)).Run
	if r.Entry != "daily" {
		t.Errorf("started %+v", r)
	}
	ann.post(t, "/api/daily/start", "").fails(t, 409, "run_active")
	if out := daily(ann); out.Me.Available || out.Me.Attempt == nil || out.Me.Attempt.ID != r.ID || out.Me.Row != nil ||
		out.Me.Streak != 0 {
		t.Errorf("under way: %+v", out.Me)
	}
	ann.play(t, r, game.Win, game.Loss) // one tier, and lost: it still counts for the table
	ann.post(t, "/api/daily/start", "").fails(t, 409, "limit_reached")
	other := decode[api.StartRunOut](t, bob.post(t, "/api/daily/start", `{"client_seed":"bob"}`).ok(t)).Run
	bob.play(t, other, game.Tie, game.Win)
	bob.post(t, "/api/runs/"+other.ID+"/claim", "").ok(t)
	out := daily(ann)
	if len(out.Rows) != 2 || *out.Rows[0].Address != ann.address || *out.Rows[0].Throws != 2 ||
		*out.Rows[0].RunID != r.ID || out.Me.Row.Rank != 1 || out.Me.Yesterday != nil || out.Me.Streak != 1 {
		t.Errorf("in the evening: %+v of %+v", out.Me, out.Rows)
	}
	s.clock.forward(24 * time.Hour)
	out = daily(ann)
	if len(out.Rows) != 0 || out.Yesterday.Day != "2026-11-20" || len(out.Yesterday.Winners) != 2 ||
		out.Yesterday.Total != 2 || out.Me.Streak != 1 || !out.Me.Available {
		t.Errorf("on the next day: %+v", out)
	}
	if mine := daily(bob).Me; mine.Row != nil || mine.Yesterday == nil || mine.Yesterday.Rank != 2 ||
		*mine.Yesterday.RunID != other.ID {
		t.Errorf("the second of yesterday: %+v", mine)
	}
	if out := daily(s.guest(t)); out.Me.Yesterday != nil {
		t.Errorf("yesterday's rank of a newcomer: %+v", out.Me.Yesterday)
	}
	if got := *out.Yesterday.Winners[0].RunID; got != r.ID {
		t.Errorf("yesterday's best run is %s, not %s", got, r.ID)
	}
	s.clock.forward(24 * time.Hour)
	if out := daily(ann); out.Me.Streak != 0 || out.Me.BestStreak != 1 || *out.Me.PlayedOn != "2026-11-20" ||
		out.Me.Yesterday != nil {
		t.Errorf("after a day without: %+v", out.Me)
	}
	s.boardsAreRight(t)
}

func TestSeasonIsClosed(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	ann.win(t)
	bob.win(t, game.Win)
	season := func() api.SeasonOut {
		s.settle(t)
		return decode[api.SeasonOut](t, ann.get(t, "/api/season").ok(t))
	}
	out := season()
	if out.Season.Number != 1 || out.Season.DaysLeft != 28 || out.Season.Players != 2 || out.Me.Rank != 2 ||
		len(out.Standings) != 2 || len(out.Past) != 0 {
		t.Errorf("season %+v, me %+v", out.Season, out.Me)
	}
	if past := decode[api.PastSeasonOut](t, ann.get(t, "/api/season/1").ok(t)); past.Closed != nil ||
		len(past.Standings) != 2 {
		t.Errorf("under way: %+v", past)
	}
	ann.get(t, "/api/season/2").fails(t, 404, "not_found")
	ann.get(t, "/api/season/0").invalid(t, "path.number greater_than_equal")
	s.clock.forward(28 * 24 * time.Hour)
	if n, err := s.score.CloseSeasons(t.Context()); n != 1 || err != nil {
		t.Fatalf("closed %d, error %v", n, err)
	}
	s.seal(t)
	out = season()
	if out.Season.Number != 2 || len(out.Standings) != 0 || out.Me != nil || len(out.Past) != 1 {
		t.Errorf("after the end: %+v", out)
	}
	past := decode[api.PastSeasonOut](t, ann.get(t, "/api/season/1").ok(t))
	if past.Season.DaysLeft != 0 || past.Season.Players != 2 || past.Me.Rank != 2 ||
		*past.Standings[0].Address != bob.address || past.Closed.TableHash != out.Past[0].TableHash {
		t.Errorf("closed: %+v", past)
	}
	if got := chain.HashPinned([]byte(past.Closed.Raw)).String(); got != past.Closed.TableHash {
		t.Errorf("the table's hash is %s, not %s", got, past.Closed.TableHash)
	}
	// A third party finds the same hash on the chain.
	tx := decode[api.TxOut](t, s.anonymous(t).get(t, "/api/chain/tx/"+past.Closed.TxHash).ok(t)).Transaction
	if tx.Kind != "season.close" || !strings.Contains(tx.Raw, past.Closed.TableHash) {
		t.Errorf("on the chain: %+v", tx)
	}
	s.seasonHasMedals(t, past.Closed, bob, ann)
	s.anonymous(t).chainIsValid(t)
	s.boardsAreRight(t)
}

func TestAchievements(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann := s.guest(t)
	list := func(p *player) map[string]api.Achievement {
		s.settle(t)
		out := decode[api.AchievementsOut](t, p.get(t, "/api/achievements").ok(t))
		if len(out.Achievements) < 24 {
			t.Errorf("%d achievements", len(out.Achievements))
		}
		m := map[string]api.Achievement{}
		for _, a := range out.Achievements {
			m[a.ID] = a
		}
		return m
	}
	ann.win(t)
	r := s.guest(t)
	r.play(t, r.start(t, ""), game.Loss)
	got := list(ann)
	if a := got["first_claim"]; a.Progress != 1 || a.UnlockedAt == nil || a.Holders != 1 || a.Share != 0.5 {
		t.Errorf("first_claim: %+v", a)
	}
	if a := got["regular"]; a.Progress != 1 || a.Target != 25 || a.UnlockedAt != nil || a.Holders != 0 {
		t.Errorf("regular: %+v", a)
	}
	if a := got["at_once"]; a.Progress != 0 || a.Holders != 1 {
		t.Errorf("at_once: %+v", a)
	}
	if a := list(s.anonymous(t))["first_run"]; a.Progress != 0 || a.UnlockedAt != nil || a.Share != 1 {
		t.Errorf("for an anonymous caller: %+v", a)
	}
	if err := s.score.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := list(ann)["first_claim"]; a.Holders != 1 || a.Share != 0.5 {
		t.Errorf("once counted: %+v", a)
	}
}

func TestFeed(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	feed := func(query string) api.FeedOut {
		s.settle(t)
		return decode[api.FeedOut](t, s.anonymous(t).get(t, "/api/feed"+query).ok(t))
	}
	ann.win(t) // not notable
	if out := feed(""); len(out.Events) != 0 || out.Next != nil {
		t.Errorf("before: %+v", out)
	}
	held := make(chan api.FeedOut, 1)
	go func() {
		a, err := s.anonymous(t).try(t, preferring("/api/feed", "wait=30"))
		if err != nil {
			t.Error(err)
		}
		held <- decode[api.FeedOut](t, a)
	}()
	s.watchers(t, event.Feed, 1)
	r := bob.play(t, bob.start(t, ""), game.Win, game.Win, game.Win) // the highest of three tiers is claimed automatically
	s.settle(t)
	out := <-held
	if len(out.Events) != 1 || out.Events[0].Kind != "tier_claimed" || *out.Events[0].RunID != r.ID ||
		*out.Events[0].Tier != 3 || *out.Events[0].Material != "Stone" ||
		*out.Events[0].TokenID != *r.TokenID || *out.Events[0].TxHash != *r.EndTx {
		t.Errorf("held: %+v", out.Events)
	}
	g := s.joined(t, 100, ann, bob)
	d := g.play(t, "rs", "rs", "rs")
	first := feed("?limit=1")
	if e := first.Events[0]; len(first.Events) != 1 || first.Next == nil || e.Kind != "duel_won" || *e.DuelID != d.ID ||
		*e.Coins != 100 || *e.Address != ann.address {
		t.Errorf("after the duel: %+v", first)
	}
	if second := feed("?limit=1&cursor=" + *first.Next); len(second.Events) != 1 ||
		second.Events[0].ID != out.Events[0].ID || second.Next != nil {
		t.Errorf("the page after: %+v", second)
	}
	s.anonymous(t).get(t, "/api/feed?limit=51").invalid(t, "query.limit less_than_equal")
	s.anonymous(t).get(t, "/api/feed?cursor=strange").fails(t, 400, "bad_request")
	// A caller with an older state is answered at once.
	a := s.anonymous(t).send(t, preferring(fmt.Sprintf("/api/feed?after=%d", out.Events[0].ID), "wait=30")).ok(t)
	if got := decode[api.FeedOut](t, a); len(got.Events) != 2 {
		t.Errorf("after the first: %+v", got)
	}
}
