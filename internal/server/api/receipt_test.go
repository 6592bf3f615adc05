package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/service/run"
	"roshambo/verify"
)

// notary is a player that asks for receipts and keeps them.
type notary struct {
	*player
	kept []api.Receipt
}

// ask posts with Prefer: receipt and keeps the receipts of the answer.
func (n *notary) ask(t *testing.T, path, body string) answer {
	t.Helper()
	a := n.send(t, request{method: "POST", path: path, body: body,
		header: map[string]string{"X-CSRF-Token": n.csrf, "Prefer": "receipt"}}).ok(t)
	n.kept = append(n.kept, receiptsOf(t, a)...)
	return a
}

// receiptsOf returns the receipts of an answer.
func receiptsOf(t *testing.T, a answer) []api.Receipt {
	t.Helper()
	var out struct {
		Receipts []api.Receipt `json:"receipts"`
	}
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		t.Fatal(err)
	}
	return out.Receipts
}

// file returns the kept receipts as a file.
func (n *notary) file(t *testing.T) []byte {
	t.Helper()
	var b []byte
	for _, r := range n.kept {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		b = append(append(b, line...), '\n')
	}
	return b
}

// agree checks that a proof is valid with the kept receipts, all of which are about it.
func (n *notary) agree(t *testing.T, path string) {
	t.Helper()
	proof := n.get(t, path).ok(t)
	report := verify.Proof([]byte(proof.body), verify.Options{Receipts: n.file(t)})
	last := report.Checks[len(report.Checks)-1]
	want := fmt.Sprintf("%d receipts agree with the proof", len(n.kept))
	if report.Verdict != verify.Valid || last.Text != want {
		t.Errorf("%s: %v, %q, want VALID, %q", path, report.Verdict, last.Text, want)
	}
}

// TestReceiptsOfRuns plays runs with Prefer: receipt, in one call and step by step, to each end, and
// compares what the house signed on the way with the proof.
func TestReceiptsOfRuns(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, tt := range []struct {
		name string
		then string // sent with the first throw, which wins
		next string // the call after it, "" for none
		kept int
	}{
		{"claimed in one call", "claim", "", 3},
		{"claimed later", "", "/claim", 3},
		{"continued with the throw, abandoned", "continue", "/abandon", 4},
		{"abandoned", "", "/abandon", 3},
	} {
		n := &notary{player: s.guest(t)}
		body := map[string]string{"entry": "fee", "client_seed": "sälty", "entropy": "dice",
			"move": n.firstMove(t, "sälty", "dice", game.Win)}
		if tt.then != "" {
			body["then"] = tt.then
		}
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r := decode[api.StartRunOut](t, n.ask(t, "/api/runs", string(text))).Run
		if tt.next != "" {
			n.ask(t, "/api/runs/"+r.ID+tt.next, "")
		}
		if len(n.kept) != tt.kept {
			t.Errorf("%s: %d receipts, want %d: %v", tt.name, len(n.kept), tt.kept, n.kept)
		}
		s.seal(t)
		n.agree(t, "/api/runs/"+r.ID+"/proof")
	}
}

// TestReceiptsStepByStep continues by a call of its own, and loses with a later throw.
func TestReceiptsStepByStep(t *testing.T) {
	t.Parallel()
	s := start(t)
	n := &notary{player: s.guest(t)}
	r := decode[api.StartRunOut](t, n.ask(t, "/api/runs", "")).Run
	for _, outcome := range []game.Outcome{game.Tie, game.Win, game.Loss} {
		s.clock.forward(run.ThrowInterval)
		body := fmt.Sprintf(`{"move":%q,"entropy":"%d"}`, s.seeds.move(r, fmt.Sprint(len(r.Throws)), outcome), len(r.Throws))
		r = decode[api.ThrowOut](t, n.ask(t, "/api/runs/"+r.ID+"/throw", body)).Run
		if outcome == game.Win {
			n.ask(t, "/api/runs/"+r.ID+"/continue", "")
		}
	}
	if len(n.kept) != 5 { // start, three throws, the decision to continue
		t.Errorf("%d receipts, want 5", len(n.kept))
	}
	s.seal(t)
	n.agree(t, "/api/runs/"+r.ID+"/proof")
}

// TestReceiptsAreAskedFor checks that an answer has receipts only with the preference, and that a
// repeated call returns the same ones.
func TestReceiptsAreAskedFor(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	if a := p.post(t, "/api/runs", `{"move":"rock"}`).ok(t); strings.Contains(a.body, "receipts") {
		t.Errorf("receipts without Prefer: %s", a.body)
	}
	n := &notary{player: s.guest(t)}
	q := request{method: "POST", path: "/api/runs", body: `{"move":"rock"}`,
		header: map[string]string{"Prefer": "wait=1, Receipt; x=1", "Idempotency-Key": "k", "X-CSRF-Token": n.csrf}}
	first := n.send(t, q).ok(t)
	if n.kept = receiptsOf(t, first); len(n.kept) < 2 {
		t.Fatalf("%d receipts, want at least those of the start and the throw", len(n.kept))
	}
	s.clock.forward(run.ThrowInterval)
	n.send(t, q).sameAs(t, first)
}

// TestReceiptsOfADuel checks that the receipt of a round is there as soon as both commitments are in,
// not before, for the caller whose commitment is the second and for the one that reads.
func TestReceiptsOfADuel(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := &notary{player: s.guest(t)}, &notary{player: s.guest(t)}
	g := s.joined(t, 10, a.player, b.player)
	read := func(n *notary) []api.Receipt {
		return receiptsOf(t,
			n.send(t, request{method: "GET", path: g.path, header: map[string]string{"Prefer": "receipt"}}).ok(t))
	}
	for range 3 {
		g.n++
		a.ask(t, g.path+"/commit", committing(game.Rock, g.salt(0)))
		if early := append(a.kept, read(a)...); len(early) != g.n-1 {
			t.Fatalf("round %d: %d receipts before both have committed, want %d", g.n, len(early), g.n-1)
		}
		b.ask(t, g.path+"/commit", committing(game.Scissors, g.salt(1)))
		a.kept = append(a.kept, read(a)...)
		if len(a.kept) != g.n || len(b.kept) != g.n {
			t.Fatalf("round %d: %d and %d receipts, want %d", g.n, len(a.kept), len(b.kept), g.n)
		}
		statement, err := chain.ParseStatement([]byte(a.kept[g.n-1].Raw))
		if err != nil {
			t.Fatal(err)
		}
		round := statement.(*chain.RoundStatement)
		if round.CommitmentA != chain.HashHand(game.Rock, g.salt(0)) ||
			round.CommitmentB != chain.HashHand(game.Scissors, g.salt(1)) || round.N != int64(g.n) {
			t.Errorf("round %d: the receipt states %+v", g.n, round)
		}
		// The reveals ask for no receipt.
		g.sides[0](t, g.reveal(0, 'r')).ok(t)
		g.sides[1](t, g.reveal(1, 's')).ok(t)
	}
	s.seal(t)
	a.agree(t, g.path+"/proof")
	b.agree(t, g.path+"/proof")
}
