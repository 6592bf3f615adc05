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

// badNetwork is a connection that loses a request now and then, and the answer to another
// one: failed and not done, failed but done.
type badNetwork struct {
	mu   sync.Mutex
	dice *rand.Rand     // nil for none by chance
	seen map[string]int // requests so far, by what they ask for
	lost int
}

var errLost = errors.New("lost on the way")

// plan says what is lost of a request: of each kind the first one, and the answer to the second
// one; more by chance.
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

// TestBotsThroughABadNetwork: what is lost is sent again, what was done is not done twice,
// and no round is lost to a deadline.
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
		for _, kind := range []string{"POST commit", "POST reveal"} {
			if n.seen[kind] < 3 {
				t.Errorf("%d times %s, want one lost, one whose answer is lost, and one more", n.seen[kind], kind)
			}
		}
	}
}
