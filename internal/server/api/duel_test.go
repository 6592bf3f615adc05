package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/api"
	"roshambo/internal/service/duel"
)

func (p *player) open(t *testing.T, stake int64) api.Duel {
	t.Helper()
	return decode[api.DuelOut](t, p.post(t, "/api/duels", fmt.Sprintf(`{"stake":%d}`, stake)).ok(t)).Duel
}

func (p *player) spar(t *testing.T) api.Duel {
	t.Helper()
	return decode[api.DuelOut](t, p.post(t, "/api/duels/spar", "").ok(t)).Duel
}

func ofOwnDuel(method, action string) func(*testing.T, *player) request {
	return func(t *testing.T, p *player) request {
		return request{method: method, path: "/api/duels/" + p.open(t, 0).ID + action}
	}
}

func committing(move game.Move, salt string) string {
	return `{"commitment":"` + chain.HashHand(move, salt).String() + `"}`
}

func revealing(move game.Move, salt string) string {
	return fmt.Sprintf(`{"move":%q,"salt":%q}`, move, salt)
}

// sender sends requests as one account, by session or by key.
type sender func(t *testing.T, q request) answer

func (p *player) sender() sender {
	return func(t *testing.T, q request) answer {
		return p.send(t, q.with(map[string]string{"X-CSRF-Token": p.csrf}))
	}
}

// duelGame is a duel between two senders. The second is nil for the sparring bot.
type duelGame struct {
	s     *stack
	sides [2]sender
	path  string
	n     int // rounds begun
}

// moveOf are the moves by their letters in scripts; an unrevealed commitment is a rock.
var moveOf = map[byte]game.Move{'r': game.Rock, 'p': game.Paper, 's': game.Scissors, 'x': game.Rock}

func (g *duelGame) salt(side int) string { return fmt.Sprintf("%s:%d:%d-sälty", g.path, g.n, side) }

func (g *duelGame) post(action, body string) request {
	return request{method: "POST", path: g.path + action, body: body}
}

func (g *duelGame) commit(side int, did byte) request {
	return g.post("/commit", committing(moveOf[did], g.salt(side)))
}

func (g *duelGame) reveal(side int, did byte) request {
	return g.post("/reveal", revealing(moveOf[did], g.salt(side)))
}

// play plays rounds: for each side r, p or s is a move, x a commitment that is never revealed, -
// nothing. It lets the deadline pass for missing steps.
func (g *duelGame) play(t *testing.T, rounds ...string) api.Duel {
	t.Helper()
	for _, did := range rounds {
		g.n++
		for i, send := range g.sides {
			if did[i] != '-' && send != nil {
				send(t, g.commit(i, did[i])).ok(t)
			}
		}
		for i, send := range g.sides {
			if did[i] != '-' && did[i] != 'x' && did[1-i] != '-' && send != nil {
				send(t, g.reveal(i, did[i])).ok(t)
			}
		}
		if strings.ContainsAny(did, "x-") {
			rounds := g.read(t).Rounds
			g.s.clock.forward(rounds[len(rounds)-1].Deadline.Sub(g.s.clock.Now()))
		}
	}
	return g.read(t)
}

func (g *duelGame) read(t *testing.T) api.Duel {
	t.Helper()
	return decode[api.GetDuelOut](t, g.s.anonymous(t).get(t, g.path).ok(t)).Duel
}

func (s *stack) game(id string, a, b sender) *duelGame {
	return &duelGame{s: s, sides: [2]sender{a, b}, path: "/api/duels/" + id}
}

// joined starts a duel between two players; new guests unless they are given.
func (s *stack) joined(t *testing.T, stake int64, players ...*player) *duelGame {
	t.Helper()
	for len(players) < 2 {
		players = append(players, s.guest(t))
	}
	g := s.game(players[0].open(t, stake).ID, players[0].sender(), players[1].sender())
	players[1].post(t, g.path+"/join", "").ok(t)
	return g
}

// TestDuelFromStakeToSettlement follows one duel with all steps that are refused on the way.
func TestDuelFromStakeToSettlement(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob, cyd := s.guest(t), s.guest(t), s.guest(t)
	created := decode[api.DuelOut](t, ann.post(t, "/api/duels", `{"stake":100}`).ok(t))
	d := created.Duel
	if d.Status != "open" || d.You == nil || *d.You != "a" || d.B != nil || len(d.Rounds) != 0 || d.ExpiresAt == nil ||
		!d.ExpiresAt.Equal(midday.Add(duel.JoinTimeout)) || created.TxHash == nil || *created.TxHash != *d.StakeTxA ||
		ann.me(t).Balance != 900 {
		t.Errorf("created %+v", created)
	}
	g := s.game(strings.ToLower(d.ID), ann.sender(), bob.sender()) // a code is read in any case
	ann.post(t, g.path+"/join", "").fails(t, 409, "own_duel")
	ann.post(t, g.path+"/commit", committing(game.Rock, "early")).fails(t, 409, "not_your_turn")
	bob.post(t, g.path+"/cancel", "").fails(t, 403, "forbidden")
	joined := decode[api.DuelOut](t, bob.post(t, g.path+"/join", "").ok(t))
	if joined.Duel.Status != "active" || *joined.Duel.You != "b" || joined.Duel.Rated ||
		*joined.TxHash != *joined.Duel.StakeTxB || bob.me(t).Balance != 900 {
		t.Errorf("joined %+v", joined)
	}
	cyd.post(t, g.path+"/join", "").fails(t, 409, "duel_full")
	bob.post(t, g.path+"/join", "").fails(t, 409, "duel_full")
	ann.post(t, g.path+"/cancel", "").fails(t, 409, "duel_full")

	g.n = 1
	cyd.post(t, g.path+"/commit", committing(game.Rock, "mine")).fails(t, 403, "forbidden")
	ann.post(t, g.path+"/reveal", revealing(game.Rock, "early")).fails(t, 409, "not_your_turn")
	g.sides[0](t, g.commit(0, 'r')).ok(t)
	g.sides[0](t, g.commit(0, 'r')).fails(t, 409, "duel_moved_on")
	g.sides[0](t, g.reveal(0, 'r')).fails(t, 409, "not_your_turn")
	upper := strings.ToUpper(chain.HashHand(game.Scissors, g.salt(1)).String())
	bob.post(t, g.path+"/commit", `{"round":2,"commitment":"`+upper+`"}`).fails(t, 409, "not_your_turn")
	bob.post(t, g.path+"/commit", `{"round":1,"commitment":"`+upper+`"}`).ok(t)
	g.sides[0](t, g.reveal(0, 'p')).fails(t, 400, "commitment_mismatch")
	g.sides[0](t, g.post("/reveal", revealing(game.Rock, strings.Repeat("s", 4097)))).invalid(t,
		"body.salt string_too_long")
	cyd.post(t, g.path+"/reveal", revealing(game.Rock, g.salt(0))).fails(t, 403, "forbidden")
	g.sides[0](t, g.reveal(0, 'r')).ok(t)
	g.sides[0](t, g.reveal(0, 'r')).fails(t, 409, "duel_moved_on")
	g.sides[1](t, g.reveal(1, 's')).ok(t)
	g.sides[1](t, g.reveal(1, 's')).fails(t, 409, "duel_moved_on") // round 2 has begun

	if d = g.play(t, "rr", "pr"); d.Wins != (api.DuelWins{A: 2}) || len(d.Rounds) != 4 ||
		d.Rounds[3].Outcome != "pending" || d.Rounds[3].Deadline == nil {
		t.Errorf("after three rounds: %+v", d)
	}
	g.n++
	g.sides[0](t, g.commit(0, 's')).ok(t)
	g.sides[1](t, g.commit(1, 'p')).ok(t)
	g.sides[1](t, g.reveal(1, 'p')).ok(t)
	last := decode[api.DuelOut](t, g.sides[0](t, g.reveal(0, 's')).ok(t))
	if d = last.Duel; d.Status != "finished" || *d.Winner != "a" || d.FinishedAt == nil || last.TxHash == nil ||
		*last.TxHash != *d.SettleTx || len(d.Rounds) != 4 {
		t.Errorf("finished: %+v", last)
	}
	g.sides[0](t, g.commit(0, 's')).fails(t, 409, "duel_moved_on")
	g.sides[0](t, g.reveal(0, 's')).fails(t, 409, "duel_moved_on")
	ann.post(t, g.path+"/cancel", "").fails(t, 409, "duel_closed")
	if a, b := ann.me(t).Balance, bob.me(t).Balance; a != 1100 || b != 900 {
		t.Errorf("balances %d and %d, want 1100 and 900", a, b)
	}
	ann.chainIsValid(t)
}

// rounds returns the rounds of an answer and their JSON.
func (g *duelGame) rounds(t *testing.T, to sender) (text string, last api.DuelRound) {
	t.Helper()
	a := to(t, request{method: "GET", path: g.path}).ok(t)
	rounds := decode[api.GetDuelOut](t, a).Duel.Rounds
	return a.body, rounds[len(rounds)-1]
}

// TestHiddenStaysHidden follows a round, and checks after each step the view of both sides, of
// another player and of an anonymous caller.
func TestHiddenStaysHidden(t *testing.T) {
	t.Parallel()
	s := start(t)
	g := s.joined(t, 0)
	g.play(t, "rr")
	g.n++
	viewers := map[string]sender{
		"a": g.sides[0], "b": g.sides[1], "a stranger": s.guest(t).sender(),
		"anonymous": func(t *testing.T, q request) answer { return s.anonymous(t).send(t, q) },
	}
	secrets := map[string]string{
		"commitment a": chain.HashHand(game.Rock, g.salt(0)).String(), "commitment b": chain.HashHand(game.Paper,
			g.salt(1)).String(),
		"salt a": g.salt(0), "salt b": g.salt(1),
	}
	look := func(step string, committed, revealed api.DuelFlags, public ...string) {
		t.Helper()
		for name, to := range viewers {
			text, r := g.rounds(t, to)
			if r.Committed != committed || r.Revealed != revealed || r.Round != 2 || r.YouRevealed != (name == "a" &&
				revealed.A || name == "b" && revealed.B) {
				t.Errorf("%s, seen by %s: %+v", step, name, r)
			}
			for secret, value := range secrets {
				own := strings.HasSuffix(secret, " "+name)
				seen, allowed := strings.Contains(text, value), strings.Contains(strings.Join(public, ","), secret)
				if seen && !own && !allowed || !seen && allowed {
					t.Errorf("%s: %s sees %s: %v", step, name, secret, seen)
				}
			}
			for i, move := range []*string{r.MoveA, r.MoveB} {
				if own := name == "ab"[i:i+1]; move != nil && !own && r.Outcome == "pending" {
					t.Errorf("%s: %s sees the move of %s", step, name, "ab"[i:i+1])
				}
			}
		}
	}
	none := api.DuelFlags{}
	look("nothing done", none, none)
	g.sides[0](t, g.commit(0, 'r')).ok(t)
	look("a committed", api.DuelFlags{A: true}, none)
	g.sides[1](t, g.commit(1, 'p')).ok(t)
	both := api.DuelFlags{A: true, B: true}
	look("both committed", both, none, "commitment a", "commitment b")
	g.sides[0](t, g.reveal(0, 'r')).ok(t)
	look("a revealed", both, api.DuelFlags{A: true}, "commitment a", "commitment b")
	g.sides[1](t, g.reveal(1, 'p')).ok(t)
	for name, to := range viewers {
		var d api.GetDuelOut
		if err := json.Unmarshal([]byte(to(t, request{method: "GET", path: g.path}).ok(t).body), &d); err != nil {
			t.Fatal(err)
		}
		r := d.Duel.Rounds[1]
		if r.Outcome != "b" || r.Deadline != nil || *r.MoveA != "rock" || *r.SaltA != g.salt(0) || *r.MoveB != "paper" ||
			*r.SaltB != g.salt(1) || *r.CommitmentB != secrets["commitment b"] {
			t.Errorf("decided, seen by %s: %+v", name, r)
		}
		if you := d.Duel.You; (you == nil) != (len(name) > 1) || you != nil && *you != name {
			t.Errorf("%s has the side %v", name, you)
		}
	}
}

// TestDuelsWithoutOpponent: an open duel can be cancelled, and expires; the stake is returned
// either way, and there is no proof.
func TestDuelsWithoutOpponent(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	taken, left := p.open(t, 300), p.open(t, 200)
	out := decode[api.DuelOut](t, p.post(t, "/api/duels/"+taken.ID+"/cancel", "{}").ok(t))
	if out.Duel.Status != "cancelled" || out.TxHash == nil || p.me(t).Balance != 800 {
		t.Errorf("cancelled: %+v, balance %d", out, p.me(t).Balance)
	}
	p.post(t, "/api/duels/"+taken.ID+"/cancel", "").fails(t, 409, "duel_closed")
	s.guest(t).post(t, "/api/duels/"+taken.ID+"/join", "").fails(t, 409, "duel_closed")
	s.clock.forward(duel.JoinTimeout)
	s.guest(t).post(t, "/api/duels/"+left.ID+"/join", "").fails(t, 409, "duel_closed")
	if got := p.me(t).Balance; got != 800 {
		t.Errorf("the refused call gave the stake back: balance %d", got)
	}
	d := s.game(left.ID, nil, nil).read(t) // applies the deadline
	if d.Status != "expired" || d.SettleTx == nil || d.ExpiresAt != nil || p.me(t).Balance != 1000 {
		t.Errorf("expired: %+v, balance %d", d, p.me(t).Balance)
	}
	for _, id := range []string{taken.ID, left.ID, p.open(t, 0).ID} {
		p.get(t, "/api/duels/"+id+"/proof").fails(t, 404, "not_found")
	}
	s.seal(t)
	p.chainIsValid(t)
}

// TestDuelIsWaitedFor: a long poll ends when the other side has moved.
func TestDuelIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := start(t)
	g := s.joined(t, 0)
	version := g.read(t).Version
	type seen struct {
		a   answer
		err error
	}
	got := make(chan seen, 1)
	reader := s.anonymous(t)
	go func() {
		a, err := reader.try(t, preferring(fmt.Sprintf("%s?version=%d", g.path, version), "wait=30"))
		got <- seen{a, err}
	}()
	s.watchers(t, event.Duel(strings.TrimPrefix(g.path, "/api/duels/")), 1)
	g.n++
	g.sides[0](t, g.commit(0, 'r')).ok(t)
	held := <-got
	if held.err != nil || held.a.status != http.StatusOK || held.a.header.Get("Preference-Applied") != "wait=30" {
		t.Fatalf("held: %v, %d %s", held.err, held.a.status, held.a.body)
	}
	if d := decode[api.GetDuelOut](t, held.a).Duel; d.Version != version+1 || !d.Rounds[0].Committed.A {
		t.Errorf("after the commit: %+v", d)
	}
	// A change since the known version is answered at once.
	a := s.anonymous(t).send(t, preferring(fmt.Sprintf("%s?version=%d", g.path, version), "wait=30")).ok(t)
	if d := decode[api.GetDuelOut](t, a).Duel; d.Version != version+1 {
		t.Errorf("asked for later: version %d", d.Version)
	}
}

// TestDuelLists pages through the lobby and through the caller's own duels.
func TestDuelLists(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	for range 5 {
		ann.open(t, 1)
	}
	g := s.joined(t, 0, ann, bob)
	g.play(t, "rs", "rs", "rs")
	s.joined(t, 0, bob, ann)
	bob.spar(t)
	for path, want := range map[string]int{
		"/api/duels?limit=3": 8, "/api/duels?status=open&limit=2": 5, "/api/duels?status=active&limit=1": 2,
		"/api/duels?status=finished&limit=1": 1, "/api/duels?mine=true&limit=2": 7,
		"/api/duels?mine=true&status=open&limit=2":   5,
		"/api/duels?mine=true&status=active&limit=2": 1, "/api/duels?mine=true&status=finished&limit=2": 1,
	} {
		if got := ann.all(t, path, "duels", "id"); len(got) != want {
			t.Errorf("%s: %d duels %v, want %d", path, len(got), got, want)
		}
	}
	s.anonymous(t).get(t, "/api/duels?mine=true").fails(t, 401, "unauthenticated")
	list := decode[api.DuelsOut](t, ann.get(t, "/api/duels?mine=true&limit=1").ok(t))
	if list.Duels[0].You == nil || *list.Duels[0].You != "b" || list.Next == nil {
		t.Errorf("ann's newest: %+v", list)
	}
	bob.get(t, "/api/duels?mine=true&status=open&cursor="+*list.Next).fails(t, 400, "bad_request")
	ann.get(t, "/api/duels?limit=1&cursor="+*list.Next).fails(t, 400, "bad_request")
	// An expired duel is not listed as open, even before the expiry is stored.
	s.clock.forward(duel.JoinTimeout)
	if list := decode[api.DuelsOut](t, ann.get(t, "/api/duels?status=open").ok(t)); len(list.Duels) != 0 {
		t.Errorf("expired and listed as open: %+v", list.Duels)
	}
}

// TestSparringBotsNameIsReserved: the sparring bot's name is reserved, in any letter case.
func TestSparringBotsNameIsReserved(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	p.post(t, "/api/auth/rename", `{"username":"sparring-bot"}`).fails(t, 409, "username_taken")
	p.post(t, "/api/bots", `{"name":"Sparring-Bot"}`).fails(t, 409, "username_taken")
	p.post(t, "/api/auth/register", credentials("SPARRING-BOT")).fails(t, 409, "username_taken")
	s.anonymous(t).post(t, "/api/auth/register", credentials("sparring-bot")).fails(t, 409, "username_taken")
}

// TestSaltsAreNotShown: an error about a reveal does not contain the salt, and one about joining a
// team does not contain the code.
func TestSaltsAreNotShown(t *testing.T) {
	t.Parallel()
	p := shared(t).guest(t)
	for path, bodies := range map[string][]string{
		"/api/duels/ABCDEFGH/reveal": {`{"salt":"hush hush"}`, `{"move":"rok","salt":"hush hush"}`,
			`{"move":"rock","salt":["hush hush"]}`, `{"move":"rock","Salt":"hush hush"}`},
		"/api/teams/join": {`{"name":5,"code":"hush hush"}`, `{"code":"hush hush hush hush"}`},
	} {
		for _, body := range bodies {
			if a := p.post(t, path, body); a.status != 422 || strings.Contains(a.body, "hush") {
				t.Errorf("%s: %s: got %d %s", path, body, a.status, a.body)
			}
		}
	}
}
