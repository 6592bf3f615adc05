package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/service/duel"
)

// opponents returns the people that a player has played.
func (p *player) opponents(t *testing.T) []api.DuelOpponent {
	t.Helper()
	return decode[api.OpponentsOut](t, p.get(t, "/api/duels/opponents").ok(t)).Opponents
}

// challenges returns the codes of the challenges that wait for a player.
func (p *player) challenges(t *testing.T) (codes []string) {
	t.Helper()
	for _, d := range decode[api.DuelsOut](t, p.get(t, "/api/duels?for_me=true").ok(t)).Duels {
		codes = append(codes, d.ID)
	}
	return codes
}

// TestChallengeOverHTTP follows two challenges between past opponents: one is declined, the other is played a day
// later.
func TestChallengeOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob, cyd := s.guest(t), s.guest(t), s.guest(t)
	body := func(opponent string) string {
		return fmt.Sprintf(`{"listed":false,"lives":"day","opponent":%q}`, opponent)
	}
	ann.post(t, "/api/duels", body(bob.address)).fails(t, 409, "no_challenge")
	ann.post(t, "/api/duels", body("no-such-player")).fails(t, 404, "not_found")
	s.joined(t, 0, ann, bob).play(t, "rs", "rs", "rs")
	with := ann.opponents(t)
	if len(with) != 1 || with[0].Address != bob.address || with[0].Username != bob.me(t).Account.Username ||
		with[0].Wins != 1 || with[0].Losses != 0 || !with[0].ChallengeUntil.Equal(with[0].LastPlayed.Add(
		duel.ChallengeWithin)) {
		t.Fatalf("opponents of ann: %+v", with)
	}
	d := decode[api.DuelOut](t, ann.post(t, "/api/duels", body(with[0].Username)).ok(t)).Duel
	if d.Invited == nil || d.Invited.Address != bob.address || !d.ExpiresAt.Equal(d.CreatedAt.Add(duel.DayTimeout)) {
		t.Errorf("challenged: %+v", d)
	}
	ann.post(t, "/api/duels", body(bob.address)).fails(t, 409, "challenge_limit")
	if got := bob.challenges(t); !slices.Equal(got, []string{d.ID}) {
		t.Errorf("for bob %v", got)
	}
	if byCyd, byAnn := cyd.challenges(t), ann.challenges(t); byCyd != nil || byAnn != nil {
		t.Errorf("for cyd %v, for ann %v", byCyd, byAnn)
	}
	s.anonymous(t).get(t, "/api/duels?for_me=true").fails(t, 401, "unauthenticated")
	cyd.post(t, "/api/duels/"+d.ID+"/join", "").fails(t, 403, "forbidden")
	cyd.post(t, "/api/duels/"+d.ID+"/cancel", "").fails(t, 403, "forbidden")
	declined := decode[api.DuelOut](t, bob.post(t, "/api/duels/"+d.ID+"/cancel", "").ok(t)).Duel
	if declined.Status != "cancelled" || !declined.Declined || declined.Invited != nil || bob.challenges(t) != nil {
		t.Errorf("declined: %+v", declined)
	}
	s.clock.forward(duel.ChallengePause)
	d = decode[api.DuelOut](t, ann.post(t, "/api/duels", body(bob.address)).ok(t)).Duel
	s.clock.forward(duel.DayTimeout - time.Minute)
	joined := decode[api.DuelOut](t, bob.post(t, "/api/duels/"+d.ID+"/join", "").ok(t)).Duel
	if joined.Status != "active" || joined.Declined || joined.Invited != nil ||
		!joined.Rounds[0].Deadline.Equal(joined.StartedAt.Add(duel.ArriveTimeout)) {
		t.Errorf("accepted: %+v", joined)
	}
	ann.post(t, "/api/duels/opponents/"+cyd.address+"/block", "").fails(t, 404, "not_found")
	bob.post(t, "/api/duels/opponents/"+ann.address+"/block", "").ok(t)
	s.game(d.ID, ann.sender(), bob.sender()).play(t, "sr", "sr", "sr")
	ann.post(t, "/api/duels", body(bob.address)).fails(t, 409, "no_challenge")
	if got := bob.opponents(t)[0]; !got.Blocked || got.Wins != 1 || got.Losses != 1 {
		t.Errorf("opponents of bob: %+v", got)
	}
}

// TestInvitationTerms: a duel that lives for a day, has a chosen time for steps or is for one opponent is unlisted, and
// one with chosen times has no stake.
func TestInvitationTerms(t *testing.T) {
	t.Parallel()
	p := shared(t).guest(t)
	for _, body := range []string{
		`{"lives":"day"}`, `{"opponent":"ann"}`, `{"lives":"day","opponent":"ann"}`,
		`{"lives":"day","listed":false,"stake":5}`, `{"move_seconds":30}`, `{"move_seconds":30,"listed":false,"stake":5}`,
	} {
		a := p.post(t, "/api/duels", body)
		if a.invalid(t, "body value_error"); !strings.Contains(a.body, `"input":`+body+`,`) {
			t.Errorf("%s: %s, want the enclosing object as input", body, a.body)
		}
	}
	p.post(t, "/api/duels", `{"lives":"day","listed":false}`).ok(t)
}

// TestMoveSeconds: the creator of a duel chooses the time for each step, which the duel states before it is joined and
// which holds in rematches. Players who come long after the creation have time to arrive.
func TestMoveSeconds(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	create := func(lives string) api.Duel {
		body := fmt.Sprintf(`{"listed":false,"lives":%q,"move_seconds":300}`, lives)
		return decode[api.DuelOut](t, ann.post(t, "/api/duels", body).ok(t)).Duel
	}
	join := func(d api.Duel) api.Duel {
		return decode[api.DuelOut](t, bob.post(t, "/api/duels/"+d.ID+"/join", "").ok(t)).Duel
	}
	check := func(d api.Duel, want time.Duration) {
		t.Helper()
		if d.MoveSeconds == nil || *d.MoveSeconds != 300 ||
			d.StartedAt != nil && !d.Rounds[0].Deadline.Equal(d.StartedAt.Add(want)) {
			t.Errorf("got %+v, want 300 seconds for a step, and %v for the first", d, want)
		}
	}
	d := create("minutes")
	check(d, 0)
	check(join(d), 5*time.Minute)
	g := s.game(d.ID, ann.sender(), bob.sender())
	g.play(t, "rs", "rs", "rs")
	ann.post(t, g.path+"/rematch", "").ok(t)
	next := decode[api.DuelOut](t, bob.post(t, g.path+"/rematch", "").ok(t)).Duel.Rematch.DuelID
	check(s.game(*next, bob.sender(), ann.sender()).read(t), 5*time.Minute)
	d = create("day")
	s.clock.forward(time.Hour)
	check(join(d), duel.ArriveTimeout)
	if d := s.joined(t, 0, ann, bob).read(t); d.MoveSeconds != nil {
		t.Errorf("without a choice: %d seconds", *d.MoveSeconds)
	}
}

// TestSeriesOverHTTP: a rematch shows the score of the duels before it and of its own.
func TestSeriesOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	g := s.joined(t, 0, ann, bob)
	if first := g.play(t, "rs", "rs", "rs"); first.Series != nil {
		t.Errorf("a first duel has the series %+v", first.Series)
	}
	ann.post(t, g.path+"/rematch", "").ok(t)
	next := decode[api.DuelOut](t, bob.post(t, g.path+"/rematch", "").ok(t)).Duel.Rematch.DuelID
	g = s.game(*next, bob.sender(), ann.sender()) // the sides are swapped
	if got := g.read(t).Series; got == nil || *got != (api.DuelWins{A: 0, B: 1}) {
		t.Errorf("at the beginning of the rematch: %+v", got)
	}
	if got := g.play(t, "sr", "sr", "sr").Series; got == nil || *got != (api.DuelWins{A: 0, B: 2}) {
		t.Errorf("at the end of the rematch: %+v", got)
	}
}

// TestEmotes: both sides get a word of one of them, a few a minute.
func TestEmotes(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) {
		b, err := limit.NewBudget(limit.Rate{Max: 2, Window: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		c.EmoteLimit = b
	})
	ann, bob, cyd := s.guest(t), s.guest(t), s.guest(t)
	g := s.joined(t, 0, ann, bob)
	say := func(p *player, word string) answer { return p.post(t, g.path+"/emote", `{"emote":"`+word+`"}`) }
	say(cyd, "hello").fails(t, 403, "forbidden")
	say(ann, "hello").ok(t)
	say(ann, "nice").ok(t)
	say(ann, "oops").fails(t, 429, "rate_limited")
	say(bob, "thanks").ok(t) // each account has its own
	if a := say(bob, "damn"); a.status != 422 {
		t.Errorf("another word: %d", a.status)
	}
}
