package agent

import (
	"context"
	"fmt"

	"roshambo/client"
	"roshambo/client/api"
)

// addRunTools adds the tools that play runs against the house.
func (a *Agent) addRunTools() {
	add(a, tool{"start_run", "Start a run", "Start a run against the house, up a ladder of tiers: each win reaches the " +
		"next one, a loss ends the run, a tie is thrown again. The entry is free unless you name another one. With a " +
		"move the first throw is made at once.", spends}, (*Agent).startRun)
	add(a, tool{"throw", "Throw", "Throw in your unfinished run, and decide in advance what happens after a win: claim " +
		"the tier as a token, which ends the run, or continue and risk it. When the run is deciding, the decision is " +
		"made first, and a move is thrown only after continue.", spends}, (*Agent).throw)
}

// Entry is how a run is paid for.
type Entry string

// The entries of a run.
const (
	FreeEntry  Entry = "free"
	FeeEntry   Entry = "fee"
	BurnEntry  Entry = "burn"
	DailyEntry Entry = "daily"
)

// Then is the decision after a throw that wins.
type Then string

// The decisions.
const (
	Claim    Then = "claim"
	Continue Then = "continue"
)

// StartRunIn is the input of start_run.
type StartRunIn struct {
	Entry Entry `json:"entry,omitempty" jsonschema:"free, the default, costs nothing; daily is the daily challenge; fee costs coins; burn destroys a token and starts at its tier, for double or nothing"`
	Token int64 `json:"token,omitempty" jsonschema:"with burn: the number of the token; the cheapest one by default"`
	Move  Move  `json:"move,omitempty" jsonschema:"the first throw; then is needed with it"`
	Then  Then  `json:"then,omitempty" jsonschema:"after a first throw that wins: claim the tier, or continue"`
}

// ThrowIn is the input of throw.
type ThrowIn struct {
	Move Move `json:"move,omitempty" jsonschema:"your hand; not needed when the run is deciding"`
	Then Then `json:"then" jsonschema:"claim: take the tier if this throw wins, which ends the run; continue: risk it for the next one"`
}

// RunAnswer is a run, the newest throw and what to do next.
type RunAnswer struct {
	Run     *Run   `json:"run"`
	Outcome string `json:"outcome,omitempty" jsonschema:"of the throw of this call: win, loss or tie"`
	House   Move   `json:"house,omitempty" jsonschema:"the hand of the house in this throw"`
	Next    string `json:"next" jsonschema:"what to do next"`
}

// startRun starts a run, with its first throw if there is a move.
func (a *Agent) startRun(ctx context.Context, in StartRunIn) (*RunAnswer, error) {
	if a.Key == "" {
		return nil, errNoKey
	}
	entry := api.StartRunInEntryFree
	if in.Entry != "" {
		entry = api.StartRunInEntry(in.Entry)
	}
	start := api.StartRunIn{Entry: &entry}
	switch {
	case in.Token != 0 && in.Entry != BurnEntry:
		return nil, hintf("A token is burnt with entry burn only. Leave token out, or name entry burn.")
	case in.Token != 0:
		start.TokenID = &in.Token
	}
	switch {
	case in.Move != "" && in.Then == "":
		return nil, hintf("A first throw needs then: claim or continue.")
	case in.Move != "":
		move, then := api.StartRunInMove(in.Move), api.StartRunInThen(in.Then)
		start.Move, start.Then = &move, &then
	}
	a.running.Lock()
	defer a.running.Unlock()
	out, err := a.runs.Start(ctx, start)
	if err != nil {
		return nil, err
	}
	answer := a.runAnswer(&out.Run)
	if out.Throw != nil {
		answer.Outcome, answer.House = plain(out.Throw.Outcome), Move(plain(out.Throw.HouseMove))
	}
	return answer, nil
}

// throw makes the decision that a run waits for, and throws.
func (a *Agent) throw(ctx context.Context, in ThrowIn) (*RunAnswer, error) {
	if a.Key == "" {
		return nil, errNoKey
	}
	a.running.Lock()
	defer a.running.Unlock()
	// The state is read for each call: after an error a throw may have been counted.
	active, err := client.Read[api.ActiveRunOut](a.calls.API.GetActiveRun(ctx))
	if err != nil {
		return nil, err
	}
	run := active.Run
	if run == nil {
		return nil, hintf("You have no unfinished run. Call start_run.")
	}
	if run.Status == api.RunStatusDeciding {
		if in.Then == Claim {
			out, err := client.Read[api.ClaimOut](a.calls.API.ClaimRun(ctx, run.ID))
			if err != nil {
				return nil, err
			}
			return a.runAnswer(&out.Run), nil
		}
		out, err := client.Read[api.RunOut](a.calls.API.ContinueRun(ctx, run.ID))
		if err != nil {
			return nil, err
		}
		if in.Move == "" {
			return a.runAnswer(&out.Run), nil
		}
		run = &out.Run
	}
	if in.Move == "" {
		return nil, hintf("The run waits for a throw: name a move.")
	}
	then := api.ThrowInThen(in.Then)
	out, err := a.runs.Throw(ctx, run, api.ThrowIn{Move: api.ThrowInMove(in.Move), Then: &then})
	if err != nil {
		return nil, err
	}
	answer := a.runAnswer(&out.Run)
	answer.Outcome, answer.House = plain(out.Outcome), Move(plain(out.Throw.HouseMove))
	return answer, nil
}

// runAnswer returns a run and what to do next.
func (a *Agent) runAnswer(r *api.Run) *RunAnswer {
	v := a.viewRun(r)
	answer := &RunAnswer{Run: v}
	switch r.Status {
	case api.RunStatusActive:
		answer.Next = "Call throw with a move, and then: claim or continue."
	case api.RunStatusDeciding:
		answer.Next = "Call throw with then claim to take the tier, or continue to risk it."
	case api.RunStatusClaimed:
		answer.Next = fmt.Sprintf("The run is over: tier %d is yours as a token. verify checks its proof.", v.Cleared)
	case api.RunStatusLost:
		answer.Next = "The run is lost. verify checks its proof; start_run starts another one."
	default:
		answer.Next = "The run is over."
	}
	return answer
}
