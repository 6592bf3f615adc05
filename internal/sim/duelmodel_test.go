package sim

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"
)

// The sequential model of a duel, written from docs/bots.md and api/openapi.yaml alone. Times are
// intervals where the exact time is unknown; a deadline in an answer makes them exact.

// duelState is the state of a duel, a plain value.
type duelState struct {
	status, b      string // b is the opponent's address
	rounds         string // the decided ones, one per line in the format of show
	n              int    // the number of decided rounds
	hands          [2]handState
	used           [2]string // commitments of earlier rounds, concatenated
	wins           [2]int
	voids          int // consecutive rounds that both sides missed
	winner         string
	dueFrom, dueTo int64 // bounds of the next deadline, in milliseconds
}

// handState is the state of a side in the current round.
type handState struct {
	commit, move, salt string // unknown stands for any value of the sparring bot
	revealed           bool
}

const unknown = "*"

// Durations of docs/bots.md, in milliseconds.
const (
	openFor     = 10 * 60_000
	mostRounds  = 60
	mostVoids   = 2
	winsDecide  = 3
	forSparring = 10 * 60_000
	forPeople   = 60_000
	forBots     = 15_000
)

// duelModelOf holds the constants of a duel.
type duelModelOf struct{ *match }

func (m duelModelOf) waitTimeout() int64 {
	switch {
	case m.Kind == "spar":
		return forSparring
	case m.A.Kind == "bot" && m.B != nil && m.B.Kind == "bot":
		return forBots
	}
	return forPeople
}

func (m duelModelOf) first() duelState {
	d := duelState{status: "open", dueFrom: m.CreatedAt.UnixMilli() + openFor}
	d.dueTo = d.dueFrom
	if m.Kind != "open" {
		d.status, d.b = "active", m.B.Address
		d.begin(m, m.StartedAt.UnixMilli(), m.StartedAt.UnixMilli())
	}
	return d
}

// begin begins a round at a time within an interval.
func (d *duelState) begin(m duelModelOf, from, to int64) {
	d.hands = [2]handState{}
	if m.Kind == "spar" {
		d.hands[1].commit = unknown
	}
	d.due(m, from, to)
}

func (d *duelState) due(m duelModelOf, from, to int64) {
	d.dueFrom, d.dueTo = from+m.waitTimeout(), to+m.waitTimeout()
}

func (d duelState) over() bool { return d.status != "open" && d.status != "active" }

func (d *duelState) both() bool { return d.hands[0].commit != "" && d.hands[1].commit != "" }

// decide decides the round with the hands of the sides. The sparring bot's hand is unknown in
// advance, so there may be several states.
func (d duelState) decide(m duelModelOf, from, to int64) (list []duelState) {
	if d.hands[1].revealed && d.hands[1].move == unknown {
		for _, move := range moves {
			known := d
			known.hands[1].move = move
			list = append(list, known.decide(m, from, to)...)
		}
		return list
	}
	a, b := d.hands[0], d.hands[1]
	inA, inB := a.commit != "", b.commit != ""
	if inA && inB {
		inA, inB = a.revealed, b.revealed
	}
	outcome, forfeit := "b", "-"
	switch {
	case d.equal():
		outcome, d.voids = "void", -1
	case !inA && !inB:
		outcome, forfeit = "void", "both"
	case !inB:
		outcome, forfeit = "a", "b"
	case !inA:
		outcome, forfeit = "b", "a"
	case a.move == b.move:
		outcome = "tie"
	case beats[b.move] == a.move:
		outcome = "a"
	}
	d.n++
	d.rounds += showRound(d.n, d.hands, outcome, forfeit)
	d.used[0], d.used[1] = d.used[0]+a.commit, d.used[1]+b.commit
	d.voids++
	switch outcome {
	case "a":
		d.wins[0], d.voids = d.wins[0]+1, 0
	case "b":
		d.wins[1], d.voids = d.wins[1]+1, 0
	case "tie":
		d.voids = 0
	}
	switch {
	case d.wins[0] == winsDecide:
		d.status, d.winner = "finished", "a"
	case d.wins[1] == winsDecide:
		d.status, d.winner = "finished", "b"
	case d.voids == mostVoids || d.n == mostRounds:
		d.status = "finished"
	default:
		d.begin(m, from, to)
		return []duelState{d}
	}
	d.hands = [2]handState{}
	return []duelState{d}
}

// elapse returns the possible states after deadlines: those passed by the latest clock may have
// been applied, those passed on the called node must be.
func (d duelState) elapse(m duelModelOf, e *event) (list []duelState) {
	must := !e.cut && e.from >= d.dueTo
	if d.over() || !must {
		list = append(list, d)
	}
	if d.over() || e.latest < d.dueFrom {
		return list
	}
	var after []duelState
	if d.status == "open" {
		d.status = "expired"
		after = []duelState{d}
	} else {
		after = d.decide(m, d.dueFrom, d.dueTo)
	}
	for _, next := range after {
		list = append(list, next.elapse(m, e)...)
	}
	return list
}

func duelModel(m *match) porcupine.NondeterministicModel {
	of := duelModelOf{m}
	return porcupine.NondeterministicModel{
		Init: func() []any { return []any{of.first()} },
		Step: func(state, input, _ any) (next []any) {
			e := input.(*event)
			for _, d := range state.(duelState).elapse(of, e) {
				after := d.step(of, e)
				if len(after) > 0 && !e.ok() {
					// It was, or may have been, refused in the state by the clock of the called
					// node. A refusal stores nothing, not even a passed deadline.
					after = append(after, state)
				}
				next = append(next, after...)
			}
			return next
		},
		Equal: func(a, b any) bool { return a == b },
	}
}

// step returns the states after an event.
func (d duelState) step(m duelModelOf, e *event) (next []any) {
	after, code := d.act(m, e)
	switch {
	case e.maybe:
		next = append(next, d)
		if code == "" {
			for _, a := range after {
				next = append(next, a)
			}
		}
	case e.ok() && code == "":
		for _, a := range after {
			if a.shows(m, e) {
				next = append(next, a)
			}
		}
	case !e.ok() && (e.code == code || e.code == "insufficient_funds" && code == "" && e.what == "join" ||
		e.code == "limit_reached" && e.what == "join" || e.code == "unauthenticated" || e.code == "conflict" ||
		e.code == "idempotency_in_flight"):
		next = append(next, d)
	}
	return next
}

// act returns the states after a request, or the code of its refusal.
func (d duelState) act(m duelModelOf, e *event) (after []duelState, code string) {
	side := -1
	if e.by != nil {
		side = map[string]int{m.A.Address: 0, d.b: 1}[e.by.address]
		if e.by.address != m.A.Address && e.by.address != d.b {
			side = -1
		}
	}
	step := e.action.duel
	switch e.what {
	case "join":
		switch {
		case side == 0:
			return nil, "own_duel"
		case d.b != "":
			return nil, "duel_full"
		case d.status != "open":
			return nil, "duel_closed"
		}
		d.status, d.b = "active", e.by.address
		d.begin(m, e.from, e.to)
	case "cancel":
		switch {
		case side != 0:
			return nil, "forbidden"
		case d.status == "active":
			return nil, "duel_full"
		case d.status != "open":
			return nil, "duel_closed"
		}
		d.status = "cancelled"
	case "commit":
		if code = d.refused(side, step.round); code == "" {
			code = d.commit(m, side, step.commit, e)
		}
		if code == "" && d.equal() {
			return d.decide(m, e.from, e.to), ""
		}
	case "reveal":
		if code = d.refused(side, step.round); code == "" {
			return d.reveal(m, side, step, e)
		}
	}
	return []duelState{d}, code
}

// refused returns the code with which a side's step in a round is refused.
func (d *duelState) refused(side, round int) string {
	switch {
	case side < 0:
		return "forbidden"
	case d.status == "open":
		return "not_your_turn"
	case d.over() || round != 0 && round <= d.n:
		return "duel_moved_on"
	case round > d.n+1:
		return "not_your_turn"
	}
	return ""
}

// equal reports whether both sides have made the same commitment, which makes the round void.
func (d *duelState) equal() bool { return d.both() && d.hands[0].commit == d.hands[1].commit }

func (d *duelState) commit(m duelModelOf, side int, c string, e *event) (code string) {
	if d.hands[side].commit != "" {
		return "duel_moved_on"
	}
	d.hands[side].commit = c
	if d.both() {
		d.due(m, e.from, e.to)
		if m.Kind == "spar" {
			d.hands[1] = handState{commit: unknown, move: unknown, salt: unknown, revealed: true}
		}
	}
	return ""
}

func (d duelState) reveal(m duelModelOf, side int, step duelAction, e *event) ([]duelState, string) {
	h, c := &d.hands[side], commitment(step.move, step.salt)
	earlier := step.round == 0 && (h.commit != c && strings.Contains(d.used[side], c) || h.commit == "" && d.n > 0)
	switch {
	case h.revealed || earlier:
		return nil, "duel_moved_on"
	case !d.both():
		return nil, "not_your_turn"
	case h.commit != c:
		return nil, "commitment_mismatch"
	}
	h.revealed, h.move, h.salt = true, step.move, step.salt
	if d.hands[1-side].revealed {
		return d.decide(m, e.from, e.to), ""
	}
	return []duelState{d}, ""
}

// shows reports whether an answer shows its caller the state and no more. A deadline in the answer
// becomes known.
func (d *duelState) shows(m duelModelOf, e *event) bool {
	var out struct{ Duel duelView }
	if !e.read(&out) {
		return false
	}
	v := &out.Duel
	you := ""
	switch {
	case e.by == nil:
	case v.You == nil && e.session != e.by.cookie: // the session had ended: an anonymous view
	case e.by.address == m.A.Address:
		you = "a"
	case e.by.address == d.b:
		you = "b"
	}
	if d.show(you) != showDuel(v) {
		return false
	}
	due := v.ExpiresAt
	if v.Status == "active" {
		due = v.Rounds[len(v.Rounds)-1].Deadline
	}
	if d.over() {
		return true
	}
	if due == nil || due.UnixMilli() < d.dueFrom || due.UnixMilli() > d.dueTo {
		return false
	}
	d.dueFrom, d.dueTo = due.UnixMilli(), due.UnixMilli()
	return true
}

// show returns what a side or a spectator may see.
func (d *duelState) show(you string) string {
	text := fmt.Sprintf("%s you=%s b=%s %d:%d winner=%s\n", d.status, you, d.b, d.wins[0], d.wins[1], d.winner) + d.rounds
	if d.status != "active" {
		return text
	}
	seen := d.hands
	for i, side := range []string{"a", "b"} {
		if you == side {
			continue
		}
		seen[i].move, seen[i].salt = "", "" // until the round is decided
		if !d.both() {
			seen[i].commit = ""
		}
	}
	return text + fmt.Sprintf("%d in=%t,%t shown=%t,%t ", d.n+1, d.hands[0].commit != "", d.hands[1].commit != "",
		d.hands[0].revealed, d.hands[1].revealed) +
		showHands(seen) + " pending -\n"
}

// showRound returns a decided round as text.
func showRound(n int, hands [2]handState, outcome, forfeit string) string {
	return fmt.Sprintf("%d in=%t,%t shown=%t,%t %s %s %s\n", n, hands[0].commit != "", hands[1].commit != "",
		hands[0].revealed, hands[1].revealed,
		showHands(hands), outcome, forfeit)
}

func showHands(h [2]handState) string {
	return fmt.Sprintf("a=%s/%s/%s b=%s/%s/%s", h[0].commit, h[0].move, h[0].salt, h[1].commit, h[1].move, h[1].salt)
}

// showDuel returns the same text for an answer.
func showDuel(v *duelView) string {
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	b, winner := "", text(v.Winner)
	if v.B != nil {
		b = v.B.Address
	}
	all := fmt.Sprintf("%s you=%s b=%s %d:%d winner=%s\n", v.Status, text(v.You), b, v.Wins.A, v.Wins.B, winner)
	for _, r := range v.Rounds {
		hands := [2]handState{
			{text(r.CommitmentA), text(r.MoveA), text(r.SaltA), r.Revealed.A},
			{text(r.CommitmentB), text(r.MoveB), text(r.SaltB), r.Revealed.B},
		}
		if v.Kind == "spar" { // the bot's commitment must match its reveal; neither is known before
			if h := &hands[1]; h.salt != "" && commitment(h.move, h.salt) != h.commit {
				return "a commitment that was not kept"
			}
			for _, p := range []*string{&hands[1].commit, &hands[1].salt} {
				if *p != "" {
					*p = unknown
				}
			}
		}
		forfeit := text(r.ForfeitedBy)
		if forfeit == "" {
			forfeit = "-"
		}
		all += fmt.Sprintf("%d in=%t,%t shown=%t,%t %s %s %s\n", r.Round, r.Committed.A, r.Committed.B, r.Revealed.A,
			r.Revealed.B,
			showHands(hands), r.Outcome, forfeit)
	}
	return all
}
