package client_test

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"roshambo/client"
)

// badNetwork is a connection that loses a request now and then, and the answer to another
// one: failed and not done, failed but done.
type badNetwork struct {
	mu   sync.Mutex
	dice *rand.Rand
	lost int
}

var errLost = errors.New("lost on the way")

func (n *badNetwork) loses() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	lost := n.dice.IntN(5) == 0
	if lost {
		n.lost++
	}
	return lost
}

func (n *badNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	if n.loses() {
		return nil, errLost
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && n.loses() {
		response.Body.Close()
		return nil, errLost
	}
	return response, err
}

// TestBotsThroughABadNetwork: what is lost is sent again, what was done is not done twice,
// and no round is lost to a deadline.
func TestBotsThroughABadNetwork(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	var bots [2]*client.Bot
	var networks [2]*badNetwork
	for i, name := range []string{"one", "two"} {
		networks[i] = &badNetwork{dice: rand.New(rand.NewPCG(7, uint64(i)))}
		options := s.plays("", "random")
		options.Client = newClient(t, client.Options{URL: s.url, Key: s.newBot(name), Transport: networks[i], Patience: -1})
		bots[i] = newBot(t, options)
	}
	asA, asB := seat(t, bots[0], bots[1])
	first, second := playing(t.Context(), bots[0], asA), playing(t.Context(), bots[1], asB)
	a, b := checkDuel(t, <-first), checkDuel(t, <-second)
	if a.Wins != b.Wins || len(a.Rounds) != len(b.Rounds) {
		t.Errorf("one saw %+v in %d rounds, the other %+v in %d", a.Wins, len(a.Rounds), b.Wins, len(b.Rounds))
	}
	for _, n := range networks {
		if n.lost == 0 {
			t.Error("a network lost nothing: this tests nothing")
		}
	}
}
