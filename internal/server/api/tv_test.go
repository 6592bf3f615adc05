package api_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/store"
)

// TestTV: the channel replays a duel of bots, changes to a duel of people while there is one, and
// counts its viewers.
func TestTV(t *testing.T) {
	t.Parallel()
	s := start(t)
	tv := func(p *player, query string) api.TVOut {
		t.Helper()
		return decode[api.TVOut](t, p.get(t, "/api/tv"+query).ok(t))
	}
	guest, visitor := s.guest(t), s.anonymous(t)
	if out := tv(visitor, ""); out.Duel != nil || out.Live || out.StartsAt != nil || out.Viewers != 0 {
		t.Errorf("before the first duel: %+v", out)
	}
	a, b := s.bot(t), s.bot(t)
	a.queue(t)
	code := b.queue(t).Duel.ID
	s.beat(t, code, a, b)
	s.clock.forward(time.Second)
	replay := tv(visitor, "?watching=true")
	if replay.Duel == nil || replay.Duel.ID != code || replay.Live || len(replay.Duel.Rounds) != 3 ||
		replay.Duel.Rounds[0].MoveA == nil || replay.EndsAt.Sub(replay.StartsAt.Time) != 30*time.Second ||
		!replay.StartsAt.Equal(replay.StartsAt.Truncate(30*time.Second)) {
		t.Fatalf("after a duel of bots: %+v", replay)
	}
	list := decode[api.DuelsOut](t, visitor.get(t, "/api/duels?status=finished").ok(t))
	if len(list.Duels) != 1 || list.Duels[0].Rounds[0].MoveA == nil {
		t.Fatalf("the list of duels: %+v", list)
	}
	for _, r := range slices.Concat(replay.Duel.Rounds, list.Duels[0].Rounds) {
		if r.SaltA != nil || r.SaltB != nil {
			t.Errorf("round %d with salts on TV or in a list: their players choose how long they are", r.Round)
		}
	}
	s.within(t, func(ctx context.Context, tx *store.Tx) error {
		address, err := chain.ParseAddress(a.address)
		return errors.Join(err, s.edge.API.ReplaceName(ctx, tx, address, [2]string{"a-former-name", "another-name"}))
	})
	if out := tv(visitor, ""); out.Duel == nil || out.Duel.A.Username != "another-name" && out.Duel.B.Username !=
		"another-name" || !out.StartsAt.Equal(replay.StartsAt.Time) {
		t.Errorf("with a name that an operator has replaced: %+v", out)
	}
	again := tv(s.anonymous(t), "?watching=true") // from the same network address
	if again.Viewers != 1 || tv(guest, "?watching=true").Viewers != 2 || tv(s.guest(t), "").Viewers != 2 {
		t.Errorf("%d viewers of one address, want 1, and 2 with an account", again.Viewers)
	}
	s.edge.API.NoteViewer("of another node")
	if n := tv(visitor, "").Viewers; n != 3 {
		t.Errorf("%d viewers with one of another node, want 3", n)
	}
	// People play: their hidden hands stay hidden, also from the players' own calls.
	ann, bob := s.guest(t), s.guest(t)
	g := s.joined(t, 0, ann, bob)
	s.clock.forward(time.Second)
	ann.post(t, g.path+"/commit", committing(game.Rock, "salt")).ok(t)
	s.clock.forward(time.Second)
	live := tv(ann, "")
	if live.Duel == nil || "/api/duels/"+live.Duel.ID != g.path || !live.Live || live.StartsAt != nil ||
		live.Duel.You != nil ||
		live.Duel.Rounds[0].CommitmentA != nil || live.Duel.Rounds[0].MoveA != nil {
		t.Errorf("while people play: %+v", live)
	}
	s.clock.forward(5 * time.Minute) // both are late twice: the duel is over
	if out := tv(visitor, ""); out.Live || out.Duel == nil || out.Duel.ID != code || out.Viewers != 0 {
		t.Errorf("after it: %+v", out)
	}
}

// TestTVOneDuel: a network whose duel is over after 20 seconds has had its share of TV.
func TestTVOneDuel(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	ann, bob, home := s.guest(t), s.guest(t), "203.0.113.1"
	wants := func(when string, g *duelGame) {
		t.Helper()
		out := decode[api.TVOut](t, s.anonymous(t).get(t, "/api/tv").ok(t))
		if g == nil && out.Duel != nil || g != nil && (out.Duel == nil || "/api/duels/"+out.Duel.ID != g.path) {
			t.Errorf("%s: TV shows %+v", when, out.Duel)
		}
	}
	first := s.opens(t, home, 50, ann, bob)
	other := s.opens(t, "203.0.113.2", 0, s.guest(t), s.guest(t))
	wants("at first", first)
	s.clock.forward(20 * time.Second)
	first.sides[1](t, first.post("/resign", "")).ok(t)
	s.opens(t, home, 60, ann, bob)
	wants("after the first", other)
	s.clock.forward(20 * time.Second)
	other.sides[1](t, other.post("/resign", "")).ok(t)
	wants("after the other network's", nil) // though a duel of the first goes on
	s.clock.forward(time.Hour)
	wants("while nothing is on", nil)
	s.clock.forward(time.Second)
	wants("an hour later", s.opens(t, home, 70, ann, bob))
}

// TestCrosstable: a pair of bots stands in the table from both sides.
func TestCrosstable(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.bot(t), s.bot(t)
	a.queue(t)
	s.beat(t, b.queue(t).Duel.ID, a, b)
	out := decode[api.CrosstableOut](t, s.anonymous(t).get(t, "/api/arena/crosstable").ok(t))
	if len(out.Bots) != 2 || out.Bots[0].Address != a.address || out.Bots[0].Rank != 1 || len(out.Pairs) != 2 {
		t.Fatalf("got %+v", out)
	}
	for _, p := range out.Pairs {
		want := api.CrosstablePair{Bot: a.address, Opponent: b.address, Games: 1, Wins: 1}
		if p.Bot == b.address {
			want = api.CrosstablePair{Bot: b.address, Opponent: a.address, Games: 1, Losses: 1}
		}
		if p != want {
			t.Errorf("got %+v, want %+v", p, want)
		}
	}
}

// TestPlayerProfile: anyone reads a person's rating history, rated duels, unlocked achievements and
// streak.
func TestPlayerProfile(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.guest(t), s.guest(t)
	name := newName()
	a.register(t, name)
	b.register(t, newName())
	s.paired(t, a, b).play(t, "rs", "rs", "rs")
	s.settle(t)
	reader, path := s.anonymous(t), "/api/players/"+name
	duels := decode[api.BotDuelsOut](t, reader.get(t, path+"/duels").ok(t)).Duels
	if len(duels) != 1 || duels[0].Outcome != "win" || duels[0].Opponent.Address != b.address {
		t.Errorf("duels: %+v", duels)
	}
	ratings := decode[api.BotRatingsOut](t, reader.get(t, path+"/ratings").ok(t)).Ratings
	if len(ratings) != 1 || ratings[0].Rating <= 1500 {
		t.Errorf("ratings: %+v", ratings)
	}
	own := decode[api.AchievementsOut](t, a.get(t, "/api/achievements").ok(t))
	public := decode[api.PlayerAchievementsOut](t, reader.get(t, path+"/achievements").ok(t))
	if own.Unlocked == 0 || int64(len(public.Achievements)) != own.Unlocked ||
		public.Total != int64(len(own.Achievements)) ||
		public.Achievements[0].Share == 0 {
		t.Errorf("the player has %d achievements, the profile shows %+v", own.Unlocked, public)
	}
	for _, of := range []string{"/duels", "/ratings", "/achievements"} {
		reader.get(t, "/api/players/no-such-player"+of).fails(t, 404, "not_found")
	}
}
