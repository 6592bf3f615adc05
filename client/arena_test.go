package client_test

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
	"roshambo/game"
)

// running lets a bot play n ranked duels, elsewhere.
func running(ctx context.Context, b *client.Bot, n int) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx, n) }()
	return ended
}

// listens is a strategy that tells what it was asked.
type listens struct {
	strategy.Strategy
	asked func([]strategy.Round)
}

func (l listens) Next(h []strategy.Round) game.Move {
	l.asked(h)
	return l.Strategy.Next(h)
}

// TestRun plays ranked duels; a bot that is started again remembers whom it has met.
func TestRun(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	key := s.newBot("one")
	stop := s.hurries("one", "two") // who have just played wait some seconds for each other
	defer stop()
	options := s.plays(key, "paper")
	var finished []*api.Duel
	options.Finished = func(d *api.Duel) { finished = append(finished, d) }
	other := running(t.Context(), newBot(t, s.plays(s.newBot("two"), "rock")), 3)
	if err := newBot(t, options).Run(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if len(finished) != 2 {
		t.Fatalf("%d duels, want 2", len(finished))
	}
	for _, d := range finished {
		checkDuel(t, played{d, nil})
		if d.Kind != api.DuelKindRanked || !d.Rated || client.Result(d) != "won" {
			t.Errorf("%s duel, rated %v, %s, want a ranked one that is won", d.Kind, d.Rated, client.Result(d))
		}
	}
	var first []strategy.Round
	pick := options.Strategy
	options.Strategy = func(opponent string) (strategy.Strategy, error) {
		inner, err := pick(opponent)
		return listens{inner, func(h []strategy.Round) {
			if first == nil {
				first = slices.Clone(h)
			}
		}}, err
	}
	if err := newBot(t, options).Run(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := <-other; err != nil {
		t.Fatal(err)
	}
	if want := slices.Repeat([]strategy.Round{{Mine: game.Paper, Theirs: game.Rock}}, 6); !slices.Equal(first, want) {
		t.Errorf("started again it knew of %v, want %v", first, want)
	}
}

// TestRunLeavesTheQueue when it is stopped, so that nobody is matched with it.
func TestRunLeavesTheQueue(t *testing.T) {
	t.Parallel()
	s := startService(t)
	ctx, cancel := context.WithCancel(t.Context())
	options := s.plays("", "rock")
	called := make(chan string, 100)
	options.Client = newClient(t, client.Options{URL: s.url, Key: s.newBot("one"), Transport: notes(called)})
	ended := running(ctx, newBot(t, options), 0)
	path := ""
	for path != "/api/arena/queue" {
		path = <-called
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("stopped: got %v, want nothing", err)
	}
	if path = <-called; path != "/api/arena/leave" {
		t.Errorf("the last call was to %s, want that it leaves the queue", path)
	}
}

// notes is a connection that tells of each call before it is made.
type notes chan<- string

func (n notes) RoundTrip(r *http.Request) (*http.Response, error) {
	n <- r.URL.Path
	return http.DefaultTransport.RoundTrip(r)
}

// TestRunFinishesTheDuel that is under way when it is stopped.
func TestRunFinishesTheDuel(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	ctx, cancel := context.WithCancel(t.Context())
	options := s.plays(s.newBot("one"), "random")
	options.Linger = time.Minute
	var finished atomic.Pointer[api.Duel]
	options.Finished = func(d *api.Duel) { finished.Store(d) }
	pick := options.Strategy
	options.Strategy = func(opponent string) (strategy.Strategy, error) {
		inner, err := pick(opponent)
		return listens{inner, func([]strategy.Round) { cancel() }}, err
	}
	other := running(t.Context(), newBot(t, s.plays(s.newBot("two"), "rotate")), 1)
	if err := newBot(t, options).Run(ctx, 0); err != nil {
		t.Errorf("stopped: got %v, want nothing", err)
	}
	checkDuel(t, played{finished.Load(), nil})
	if err := <-other; err != nil {
		t.Error(err)
	}
}

func TestRunSaysWhatCannotBe(t *testing.T) {
	t.Parallel()
	s := startService(t)
	err := newBot(t, s.plays("rsb_of-nobody", "rock")).Run(t.Context(), 1)
	if client.Code(err) != "unauthenticated" {
		t.Errorf("a wrong key: got %v", err)
	}
}
