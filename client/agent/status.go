package agent

import (
	"context"

	"roshambo/client"
	"roshambo/client/api"
)

// StatusOut is the answer of status.
type StatusOut struct {
	Service  string  `json:"service,omitempty" jsonschema:"the address of the service; absent if it does not know its own"`
	SignedIn bool    `json:"signed_in" jsonschema:"without a key you can read and verify only"`
	You      *Player `json:"you,omitempty"`
	Balance  int64   `json:"balance" jsonschema:"in coins, which are worth no money"`
	Duels    []*Duel `json:"duels" jsonschema:"your unfinished duels"`
	// Challenges are open duels that the caller alone may join.
	Challenges []*Challenged `json:"challenges" jsonschema:"challenges of you: start_duel with kind join accepts one, resign declines it"`
	Run        *Run          `json:"run,omitempty" jsonschema:"your unfinished run"`
	Cup        *int64        `json:"cup,omitempty" jsonschema:"the number of the unfinished cup that you are in"`
	Next       string        `json:"next" jsonschema:"what to do next"`
}

// status reads what waits for the caller.
func (a *Agent) status(ctx context.Context, _ none) (*StatusOut, error) {
	out := &StatusOut{Service: a.URL, Duels: []*Duel{}, Challenges: []*Challenged{}}
	if a.Key == "" {
		out.Next = "You can read and verify. To play, this server needs a key in ROSHAMBO_KEY."
		return out, nil
	}
	me, err := a.me(ctx)
	if err != nil {
		return nil, err
	}
	out.SignedIn, out.Balance = true, me.Balance
	out.You = player(me.Account.Address, me.Account.Kind, me.Account.Username)
	for _, status := range []api.ListDuelsParamsStatus{api.ListDuelsParamsStatusActive, api.ListDuelsParamsStatusOpen} {
		list, err := a.unfinished(ctx, status)
		if err != nil {
			return nil, err
		}
		for i := range list {
			answer := a.answer(&list[i])
			out.Duels = append(out.Duels, answer.Duel)
			if out.Next == "" || answer.Duel.Waits == YourMove {
				out.Next = answer.Next
			}
		}
	}
	if out.Challenges, err = a.challenges(ctx); err != nil {
		return nil, err
	}
	one := int64(1)
	cups, err := client.Read[api.CupsOut](a.calls.API.ListCups(ctx, &api.ListCupsParams{Limit: &one}))
	if err != nil {
		return nil, err
	}
	out.Cup = cups.Own
	if me.ActiveRun != nil {
		run := a.runAnswer(me.ActiveRun)
		out.Run = run.Run
		if out.Next == "" {
			out.Next = run.Next
		}
	}
	challenge := nextOfChallenges(out.Challenges)
	switch {
	case out.Next != "" && challenge != "": // a deadline runs in a duel, and a challenge has minutes
		out.Next += " Then: " + challenge
	case out.Next != "":
	case challenge != "":
		out.Next = challenge
	case out.Cup != nil:
		out.Next = "Call start_duel with kind cup for your next game."
	default:
		out.Next = "Nothing waits. Call start_duel, start_run or list_cups."
	}
	return out, nil
}
