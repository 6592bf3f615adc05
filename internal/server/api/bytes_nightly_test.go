//go:build nightly

package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/service/account"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// callCounter counts the requests of a stack, and a reveal as the further calls that its salt counts as.
type callCounter struct {
	n       atomic.Int64
	reveals int64 // further calls of each
}

// Begin implements edge.Observer.
func (c *callCounter) Begin(ctx context.Context, _ *edge.Arrival) context.Context {
	c.n.Add(1)
	return ctx
}

// End implements edge.Observer.
func (c *callCounter) End(_ context.Context, o edge.Outcome) {
	if o.Operation == "revealDuel" {
		c.n.Add(c.reveals)
	}
}

// payload returns the bytes of all rows and indexes, once all work of the background is done: of those that are kept
// for good, and of stored answers, which are kept for a day. It omits events, of which a limited number is kept.
func (s *stack) payload(t *testing.T) (kept, answers int64) {
	t.Helper()
	s.settle(t)
	s.seal(t)
	s.within(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT sum(CASE WHEN name LIKE '%idempotency%' THEN 0 ELSE payload END),
			sum(CASE WHEN name LIKE '%idempotency%' THEN payload ELSE 0 END)
			FROM dbstat WHERE name NOT LIKE '%event%'`).Scan(&kept, &answers)
	})
	return kept, answers
}

// keeping has each POST of a browser store its answer, with receipts.
func (p *player) keeping() {
	p.client.Transport = headed{p.client.Transport, func(r *http.Request) map[string]string {
		if r.Method != http.MethodPost {
			return nil
		}
		return map[string]string{"Prefer": "receipt", "Idempotency-Key": newName()}
	}}
}

// keptKind is a kind of call that changes something, in the way that makes the service keep the most.
type keptKind struct {
	name    string
	reveals int64 // further calls as which a reveal counts
	perHour int64 // most calls of an address within an hour; 0 for 240 a minute
	pairs   bool  // its players are paired, so they have two addresses
	run     func(t *testing.T, s *stack, ann, bob *player)
}

// maxKept is the most bytes that a call may make the service keep, on average.
const maxKept = 1 << 10

// maxStored is the most bytes that the stored answer of a call may have, on average.
const maxStored = 3 << 10

// keptKinds are the kinds of docs/abuse.md.
var keptKinds = []keptKind{
	{"throws with the longest entropy", 0, 0, false, func(t *testing.T, s *stack, ann, _ *player) {
		r := ann.start(t, `{"entry":"fee"}`)
		for range 12 {
			s.clock.forward(time.Second)
			body := fmt.Sprintf(`{"move":"rock","entropy":%q,"then":"continue"}`, strings.Repeat("界", 64))
			if r = decode[api.ThrowOut](t, ann.post(t, "/api/runs/"+r.ID+"/throw", body).ok(t)).Run; r.EndedAt != nil {
				r = ann.start(t, `{"entry":"fee"}`)
			}
		}
		ann.post(t, "/api/runs/"+r.ID+"/abandon", "").ok(t)
	}},
	{"runs (start, abandon)", 0, 0, false, func(t *testing.T, _ *stack, ann, _ *player) {
		for range 5 {
			ann.post(t, "/api/runs/"+ann.start(t, `{"entry":"fee"}`).ID+"/abandon", "").ok(t)
		}
	}},
	{"tokens (start, throw, claim, offer, sale to the house)", 0, 0, false, func(t *testing.T, _ *stack, ann, _ *player) {
		for range 3 {
			offer := ann.offer(t, ann.win(t))
			ann.post(t, fmt.Sprintf("/api/buyback/%d/respond", offer.ID), `{"accept":true}`).ok(t)
		}
	}},
	{"rounds of sparring, salts of control characters", 5, 0, false, func(t *testing.T, s *stack, ann, _ *player) {
		for range 3 {
			s.game(ann.spar(t).ID, ann.sender(), nil).longest(t)
		}
	}},
	{"rounds of sparring, salts of 512 bytes", 0, 0, false, func(t *testing.T, s *stack, ann, _ *player) {
		for range 3 {
			g := s.game(ann.spar(t).ID, ann.sender(), nil)
			for status := "active"; status == "active"; status = g.read(t).Status {
				g.n++
				salt := fmt.Sprint(g.n+1000, strings.Repeat("x", 508))
				ann.post(t, g.path+"/commit", committing(game.Rock, salt)).ok(t)
				ann.post(t, g.path+"/reveal", revealing(game.Rock, salt)).ok(t)
			}
		}
	}},
	{"sparring, resigned at once", 0, 0, false, func(t *testing.T, _ *stack, ann, _ *player) {
		for range 20 {
			ann.post(t, "/api/duels/"+ann.spar(t).ID+"/resign", "").ok(t)
		}
	}},
	{"rounds of duels by code, salts of control characters", 5, 0, false, func(t *testing.T, s *stack, ann, bob *player) {
		s.joined(t, 0, ann, bob).longest(t)
	}},
	{"staked duels (open, join, resign)", 0, 0, false, func(t *testing.T, s *stack, ann, bob *player) {
		for range 20 {
			g := s.joined(t, 1, ann, bob)
			g.sides[0](t, g.post("/resign", "")).ok(t)
		}
	}},
	{"staked duels (open, cancel)", 0, 0, false, func(t *testing.T, _ *stack, ann, _ *player) {
		for range 20 {
			ann.post(t, "/api/duels/"+ann.open(t, 1).ID+"/cancel", "").ok(t)
		}
	}},
	{"quick matches (ask twice, resign)", 0, 0, true, func(t *testing.T, s *stack, ann, bob *player) {
		for range 10 {
			g := s.paired(t, ann, bob)
			g.sides[0](t, g.post("/resign", "")).ok(t)
		}
	}},
	{"listings (list, cancel)", 0, 240, false, func(t *testing.T, _ *stack, ann, _ *player) {
		token := ann.win(t)
		for range 20 {
			ann.post(t, fmt.Sprintf("/api/market/%d/cancel", ann.sell(t, token, 9).ID), "").ok(t)
		}
	}},
	{"keys (make, revoke)", 0, 0, false, func(t *testing.T, _ *stack, ann, _ *player) {
		for range 20 {
			key := decode[api.NewKeyOut](t, ann.post(t, "/api/keys", fmt.Sprintf(`{"label":%q}`,
				strings.Repeat("界", 32))).ok(t))
			ann.post(t, fmt.Sprintf("/api/keys/%d/revoke", key.Key.ID), "").ok(t)
		}
	}},
	{"teams (found, leave)", 0, 0, false, func(t *testing.T, _ *stack, ann, _ *player) {
		for range 20 {
			ann.found(t, true)
			ann.post(t, "/api/teams/leave", "").ok(t)
		}
	}},
	{"ranked duels (ask, resign)", 0, 0, true, func(t *testing.T, s *stack, ann, bob *player) {
		one, two := ann.onlyBot(t), bob.onlyBot(t)
		for range 10 {
			one.post(t, "/api/arena/queue", "").ok(t)
			two.post(t, "/api/arena/queue", "").ok(t)
			s.clock.forward(5 * time.Second) // the same two again
			s.pass(t)
			d := decode[api.QueueOut](t, one.post(t, "/api/arena/queue", "").ok(t)).Duel
			one.post(t, "/api/duels/"+d.ID+"/resign", "").ok(t)
			one, two = two, one // or their ratings were too far apart
		}
	}},
	{"rematches (offer twice, resign)", 0, 0, false, func(t *testing.T, s *stack, ann, bob *player) {
		g := s.joined(t, 1, ann, bob)
		for range 10 {
			ann.post(t, g.path+"/resign", "").ok(t)
			ann.post(t, g.path+"/rematch", "").ok(t)
			out := decode[api.DuelOut](t, bob.post(t, g.path+"/rematch", "").ok(t)).Duel
			g.path = "/api/duels/" + *out.Rematch.DuelID
		}
		ann.post(t, g.path+"/resign", "").ok(t)
	}},
	{"sales between accounts (list, buy)", 0, 240, false, func(t *testing.T, _ *stack, ann, bob *player) {
		token := ann.win(t)
		for range 5 {
			bob.post(t, fmt.Sprintf("/api/market/%d/buy", ann.sell(t, token, 9).ID), "").ok(t)
			ann.post(t, fmt.Sprintf("/api/market/%d/buy", bob.sell(t, token, 9).ID), "").ok(t)
		}
	}},
	{"new accounts (guest, register)", 0, 20, false, func(t *testing.T, s *stack, _, _ *player) {
		for range 10 {
			s.guest(t).register(t, newName())
		}
	}},
	{"sign-ins with new browsers", 0, 0, false, func(t *testing.T, s *stack, ann, _ *player) {
		if ann.me(t).SecuredAt == nil {
			ann.register(t, newName())
		}
		for range 20 {
			s.anonymous(t).signIn(t, "/api/auth/login", credentials(ann.me(t).Account.Username))
		}
	}},
	{"links by mail", 0, 20, false, func(t *testing.T, _ *stack, ann, _ *player) {
		for range 20 {
			ann.post(t, "/api/auth/magic-link", `{"email":"`+newName()+`@example.org"}`).ok(t)
		}
	}},
	{"guests", 0, 10, false, func(t *testing.T, s *stack, _, _ *player) {
		for range 20 {
			s.guest(t)
		}
	}},
	{"keys of bots (rotate)", 0, 0, false, func(t *testing.T, _ *stack, ann, _ *player) {
		ann.onlyBot(t)
		address := ann.bots(t)[0].Address
		for range 20 {
			ann.post(t, "/api/bots/"+address+"/rotate", "").ok(t)
		}
	}},
	{"offers of the house without an answer", 0, 0, false, func(t *testing.T, s *stack, ann, _ *player) {
		token := ann.win(t)
		for range 20 {
			ann.offer(t, token)
			s.clock.forward(market.OfferTime)
		}
	}},
	{"seats of a cup (join, leave)", 0, 0, false, func(t *testing.T, _ *stack, ann, bob *player) {
		if bob.me(t).SecuredAt == nil {
			bob.register(t, newName())
		}
		path := fmt.Sprintf("/api/cups/%d", bob.openCup(t).Cup.Number)
		for range 20 {
			ann.post(t, path+"/join", "").ok(t)
			ann.post(t, path+"/leave", "").ok(t)
		}
		bob.post(t, path+"/leave", "").ok(t)
	}},
	{"hosts of cups (pause, resume)", 0, 0, false, func(t *testing.T, s *stack, ann, _ *player) {
		if ann.me(t).SecuredAt == nil {
			ann.register(t, newName())
		}
		out := decode[api.CupOut](t, ann.post(t, "/api/cups", `{"by_hand":true,"play":false}`).ok(t))
		path := fmt.Sprintf("/api/cups/%d", out.Cup.Number)
		for range 2 {
			s.guest(t).post(t, path+"/join", "").ok(t)
		}
		ann.post(t, path+"/start", "").ok(t)
		s.moveCups(t)
		for range 20 {
			ann.post(t, path+"/pause", "").ok(t)
			ann.post(t, path+"/resume", "").ok(t)
		}
		ann.post(t, path+"/end", "").ok(t)
	}},
	{"members of teams (join, leave)", 0, 0, false, func(t *testing.T, _ *stack, ann, bob *player) {
		body := fmt.Sprintf(`{"name":%q}`, bob.found(t, false).Name)
		for range 20 {
			ann.join(t, body)
			ann.post(t, "/api/teams/leave", "").ok(t)
		}
		bob.post(t, "/api/teams/leave", "").ok(t)
	}},
	{"challenges (open, cancel)", 0, 480, false, func(t *testing.T, s *stack, ann, bob *player) {
		s.joined(t, 0, ann, bob).play(t, "rs", "rs", "rs")
		for range 20 {
			s.clock.forward(duel.ChallengePause)
			d := decode[api.DuelOut](t, ann.send(t, ann.challenging(bob)).ok(t)).Duel
			ann.post(t, "/api/duels/"+d.ID+"/cancel", "").ok(t)
		}
	}},
	{"challenges of strangers (open, cancel)", 0, 480, false, func(t *testing.T, s *stack, ann, bob *player) {
		bob.post(t, "/api/duels/challenges", `{"takes":"all"}`).ok(t)
		for range 20 {
			s.clock.forward(duel.ChallengePause)
			d := decode[api.DuelOut](t, ann.send(t, ann.challenging(bob)).ok(t)).Duel
			ann.post(t, "/api/duels/"+d.ID+"/cancel", "").ok(t)
		}
	}},
	{"whose challenges are taken (choose)", 0, 0, false, func(t *testing.T, _ *stack, ann, _ *player) {
		for range 20 {
			ann.post(t, "/api/duels/challenges", `{"takes":"all","quiet_from":"22:00","quiet_to":"07:00"}`).ok(t)
			ann.post(t, "/api/duels/challenges", `{"takes":"none"}`).ok(t)
		}
	}},
	{"words of bots (describe)", 0, 0, false, func(t *testing.T, _ *stack, ann, _ *player) {
		bot := ann.onlyBot(t)
		for i := range 20 {
			bot.describes(t, fmt.Sprintf("%032d", i), strings.Repeat("界", account.MaxDescription))
		}
	}},
	{"versions of bots that play (describe, ask, resign)", 0, 0, true, func(t *testing.T, s *stack, ann, bob *player) {
		one, two := ann.onlyBot(t), bob.onlyBot(t)
		for range 10 {
			for _, bot := range []*player{one, two} {
				bot.describes(t, fmt.Sprintf("%032d", names.Add(1)), strings.Repeat("界", account.MaxDescription))
				bot.post(t, "/api/arena/queue", "").ok(t)
			}
			s.clock.forward(5 * time.Second)
			s.pass(t)
			d := decode[api.QueueOut](t, one.post(t, "/api/arena/queue", "").ok(t)).Duel
			one.post(t, "/api/duels/"+d.ID+"/resign", "").ok(t)
			one, two = two, one
		}
	}},
	{"opponents (block, unblock)", 0, 0, false, func(t *testing.T, s *stack, ann, bob *player) {
		s.joined(t, 0, ann, bob).play(t, "rs", "rs", "rs")
		for range 20 {
			ann.post(t, "/api/duels/opponents/"+bob.address+"/block", `{"blocked":true}`).ok(t)
			ann.post(t, "/api/duels/opponents/"+bob.address+"/block", `{"blocked":false}`).ok(t)
		}
	}},
	{"mailboxes (link, redeem, remove)", 0, 60, false, func(t *testing.T, _ *stack, ann, _ *player) {
		before := ann.attach(t)
		for range 10 {
			next := ann.attach(t)
			ann.post(t, "/api/mailboxes/remove", `{"email":"`+before+`"}`).ok(t)
			before = next
		}
	}},
	{"passwords (change)", 0, 0, false, func(t *testing.T, _ *stack, ann, _ *player) {
		if ann.me(t).SecuredAt == nil {
			ann.register(t, newName())
		}
		for i := range 20 {
			body := fmt.Sprintf(`{"password":"battery staple %d"}`, i)
			ann.csrf = decode[api.SessionOut](t, ann.post(t, "/api/auth/password", body).ok(t)).CSRFToken
		}
	}},
	{"cups (open, leave)", 0, 24, false, func(t *testing.T, _ *stack, ann, _ *player) {
		if ann.me(t).SecuredAt == nil {
			ann.register(t, newName())
		}
		for range 10 {
			ann.post(t, fmt.Sprintf("/api/cups/%d/leave", ann.openCup(t).Cup.Number), "").ok(t)
		}
	}},
}

// longest plays a duel of 60 ties with the longest salts; alone, a side plays until the sparring bot has lost or won.
func (g *duelGame) longest(t *testing.T) {
	t.Helper()
	if g.sides[1] != nil {
		g.ties(t, 60)
		return
	}
	for status := "active"; status == "active"; status = g.read(t).Status {
		g.n++
		g.sides[0](t, g.post("/commit", committing(game.Rock, longSalt(0, g.n)))).ok(t)
		body := strings.ReplaceAll(revealing(game.Rock, longSalt(0, g.n)), `\x01`, `\u0001`)
		g.sides[0](t, g.post("/reveal", body)).ok(t)
	}
}

// onlyBot returns the player's bot, with a new key, or a new bot; each call of it stores its answer.
func (p *player) onlyBot(t *testing.T) *player {
	t.Helper()
	b := p.s.anonymous(t)
	if list := p.bots(t); len(list) > 0 {
		b.bearer = decode[api.NewBotOut](t, p.post(t, "/api/bots/"+list[0].Address+"/rotate", "").ok(t)).Secret
	} else {
		b.bearer = p.newBot(t, newName()).Secret
	}
	b.keeping()
	b.address = p.bots(t)[0].Address
	return b
}

// describes has a bot say something about itself.
func (p *player) describes(t *testing.T, version, description string) {
	t.Helper()
	p.post(t, "/api/bots/"+p.address, fmt.Sprintf(`{"version":%q,"description":%q}`, version, description)).ok(t)
}

// TestBytesKept measures how many bytes each kind of call makes the service keep: at most 1 KiB on average, or so few
// in a day as a budget admits; and how many its stored answers have, which are kept for a day: at most 3 KiB. It prints
// the table of docs/abuse.md. The bytes are measured on SQLite.
func TestBytesKept(t *testing.T) {
	t.Parallel()
	for _, kind := range keptKinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			counter := &callCounter{reveals: kind.reveals}
			s := start(t, func(c *edge.Config) {
				c.Observers, c.PairPrivate = append(c.Observers, counter), kind.pairs
			})
			if !s.db.Exclusive() {
				t.Log("the bytes are measured on SQLite")
				return
			}
			ann, bob := s.guest(t), s.guest(t)
			ann.keeping()
			bob.keeping()
			kind.run(t, s, ann, bob) // rows that an account has once
			before, stored := s.payload(t)
			calls := counter.n.Load()
			kind.run(t, s, ann, bob)
			kept, answers := s.payload(t)
			kept, answers, calls = kept-before, answers-stored, counter.n.Load()-calls
			perDay := int64(240 * 60 * 24)
			if kind.perHour > 0 {
				perDay = kind.perHour * 24
			}
			day := float64(kept) / float64(calls) * float64(perDay)
			t.Logf("| %s | %.0f | %.1f MB | %d |", kind.name, float64(kept)/float64(calls), day/1e6, answers/calls)
			if answers > maxStored*calls {
				t.Errorf("%d bytes of stored answers in %d calls, want at most %d a call", answers, calls, maxStored)
			}
			if day > maxKept*240*60*24 {
				t.Errorf("%d bytes in %d calls, want at most %d a call", kept, calls, maxKept)
			}
		})
	}
}
