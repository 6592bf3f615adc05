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

// running plays n ranked duels in the background.
func running(ctx context.Context, b *client.Bot, n int) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx, n) }()
	return ended
}

// listens is a strategy that records the history it receives.
type listens struct {
	strategy.Strategy
	asked func([]strategy.Round)
}

func (l listens) Next(h []strategy.Round) game.Move {
	l.asked(h)
	return l.Strategy.Next(h)
}

// TestRun plays ranked duels. A restarted bot knows the opponents it has met.
func TestRun(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	key := s.newBot("one")
	stop := s.hurries("one", "two") // a rematch waits some seconds in the queue
	defer stop()
	options := s.plays(key, "paper")
	var finished []*api.Duel
	options.Ended = func(d *api.Duel) { finished = append(finished, d) }
	other := running(t.Context(), newBot(t, s.plays(s.newBot("two"), "rock")), 3)
	if err := newBot(t, options).Run(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if len(finished) != 2 {
		t.Fatalf("%d duels, want 2", len(finished))
	}
	for _, d := range finished {
		checkDuel(t, played{d, nil})
		if d.Kind != "ranked" || !d.Rated || client.Result(d) != "won" {
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
		t.Errorf("after the restart the history is %v, want %v", first, want)
	}
}

// TestRunLeavesTheQueue stops a queued bot, which must not be matched afterwards.
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
		t.Errorf("stopped: got error %v, want none", err)
	}
	if path = <-called; path != "/api/arena/leave" {
		t.Errorf("the last request was to %s, want the queue left", path)
	}
}

// notes is a transport that reports each request before it is sent.
type notes chan<- string

func (n notes) RoundTrip(r *http.Request) (*http.Response, error) {
	n <- r.URL.Path
	return http.DefaultTransport.RoundTrip(r)
}

// TestRunFinishesTheDuel stops a bot during a duel.
func TestRunFinishesTheDuel(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	ctx, cancel := context.WithCancel(t.Context())
	options := s.plays(s.newBot("one"), "random")
	options.Linger = time.Hour
	var finished atomic.Pointer[api.Duel]
	options.Ended = func(d *api.Duel) { finished.Store(d) }
	pick := options.Strategy
	options.Strategy = func(opponent string) (strategy.Strategy, error) {
		inner, err := pick(opponent)
		return listens{inner, func([]strategy.Round) { cancel() }}, err
	}
	other := running(t.Context(), newBot(t, s.plays(s.newBot("two"), "rotate")), 1)
	if err := newBot(t, options).Run(ctx, 0); err != nil {
		t.Errorf("stopped: got error %v, want none", err)
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
