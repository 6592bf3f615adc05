package api_test

import (
	"fmt"
	"testing"
	"time"

	"roshambo/internal/server/api"
)

// earns wins a free run that a new guest starts at an address.
func (s *stack) earns(t *testing.T, address string) {
	t.Helper()
	p := s.guest(t)
	p.claims(t, p.startFrom(t, address, `{"entry":"free"}`))
}

// wantOnWeek checks how many accounts the week's board shows.
func (s *stack) wantOnWeek(t *testing.T, when string, want int64) {
	t.Helper()
	if out := s.anonymous(t).board(t, "week"); out.Total == nil || *out.Total != want {
		t.Errorf("%s: %d accounts are on the week's board, want %d", when, len(out.Rows), want)
	}
	s.boardsAreRight(t)
}

// TestPointsOfNetworks checks how many accounts count, through the addresses that they call from: three of an address,
// four times as many of a /56, and sixteen times of a /48.
func TestPointsOfNetworks(t *testing.T) {
	t.Parallel()
	type network struct {
		address  func(i int) string
		accounts int
		want     int64
	}
	networks := map[string]network{
		"an address": {func(int) string { return "198.51.100.9" }, 5, 3},
		"a /64":      {func(i int) string { return fmt.Sprintf("2001:db8:1:2::%x", i+1) }, 5, 3},
		"a /56":      {func(i int) string { return fmt.Sprintf("2001:db8:1:%x::1", i) }, 14, 12},
	}
	if !testing.Short() {
		networks["a /48"] = network{func(i int) string { return fmt.Sprintf("2001:db8:1:%x00::1", i) }, 50, 48}
	}
	for name, n := range networks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := publicly(t)
			for i := range n.accounts {
				s.earns(t, n.address(i))
			}
			s.wantOnWeek(t, fmt.Sprint("after ", n.accounts), n.want)
			s.earns(t, "2001:db8:9::1")
			s.wantOnWeek(t, "after one of another network", n.want+1)
		})
	}
}

// TestPointsOfOneLine: an account that has used IPv4 and IPv6 within 24 hours is charged to both, so a line has three
// accounts by whichever it calls. Later it is charged to the one that it uses.
func TestPointsOfOneLine(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	const v4, v6 = "203.0.113.5", "2001:db8:7::1"
	for range 3 {
		s.earns(t, v4)
	}
	roamer := s.guest(t)
	roamer.postFrom(t, v4, "/api/duels", "").ok(t)
	roamer.claims(t, roamer.startFrom(t, v6, `{"entry":"free"}`))
	s.wantOnWeek(t, "three by IPv4 and one by both", 3)
	s.earns(t, v6)
	s.wantOnWeek(t, "and one by IPv6", 4)
	s.clock.forward(25 * time.Hour)
	roamer.claims(t, roamer.startFrom(t, v6, `{"entry":"free"}`))
	s.wantOnWeek(t, "a day later", 5)
}

// TestShareOfBotSeats: the seats of a cup for bots are charged to the network of the call, a quarter each, but for bots
// of owners that have been secured for 3 days.
func TestShareOfBotSeats(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	const home = "203.0.113.1"
	host, settled := s.secured(t), s.secured(t)
	of := settled.bot(t)
	s.clock.forward(72*time.Hour + time.Minute)
	body := `{"kind":"bots","minutes":9,"seats":8}`
	number := decode[api.CupOut](t, host.postFrom(t, home, "/api/cups", body).ok(t)).Cup.Number
	path := fmt.Sprintf("/api/cups/%d/join", number)
	for i, owner := range []*player{s.guest(t), s.secured(t), s.secured(t), s.guest(t)} {
		switch a := owner.bot(t).postFrom(t, home, path, ""); {
		case i < 2:
			a.ok(t)
		default:
			a.fails(t, 409, "limit_reached")
		}
	}
	of.postFrom(t, home, path, "").ok(t)
	s.bot(t).postFrom(t, "203.0.113.2", path, "").ok(t) // another network
	if got := s.anonymous(t).cup(t, number).Cup.Players; got != 4 {
		t.Errorf("%d players, want 4", got)
	}
}
