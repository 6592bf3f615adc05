package client_test

import (
	"context"
	"path/filepath"
	"testing"

	"roshambo/client"
	"roshambo/client/api"
)

// takesChallenges has a bot take the challenges of all.
func (s *service) takesChallenges(b *client.Bot) {
	s.t.Helper()
	in := api.ChallengesIn{Takes: api.ChallengesInTakesAll}
	if _, err := client.Read[api.ChallengesOut](b.Client.API.SetChallenges(s.t.Context(), in)); err != nil {
		s.t.Fatal(err)
	}
}

// challenges opens a duel for the bot with a name alone.
func challenges(t *testing.T, by *client.Bot, name string, stake int64) *api.Duel {
	t.Helper()
	unlisted := false
	out, err := client.Read[api.DuelOut](by.Client.API.CreateDuel(t.Context(), api.CreateDuelIn{
		Opponent: &name, Listed: &unlisted, Stake: &stake}))
	if err != nil {
		t.Fatal(err)
	}
	return &out.Duel
}

// state returns a duel as a side of it sees it now.
func state(t *testing.T, b *client.Bot, code string) *api.Duel {
	t.Helper()
	out, err := client.Read[api.GetDuelOut](b.Client.API.GetDuel(t.Context(), code, nil))
	if err != nil {
		t.Fatal(err)
	}
	return &out.Duel
}

// TestAChallengeDelaysNothing: a bot that has accepted a challenge whose other side takes no step plays its ranked duels
// meanwhile, and forfeits no round of them. A challenge with a stake stays open.
func TestAChallengeDelaysNothing(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	var finished []*api.Duel
	options := s.plays(s.newBot("one"), "paper")
	options.Challenges, options.Version = true, "1.0"
	options.Ended = func(d *api.Duel) { finished = append(finished, d) }
	one, two := newBot(t, options), newBot(t, s.plays(s.newBot("two"), "rock"))
	eve, cyd := newBot(t, s.plays(s.newBot("eve"), "rock")), newBot(t, s.plays(s.newBot("cyd"), "rock"))
	s.takesChallenges(one)
	staked, casual := challenges(t, cyd, "one", 5), challenges(t, eve, "one", 0)
	ended := running(t.Context(), one, 2)
	awaitDuel(t, eve, casual.ID, func(d *api.Duel) bool { return d.Status == api.DuelStatusActive })
	stop := s.hurries("one", "two")
	defer stop()
	if err := two.Run(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if len(finished) != 2 {
		t.Fatalf("%d duels, want 2", len(finished))
	}
	for _, d := range finished {
		if checkDuel(t, played{d, nil}).Kind != "ranked" {
			t.Errorf("a %s duel, want ranked ones", d.Kind)
		}
	}
	if d := state(t, cyd, staked.ID); d.Status != api.DuelStatusOpen {
		t.Errorf("the challenge with a stake is %s", d.Status)
	}
	page, err := client.Read[api.ArenaBotOut](eve.Client.API.GetArenaBot(t.Context(), "one"))
	if err != nil {
		t.Fatal(err)
	}
	if page.Bot.Version == nil || *page.Bot.Version != "1.0" {
		t.Errorf("the version is %v", page.Bot.Version)
	}
}

// TestBotPlaysAChallenge: a bot that waits in the queue plays a challenge to its end, and one that an earlier instance has
// accepted.
func TestBotPlaysAChallenge(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"accepted by Run": false, "accepted before": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSlow(t)
			results := make(chan *api.Duel, 1)
			options := s.plays(s.newBot("one"), "paper")
			options.Challenges, options.State = true, filepath.Join(t.TempDir(), "bot.json")
			options.Ended = func(d *api.Duel) { results <- d }
			one, eve := newBot(t, options), newBot(t, s.plays(s.newBot("eve"), "rock"))
			s.takesChallenges(one)
			d := challenges(t, eve, "one", 0)
			if before {
				if _, err := client.Read[api.DuelOut](one.Client.API.JoinDuel(t.Context(), d.ID)); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := running(ctx, one, 0)
			awaitDuel(t, eve, d.ID, func(d *api.Duel) bool { return d.Status == api.DuelStatusActive })
			lost := checkDuel(t, <-playing(t.Context(), eve, state(t, eve, d.ID)))
			won := <-results
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if won.ID != d.ID || won.Rated || client.Result(won) != "won" || client.Result(lost) != "lost" {
				t.Errorf("%s and %s, %+v", client.Result(won), client.Result(lost), won)
			}
		})
	}
}
