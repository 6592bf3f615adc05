package client_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
	"roshambo/game"
)

func newBot(tb testing.TB, o client.BotOptions) *client.Bot {
	tb.Helper()
	b, err := client.NewBot(o)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// seat opens a duel between two bots and returns it as each of them sees it.
func seat(t *testing.T, a, b *client.Bot) (asA, asB *api.Duel) {
	t.Helper()
	opened, err := client.Read[api.DuelOut](a.Client.API.CreateDuel(t.Context(), api.CreateDuelIn{}))
	if err != nil {
		t.Fatal(err)
	}
	joined, err := client.Read[api.DuelOut](b.Client.API.JoinDuel(t.Context(), opened.Duel.ID))
	if err != nil {
		t.Fatal(err)
	}
	seen, err := client.Read[api.GetDuelOut](a.Client.API.GetDuel(t.Context(), opened.Duel.ID, nil))
	if err != nil {
		t.Fatal(err)
	}
	return &seen.Duel, &joined.Duel
}

// played is the result of a duel for one side.
type played struct {
	duel *api.Duel
	err  error
}

// playing plays a duel in the background.
func playing(ctx context.Context, b *client.Bot, d *api.Duel) <-chan played {
	ended := make(chan played, 1)
	go func() {
		d, err := b.Play(ctx, d)
		ended <- played{d, err}
	}()
	return ended
}

// checkDuel requires that a duel is finished and that no round was forfeited.
func checkDuel(t *testing.T, p played) *api.Duel {
	t.Helper()
	if p.err != nil {
		t.Fatal(p.err)
	}
	if p.duel.Status != api.DuelStatusFinished {
		t.Fatalf("the duel is %s", p.duel.Status)
	}
	for _, r := range p.duel.Rounds {
		if r.ForfeitedBy != nil {
			t.Errorf("round %d was forfeited by %s", r.Round, *r.ForfeitedBy)
		}
	}
	return p.duel
}

func TestTwoBotsPlayADuel(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	a := newBot(t, s.plays(s.newBot("one"), "beat-last"))
	b := newBot(t, s.plays(s.newBot("two"), "rock"))
	asA, asB := seat(t, a, b)
	first, second := playing(t.Context(), a, asA), playing(t.Context(), b, asB)
	won, lost := checkDuel(t, <-first), checkDuel(t, <-second)
	if client.Result(won) != "won" || client.Result(lost) != "lost" {
		t.Errorf("%s and %s, want won and lost", client.Result(won), client.Result(lost))
	}
	if _, err := a.Play(t.Context(), lost); err != nil {
		t.Errorf("a duel that is over: %v", err)
	}
}

// calls counts the requests of a client.
type calls struct{ n atomic.Int64 }

func (c *calls) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return http.DefaultTransport.RoundTrip(r)
}

// TestTwoCallsARound: each step is answered once the other side has moved, so a side calls twice a round.
func TestTwoCallsARound(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	var bots [2]*client.Bot
	var counts [2]calls
	for i, name := range []string{"one", "two"} {
		key := s.newBot(name)
		o := s.plays(key, []string{"beat-last", "rock"}[i])
		o.Client = newClient(t, client.Options{URL: s.url, Key: key, Transport: &counts[i]})
		bots[i] = newBot(t, o)
	}
	asA, asB := seat(t, bots[0], bots[1])
	before := [2]int64{counts[0].n.Load(), counts[1].n.Load()}
	first, second := playing(t.Context(), bots[0], asA), playing(t.Context(), bots[1], asB)
	rounds := int64(len(checkDuel(t, <-first).Rounds))
	checkDuel(t, <-second)
	for i := range counts {
		if n := counts[i].n.Load() - before[i]; n > 2*rounds+2 {
			t.Errorf("side %d called %d times in %d rounds", i, n, rounds)
		}
	}
}

func TestABotSpars(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	b := newBot(t, s.plays(s.newBot("one"), "iocaine"))
	out, err := client.Read[api.DuelOut](b.Client.API.Spar(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Play(t.Context(), &out.Duel)
	checkDuel(t, played{d, err})
}

// stopAfter is a transport that fails permanently after the first response for a path, as if the
// process had been killed then.
type stopAfter struct {
	path    string
	stopped atomic.Bool
}

var errKilled = errors.New("killed")

func (s *stopAfter) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.stopped.Load() {
		return nil, errKilled
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && strings.HasSuffix(r.URL.Path, s.path) {
		s.stopped.Store(true)
		response.Body.Close()
		return nil, errKilled
	}
	return response, err
}

// TestRestartKeepsHand kills a bot after the service received its commitment and before the bot
// received the response. The next instance continues with the same move and salt.
func TestRestartKeepsHand(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/commit", "/reveal"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := startSlow(t)
			key := s.newBot("one")
			options := s.plays(key, "random")
			options.State = filepath.Join(t.TempDir(), "bot.json")
			killed := options
			killed.Client = newClient(t, client.Options{URL: s.url, Key: key, Transport: &stopAfter{path: path},
				RetryBudget: time.Millisecond})
			a, b := newBot(t, killed), newBot(t, s.plays(s.newBot("two"), "rotate"))
			asA, asB := seat(t, a, b)
			second := playing(t.Context(), b, asB)
			if _, err := a.Play(t.Context(), asA); !errors.Is(err, errKilled) {
				t.Fatalf("got %v, want %v", err, errKilled)
			}
			checkDuel(t, <-playing(t.Context(), newBot(t, options), asA))
			checkDuel(t, <-second)
		})
	}
}

// TestDerivedSaltRecoversHand restarts a bot without state. With the same secret it recovers the
// committed hand; with another secret it does not.
func TestDerivedSaltRecoversHand(t *testing.T) {
	t.Parallel()
	for _, same := range []bool{true, false} {
		t.Run(fmt.Sprint("same ", same), func(t *testing.T) {
			t.Parallel()
			s := startSlow(t)
			key := s.newBot("one")
			options := s.plays(key, "paper")
			salt := func(secret string) func(string, int64) string {
				return func(duel string, round int64) string {
					return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %s %d", secret, duel, round)))
				}
			}
			options.Salt = salt("a")
			killed := options
			killed.Client = newClient(t, client.Options{URL: s.url, Key: key, Transport: &stopAfter{path: "/commit"},
				RetryBudget: time.Millisecond})
			a, b := newBot(t, killed), newBot(t, s.plays(s.newBot("two"), "rock"))
			asA, asB := seat(t, a, b)
			second := playing(t.Context(), b, asB)
			if _, err := a.Play(t.Context(), asA); !errors.Is(err, errKilled) {
				t.Fatalf("got %v, want %v", err, errKilled)
			}
			if !same {
				options.Salt = salt("b")
			}
			first := playing(t.Context(), newBot(t, options), asA)
			if !same {
				awaitDuel(t, b, asA.ID, func(d *api.Duel) bool { return d.Rounds[0].Revealed.B })
				s.jump(16 * time.Second)
			}
			won := <-first
			if won.err != nil || client.Result(won.duel) != "won" {
				t.Fatalf("got %+v, %v, want a win", won.duel, won.err)
			}
			if r := won.duel.Rounds[0]; (r.ForfeitedBy == nil) != same {
				t.Errorf("the round of the lost hand is %+v", r)
			}
			if p := <-second; p.err != nil {
				t.Error(p.err)
			}
		})
	}
}

// TestLostHandCostsOneRound restarts a bot without state and without derived salts: it forfeits
// the committed round and continues.
func TestLostHandCostsOneRound(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	key := s.newBot("one")
	options := s.plays(key, "paper")
	killed := options
	killed.Client = newClient(t, client.Options{URL: s.url, Key: key, Transport: &stopAfter{path: "/commit"},
		RetryBudget: time.Millisecond})
	a, b := newBot(t, killed), newBot(t, s.plays(s.newBot("two"), "rock"))
	asA, asB := seat(t, a, b)
	second := playing(t.Context(), b, asB)
	if _, err := a.Play(t.Context(), asA); !errors.Is(err, errKilled) {
		t.Fatalf("got %v, want %v", err, errKilled)
	}
	first := playing(t.Context(), newBot(t, options), asA)
	awaitDuel(t, b, asA.ID, func(d *api.Duel) bool { return d.Rounds[0].Revealed.B })
	s.jump(16 * time.Second)
	won := <-first
	if won.err != nil || client.Result(won.duel) != "won" {
		t.Fatalf("got %+v, %v, want the other rounds won", won.duel, won.err)
	}
	if r := won.duel.Rounds[0]; r.ForfeitedBy == nil || *r.ForfeitedBy != api.DuelRoundForfeitedByA ||
		len(won.duel.Rounds) != 4 {
		t.Errorf("%d rounds, the first %+v, want it forfeited by a and three more", len(won.duel.Rounds), r)
	}
	if p := <-second; p.err != nil {
		t.Error(p.err)
	}
}

// awaitDuel waits until a duel satisfies a condition.
func awaitDuel(t *testing.T, b *client.Bot, code string, is func(*api.Duel) bool) {
	t.Helper()
	params := &api.GetDuelParams{}
	for {
		out, err := client.Read[api.GetDuelOut](b.Client.API.GetDuel(t.Context(), code, params, client.Wait(20*time.Second)))
		if err != nil {
			t.Fatal(err)
		}
		if is(&out.Duel) {
			return
		}
		params.Version = &out.Duel.Version
	}
}

// stopAndGo is a strategy that restarts the service before its second move.
type stopAndGo struct {
	strategy.Strategy
	service *service
}

func (s *stopAndGo) Next(h []strategy.Round) game.Move {
	if len(h) == 1 {
		s.service.stop()
		s.service.start()
	}
	return s.Strategy.Next(h)
}

func TestBotsWaitForAServiceThatRestarts(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	options := s.plays(s.newBot("one"), "random")
	pick := options.Strategy
	options.Strategy = func(opponent string) (strategy.Strategy, error) {
		inner, err := pick(opponent)
		return &stopAndGo{inner, s}, err
	}
	a, b := newBot(t, options), newBot(t, s.plays(s.newBot("two"), "rotate"))
	asA, asB := seat(t, a, b)
	first, second := playing(t.Context(), a, asA), playing(t.Context(), b, asB)
	checkDuel(t, <-first)
	checkDuel(t, <-second)
}

func TestPlayRefusesWhatIsNotItsDuel(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	a, b := newBot(t, s.plays(s.newBot("one"), "rock")), newBot(t, s.plays(s.newBot("two"), "rock"))
	opened, err := client.Read[api.DuelOut](a.Client.API.CreateDuel(t.Context(), api.CreateDuelIn{}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Play(t.Context(), &opened.Duel); err == nil || !strings.Contains(err.Error(), "no opponent") {
		t.Errorf("an open duel: got %v", err)
	}
	watched, err := client.Read[api.GetDuelOut](b.Client.API.GetDuel(t.Context(), opened.Duel.ID, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Play(t.Context(), &watched.Duel); err == nil || !strings.Contains(err.Error(), "watched") {
		t.Errorf("a duel of others: got %v", err)
	}
}

func TestNewBotRefuses(t *testing.T) {
	t.Parallel()
	if b, err := client.NewBot(client.BotOptions{}); err == nil {
		t.Errorf("no options: got %v, want an error", b)
	}
}
