package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
)

// The duel of the stub: side a is the client, and side b always plays scissors, so three rounds decide it.
const (
	duelCode = "ABCDEFGH"
	sideA    = "alice"
	sideB    = "bob"
	pastCode = "PAST" // of the first past duel but for its number
	version  = "1.4.0"
	deadline = 15 * time.Second // of a step
	// atGate is the deadline of a step with -short: shorter than the minute that a client must not wait, and longer than
	// another process may take its processor.
	atGate = 40 * time.Second
)

// obeyed is the longest Retry-After in seconds for which a client waits within a duel.
const obeyed = 5

// aside are the kinds of requests that are no part of a duel, whose deadline goes on meanwhile.
var aside = []string{"list", "past", "me", "describe"}

// lie is the way in which the house of a duel signs something else than it should.
type lie string

// The lies of a house. The empty one signs what it answers.
const (
	honest       lie = ""
	silent       lie = "no receipt"
	otherKey     lie = "a receipt of another key"
	otherHand    lie = "a receipt of another commitment"
	otherRound   lie = "a receipt of another round"
	secondHand   lie = "a receipt of another commitment after that of the round"
	brokenSigned lie = "a broken signature"
)

// duelHouse plays a ranked duel with a client.
type duelHouse struct {
	t   *testing.T
	lie lie
	log signer

	mu      sync.Mutex // guards the fields below
	faults  map[string]answer
	always  map[string]bool // faults that every request of the kind meets
	lost    int             // attempts of the first commit that are still to be lost
	late    int64           // the round in which side b commits once the duel is read; 0 for none
	grace   time.Duration   // added to the deadline while attempts are lost
	seconds int             // for a step, as the duel states them; 0 for none
	step    time.Duration   // the deadline of a step
	left    map[string]string
	past    int    // finished duels before
	named   string // the version
	round   int64
	own     string // the commitment of a in the round
	joined  bool   // side b has committed in the round
	rounds  []map[string]any
	wins    int
	version int
	reveals int
	reads   int            // after the first reveal
	signed  map[int64]bool // the rounds whose receipt was sent
	against string         // the receipt that was sent and states something else than its answer; "" for none
	due     time.Time      // of the client's next step
	queues  int
	calls   int               // that are no aside
	early   time.Time         // before which no further request may come
	first   map[string]string // the body of the first request with each Idempotency-Key
}

// newDuelHouse returns a house before the first round.
func newDuelHouse(t *testing.T, l lie) *duelHouse {
	t.Helper()
	h := &duelHouse{t: t, lie: l, log: newSigner("house"), faults: map[string]answer{}, always: map[string]bool{},
		signed: map[int64]bool{}, first: map[string]string{}, step: deadline, left: plenty, past: 1}
	h.begin()
	return h
}

// begin begins a round.
func (h *duelHouse) begin() {
	h.round++
	h.own, h.joined = "", false
	h.rounds = append(h.rounds, map[string]any{"round": h.round, "committed": map[string]bool{"a": false, "b": false},
		"revealed": map[string]bool{"a": false, "b": false}, "you_revealed": false, "outcome": "pending",
		"commitment_a": nil, "commitment_b": nil, "move_a": nil, "move_b": nil})
}

// salt is the salt of side b in a round.
func (h *duelHouse) salt() string { return fmt.Sprintf("salt %d of b", h.round) }

// ServeHTTP answers a request, or meets it with its fault.
func (h *duelHouse) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	a, out := h.handle(r, text)
	if a.status == 0 && a.body == "" {
		body, err := json.Marshal(out)
		if err != nil {
			h.t.Error(err)
		}
		a.body = string(body)
	}
	if a.broken == "truncated" {
		a.body = a.body[:len(a.body)/2]
	}
	a.write(w, r)
}

// handle takes a request and returns its answer: a fault's, and the body of a good one.
func (h *duelHouse) handle(r *http.Request, text []byte) (answer, any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var body struct {
		Commitment, Move, Salt, Version string
		Round                           int64
	}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &body); err != nil {
			h.t.Error(err)
		}
	}
	h.checkRequest(r, text)
	if h.lost > 0 && strings.HasSuffix(r.URL.Path, "/commit") {
		h.lost--
		return answer{broken: "closed"}, nil
	}
	if h.lost == 0 {
		h.grace = 0
	}
	if body.Version != "" {
		h.named = body.Version
	}
	kind, out := h.answer(r, body.Commitment, body.Move, body.Salt, body.Round)
	if h.lie == secondHand && r.Method == http.MethodGet && h.reveals > 0 {
		if h.reads++; h.reads > 10 { // a client that does not see the lie would wait without end
			return refused(http.StatusNotFound, "not_found"), nil
		}
	}
	a, met := h.faults[kind]
	if !h.always[kind] {
		delete(h.faults, kind)
	}
	if !met {
		a.header = h.left
	}
	if a.retryAfter > 0 && a.retryAfter <= obeyed {
		h.early = time.Now().Add(time.Duration(a.retryAfter) * time.Second)
		if a.date {
			h.early = h.early.UTC().Truncate(time.Second)
		}
	}
	if slices.Contains(aside, kind) {
		return a, out
	}
	if h.calls++; !a.undone {
		h.due = time.Now().Add(h.step)
	}
	return a, out
}

// checkRequest checks what every request must keep to: its deadline, a Retry-After of the answer before, and the same
// body under the same key.
func (h *duelHouse) checkRequest(r *http.Request, text []byte) {
	what := r.Method + " " + r.URL.Path
	if early := time.Until(h.early); early > 50*time.Millisecond { // timers and clocks differ a little
		h.t.Errorf("%s comes %v before Retry-After", what, early)
	}
	h.early = time.Time{}
	if late := time.Since(h.due.Add(h.grace)); !h.due.IsZero() && late > 0 {
		h.t.Errorf("%s comes %v after the deadline of a step", what, late)
	}
	if got := r.Header.Get("Authorization"); got != "Bearer rsb_caller" {
		h.t.Errorf("%s: Authorization is %s", what, got)
	}
	if key := r.Header.Get("Idempotency-Key"); r.Method == http.MethodPost {
		was, met := h.first[key]
		if key == "" || met && was != what+string(text) {
			h.t.Errorf("%s has the key %q, which %s has", what, key, was)
		}
		h.first[key] = what + string(text)
	}
}

// answer does what a request asks for. It returns the kind of the request, which faults name, and the answer.
func (h *duelHouse) answer(r *http.Request, commitment, move, salt string, round int64) (kind string, out any) {
	prefer := r.Header.Get("Prefer")
	wants := strings.Contains(prefer, "receipt")
	switch what := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/duels/"+duelCode); what {
	case "POST /api/arena/queue":
		h.queues++
		return fmt.Sprint("queue ", h.queues), map[string]any{"status": "matched", "duel": h.duel()}
	case "POST /api/arena/leave":
		return "leave", map[string]any{"left": false, "duel": nil}
	case "GET /api/duels":
		return "list", map[string]any{"duels": h.list(r.URL.Query().Get("status")), "next": nil}
	case "GET /api/me":
		return "me", map[string]any{"account": map[string]any{"address": sideA}, "csrf_token": nil}
	case "POST /api/bots/" + sideA:
		return "describe", map[string]any{}
	case "GET /api/chain/head":
		return "head", map[string]any{"head": map[string]any{"verifier_key": h.log.verifierKey}}
	case "GET ":
		if kind = fmt.Sprint("read ", h.round); h.own != "" && !h.joined && !h.faults[kind].undone {
			h.join()
		}
		return kind, h.shown(wants)
	case "POST /commit":
		if kind = fmt.Sprint("commit ", h.round); !h.faults[kind].undone {
			h.commit(commitment, round)
		}
	case "POST /reveal":
		if kind = fmt.Sprint("reveal ", round); !h.faults[kind].undone {
			h.reveal(move, salt, round)
		}
	default:
		if n, found := strings.CutPrefix(what, "GET /api/duels/"+pastCode); found {
			return "past", map[string]any{"duel": h.pastDuel(n)}
		}
		h.t.Errorf("the client calls %s", what)
	}
	if !wants || !strings.Contains(prefer, "wait=") {
		h.t.Errorf("%s: Prefer is %q, want a receipt and a wait", kind, prefer)
	}
	return kind, h.shown(wants)
}

// list returns the duels of a status: that of the stub once it has begun, or the past ones, as lists do without rounds.
func (h *duelHouse) list(status string) []any {
	list := []any{}
	switch {
	case status == "finished":
		for n := range h.past {
			past := h.pastDuel(fmt.Sprint(n))
			past["rounds"] = []any{}
			list = append(list, past)
		}
	case status == "active" && h.queues > 0 && h.wins < 3:
		duel := h.duel()
		duel["rounds"] = []any{}
		list = append(list, duel)
	}
	return list
}

// pastDuel returns a duel that the client has lost, by a number.
func (h *duelHouse) pastDuel(n string) map[string]any {
	duel := h.duel()
	duel["id"], duel["status"], duel["winner"] = pastCode+n, "finished", "b"
	duel["rounds"] = []any{map[string]any{"round": 1, "committed": map[string]bool{"a": true, "b": true},
		"revealed": map[string]bool{"a": true, "b": true}, "you_revealed": true, "outcome": "b",
		"commitment_a": nil, "commitment_b": nil, "move_a": "rock", "move_b": "paper"}}
	return duel
}

// commit takes the commitment of side a; side b commits at once, but for a late round.
func (h *duelHouse) commit(commitment string, round int64) {
	if round != h.round || h.own != "" && h.own != commitment {
		h.t.Errorf("a commitment of round %d: %s, after %q in round %d", round, commitment, h.own, h.round)
		return
	}
	h.own = commitment
	h.version++
	last := h.rounds[len(h.rounds)-1]
	last["committed"], last["commitment_a"] = map[string]bool{"a": true, "b": h.joined}, commitment
	if round != h.late {
		h.join()
	}
}

// join takes the commitment of side b.
func (h *duelHouse) join() {
	h.joined = true
	h.version++
	last := h.rounds[len(h.rounds)-1]
	last["committed"], last["commitment_b"] = map[string]bool{"a": true, "b": true},
		chain.HashHand(game.Scissors, h.salt()).String()
}

// reveal takes the move of side a and decides the round. A repetition changes nothing.
func (h *duelHouse) reveal(move, salt string, round int64) {
	if h.reveals++; !h.signed[round] {
		h.t.Errorf("round %d is revealed without a receipt", round)
	}
	if round != h.round || h.wins == 3 {
		return
	}
	if move != "rock" || chain.HashHand(game.Rock, salt).String() != h.own {
		h.t.Errorf("round %d: %s:%s is not the hand of %s", round, move, salt, h.own)
	}
	last := h.rounds[len(h.rounds)-1]
	if h.lie == secondHand { // side b has not revealed yet
		last["you_revealed"] = true
		h.version++
		return
	}
	last["outcome"], last["you_revealed"] = "a", true
	last["move_a"], last["move_b"], last["salt_a"], last["salt_b"] = "rock", "scissors", salt, h.salt()
	h.version++
	if h.wins++; h.wins < 3 {
		h.begin()
	}
}

// shown returns the answer with the duel, and the receipt of its current round.
func (h *duelHouse) shown(receipts bool) map[string]any {
	out := map[string]any{"duel": h.duel()}
	last := h.rounds[len(h.rounds)-1]
	if !receipts || !h.joined || last["outcome"] != "pending" || h.lie == silent {
		return out
	}
	said := &chain.RoundStatement{
		A: address(sideA), B: address(sideB), DuelID: duelCode, N: h.round, Time: 1_700_000_000_000,
		CommitmentA: hash(h.t, h.own), CommitmentB: chain.HashHand(game.Scissors, h.salt()),
	}
	log, truth := h.log, *said
	switch {
	case h.lie == otherKey:
		log = newSigner("another house")
	case h.lie == otherHand, h.lie == secondHand && h.reveals > 0:
		said.CommitmentB = chain.HashHand(game.Paper, h.salt())
	case h.lie == otherRound:
		said.N++
	}
	receipt := log.sign(said)
	if *said != truth {
		h.against = line(h.t, receipt)
	}
	if h.lie == brokenSigned {
		first := "A"
		if strings.HasPrefix(receipt["signature"], first) {
			first = "B"
		}
		receipt["signature"] = first + receipt["signature"][1:]
	}
	h.signed[h.round] = h.lie == honest || h.lie == secondHand && h.reveals == 0
	out["receipts"] = []any{receipt}
	return out
}

// duel returns the present state of the duel, as side a sees it.
func (h *duelHouse) duel() map[string]any {
	status, winner := "active", any(nil)
	if h.wins == 3 {
		status, winner = "finished", "a"
	}
	rounds := make([]map[string]any, len(h.rounds))
	for i, r := range h.rounds { // as they are now
		rounds[i] = maps.Clone(r)
	}
	side := func(name string) map[string]any {
		return map[string]any{"username": name, "address": address(name).String()}
	}
	duel := map[string]any{"id": duelCode, "status": status, "kind": "ranked", "you": "a", "a": side(sideA),
		"b": side(sideB), "rounds": rounds, "wins": map[string]int{"a": h.wins, "b": 0}, "winner": winner,
		"version": h.version}
	if h.seconds > 0 {
		duel["move_seconds"] = h.seconds
	}
	return duel
}
