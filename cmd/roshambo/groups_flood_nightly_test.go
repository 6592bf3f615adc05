//go:build nightly

package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// flood is one person at an address of its own who sends ten calls a second: new accounts, runs that claim points,
// duels for a coin that are resigned at once, and rounds with the longest salts, against points, places and bytes. It
// is the transport of all of its guests, which repeats nothing.
type flood struct {
	url       string
	transport *http.Transport
	turn      *time.Ticker

	answered, refused int // calls
}

// maxFlood is how many accounts a flood uses at most, the newest.
const maxFlood = 50

// newFlood returns a flood that has not begun.
func newFlood(t *testing.T, url string) *flood {
	t.Helper()
	f := &flood{url: url, transport: from(net.IPv4(127, 66, 0, 1)), turn: time.NewTicker(100 * time.Millisecond)}
	t.Cleanup(f.turn.Stop)
	return f
}

// RoundTrip sends a call in its turn, and counts it.
func (f *flood) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-f.turn.C:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	response, err := f.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests:
		f.refused++
	case http.StatusOK:
		f.answered++
	}
	return response, nil
}

// run sends calls until ctx ends.
func (f *flood) run(ctx context.Context) {
	var guests []*visitor
	for n := 0; ctx.Err() == nil; n++ {
		v := &visitor{url: f.url, client: &http.Client{Transport: f}}
		if v.arrive(ctx) == nil {
			guests = append(guests[max(0, len(guests)+1-maxFlood):], v)
		}
		if len(guests) < 2 {
			continue
		}
		a, b := guests[n%len(guests)], guests[(n+1)%len(guests)]
		floods(ctx, a, "/api/runs", `{"entry":"free","move":"rock","then":"claim"}`)
		if code := floods(ctx, a, "/api/duels", `{"stake":1}`); code != "" {
			floods(ctx, b, "/api/duels/"+code+"/join", "")
			floods(ctx, a, "/api/duels/"+code+"/resign", "")
		}
		if code := floods(ctx, a, "/api/duels/spar", ""); code != "" {
			salt, path := strings.Repeat("\x01", 512), "/api/duels/"+code
			floods(ctx, a, path+"/commit", fmt.Sprintf(`{"commitment":"%x"}`, sha256.Sum256([]byte("rock:"+salt))))
			text, _ := json.Marshal(map[string]string{"move": "rock", "salt": salt}) // cannot fail
			floods(ctx, a, path+"/reveal", string(text))
			floods(ctx, a, path+"/resign", "")
		}
	}
}

// floods sends a call of a guest, and returns the code of the duel in a successful answer.
func floods(ctx context.Context, v *visitor, path, body string) (code string) {
	var out struct{ Duel struct{ ID string } }
	_ = v.call(ctx, "POST", path, body, &out) // it is counted
	return out.Duel.ID
}
