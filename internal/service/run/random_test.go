package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
	"roshambo/verify"
)

// model is the expected state of a run.
type model struct {
	id             string
	status         run.Status
	first, cleared int64
	throws         int
	last, acted    time.Time
}

// scenario is a random sequence of a player's actions with the expected results.
type scenario struct {
	*fixture
	tb       testing.TB
	ann, eve chain.Address
	now      *model // the last run; nil before the first
	wallet   int    // tokens
	decided  map[string]int
}

// throw plays a random throw and checks its result.
func (v *scenario) throw(t *rapid.T) {
	entropy := rapid.SampledFrom([]string{"", "", "noise", "ünïcode \x00\"\\"}).Draw(t, "entropy")
	move := rapid.SampledFrom([]game.Move{game.Rock, game.Paper, game.Scissors}).Draw(t, "move")
	if rapid.Bool().Draw(t, "luck") { // longer runs
		move = v.moveFor(v.get(v.tb, v.now.id), game.Win, entropy)
	}
	var thrown run.Thrown
	err := v.do(v.tb, func(ctx context.Context, tx *store.Tx) (err error) {
		thrown, err = v.Throw(ctx, tx, v.ann, v.now.id, run.Play{Move: move, Entropy: entropy})
		return err
	})
	now := v.Clock.Now()
	_, fast := errors.AsType[*run.TooFastError](err)
	_, state := errors.AsType[*run.StateError](err)
	switch {
	case v.now.status != run.Active:
		if !state {
			t.Fatalf("throw in a run that is %s: error %v", v.now.status, err)
		}
		return
	case now.Sub(v.now.last) < run.ThrowInterval:
		if !fast {
			t.Fatalf("throw %v after the last one: error %v", now.Sub(v.now.last), err)
		}
		return
	case err != nil:
		t.Fatal(err)
	}
	v.now.throws++
	v.now.last, v.now.acted = now, now
	seeds := v.drawn.behind(thrown.Run.Commitment)
	if theirs := fair.HouseMove(seeds.Seed(v.now.throws), v.now.throws, fair.HashText(thrown.Run.ClientSeed),
		fair.HashText(entropy)); thrown.Throw.House != theirs ||
		thrown.Throw.Seed != seeds.Seed(v.now.throws) || thrown.Throw.N != v.now.throws ||
		thrown.Throw.Outcome != move.Against(theirs) {
		t.Fatalf("throw %d came out as %+v", v.now.throws, thrown.Throw)
	}
	switch thrown.Throw.Outcome {
	case game.Win:
		v.now.status = run.Deciding
		if v.now.cleared++; v.now.cleared == 16 {
			v.end(run.Claimed)
		}
	case game.Loss:
		v.end(run.Lost)
	case game.Tie:
	}
}

func (v *scenario) end(s run.Status) {
	v.now.status = s
	v.decided[v.now.id]++
	if s == run.Claimed {
		v.wallet++
	}
}

// begin starts a run with random options.
func (v *scenario) begin(t *rapid.T) {
	o := run.StartOptions{
		Entry: rapid.SampledFrom([]chain.Entry{"", chain.EntryFree, chain.EntryFee, chain.EntryDaily,
			chain.EntryBurn}).Draw(t, "entry"),
		ClientSeed: rapid.SampledFrom([]string{"", "mine", "sæd\n"}).Draw(t, "client seed"),
	}
	started, err := v.start(v.tb, v.ann, o)
	open := v.now != nil && !v.now.status.Over()
	switch {
	case errors.Is(err, run.ErrRunActive) != open:
		t.Fatalf("started while a run is open (%v): error %v", open, err)
	case err != nil:
		_, funds := errors.AsType[*chain.InsufficientFundsError](err)
		if !open && !funds && !errors.Is(err, run.ErrEntryUsed) && !errors.Is(err, run.ErrNoToken) {
			t.Fatal(err)
		}
		return
	}
	r := started.Run
	if r.Entry == chain.EntryBurn {
		v.wallet--
	}
	last := time.Time{} // throws are spaced by the account, so the run before counts
	if v.now != nil {
		last = v.now.last
	}
	v.now = &model{id: r.ID, status: run.Active, first: r.FirstTier, cleared: r.FirstTier, acted: v.Clock.Now(),
		last: last}
}

// decide continues, claims or abandons, after another account's attempt was refused.
func (v *scenario) decide(t *rapid.T) {
	act := rapid.SampledFrom([]string{"continue", "continue", "claim", "abandon"}).Draw(t, "decision")
	do := map[string]func(testing.TB, chain.Address, string) (*run.Run, error){"continue": v.proceed,
		"claim": v.claim, "abandon": v.abandon}[act]
	if _, err := do(v.tb, v.eve, v.now.id); !errors.Is(err, run.ErrForbidden) {
		t.Fatalf("a stranger may %s: error %v", act, err)
	}
	_, err := do(v.tb, v.ann, v.now.id)
	may := v.now.status == run.Deciding || act == "abandon" && v.now.status == run.Active
	if may != (err == nil) {
		t.Fatalf("%s a run that is %s: error %v", act, v.now.status, err)
	}
	if !may {
		return
	}
	v.now.acted = v.Clock.Now()
	switch act {
	case "continue":
		v.now.status = run.Active
	case "claim":
		v.end(run.Claimed)
	case "abandon":
		v.end(run.Abandoned)
	}
}

// wait moves the clock, and sometimes sweeps.
func (v *scenario) wait(t *rapid.T) {
	v.Clock.Add(rapid.SampledFrom([]time.Duration{
		time.Millisecond, run.ThrowInterval - 1, run.ThrowInterval, run.ThrowInterval, time.Minute, 7 * time.Hour,
		run.IdleTimeout,
	}).Draw(t, "wait"))
	if rapid.IntRange(0, 2).Draw(t, "sweep") > 0 {
		return
	}
	late := v.now != nil && !v.now.status.Over() && v.Clock.Now().Sub(v.now.acted) >= run.IdleTimeout
	if n, err := v.Sweep(v.tb.Context()); err != nil || (n == 1) != late {
		t.Fatalf("swept %d, error %v, late is %v", n, err, late)
	}
	switch {
	case !late:
	case v.now.status == run.Deciding:
		v.end(run.Claimed)
	default:
		v.end(run.Abandoned)
	}
}

// check compares the stored run with the model, and checks its proof and that it reveals no
// later seed.
func (v *scenario) check(t *rapid.T) {
	if v.now == nil {
		return
	}
	r := v.get(v.tb, v.now.id)
	if r.Status != v.now.status || r.Cleared != v.now.cleared || r.FirstTier != v.now.first ||
		int(r.Throws) != v.now.throws {
		t.Fatalf("got %+v, want %+v", r, v.now)
	}
	proof := v.proof(v.tb, r.ID)
	if report := verify.Run(proof, verify.Options{}); report.Verdict == verify.NotValid {
		t.Fatalf("the proof fails: %v", report.Checks)
	}
	shown, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	shown = append(append(shown, proof...), r.Transcript...)
	seeds := v.drawn.behind(r.Commitment)
	for n := v.now.throws + 1; n <= min(v.now.throws+3, fair.Length); n++ {
		if holds(shown, seeds.Seed(n)) {
			t.Fatalf("seed %d is shown after %d throws", n, v.now.throws)
		}
	}
	if holds(shown, seeds.Seed(fair.Length)) && v.now.throws < fair.Length {
		t.Fatal("the last seed is shown")
	}
}

// TestRandomScenarios plays random actions and checks after each that the run equals the
// model, its proof is valid, no unrevealed seed is shown, and no run ends twice.
func TestRandomScenarios(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	other := h.Service
	h.restart(t)
	seen := map[run.Status]int{}
	play := func(rt *rapid.T, take func(map[string]func(*rapid.T))) {
		h.Clock.Add(run.IdleTimeout)
		if _, err := h.Sweep(t.Context()); err != nil { // the run of the previous scenario
			rt.Fatal(err)
		}
		v := &scenario{fixture: h, tb: t, ann: h.join(t), eve: h.join(t), decided: map[string]int{}}
		act := func(fn func(*rapid.T)) func(*rapid.T) {
			return func(rt *rapid.T) {
				if v.now != nil {
					fn(rt)
				}
			}
		}
		take(map[string]func(*rapid.T){
			"begin": v.begin, "throw": act(v.throw), "throw again": act(v.throw), "decide": act(v.decide), "wait": v.wait,
			"seal": func(*rapid.T) { h.SealAll(t) }, "restart": func(*rapid.T) { h.restart(t) },
			// Afterwards the cache of this node is outdated.
			"another node": func(*rapid.T) { h.Service, other = other, h.Service }, "": v.check,
		})
		for id, n := range v.decided {
			if n != 1 || !h.get(t, id).Status.Over() {
				rt.Errorf("run %s was decided %d times", id, n)
			}
		}
		if got := len(h.tokens(t, v.ann)); got != v.wallet {
			rt.Errorf("%d tokens in the wallet, want %d", got, v.wallet)
		}
		if v.now != nil {
			seen[v.now.status]++
		}
	}
	testseed.Tour(t, func(rt *rapid.T) { play(rt, func(all map[string]func(*rapid.T)) { testseed.Each(rt, 4, all) }) })
	rapid.Check(t, func(rt *rapid.T) { play(rt, rt.Repeat) })
	h.SealAll(t)
	h.WantValid(t)
	if len(seen) == 0 {
		t.Error("no scenario had a run")
	}
}
