package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"roshambo/internal/server/api"
	"roshambo/internal/service/account"
	"roshambo/internal/service/duel"
)

// says has a bot, by its own key, name its version and describe itself.
func (b *bot) says(t *testing.T, version, description string) answer {
	t.Helper()
	return b.post(t, "/api/bots/"+b.address, fmt.Sprintf(`{"version":%q,"description":%q}`, version, description))
}

// TestBotWords: words that the bot or its owner says are on its profile, in lists and in the owner's list; each rated
// duel names the version at its end.
func TestBotWords(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.guest(t)
	a, b := owner.bot(t), s.bot(t)
	const words = `<img src=x onerror="alert(1)"> & Co.` // shown as text: the page makes no markup of any words
	out := decode[api.DescribeOut](t, a.says(t, "1.0", words).ok(t)).Bot
	if *out.Version != "1.0" || *out.Description != words || out.HiddenReason != nil {
		t.Errorf("said %+v", out)
	}
	s.rankedOf(t, a, b)
	owner.post(t, "/api/bots/"+a.address, `{"version":"2.0"}`).ok(t)
	s.clock.forward(time.Minute) // or the two do not meet again
	s.rankedOf(t, a, b)
	if page := a.page(t); *page.Version != "2.0" || *page.Description != words || page.Challenges.Takes != "none" {
		t.Errorf("profile %+v", page)
	}
	if list := owner.bots(t); *list[0].Version != "2.0" || *list[0].Description != words {
		t.Errorf("the owner's list %+v", list)
	}
	reader := s.anonymous(t)
	for _, row := range decode[api.ArenaLeaderboardOut](t, reader.get(t, "/api/arena/leaderboard").ok(t)).Rows {
		if (row.Address == a.address) != (row.Version != nil) {
			t.Errorf("row %+v", row)
		}
	}
	path := "/api/arena/bots/" + a.name
	duels := decode[api.BotDuelsOut](t, reader.get(t, path+"/duels").ok(t)).Duels
	ratings := decode[api.BotRatingsOut](t, reader.get(t, path+"/ratings").ok(t)).Ratings
	versions := decode[api.BotVersionsOut](t, reader.get(t, path+"/versions").ok(t)).Versions
	s.clock.forward(2 * time.Minute)
	lines := reader.dataRatings(t, "?bot="+a.name)
	for i, want := range []string{"1.0", "2.0"} {
		if *duels[1-i].Version != want || *ratings[i].Version != want || *lines[i].Version != want ||
			*versions[1-i].Version != want || versions[1-i].Games != 1 || *versions[1-i].Rating != ratings[i].Rating {
			t.Errorf("duel %d: %+v, %+v, %+v, %+v", i, duels[1-i], ratings[i], lines[i], versions[1-i])
		}
	}
	of := decode[api.BotVersionsOut](t, reader.get(t, "/api/arena/bots/"+b.name+"/versions").ok(t))
	if len(of.Versions) != 0 {
		t.Errorf("versions of a bot without one: %+v", of)
	}
}

// TestBotWordsAreBounded: words that are too long or that a reader cannot see are refused.
func TestBotWordsAreBounded(t *testing.T) {
	t.Parallel()
	a := shared(t).bot(t)
	a.says(t, strings.Repeat("1", account.MaxVersion), strings.Repeat("界", account.MaxDescription)).ok(t)
	a.says(t, strings.Repeat("1", account.MaxVersion+1), "").invalid(t, "body.version string_too_long")
	a.says(t, "1 0", "").invalid(t, "body.version string_pattern_mismatch")
	a.says(t, "", strings.Repeat("a", account.MaxDescription+1)).invalid(t, "body.description string_too_long")
	a.says(t, "", strings.Repeat("\ufdfa", account.MaxDescription)).fails(t, 400, "bad_request")
	a.says(t, "", "a\u202eb").fails(t, 400, "bad_request")
}

// TestChallengeByNameOverHTTP: a person challenges a bot by its name as soon as the bot takes challenges; the bot plays
// it beside its ranked duel, which the challenge neither delays nor forfeits, and no rating changes by it.
func TestChallengeByNameOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, ann := s.guest(t), s.guest(t)
	a, b := owner.bot(t), s.bot(t)
	challenge := func() answer {
		return ann.post(t, "/api/duels", fmt.Sprintf(`{"listed":false,"opponent":%q}`, a.name))
	}
	challenge().fails(t, 409, "no_challenge")
	ann.post(t, "/api/duels/challenges", fmt.Sprintf(`{"takes":"all","bot":%q}`, a.name)).fails(t, 404, "not_found")
	set := decode[api.ChallengesOut](t, owner.post(t, "/api/duels/challenges",
		fmt.Sprintf(`{"takes":"all","quiet_from":"22:00","quiet_to":"06:30","bot":%q}`, a.name)).ok(t)).Challenges
	if set.Takes != "all" || *set.QuietFrom != "22:00" || *set.QuietTo != "06:30" {
		t.Errorf("set %+v", set)
	}
	own := decode[api.ChallengesOut](t, a.get(t, "/api/duels/challenges").ok(t)).Challenges
	if own.Takes != set.Takes || *own.QuietFrom != "22:00" {
		t.Errorf("the bot reads %+v", own)
	}
	now := s.clock.Now()
	s.clock.forward(time.Date(now.Year(), now.Month(), now.Day()+1, 23, 0, 0, 0, time.UTC).Sub(now))
	if page := a.page(t); page.Challenges != (api.TakesChallenges{Takes: "all", Quiet: true}) {
		t.Errorf("at night: %+v", page.Challenges)
	}
	challenge().fails(t, 409, "quiet_hours")
	s.clock.forward(8 * time.Hour)
	if page := a.page(t); page.Challenges.Quiet {
		t.Errorf("in the morning: %+v", page.Challenges)
	}
	d := decode[api.DuelOut](t, challenge().ok(t)).Duel
	if got := a.challenges(t); len(got) != 1 || got[0] != d.ID {
		t.Fatalf("for the bot: %v", got)
	}
	joined := decode[api.DuelOut](t, a.post(t, "/api/duels/"+d.ID+"/join", "").ok(t)).Duel
	if joined.Rated || joined.Listed || joined.Kind != "open" {
		t.Errorf("accepted %+v", joined)
	}
	s.rankedOf(t, a, b) // while the challenge waits for the person
	if page := a.page(t); page.Games != 1 || page.Wins != 1 {
		t.Errorf("the ranked duel: %+v", page)
	}
	s.clock.forward(duel.HumanStepTimeout) // the person does not come, and the bot has not committed either
	s.game(d.ID, ann.sender(), a.sender()).play(t, "rs", "rs", "rs")
	if page := a.page(t); page.Games != 1 || page.Losses != 0 {
		t.Errorf("after the challenge: %+v", page)
	}
}

// TestChallengesOfPeople: a person takes the challenges of former opponents, until another choice, which the profile
// shows.
func TestChallengesOfPeople(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	profile := func() api.TakesChallenges {
		return decode[api.PlayerOut](t, s.anonymous(t).get(t, "/api/players/"+bob.address).ok(t)).Player.Challenges
	}
	if got := profile(); got != (api.TakesChallenges{Takes: "met"}) {
		t.Errorf("at first: %+v", got)
	}
	ann.send(t, ann.challenging(bob)).fails(t, 409, "no_challenge")
	bob.post(t, "/api/duels/challenges", `{"takes":"all","quiet_from":"01:00"}`).invalid(t, "body.quiet_to missing")
	bob.post(t, "/api/duels/challenges", `{"takes":"all","quiet_to":"01:00"}`).invalid(t, "body.quiet_from missing")
	bob.post(t, "/api/duels/challenges", `{"takes":"all"}`).ok(t)
	if got := profile(); got != (api.TakesChallenges{Takes: "all"}) {
		t.Errorf("chosen: %+v", got)
	}
	ann.send(t, ann.challenging(bob)).ok(t)
	bob.post(t, "/api/duels/opponents/"+ann.address+"/block", "").ok(t)
	if got := bob.challenges(t); got != nil {
		t.Errorf("after the block there wait %v", got)
	}
	s.clock.forward(duel.ChallengePause)
	ann.send(t, ann.challenging(bob)).fails(t, 409, "no_challenge")
	if got := bob.opponents(t); len(got) != 1 || !got[0].Blocked || got[0].LastPlayed != nil ||
		got[0].ChallengeUntil != nil {
		t.Errorf("opponents of bob: %+v", got)
	}
}
