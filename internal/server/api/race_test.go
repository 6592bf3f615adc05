package api_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/service/run"
)

// attemptBy is a request and its sender.
type attemptBy struct {
	*player
	q request
}

// together sends n copies of a request concurrently, and returns the answers by outcome: "200", or
// the code of an error.
func (p *player) together(t *testing.T, n int, q request) (outcomes map[string][]answer) {
	t.Helper()
	return atOnce(t, slices.Repeat([]attemptBy{{p, q}}, n))
}

// atOnce sends requests concurrently, and returns the answers by outcome: "200", or the code of an
// error.
func atOnce(t *testing.T, requests []attemptBy) (outcomes map[string][]answer) {
	t.Helper()
	answers := make([]answer, len(requests))
	errs := make([]error, len(requests))
	ready := make(chan struct{})
	var wait sync.WaitGroup
	for i, r := range requests {
		wait.Go(func() {
			<-ready
			answers[i], errs[i] = r.try(t, r.q)
		})
	}
	close(ready)
	wait.Wait()
	outcomes = map[string][]answer{}
	for i, a := range answers {
		if errs[i] != nil {
			t.Fatalf("%v: %v", requests[i].q, errs[i])
		}
		a.check(t, requests[i].s)
		outcome := fmt.Sprint(a.status)
		if a.status != 200 {
			outcome = codeOf(a.body)
		}
		outcomes[outcome] = append(outcomes[outcome], a)
	}
	return outcomes
}

// oneOf requires that exactly one call succeeded and all others failed with a code of the list, and
// returns the successful answer.
func oneOf(t *testing.T, outcomes map[string][]answer, codes ...string) answer {
	t.Helper()
	for outcome, answers := range outcomes {
		if outcome != "200" && !slices.Contains(codes, outcome) {
			t.Errorf("%d calls ended in %s: %s", len(answers), outcome, answers[0].body)
		}
	}
	if n := len(outcomes["200"]); n != 1 {
		t.Fatalf("%d calls succeeded, want 1", n)
	}
	return outcomes["200"][0]
}

func TestThrowsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, outcome := range []game.Outcome{game.Tie, game.Win, game.Loss} {
		p := s.guest(t)
		r := p.start(t, "")
		body := `{"move":"` + s.seeds.move(r, "", outcome) + `"}`
		q := request{"POST", "/api/runs/" + r.ID + "/throw", body, map[string]string{"X-CSRF-Token": p.csrf}}
		// The others were too early after the first, or in a state that had ended.
		one := oneOf(t, p.together(t, 8, q), "too_fast", "run_state")
		thrown := decode[api.ThrowOut](t, one)
		got := decode[api.RunOut](t, p.get(t, "/api/runs/"+r.ID).ok(t)).Run
		if len(got.Throws) != 1 || got.Throws[0].Seed != thrown.Seed || thrown.Outcome != outcome.String() {
			t.Errorf("%v: the run has the throws %+v, answered was %+v", outcome, got.Throws, thrown.Throw)
		}
	}
}

func TestClaimsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	r := p.play(t, p.start(t, ""), game.Win)
	q := request{"POST", "/api/runs/" + r.ID + "/claim", "", map[string]string{"X-CSRF-Token": p.csrf}}
	claimed := decode[api.ClaimOut](t, oneOf(t, p.together(t, 8, q), "already_claimed"))
	wallet := decode[api.AddressOut](t, p.get(t, "/api/chain/address/"+p.address).ok(t)).Address
	if len(wallet.Tokens) != 1 || wallet.Tokens[0].TokenID != claimed.Token.TokenID {
		t.Errorf("the wallet holds %+v, claimed was %+v", wallet.Tokens, claimed.Token)
	}
	p.chainIsValid(t)
}

// TestDecisionsAtOnce claims, continues and abandons concurrently: one of them counts.
func TestDecisionsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	r := p.play(t, p.start(t, ""), game.Win)
	var mu sync.Mutex
	succeeded := map[string]int{}
	var wait sync.WaitGroup
	for _, action := range []string{"claim", "continue", "abandon", "claim", "continue", "abandon"} {
		wait.Go(func() {
			a, err := p.try(t, request{"POST", "/api/runs/" + r.ID + "/" + action, "{}",
				map[string]string{"X-CSRF-Token": p.csrf}})
			if err != nil {
				t.Error(err)
				return
			}
			a.check(t, s)
			mu.Lock()
			defer mu.Unlock()
			if a.status == 200 {
				succeeded[action]++
			} else if code := codeOf(a.body); code != "run_state" && code != "already_claimed" {
				t.Errorf("%s: %d %s", action, a.status, a.body)
			}
		})
	}
	wait.Wait()
	// A run that continues can still be abandoned.
	ends := succeeded["claim"] + succeeded["abandon"]
	if succeeded["continue"] > 1 || ends != 1 || succeeded["continue"] == 1 && succeeded["claim"] > 0 {
		t.Errorf("succeeded: %v", succeeded)
	}
	p.chainIsValid(t)
}

func TestStartsAtOnce(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	q := request{"POST", "/api/runs", `{"entry":"fee"}`, map[string]string{"X-CSRF-Token": p.csrf}}
	started := decode[api.StartRunOut](t, oneOf(t, p.together(t, 8, q), "run_active"))
	if me := p.me(t); me.Balance != 950 || me.ActiveRun == nil || me.ActiveRun.ID != started.Run.ID {
		t.Errorf("after 8 starts: %+v", me)
	}
	if runs := decode[api.RunsOut](t, p.get(t, "/api/runs").ok(t)).Runs; len(runs) != 1 {
		t.Errorf("%d runs, want 1", len(runs))
	}
}

func TestFaucetAtOnce(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	q := poor(t, p)
	q.header = map[string]string{"X-CSRF-Token": p.csrf}
	oneOf(t, p.together(t, 8, q), "faucet_not_ready")
	if got := p.me(t).Balance; got != 650 {
		t.Errorf("balance %d, want 650: one drop for 450 coins", got)
	}
}

// TestBurnsAtOnce tries to pay for two runs with one token.
func TestBurnsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	r := p.play(t, p.start(t, ""), game.Win)
	token := decode[api.ClaimOut](t, p.post(t, "/api/runs/"+r.ID+"/claim", "").ok(t)).Token
	body := fmt.Sprintf(`{"entry":"burn","token_id":%d}`, token.TokenID)
	q := request{"POST", "/api/runs", body, map[string]string{"X-CSRF-Token": p.csrf}}
	oneOf(t, p.together(t, 8, q), "run_active", "not_owner")
	p.chainIsValid(t)
}

// TestOtherPlayersRun tries every action on another player's run. All may read it.
func TestOtherPlayersRun(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, other := s.guest(t), s.guest(t)
	r := owner.play(t, owner.start(t, ""), game.Win)
	for action, body := range map[string]string{"throw": `{"move":"rock"}`, "continue": "", "claim": "", "abandon": ""} {
		other.post(t, "/api/runs/"+r.ID+"/"+action, body).fails(t, 403, "forbidden")
	}
	seen := decode[api.RunOut](t, s.anonymous(t).get(t, "/api/runs/"+r.ID).ok(t)).Run
	if seen.Status != "deciding" || len(seen.Throws) != 1 {
		t.Errorf("the run is %+v", seen)
	}
	owner.post(t, "/api/runs/"+r.ID+"/claim", "").ok(t)
}

// TestWrongState tries every action in every state that does not allow it.
func TestWrongState(t *testing.T) {
	t.Parallel()
	s := start(t)
	states := map[string]func(p *player, r api.Run) api.Run{
		"active":   func(_ *player, r api.Run) api.Run { return r },
		"deciding": func(p *player, r api.Run) api.Run { return p.play(t, r, game.Win) },
		"lost":     func(p *player, r api.Run) api.Run { return p.play(t, r, game.Loss) },
		"claimed":  func(p *player, r api.Run) api.Run { return p.play(t, r, game.Win, game.Win, game.Win) },
		"abandoned": func(p *player, r api.Run) api.Run {
			return decode[api.AbandonOut](t, p.post(t, "/api/runs/"+r.ID+"/abandon", "").ok(t)).Run
		},
	}
	allowed := map[string]string{"throw": "active", "continue": "deciding", "claim": "deciding",
		"abandon": "active deciding"}
	for state, bring := range states {
		p := s.guest(t)
		r := bring(p, p.start(t, ""))
		s.clock.forward(run.ThrowInterval)
		for action, where := range allowed {
			if strings.Contains(where, state) {
				continue
			}
			a := p.post(t, "/api/runs/"+r.ID+"/"+action, `{"move":"paper"}`)
			if state == "claimed" && action == "claim" {
				a.fails(t, 409, "already_claimed")
			} else if e := a.fails(t, 409, "run_state"); e.Status != state {
				t.Errorf("%s a run that is %s: the error says it is %s", action, state, e.Status)
			}
		}
		if got := decode[api.RunOut](t, p.get(t, "/api/runs/"+r.ID).ok(t)).Run; got.Status != state ||
			len(got.Throws) != len(r.Throws) {
			t.Errorf("the run was %+v, and is %+v", r, got)
		}
	}
}
