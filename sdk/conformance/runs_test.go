package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"roshambo/chain"
	"roshambo/game"
)

// run is a scenario in which a client plays a run against the house: a tie, then a win that it claims.
type run struct {
	name   string
	faults map[string]answer
	// killed is the kind of request that fails for as long as the first process lives; a second one goes on then.
	killed string
	// forged is a text that the house records in place of the client's: client_seed or entropy.
	forged string
	// stranger lets another key than that of the log sign the receipts.
	stranger bool
	// states changes what a receipt states; nil changes nothing.
	states func(said chain.Statement)
	err    string // the error as JSON; "" for a run that is claimed
}

// runs are the scenarios of runs.
var runs = []run{
	{name: "a run"},
	{name: "a run with lost answers", faults: map[string]answer{"start": {broken: "closed"}, "throw": {broken: "closed"}}},
	{name: "a run with refusals", faults: map[string]answer{
		"start": refused(503, "not_stored").after(1, false),
		"throw": refused(429, "too_fast").after(1, false),
	}},
	{name: "a start with another process", killed: "start"},
	{name: "a start during a recovery", faults: map[string]answer{"start": refused(503, "recovering").after(1, false)},
		err: `{"type":"service","status":503,"code":"recovering","request_id":"request-1","retry_after":1}`},
	{name: "another client seed", forged: "client_seed", err: `{"type":"texts"}`},
	{name: "another entropy", forged: "entropy", err: `{"type":"texts"}`},
	{name: "receipts of another key", stranger: true, err: `{"type":"receipt"}`},
	{name: "a receipt of another run", err: `{"type":"receipt"}`, states: func(said chain.Statement) {
		if s, ok := said.(*chain.StartStatement); ok {
			s.RunID = "run-2"
		}
	}},
	{name: "a receipt of another hand", err: `{"type":"receipt"}`, states: func(said chain.Statement) {
		if s, ok := said.(*chain.ThrowStatement); ok && s.N == 2 {
			s.House = game.Rock
			s.Outcome = game.Tie
		}
	}},
	{name: "a receipt of the earlier throw", err: `{"type":"receipt"}`, states: func(said chain.Statement) {
		if s, ok := said.(*chain.ThrowStatement); ok && s.N == 2 {
			s.N, s.House, s.Outcome = 1, game.Rock, game.Tie
		}
	}},
	{name: "a receipt of another decision", err: `{"type":"receipt"}`, states: func(said chain.Statement) {
		if s, ok := said.(*chain.DecisionStatement); ok {
			s.Decision = chain.DecideContinue
		}
	}},
}

// runHouse plays a run. It stores nothing of a request that meets a fault.
type runHouse struct {
	t      *testing.T
	log    signer
	hand   signer // that signs the receipts
	forged string
	states func(said chain.Statement)

	mu     sync.Mutex // guards the fields below
	faults map[string]answer
	always map[string]bool
	sent   map[string]string // the texts of each kind of request, which no repetition may change
	keys   map[string]string // the body of each Idempotency-Key
	run    map[string]any
	throws []any
	// against is the receipt that was sent and states something else than its answer; "" for none.
	against string
}

// hashes are the hashes of the run's commitment, of the next one and of a seed.
var hashes = []string{strings.Repeat("01", 32), strings.Repeat("02", 32), strings.Repeat("03", 32)}

// ServeHTTP answers a request, or meets it with its fault.
func (h *runHouse) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	a, out := h.handle(r, text)
	if a.status == 0 {
		body, err := json.Marshal(out)
		if err != nil {
			h.t.Error(err)
		}
		a.body = string(body)
	}
	a.write(w, r)
}

// runIn is the body of a start or a throw.
type runIn struct {
	ClientSeed string `json:"client_seed"`
	Move       string `json:"move"`
	Entropy    string `json:"entropy"`
	Then       string `json:"then"`
}

// handle takes a request and returns its answer: a fault's, and the body of a good one.
func (h *runHouse) handle(r *http.Request, text []byte) (a answer, out any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	what := r.Method + " " + r.URL.Path
	switch what {
	case "GET /api/me":
		return a, map[string]any{"account": map[string]any{"username": "ada"}, "csrf_token": nil,
			"next_commitment": map[string]any{"commitment": hashes[0]}}
	case "GET /api/chain/head":
		return a, map[string]any{"head": map[string]any{"verifier_key": h.log.verifierKey}}
	}
	kind := map[string]string{"POST /api/runs": "start", "POST /api/runs/run-1/throw": "throw"}[what]
	var in runIn
	if err := json.Unmarshal(text, &in); err != nil || kind == "" {
		h.t.Errorf("%s %s: %v", what, text, err)
		return refused(http.StatusNotFound, "not_found"), nil
	}
	h.check(kind, r.Header.Get("Idempotency-Key"), &in, text)
	a = h.faults[kind]
	if !h.always[kind] {
		delete(h.faults, kind)
	}
	return a, h.play(kind, &in)
}

// check checks that a request has fresh texts, and a repetition the same.
func (h *runHouse) check(kind, key string, in *runIn, text []byte) {
	if was, met := h.keys[key]; key == "" || met && was != string(text) {
		h.t.Errorf("the key %q has the body %s, after %s", key, text, was)
	}
	h.keys[key] = string(text)
	texts := in.ClientSeed + " " + in.Entropy
	if was := h.sent[kind]; was != "" && was != texts {
		h.t.Errorf("the %s is repeated with the texts %s, after %s", kind, texts, was)
	}
	h.sent[kind] = texts
	if len(in.Entropy) < 16 || kind == "start" && len(in.ClientSeed) < 16 || in.Move != "rock" || in.Then != "claim" ||
		h.sent["start"] == h.sent["throw"] {
		h.t.Errorf("the %s is %s", kind, text)
	}
}

// play stores a request, once, and returns its answer.
func (h *runHouse) play(kind string, in *runIn) any {
	entropy := in.Entropy
	if h.forged == "entropy" {
		entropy = "of the house"
	}
	if kind == "start" {
		seed := in.ClientSeed
		if h.forged == "client_seed" {
			seed = "of the house"
		}
		h.throws = nil
		h.run = map[string]any{"id": "run-1", "account": address("ada").String(), "status": "active", "cleared": 0,
			"commitment": hashes[0], "client_seed": seed, "client_seed_hash": chain.HashText(seed).String()}
	}
	n := map[string]int{"start": 1, "throw": 2}[kind]
	if len(h.throws) < n {
		outcome, house := "tie", "rock"
		if n == 2 {
			outcome, house = "win", "scissors"
			h.run["status"], h.run["cleared"] = "claimed", 1
		}
		h.throws = append(h.throws, map[string]any{"n": n, "move": "rock", "entropy": entropy, "house": house,
			"entropy_hash": chain.HashText(entropy).String(), "outcome": outcome, "seed": hashes[2]})
	}
	h.run["throws"] = h.throws
	out := map[string]any{"run": h.run, "outcome": "tie", "seed": hashes[2]}
	if kind == "start" {
		out["next_commitment"] = map[string]any{"commitment": hashes[1]}
	}
	out["receipts"] = h.receipts(n, entropy)
	return out
}

// receipts signs what the answer to throw n shows: the start with the first one, the claim with the second one.
func (h *runHouse) receipts(n int, entropy string) (list []any) {
	const at = 1_700_000_000_000
	ada, thrown := address("ada"), &chain.ThrowStatement{EntropyHash: chain.HashText(entropy), House: game.Rock,
		Move: game.Rock, N: int64(n), Outcome: game.Tie, RunID: "run-1", Seed: [32]byte(hash(h.t, hashes[2])), Time: at}
	thrown.Account = ada
	said := []chain.Statement{thrown}
	if n == 1 {
		said = append(said, &chain.StartStatement{
			Account: ada, ClientSeedHash: hash(h.t, fmt.Sprint(h.run["client_seed_hash"])), Commitment: hash(h.t, hashes[0]),
			Entry: chain.EntryFree, NextCommitment: hash(h.t, hashes[1]), RunID: "run-1", Time: at,
		})
	} else {
		thrown.House, thrown.Outcome = game.Scissors, game.Win
		said = append(said, &chain.DecisionStatement{Account: ada, Cleared: 1, Decision: chain.DecideClaim, RunID: "run-1",
			Throws: 2, Time: at})
	}
	for _, one := range said {
		truth := h.hand.sign(one)
		if h.states != nil {
			h.states(one)
		}
		receipt := h.hand.sign(one)
		if receipt["raw"] != truth["raw"] {
			h.against = line(h.t, receipt)
		}
		list = append(list, receipt)
	}
	return list
}

// play lets a driver play the scenario.
func (s *run) play(t *testing.T, p *process) {
	t.Helper()
	h := &runHouse{t: t, log: newSigner("house"), hand: newSigner("house"), forged: s.forged, states: s.states,
		faults: map[string]answer{}, always: map[string]bool{}, sent: map[string]string{}, keys: map[string]string{}}
	maps.Copy(h.faults, s.faults)
	if s.stranger {
		h.hand = newSigner("stranger")
	}
	k := task{URL: serve(t, h), Key: "rsb_caller", Folder: t.TempDir(), Budget: 60, Command: "run"}
	if s.killed != "" {
		h.faults[s.killed], h.always[s.killed] = answer{broken: "closed"}, true
		first := k
		first.Budget = 0.3
		if got := p.do(t, first); got.Error == nil || got.Error.Type != "connection" {
			t.Fatalf("the first process ends with %s, %v, want no connection", got.Result, got.Error)
		}
		h.mu.Lock()
		h.faults = map[string]answer{}
		h.mu.Unlock()
	}
	want := scenario{err: s.err, result: `"claimed"`}
	want.compare(t, p.do(t, k))
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.faults) > 0 {
		t.Errorf("no request met %v", h.faults)
	}
	file := filepath.Join(k.Folder, "receipts.jsonl")
	switch {
	case s.err == "":
		checkReceipts(t, file, h.log, 1)
	case s.states != nil:
		checkEvidence(t, file, h.against, true) // at least that of the first throw is before it
	case s.stranger:
		checkEvidence(t, file, "", false)
	}
}
