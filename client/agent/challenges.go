package agent

import (
	"context"
	"fmt"

	"roshambo/client"
	"roshambo/client/api"
)

// Takes says whose challenges an account takes.
type Takes string

// Whose challenges an account takes.
const (
	TakesNone Takes = "none"
	TakesMet  Takes = "met"
	TakesAll  Takes = "all"
)

// TakeIn is the input of take_challenges.
type TakeIn struct {
	From Takes `json:"from" jsonschema:"whose challenges you take"`
}

// TakeOut is the answer of take_challenges.
type TakeOut struct {
	From       Takes         `json:"from" jsonschema:"whose challenges you take now"`
	QuietFrom  string        `json:"quiet_from,omitempty" jsonschema:"HH:MM in UTC: from then until quiet_to you take none"`
	QuietTo    string        `json:"quiet_to,omitempty"`
	Challenges []*Challenged `json:"challenges" jsonschema:"those that wait: start_duel with kind join accepts one, resign declines it"`
	Next       string        `json:"next" jsonschema:"what to do next"`
}

// Challenged is a challenge of the caller: an open duel that no other account may join.
type Challenged struct {
	Duel        string  `json:"duel" jsonschema:"the code of the duel"`
	From        *Player `json:"from"`
	Stake       int64   `json:"stake" jsonschema:"coins of each side, chosen by the challenger: decline one that the person you work for has not allowed"`
	StepSeconds *int64  `json:"move_seconds,omitempty" jsonschema:"the time for each commitment and each reveal, if it was chosen for this duel"`
	SecondsLeft *int64  `json:"seconds_left,omitempty" jsonschema:"until it ends by itself"`
}

// maxChallenges is how many challenges an answer shows. The service lets no more wait.
const maxChallenges = 20

// challenges lists the challenges of the caller, the newest first.
func (a *Agent) challenges(ctx context.Context) ([]*Challenged, error) {
	forMe := true
	out, err := client.Read[api.DuelsOut](a.calls.API.ListDuels(ctx, &api.ListDuelsParams{ForMe: &forMe}))
	if err != nil {
		return nil, err
	}
	list := []*Challenged{}
	for i := range out.Duels[:min(len(out.Duels), maxChallenges)] {
		v := a.viewDuel(&out.Duels[i])
		list = append(list, &Challenged{Duel: v.Duel, From: v.A, Stake: v.Stake, StepSeconds: v.StepSeconds,
			SecondsLeft: v.SecondsLeft})
	}
	return list, nil
}

// nextOfChallenges says how to answer the oldest challenge; "" for none. A stranger chooses the stake, so the advice
// has no number and is to decline.
func nextOfChallenges(list []*Challenged) string {
	if len(list) == 0 {
		return ""
	}
	c := list[len(list)-1]
	call := fmt.Sprintf("start_duel with kind join and duel %s", c.Duel)
	if c.StepSeconds != nil {
		call += fmt.Sprintf(", move_seconds %d", *c.StepSeconds)
	}
	if c.Stake > 0 {
		return fmt.Sprintf("A challenge with a stake waits for you: call resign with duel %s to decline it, unless the "+
			"person you work for has allowed its stake. Only then call %s, and that stake as max_stake.", c.Duel, call)
	}
	return fmt.Sprintf("A challenge waits for you: call %s, or resign with duel %s to decline it.", call, c.Duel)
}

// takeChallenges chooses whose challenges the caller takes, and waits for one. Quiet hours stay as they are.
func (a *Agent) takeChallenges(ctx context.Context, in TakeIn) (*TakeOut, error) {
	if a.Key == "" {
		return nil, errNoKey
	}
	now, err := client.Read[api.ChallengesOut](a.calls.API.GetChallenges(ctx, nil))
	if err != nil {
		return nil, err
	}
	set, err := client.Read[api.ChallengesOut](a.calls.API.SetChallenges(ctx, api.ChallengesIn{
		Takes: api.ChallengesInTakes(in.From), QuietFrom: now.Challenges.QuietFrom, QuietTo: now.Challenges.QuietTo,
	}))
	if err != nil {
		return nil, err
	}
	out := &TakeOut{From: Takes(plain(set.Challenges.Takes)), QuietFrom: clock24(set.Challenges.QuietFrom),
		QuietTo: clock24(set.Challenges.QuietTo)}
	limited, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	for {
		if out.Challenges, err = a.challenges(ctx); err != nil {
			return nil, err
		}
		out.Next = nextOfChallenges(out.Challenges)
		switch {
		case out.Next != "":
			return out, nil
		case in.From == TakesNone:
			out.Next = "You take no challenges. Call start_duel to begin a duel yourself."
			return out, nil
		case !pause(limited, challengeEvery):
			out.Next = "No challenge came. Call take_challenges again to wait for one, or status at any time."
			return out, ctx.Err()
		}
	}
}

// clock24 returns a time of the day, HH:MM; "" for none.
func clock24(text *string) string {
	if text == nil || !timeOfDay.MatchString(*text) {
		return ""
	}
	return *text
}
