package sim

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// The models must refuse: a model that accepts everything finds nothing. Each history here is first
// a possible and then an impossible one.

// played returns a duel between two players, and the time when it began.
func played() *match {
	at := time.UnixMilli(startOfTime).UTC()
	return &match{duelView: duelView{
		ID: "D", Status: "active", Kind: "open", A: sideView{Address: "ann", Kind: "account"},
		B:         &sideView{Address: "bob", Kind: "account"},
		CreatedAt: at, StartedAt: &at,
	}}
}

// shown returns a duel as an answer shows it.
func shown(t *testing.T, m *match, you string, d duelState) []byte {
	t.Helper()
	v := m.duelView
	v.Status = d.status
	if you != "" {
		v.You = &you
	}
	due := time.UnixMilli(d.dueFrom).UTC()
	if d.status == "open" {
		v.B, v.ExpiresAt = nil, &due
	} else {
		r := roundView{Round: d.n + 1, Outcome: "pending", Deadline: &due}
		r.Committed.A, r.Committed.B = d.hands[0].commit != "", d.hands[1].commit != ""
		if you == "a" || d.both() {
			r.CommitmentA = text(d.hands[0].commit)
		}
		if you == "b" || d.both() {
			r.CommitmentB = text(d.hands[1].commit)
		}
		v.Rounds = []roundView{r}
	}
	b, err := json.Marshal(map[string]any{"duel": wire(t, v)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// wire encodes a view as the service does, with the names of its tags.
func wire(t *testing.T, v duelView) map[string]any {
	t.Helper()
	round := func(r roundView) map[string]any {
		return map[string]any{
			"round": r.Round, "committed": r.Committed, "revealed": r.Revealed, "outcome": r.Outcome, "deadline": r.Deadline,
			"commitment_a": r.CommitmentA, "commitment_b": r.CommitmentB,
		}
	}
	out := map[string]any{"id": v.ID, "status": v.Status, "kind": v.Kind, "you": v.You, "a": v.A, "b": v.B,
		"wins": v.Wins, "expires_at": v.ExpiresAt}
	var rounds []any
	for _, r := range v.Rounds {
		rounds = append(rounds, round(r))
	}
	out["rounds"] = rounds
	return out
}

// scene is a handmade history: one call after the other by default.
type scene struct {
	events []*event
	now    int64
}

// call adds an answered call.
func (s *scene) call(d *action, status int, code string, answer []byte) *call {
	n := int64(2 * len(s.events))
	c := &call{request: d.request, what: d.kind, by: d.by, at: n, back: n + 1, clock: startOfTime + s.now,
		latest: startOfTime + s.now,
		status: status, code: code, answer: answer, action: d}
	s.events = append(s.events, eventOf(c))
	return c
}

func (s *scene) explained(model porcupine.NondeterministicModel) bool {
	var ops []porcupine.Operation
	for _, e := range s.events {
		ops = append(ops, e.operation())
	}
	full := model.ToModel()
	return porcupine.CheckOperations(full, ops)
}

func TestDuelModel(t *testing.T) {
	t.Parallel()
	ann, bob := &player{address: "ann"}, &player{address: "bob"}
	m := played()
	of := duelModelOf{m}
	open := of.first()
	joined := open
	joined.status, joined.b = "active", "bob"
	joined.begin(of, startOfTime, startOfTime)
	committed := joined
	committed.hands[0].commit = "c1"
	join, commit, readOp := post(bob, "join", "", ""), post(ann, "commit", "", ""), get(bob, "look", "")
	commit.duel = duelAction{match: m, commit: "c1"}
	for name, c := range map[string]struct {
		play func(s *scene)
		want bool
	}{
		"joined and committed": {func(s *scene) {
			s.call(join, 200, "", shown(t, m, "b", joined))
			s.call(commit, 200, "", shown(t, m, "a", committed))
			s.call(readOp, 200, "", shown(t, m, "b", committed))
		}, true},
		"a commitment that is lost": {func(s *scene) {
			s.call(join, 200, "", shown(t, m, "b", joined))
			s.call(commit, 200, "", shown(t, m, "a", committed))
			s.call(readOp, 200, "", shown(t, m, "b", joined))
		}, false},
		"one without an answer": {func(s *scene) {
			s.call(join, 200, "", shown(t, m, "b", joined))
			s.call(commit, 503, "unavailable", nil)
			s.call(readOp, 200, "", shown(t, m, "b", joined))
		}, true},
		"one that is shown": {func(s *scene) {
			s.call(join, 200, "", shown(t, m, "b", joined))
			s.call(commit, 200, "", shown(t, m, "a", committed))
			s.call(readOp, 200, "", shown(t, m, "a", committed)) // shows bob what only ann may see
		}, false},
		"committed twice": {func(s *scene) {
			s.call(join, 200, "", shown(t, m, "b", joined))
			s.call(commit, 200, "", shown(t, m, "a", committed))
			s.call(commit, 200, "", shown(t, m, "a", committed))
		}, false},
		"joined twice": {func(s *scene) {
			s.call(join, 200, "", shown(t, m, "b", joined))
			s.call(join, 409,
				"duel_full", nil)
		}, true},
		"full before anyone": {func(s *scene) {
			s.call(join, 409, "duel_full", nil)
			s.call(readOp, 200, "",
				shown(t, m, "", open))
		}, false},
		"too late": {func(s *scene) {
			s.call(join, 200, "", shown(t, m, "b", joined))
			s.now = forPeople
			s.call(commit, 200, "", shown(t, m, "a", committed))
		}, false},
	} {
		s := &scene{}
		c.play(s)
		if got := s.explained(duelModel(m)); got != c.want {
			t.Errorf("%s: explained %v, want %v", name, got, c.want)
		}
	}
}

// shownRun returns a run as an answer shows it.
func shownRun(t *testing.T, r runState) []byte {
	t.Helper()
	var list []map[string]any
	for line := range strings.SplitSeq(r.transcript, ";") {
		if f := strings.Fields(line); len(f) == 6 {
			n, err := strconv.Atoi(f[0])
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, map[string]any{"n": n, "move": f[1], "entropy_hash": f[2], "house": f[3], "outcome": f[4],
				"seed": f[5]})
		}
	}
	b, err := json.Marshal(map[string]any{"run": map[string]any{
		"id": r.id, "entry": r.entry, "commitment": r.commitment, "client_seed_hash": r.seed, "first_tier": r.first,
		"status":  r.status,
		"cleared": r.cleared, "throws": list, "started_at": time.UnixMilli(startOfTime).UTC(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRunModel(t *testing.T) {
	t.Parallel()
	s := &sim{t: t, book: newSeedBook([32]byte{1}), started: map[string][]*runView{}}
	if _, err := s.book.Read(make([]byte, 32)); err != nil {
		t.Fatal(err)
	}
	begun := runState{id: "R", seed: textHash("mine"), entry: "fee", status: "active"}
	for commitment := range s.book.last {
		begun.commitment = commitment
	}
	ann := &player{address: "ann"}
	start := post(ann, "start", "", "")
	start.run = runAction{clientSeed: textHash("mine"), entry: "fee"}
	do := func(kind string) *action {
		d := post(ann, kind, "", "")
		d.run = runAction{id: "R", move: s.winner(begun), entropy: textHash("e")}
		return d
	}
	readOp := get(ann, "run", "")
	readOp.run = runAction{id: "R", of: ann}
	won, ok := begun.throw(s.book, do("throw").run.move, textHash("e"), startOfTime)
	if !ok || won.status != "deciding" {
		t.Fatalf("won is %+v", won)
	}
	claimed, cheated := won, won
	claimed.status = "claimed"
	cheated.cleared = 2
	for name, c := range map[string]struct {
		play func(h *scene)
		want bool
	}{
		"won and claimed": {func(h *scene) {
			h.call(do("throw"), 200, "", shownRun(t, won))
			h.call(do("claim"), 200, "", shownRun(t, claimed))
			h.call(readOp, 200, "", shownRun(t, claimed))
		}, true},
		"claimed twice":    {func(h *scene) { h.claimTwice(t, do, won, claimed) }, false},
		"another tier":     {func(h *scene) { h.call(do("throw"), 200, "", shownRun(t, cheated)) }, false},
		"claimed, not won": {func(h *scene) { h.call(do("claim"), 200, "", shownRun(t, claimed)) }, false},
		"an old state": {func(h *scene) {
			h.call(do("throw"), 200, "", shownRun(t, won))
			h.call(readOp, 200, "", shownRun(t, begun))
		}, false},
		"unknown, without effect": {func(h *scene) { h.throwUnknown(t, do, readOp, begun) }, true},
		"unknown, with effect":    {func(h *scene) { h.throwUnknown(t, do, readOp, won) }, true},
		"thrown by itself":        {func(h *scene) { h.call(readOp, 200, "", shownRun(t, won)) }, false},
		"a second start":          {func(h *scene) { h.call(start, 200, "", shownRun(t, begun)) }, false},
		"refused as it must":      {func(h *scene) { h.call(start, 409, "run_active", nil) }, true},
		"left alone": {func(h *scene) {
			h.call(do("throw"), 200, "", shownRun(t, won))
			h.now = leftAlone
			h.call(readOp, 200, "", shownRun(t, claimed))
		}, true},
		"ended too soon": {func(h *scene) {
			h.call(do("throw"), 200, "", shownRun(t, won))
			h.now = leftAlone - 1
			h.call(readOp, 200, "", shownRun(t, claimed))
		}, false},
	} {
		h := &scene{}
		h.call(start, 200, "", shownRun(t, begun))
		c.play(h)
		if got := h.explained(s.runModel(ann)); got != c.want {
			t.Errorf("%s: explained %v, want %v", name, got, c.want)
		}
	}
}

// winner returns the move that wins the next throw of a run.
func (s *sim) winner(r runState) string {
	seed, _ := s.book.seed(r.commitment, r.throws+1)
	return beats[houseMove(seed, r.throws+1, r.seed, textHash("e"))]
}

// throwUnknown adds a throw with an unknown outcome, and a read that shows a state after it.
func (s *scene) throwUnknown(t *testing.T, do func(string) *action, read *action, after runState) {
	t.Helper()
	s.call(do("throw"), 503, "", nil)
	s.call(read, 200, "", shownRun(t, after))
}

func (s *scene) claimTwice(t *testing.T, do func(string) *action, won, claimed runState) {
	t.Helper()
	s.call(do("throw"), 200, "", shownRun(t, won))
	s.call(do("claim"), 200, "", shownRun(t, claimed))
	s.call(do("claim"), 200, "", shownRun(t, claimed))
}
