package api_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/server/api"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
	"roshambo/verify"
)

// escrow returns the coins in a duel's escrow.
func (s *stack) escrow(t *testing.T, id string) (coins int64) {
	t.Helper()
	err := s.db.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		a, _, err := s.ledger.Account(ctx, tx, chain.Escrow(id))
		if err != nil && strings.Contains(err.Error(), ledger.ErrNotFound.Error()) {
			return nil
		}
		coins = a.Balance
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return coins
}

// TestJoinsAtOnce: of concurrent callers one joins, and the others keep their coins.
func TestJoinsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	d := s.guest(t).open(t, 100)
	var guests [6]*player
	for i := range guests {
		guests[i] = s.guest(t)
	}
	got := outcomes(t, s, len(guests), func(i int) (answer, error) {
		return guests[i].try(t, request{"POST", "/api/duels/" + d.ID + "/join", "",
			map[string]string{"X-CSRF-Token": guests[i].csrf}})
	})
	if got["200"] != 1 || got["duel_full"] != len(guests)-1 {
		t.Errorf("joins at once: %v", got)
	}
	paid := 0
	for _, p := range guests {
		switch balance := p.me(t).Balance; balance {
		case 900:
			paid++
		case 1000:
		default:
			t.Errorf("a guest has %d coins", balance)
		}
	}
	if paid != 1 || s.escrow(t, d.ID) != 200 {
		t.Errorf("%d have paid, %d coins lie in the escrow", paid, s.escrow(t, d.ID))
	}
}

// TestJoinAgainstTheEnd joins a duel while it is cancelled and while it expires: one of both
// happens, and all coins are accounted for.
func TestJoinAgainstTheEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 8 {
		ann, bob := s.guest(t), s.guest(t)
		d := ann.open(t, 100)
		path := "/api/duels/" + d.ID
		got := outcomes(t, s, 6, func(i int) (answer, error) {
			switch i {
			case 0, 3:
				return bob.try(t, request{"POST", path + "/join", "", map[string]string{"X-CSRF-Token": bob.csrf}})
			case 1:
				return ann.try(t, request{"POST", path + "/cancel", "", map[string]string{"X-CSRF-Token": ann.csrf}})
			case 2:
				s.clock.forward(duel.JoinTimeout)
				if _, err := s.duels.Sweep(t.Context()); err != nil {
					t.Error(err)
				}
			}
			return ann.try(t, request{method: "GET", path: path})
		})
		after := s.game(d.ID, nil, nil).read(t)
		escrow, a, b := s.escrow(t, d.ID), ann.me(t).Balance, bob.me(t).Balance
		joined := after.StakeTxB != nil
		switch {
		case joined && after.Status == "active" && escrow == 200 && a == 900 && b == 900:
		case joined && after.Status == "finished" && escrow == 0 && a == 1000 && b == 1000: // no opponent joined
		case !joined && (after.Status == "cancelled" || after.Status == "expired") && escrow == 0 && a == 1000 && b == 1000:
		default:
			t.Errorf("%v left %+v with %d coins in escrow, %d and %d", got, after, escrow, a, b)
		}
		for code := range got {
			if !slices.Contains([]string{"200", "duel_full", "duel_closed"}, code) {
				t.Errorf("an answer was %s", code)
			}
		}
	}
	s.guest(t).chainIsValid(t)
}

// TestEveryCallTwice plays a duel whose sides repeat every call: with the same Idempotency-Key the
// answer is replayed, without one the second call is refused.
func TestEveryCallTwice(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, keyed := range []bool{true, false} {
		players := []*player{s.guest(t), s.guest(t)}
		g := s.joined(t, 10, players...)
		for i, p := range players {
			calls, once := 0, g.sides[i]
			g.sides[i] = func(t *testing.T, q request) answer {
				if calls++; keyed {
					key := fmt.Sprint("call ", calls)
					first := p.keyed(t, key, q).ok(t).isNew(t)
					p.keyed(t, key, q).sameAs(t, first)
					return first
				}
				first := once(t, q).ok(t)
				once(t, q).fails(t, 409, "duel_moved_on")
				return first
			}
		}
		d := g.play(t, "rs", "pp", "sr", "rs", "r-")
		if d.Status != "finished" || len(d.Rounds) != 5 || *d.Winner != "a" {
			t.Errorf("keyed %v: %+v", keyed, d)
		}
		if got := s.escrow(t, d.ID); got != 0 {
			t.Errorf("keyed %v: %d coins are left in the escrow", keyed, got)
		}
	}
	s.guest(t).chainIsValid(t)
}

// dueler plays one side of a duel as a program does that knows only the answers: it reads, makes
// the step that is due, repeats it, and continues after any refusal.
type dueler struct {
	*player
	path    string
	version int64 // the last seen
}

func (p *dueler) play(t *testing.T) {
	for over := false; !over; {
		over = p.step(t)
	}
}

// step makes the next step, and reports whether the duel has ended.
func (p *dueler) step(t *testing.T) (over bool) {
	a, err := p.try(t, preferring(fmt.Sprintf("%s?version=%d", p.path, p.version), "wait=1"))
	if err != nil || a.status != http.StatusOK {
		t.Errorf("read: %v, %d %s", err, a.status, a.body)
		return true
	}
	d := decode[api.GetDuelOut](t, a).Duel
	if p.version = d.Version; d.Status != "active" {
		return true
	}
	r := d.Rounds[len(d.Rounds)-1]
	mine, move := r.Committed.A, game.Move(r.Round%3)
	if *d.You == "b" {
		mine, move = r.Committed.B, game.Move(r.Round*2%3)
	}
	salt := fmt.Sprintf("%s %s %d", p.address, p.path, r.Round)
	var action, body string
	switch {
	case !mine:
		action, body = "/commit", committing(move, salt)
	case r.Committed.A && r.Committed.B && !r.YouRevealed:
		action, body = "/reveal", revealing(move, salt)
	default:
		return false
	}
	body = strings.Replace(body, "{", fmt.Sprintf(`{"round":%d,`, r.Round), 1)
	q := request{"POST", p.path + action, body, map[string]string{"X-CSRF-Token": p.csrf}}
	for outcome, answers := range p.together(t, 2, q) {
		if !slices.Contains([]string{"200", "duel_moved_on", "not_your_turn"}, outcome) {
			t.Errorf("%v: %s %s", q, outcome, answers[0].body)
		}
		if outcome == "200" && len(answers) > 1 {
			t.Errorf("%v counted twice", q)
		}
	}
	return false
}

// TestStepsAtOnce runs both sides of a few duels concurrently with deadlines, the sweep and
// readers, while the clock jumps. Each round is decided once, and every duel ends.
func TestStepsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	const duels = 4
	var wait sync.WaitGroup
	var games []*duelGame
	done, stop := make(chan struct{}), make(chan struct{})
	for range duels {
		ann, bob := s.guest(t), s.guest(t)
		g := s.joined(t, 25, ann, bob)
		games = append(games, g)
		for _, p := range []*player{ann, bob} {
			wait.Go(func() {
				(&dueler{player: p, path: g.path}).play(t)
			})
		}
	}
	var others sync.WaitGroup
	chance := testseed.Rand(t)
	others.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				s.clock.forward(time.Duration(chance.IntN(20)) * time.Second)
				if _, err := s.duels.Sweep(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
	})
	go func() { wait.Wait(); close(done) }()
	<-done
	close(stop)
	others.Wait()
	s.seal(t)
	for _, g := range games {
		d := g.read(t)
		if d.Status != "finished" || s.escrow(t, d.ID) != 0 {
			t.Errorf("left is %+v, with %d coins in escrow", d, s.escrow(t, d.ID))
		}
		proof := s.anonymous(t).get(t, g.path+"/proof").ok(t)
		if report := verify.Duel([]byte(proof.body), verify.Options{Key: &s.key}); !report.Valid {
			t.Errorf("the proof: %+v", report)
		}
	}
	s.guest(t).chainIsValid(t)
}
