package client_test

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
)

// host is the browser of an account that hosts cups.
type host struct {
	s    *service
	c    *http.Client
	csrf string
}

// newHost registers an account.
func (s *service) newHost() *host {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	h := &host{s: s, c: &http.Client{Jar: jar}}
	var out struct {
		CSRF string `json:"csrf_token"`
	}
	s.post(h.c, "/api/guest", "", "", &out)
	s.post(h.c, "/api/auth/register", `{"username":"teacher","password":"paper covers rock"}`, out.CSRF, &out)
	h.csrf = out.CSRF
	return h
}

// opens opens a cup for bots that the host starts, and returns its number and the code of a private one.
func (h *host) opens(private bool, seats int) (number int64, code string) {
	h.s.t.Helper()
	var out struct {
		Cup  struct{ Number int64 }
		Code string
	}
	body := fmt.Sprintf(`{"kind":"bots","by_hand":true,"private":%v,"seats":%d}`, private, seats)
	h.s.post(h.c, "/api/cups", body, h.csrf, &out)
	return out.Cup.Number, out.Code
}

// starts starts a cup: its first round begins 15 seconds later.
func (h *host) starts(number int64) {
	h.s.t.Helper()
	h.s.post(h.c, fmt.Sprintf("/api/cups/%d/start", number), "", h.csrf, &struct{}{})
}

// awaitCup moves the clock past the wait before a round, and returns when a cup has a status.
func (s *service) awaitCup(b *client.Bot, number int64, status api.CupStatus) {
	s.t.Helper()
	s.jump(20 * time.Second) // once: the deadlines of a duel that begins are later
	for {
		cup, err := client.Read[api.CupOut](b.Client.API.GetCup(s.t.Context(), number))
		if err != nil {
			s.t.Fatal(err)
		}
		if cup.Cup.Status == status {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

// TestBotJoinsACup: a bot joins a private cup with its code, once or several times, before and after the start, and
// plays its duel. Each refusal has the code of its reason.
func TestBotJoinsACup(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	h := s.newHost()
	var finished []*api.Duel
	options := s.plays(s.newBot("one"), "paper")
	options.Ended = func(d *api.Duel) { finished = append(finished, d) }
	one, two := newBot(t, options), newBot(t, s.plays(s.newBot("two"), "rock"))
	late := newBot(t, s.plays(s.newBot("late"), "rock"))
	number, code := h.opens(true, 2)
	joins := func(b *client.Bot, number int64, with, want string) {
		t.Helper()
		if err := b.JoinCup(t.Context(), number, with); client.Code(err) != want || want == "" && err != nil {
			t.Errorf("join cup %d: %v, want code %q", number, err, want)
		}
	}
	joins(one, 99, "", "not_found")
	joins(one, number, "", "cup_private")
	joins(one, number, code, "")
	joins(one, number, code, "") // as a restarted program does
	joins(two, number, code, "")
	joins(two, number, "", "")
	joins(late, number, code, "cup_full")
	other, _ := h.opens(false, 64)
	joins(one, other, "", "in_cup")
	h.starts(number)
	ended := running(t.Context(), two, 1)
	s.awaitCup(late, number, api.CupStatusRunning)
	joins(late, number, code, "cup_started")
	joins(one, number, code, "") // restarted in the middle of the cup
	if err := one.Run(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if len(finished) != 1 || checkDuel(t, played{finished[0], nil}).Kind != "cup" || client.Result(finished[0]) != "won" {
		t.Errorf("the duels are %+v, want one of the cup, won", finished)
	}
	s.awaitCup(late, number, api.CupStatusFinished)
	joins(one, number, code, "cup_started")
}
