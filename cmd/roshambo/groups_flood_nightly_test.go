//go:build nightly

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"
)

// flood is one person at an address of its own who sends ten calls a second: new accounts, runs that claim points,
// duels for a coin that are resigned at once, and rounds with the longest salts, against points, places and bytes.
type flood struct {
	url       string
	transport *http.Transport
	turn      *time.Ticker

	answered, refused int // calls
}

// floodGuest is an account of the flood.
type floodGuest struct {
	client *http.Client
	csrf   string
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

// run sends calls until ctx ends.
func (f *flood) run(ctx context.Context) {
	var guests []*floodGuest
	for n := 0; ctx.Err() == nil; n++ {
		jar, err := cookiejar.New(nil)
		if err != nil {
			panic(err) // it has no options
		}
		var opened struct {
			CSRFToken string `json:"csrf_token"`
		}
		g := &floodGuest{client: &http.Client{Transport: f.transport, Jar: jar, Timeout: 10 * time.Second}}
		if f.post(ctx, g, "/api/guest", nil, &opened) {
			g.csrf = opened.CSRFToken
			guests = append(guests[max(0, len(guests)+1-maxFlood):], g)
		}
		if len(guests) > 1 {
			f.points(ctx, guests[n%len(guests)])
			f.places(ctx, guests[n%len(guests)], guests[(n+1)%len(guests)])
			f.bytes(ctx, guests[n%len(guests)])
		}
	}
}

// points plays a free run that claims its tier if the first throw wins.
func (f *flood) points(ctx context.Context, g *floodGuest) {
	f.post(ctx, g, "/api/runs", map[string]string{"entry": "free", "move": "rock", "then": "claim"}, nil)
}

// floodDuel is the answer to a call about a duel.
type floodDuel struct{ Duel struct{ ID string } }

// places opens a duel for a coin, which another guest joins, and gives it up.
func (f *flood) places(ctx context.Context, a, b *floodGuest) {
	var d floodDuel
	if f.post(ctx, a, "/api/duels", map[string]int{"stake": 1}, &d) {
		f.post(ctx, b, "/api/duels/"+d.Duel.ID+"/join", nil, nil)
		f.post(ctx, a, "/api/duels/"+d.Duel.ID+"/resign", nil, nil)
	}
}

// bytes plays a round with the longest salt against the sparring bot.
func (f *flood) bytes(ctx context.Context, g *floodGuest) {
	var d floodDuel
	if !f.post(ctx, g, "/api/duels/spar", nil, &d) {
		return
	}
	salt, path := strings.Repeat("\x01", 512), "/api/duels/"+d.Duel.ID
	digest := sha256.Sum256([]byte("rock:" + salt))
	f.post(ctx, g, path+"/commit", map[string]string{"commitment": fmt.Sprintf("%x", digest)}, nil)
	f.post(ctx, g, path+"/reveal", map[string]string{"move": "rock", "salt": salt}, nil)
	f.post(ctx, g, path+"/resign", nil, nil)
}

// post sends a call in its turn and decodes a successful answer into out, nil for none. It repeats nothing.
func (f *flood) post(ctx context.Context, g *floodGuest, path string, body, out any) (ok bool) {
	select {
	case <-f.turn.C:
	case <-ctx.Done():
		return false
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // the bodies are above
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url+path, bytes.NewReader(text))
	if err != nil {
		return false
	}
	r.Header.Set("X-CSRF-Token", g.csrf)
	r.Header.Set("Content-Type", "application/json")
	response, err := g.client.Do(r)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	switch {
	case response.StatusCode == http.StatusTooManyRequests:
		f.refused++
	case response.StatusCode == http.StatusOK:
		f.answered++
	}
	return err == nil && response.StatusCode == http.StatusOK && (out == nil || json.Unmarshal(answer, out) == nil)
}
