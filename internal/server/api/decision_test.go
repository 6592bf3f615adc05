package api_test

import (
	"fmt"
	"testing"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/service/run"
	"roshambo/verify"
)

// firstMove returns the move that makes a first throw end with an outcome: the house is bound by
// the published commitment, and the test knows its seeds.
func (p *player) firstMove(t *testing.T, clientSeed, entropy string, want game.Outcome) string {
	t.Helper()
	next := api.Run{Commitment: p.me(t).NextCommitment.Commitment, ClientSeed: clientSeed}
	return p.s.seeds.move(next, entropy, want)
}

// TestGameInOneCall plays whole games in one call each: won and claimed, won and risked, won and
// left open, tied, lost. Each equals the game step by step, and its proof verifies.
func TestGameInOneCall(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, tt := range []struct {
		then    string
		outcome game.Outcome
		status  string
	}{
		{"claim", game.Win, "claimed"}, {"continue", game.Win, "active"}, {"", game.Win, "deciding"},
		{"claim", game.Tie, "active"}, {"continue", game.Tie, "active"}, {"", game.Tie, "active"},
		{"claim", game.Loss, "lost"}, {"continue", game.Loss, "lost"}, {"", game.Loss, "lost"},
	} {
		p := s.guest(t)
		move := p.firstMove(t, "mine", "dice", tt.outcome)
		body := fmt.Sprintf(`{"entry":"fee","client_seed":"mine","move":%q,"entropy":"dice"}`, move)
		if tt.then != "" {
			body = fmt.Sprintf(`{"entry":"fee","client_seed":"mine","move":%q,"entropy":"dice","then":%q}`, move, tt.then)
		}
		updates := s.db.Stats().Updates
		out := decode[api.StartRunOut](t, p.post(t, "/api/runs", body).ok(t))
		if n := s.db.Stats().Updates - updates; n != 1 {
			t.Errorf("%v: %d transactions of the database, want one", tt, n)
		}
		if out.Run.Status != tt.status || *out.Outcome != tt.outcome.String() || len(out.Run.Throws) != 1 ||
			*out.Seed != out.Run.Throws[0].Seed {
			t.Fatalf("%v: got %+v", tt, out)
		}
		if claimed := tt.status == "claimed"; (out.Token != nil) != claimed || (out.Run.TokenID != nil) != claimed ||
			claimed && out.Token.TokenID != *out.Run.TokenID {
			t.Errorf("%v: the token is %+v of run %+v", tt, out.Token, out.Run)
		}
		if out.Balance != 950 || out.Run.ClientSeed != "mine" || out.Throw.Entropy != "dice" ||
			out.Throw.HouseMove != out.Run.Throws[0].House {
			t.Errorf("%v: got %+v", tt, out)
		}
		s.seal(t)
		proof := p.get(t, "/api/runs/"+out.Run.ID+"/proof").ok(t)
		want := verify.Valid
		if tt.status == "active" || tt.status == "deciding" {
			want = verify.Pending // the throws of a run that goes on are in no block
		}
		if report := verify.Run([]byte(proof.body), verify.Options{}); report.Verdict != want {
			t.Errorf("%v: the proof: %+v", tt, report)
		}
	}
}

// TestThrowThen decides in advance in later throws, up to the claim, within the spacing.
func TestThrowThen(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	move := p.firstMove(t, "", "", game.Win)
	out := decode[api.StartRunOut](t, p.post(t, "/api/runs", `{"move":"`+move+`","then":"continue"}`).ok(t))
	path := "/api/runs/" + out.Run.ID + "/throw"
	if p.post(t, path, `{"move":"rock","then":"claim"}`).fails(t, 429, "too_fast"); out.Run.NextThrowAt == nil {
		t.Errorf("%+v does not say when the next throw is possible", out.Run)
	}
	r := out.Run
	for _, step := range []struct {
		outcome game.Outcome
		then    string
		status  string
	}{{game.Tie, "claim", "active"}, {game.Win, "continue", "active"}, {game.Win, "claim", "claimed"}} {
		s.clock.forward(run.ThrowInterval)
		body := fmt.Sprintf(`{"move":%q,"then":%q}`, s.seeds.move(r, "", step.outcome), step.then)
		thrown := decode[api.ThrowOut](t, p.post(t, path, body).ok(t))
		if r = thrown.Run; r.Status != step.status || thrown.Outcome != step.outcome.String() ||
			(thrown.Token != nil) != (step.status == "claimed") {
			t.Fatalf("%+v: got %+v", step, thrown)
		}
	}
	if r.Cleared != 3 || r.TokenID == nil || r.EndTx == nil {
		t.Errorf("at the end: %+v", r)
	}
	p.post(t, "/api/runs/"+r.ID+"/claim", "").fails(t, 409, "already_claimed")
}

// TestThenIsRefused: a decision without a throw, or of another kind, changes nothing.
func TestThenIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	before := s.db.Stats().Updates
	p.post(t, "/api/runs", `{"then":"claim"}`).invalid(t, "body.move missing")
	p.post(t, "/api/runs", `{"entropy":"x"}`).invalid(t, "body.move missing")
	p.post(t, "/api/runs", `{"move":"lizard","then":"abandon"}`).invalid(t, "body.move enum", "body.then enum")
	p.post(t, "/api/runs/x/throw", `{"move":"rock","then":""}`).invalid(t, "body.then enum")
	if after := s.db.Stats().Updates; after != before {
		t.Errorf("%d updates", after-before)
	}
	if active := decode[api.ActiveRunOut](t, p.get(t, "/api/runs/active").ok(t)).Run; active != nil {
		t.Errorf("a run began: %+v", active)
	}
}

// TestGameInOneCallIsRepeated: the Idempotency-Key replays the whole answer, and a second start
// during the run throws nothing.
func TestGameInOneCallIsRepeated(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	q := request{method: "POST", path: "/api/runs", body: `{"entry":"fee","move":"` + p.firstMove(t, "", "",
		game.Win) + `","then":"claim"}`}
	first := p.keyed(t, "k", q).ok(t)
	p.keyed(t, "k", q).sameAs(t, first)
	if got := p.me(t).Balance; got != 950 {
		t.Errorf("balance %d after one game and its repetition, want 950", got)
	}
	open := p.start(t, `{"entry":"fee"}`)
	p.post(t, "/api/runs", q.body).fails(t, 409, "run_active")
	if r := decode[api.RunOut](t, p.get(t, "/api/runs/"+open.ID).ok(t)).Run; len(r.Throws) != 0 {
		t.Errorf("the run that was on: %+v", r)
	}
}
