package client_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"roshambo/client"
	"roshambo/client/api"
)

// TestRefusedCommit checks that the bot commits again at once when a commit had no effect.
// Waiting for a change of the duel would forfeit the round.
func TestRefusedCommit(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	refuse := &refuseOnce{code: "conflict"}
	o := s.plays("", "rock")
	o.Client = newClient(t, client.Options{URL: s.url, Key: s.newBot("one"), Transport: refuse})
	b := newBot(t, o)
	out, err := client.Read[api.DuelOut](b.Client.API.Spar(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Play(t.Context(), &out.Duel)
	checkDuel(t, played{d, err})
	refuse.mu.Lock()
	defer refuse.mu.Unlock()
	if got := refuse.paths[1]; !strings.HasSuffix(got, "/commit") {
		t.Errorf("after the 409: %s", got)
	}
	if refuse.bodies[0] != refuse.bodies[1] {
		t.Errorf("another commitment after the 409: %s, before %s", refuse.bodies[1], refuse.bodies[0])
	}
}

// refuseOnce is a transport that answers the first commit with 409 and records it and the next
// request.
type refuseOnce struct {
	code string

	mu            sync.Mutex // guards the fields below
	paths, bodies []string
}

func (c *refuseOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.paths) == 0 && !strings.HasSuffix(r.URL.Path, "/commit") {
		return http.DefaultTransport.RoundTrip(r)
	}
	var body []byte
	if r.GetBody != nil {
		copied, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		if body, err = io.ReadAll(copied); err != nil {
			return nil, err
		}
	}
	c.paths, c.bodies = append(c.paths, r.URL.Path), append(c.bodies, string(body))
	if len(c.paths) > 1 {
		return http.DefaultTransport.RoundTrip(r)
	}
	return &http.Response{
		StatusCode: http.StatusConflict, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"code":"` + c.code + `","message":"refused"}`)),
	}, nil
}
