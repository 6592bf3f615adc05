package agent

import (
	"context"
	"fmt"

	"roshambo/client"
	"roshambo/client/api"
)

// addCupTools adds the tools of cups.
func (a *Agent) addCupTools() {
	add(a, tool{"list_cups", "List cups", "The newest cups, open ones among them: tournaments over duels that cost " +
		"nothing.", reads}, (*Agent).listCups)
	add(a, tool{"join_cup", "Join a cup", "Join a cup before it starts. An account is in one unfinished cup at a time; " +
		"a player who takes no step in a game is out.", plays}, (*Agent).joinCup)
	add(a, tool{"cup_table", "Table of a cup", "The table of a cup, your games in it, and when the next round begins.",
		reads}, (*Agent).cupTable)
}

// Cup is a cup.
type Cup struct {
	Number      int64  `json:"number"`
	Name        *Words `json:"name,omitempty"`
	For         string `json:"for" jsonschema:"bots or people"`
	Status      string `json:"status" jsonschema:"open: can be joined; running; finished; cancelled"`
	Host        *Words `json:"host,omitempty" jsonschema:"the player who opened it; absent for the service's own"`
	StartsIn    *int64 `json:"starts_in_seconds,omitempty" jsonschema:"while open"`
	ByHand      bool   `json:"by_hand" jsonschema:"its host starts it"`
	Private     bool   `json:"private" jsonschema:"joining needs a code"`
	Players     int64  `json:"players"`
	Seats       int64  `json:"seats"`
	Round       int64  `json:"round"`
	Rounds      int64  `json:"rounds" jsonschema:"0 before the start"`
	System      string `json:"system"`
	StepSeconds *int64 `json:"step_seconds,omitempty" jsonschema:"for each commitment and each reveal; absent for the usual time"`
}

// CupsOut is the answer of list_cups.
type CupsOut struct {
	Cups []Cup  `json:"cups" jsonschema:"the newest first"`
	Own  *int64 `json:"own,omitempty" jsonschema:"the number of the unfinished cup that you are in"`
}

// JoinCupIn is the input of join_cup.
type JoinCupIn struct {
	Number int64  `json:"number" jsonschema:"the number of the cup"`
	Code   string `json:"code,omitempty" jsonschema:"of a private cup"`
}

// CupIn names a cup.
type CupIn struct {
	Number int64 `json:"number" jsonschema:"the number of the cup"`
}

// CupAnswer is a cup with its table.
type CupAnswer struct {
	Cup      Cup      `json:"cup"`
	You      string   `json:"you,omitempty" jsonschema:"in or out; absent if you do not play in it"`
	YourDuel string   `json:"your_duel,omitempty" jsonschema:"the code of your game of this round"`
	NextIn   *int64   `json:"next_in_seconds,omitempty" jsonschema:"until the next round"`
	Table    []CupRow `json:"table" jsonschema:"the best first, at most 64"`
	Next     string   `json:"next" jsonschema:"what to do next"`
}

// CupRow is a row of a table.
type CupRow struct {
	Rank     int64  `json:"rank"`
	Player   Player `json:"player"`
	Points   int64  `json:"points" jsonschema:"2 for a win, 1 for a draw"`
	Buchholz int64  `json:"buchholz" jsonschema:"the points of the opponents"`
	Out      bool   `json:"out" jsonschema:"has left or not shown up"`
}

// maxCups is how many cups list_cups shows.
const maxCups = 10

// listCups lists the newest cups.
func (a *Agent) listCups(ctx context.Context, _ none) (*CupsOut, error) {
	limit := int64(maxCups)
	list, err := client.Read[api.CupsOut](a.calls.API.ListCups(ctx, &api.ListCupsParams{Limit: &limit}))
	if err != nil {
		return nil, err
	}
	out := &CupsOut{Cups: []Cup{}, Own: list.Own}
	for i := range list.Cups {
		out.Cups = append(out.Cups, a.viewCup(&list.Cups[i]))
	}
	return out, nil
}

// joinCup joins a cup.
func (a *Agent) joinCup(ctx context.Context, in JoinCupIn) (*CupAnswer, error) {
	if a.Key == "" {
		return nil, errNoKey
	}
	var body api.JoinCupIn
	if in.Code != "" {
		body.Code = &in.Code
	}
	return a.cupAnswer(client.Read[api.CupOut](a.calls.API.JoinCup(ctx, in.Number, body)))
}

// cupTable reads a cup.
func (a *Agent) cupTable(ctx context.Context, in CupIn) (*CupAnswer, error) {
	return a.cupAnswer(client.Read[api.CupOut](a.calls.API.GetCup(ctx, in.Number)))
}

// cupAnswer returns a cup with its table and what to do next.
func (a *Agent) cupAnswer(c *api.CupOut, err error) (*CupAnswer, error) {
	if err != nil {
		return nil, err
	}
	out := &CupAnswer{Cup: a.viewCup(&c.Cup), You: plain(deref(c.You)), YourDuel: plain(deref(c.YourDuel)),
		Table: []CupRow{}}
	if c.NextAt != nil {
		out.NextIn = a.secondsUntil(*c.NextAt)
	}
	for _, r := range c.Table {
		out.Table = append(out.Table, CupRow{r.Rank, *player(r.Address, r.Kind, r.Username), r.Points, r.Buchholz, r.Out})
	}
	switch open, running := c.Cup.Status == api.CupStatusOpen, c.Cup.Status == api.CupStatusRunning; {
	case out.YourDuel != "":
		out.Next = fmt.Sprintf("Call play with a move for duel %s.", out.YourDuel)
	case out.You == "in" && (open || running):
		out.Next, _ = a.cupWaits(c)
	case out.You == "" && open:
		out.Next = fmt.Sprintf("join_cup with number %d enters you.", c.Cup.Number)
	default:
		out.Next = "Nothing waits for you in this cup."
	}
	return out, nil
}

// viewCup returns a cup.
func (a *Agent) viewCup(c *api.Cup) Cup {
	v := Cup{Number: c.Number, Name: wordsOf(c.Name), For: plain(c.Kind), Status: plain(c.Status), ByHand: c.ByHand,
		Private: c.Private, Players: c.Players, Seats: c.Seats, Round: c.Round, Rounds: c.Rounds, System: plain(c.System),
		StepSeconds: c.MoveSeconds}
	if c.Creator != nil {
		v.Host = wordsOf(&c.Creator.Username)
	}
	if c.Status == api.CupStatusOpen {
		v.StartsIn = a.secondsUntil(c.StartsAt)
	}
	return v
}
