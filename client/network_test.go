package client_test

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"path"
	"sync"
	"testing"

	"roshambo/client"
	"roshambo/internal/platform/testseed"
)

// badNetwork is a transport that loses some requests and some responses: a lost request has no
// effect, a lost response belongs to a completed request.
type badNetwork struct {
	mu   sync.Mutex
	dice *rand.Rand     // source of random losses; nil for none
	seen map[string]int // number of requests by kind
	lost int
}

var errLost = errors.New("lost on the way")

// plan decides the loss for a request: the first request of each kind, the response to the
// second, and more at random.
func (n *badNetwork) plan(r *http.Request) (request, answer bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	kind := r.Method + " " + path.Base(r.URL.Path)
	n.seen[kind]++
	request, answer = n.seen[kind] == 1, n.seen[kind] == 2
	if n.dice != nil {
		request, answer = request || n.dice.IntN(5) == 0, answer || n.dice.IntN(5) == 0
	}
	if request || answer {
		n.lost++
	}
	return request, answer
}

func (n *badNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	lost, unheard := n.plan(r)
	if lost {
		return nil, errLost
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && unheard {
		response.Body.Close()
		return nil, errLost
	}
	return response, err
}

// TestBotsThroughABadNetwork checks that lost requests are repeated, that repeated requests take
// effect once, and that no round is forfeited.
func TestBotsThroughABadNetwork(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	var bots [2]*client.Bot
	var networks [2]*badNetwork
	for i, name := range []string{"one", "two"} {
		networks[i] = &badNetwork{seen: map[string]int{}}
		if !testing.Short() {
			networks[i].dice = rand.New(rand.NewPCG(testseed.Seed(t), uint64(i)))
		}
		options := s.plays("", "random")
		options.Client = newClient(t, client.Options{URL: s.url, Key: s.newBot(name), Transport: networks[i],
			RetryBudget: -1})
		bots[i] = newBot(t, options)
	}
	asA, asB := seat(t, bots[0], bots[1])
	first, second := playing(t.Context(), bots[0], asA), playing(t.Context(), bots[1], asB)
	a, b := checkDuel(t, <-first), checkDuel(t, <-second)
	if a.Wins != b.Wins || len(a.Rounds) != len(b.Rounds) {
		t.Errorf("side a has %+v in %d rounds, side b %+v in %d", a.Wins, len(a.Rounds), b.Wins, len(b.Rounds))
	}
	for _, n := range networks {
		for _, kind := range []string{"POST commit", "POST reveal"} {
			if n.seen[kind] < 3 {
				t.Errorf("%d times %s, want a lost request, a lost response and a success", n.seen[kind], kind)
			}
		}
	}
}
