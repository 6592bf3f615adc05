package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/game"
)

// addDuelTools adds the tools that play duels.
func (a *Agent) addDuelTools() {
	addStep(a, tool{"status", "What waits", "Who you are, your unfinished duels with their deadlines, challenges of you, your " +
		"run and your cup, and what to do next. Call it first, and whenever you are not sure.", reads}, (*Agent).status)
	addStep(a, tool{"start_duel", "Start a duel", "Begin a duel, best of five: practice against the sparring bot (spar), a " +
		"rated duel against an opponent of similar strength (ranked), the next game of your cup (cup), a challenge of a " +
		"player or bot by name (challenge), a duel that another player joins by its code (open), or one that you join by " +
		"its code, such as a challenge of you (join). Waits up to half a minute for the opponent.", plays}, (*Agent).startDuel)
	addStep(a, tool{"take_challenges", "Take challenges", "Choose who may challenge you by name: all, only players from your " +
		"duels of the last 30 days (met), or none, the default of a bot. The choice stays. Unless it is none, waits up to half " +
		"a minute for a challenge, and answers with those that wait.", sets}, (*Agent).takeChallenges)
	addStep(a, tool{"play", "Play a move", "Play rock, paper or scissors in the current round. The move is committed and " +
		"hidden until both sides have committed, then revealed; this call waits up to half a minute for the other side " +
		"and answers with the result of the round. A move that was committed cannot be changed: a further call for the round " +
		"waits for its result.", plays}, (*Agent).play)
	addStep(a, tool{"wait_turn", "Wait for your turn", "Wait up to half a minute until a duel needs your move or is over. A " +
		"round that you have played goes on meanwhile.", waits}, (*Agent).waitTurn)
	addStep(a, tool{"resign", "Resign", "Give up a duel: the other side wins it, with its stake. An open duel that no " +
		"player has joined is cancelled instead, and a challenge of you declined.", spends}, (*Agent).resign)
	addStep(a, tool{"get_duel", "Look at a duel", "Read any duel by its code: sides, score, decided rounds.", reads},
		(*Agent).getDuel)
}

// addStep is add for a tool that is called within a duel: a deadline may run until its calls are answered. At the
// service's own server none does, as it plays no duel, and a message has its own time.
func addStep[In, Out any](a *Agent, t tool, do func(*Agent, context.Context, In) (*Out, error)) {
	add(a, t, func(a *Agent, ctx context.Context, in In) (*Out, error) {
		if a.hosted == nil {
			ctx = client.AsSteps(ctx, nil)
		}
		return do(a, ctx, in)
	})
}

// Start is a way to begin a duel.
type Start string

// The ways to begin a duel.
const (
	Spar      Start = "spar"
	Ranked    Start = "ranked"
	CupGame   Start = "cup"
	Challenge Start = "challenge"
	Open      Start = "open"
	Join      Start = "join"
)

// StartIn is the input of start_duel.
type StartIn struct {
	Kind     Start  `json:"kind" jsonschema:"the way to begin a duel"`
	Opponent string `json:"opponent,omitempty" jsonschema:"of a challenge: the username or address of the player or bot"`
	Duel     string `json:"duel,omitempty" jsonschema:"to join: the code of the open duel or the challenge"`
	Seconds  int64  `json:"move_seconds,omitempty" jsonschema:"of a challenge or an open duel: the time for each commitment and each reveal, 5 to 300; by default 15 between bots and 60 with a person. To join: the time that the duel has, if it is not the default"`
	MaxStake int64  `json:"max_stake,omitempty" jsonschema:"to join: the most coins that you stake; by default 0, which joins duels without a stake only"`
}

// DuelIn names a duel.
type DuelIn struct {
	Duel string `json:"duel,omitempty" jsonschema:"the code of the duel; not needed while you have one unfinished duel"`
}

// NamedDuelIn names a duel that must be named.
type NamedDuelIn struct {
	Duel string `json:"duel" jsonschema:"the code of the duel"`
}

// PlayIn is the input of play.
type PlayIn struct {
	Move  Move   `json:"move" jsonschema:"your move"`
	Duel  string `json:"duel,omitempty" jsonschema:"the code of the duel; not needed while you have one unfinished duel"`
	Round int64  `json:"round,omitempty" jsonschema:"the round that the move is for; in another round nothing happens, so that a repeated call cannot play twice"`
}

// DuelAnswer is a duel and what to do next.
type DuelAnswer struct {
	Duel *Duel  `json:"duel,omitempty"`
	Next string `json:"next" jsonschema:"what to do next"`
}

// PlayOut is the answer of play.
type PlayOut struct {
	YourMove  Move     `json:"your_move" jsonschema:"the move that was committed"`
	TheirMove Move     `json:"their_move,omitempty" jsonschema:"absent while the round goes on, and if it was not revealed"`
	Result    string   `json:"result,omitempty" jsonschema:"of the round: won, lost, tie or void; absent while the other side has not moved"`
	Warnings  []string `json:"warnings" jsonschema:"such as little time left"`
	Duel      *Duel    `json:"duel"`
	Next      string   `json:"next" jsonschema:"what to do next"`
}

// Times of waiting.
const (
	// hold is how long the service is asked to hold an answer.
	hold = 5 * time.Second
	// pollEvery is the interval of calls if the service does not hold its answers.
	pollEvery = time.Second
	// cupEvery is the interval of calls for the next game of a cup.
	cupEvery = 2 * time.Second
	// challengeEvery is the interval of calls for a challenge.
	challengeEvery = 2 * time.Second
	// leaveTime bounds leaving the queue, which happens also when the model has given up its call.
	leaveTime = 5 * time.Second
	// hurry is the time left for a step below which play warns.
	hurry = 5
	// minStep and maxStep bound the seconds of a step that the creator of a duel chooses.
	minStep, maxStep = 5, 300
)

// startDuel begins a duel.
func (a *Agent) startDuel(ctx context.Context, in StartIn) (*DuelAnswer, error) {
	timed := in.Kind == Challenge || in.Kind == Open || in.Kind == Join
	if in.Seconds != 0 && (!timed || in.Seconds < minStep || in.Seconds > maxStep) {
		return nil, hintf("move_seconds is %d to %d, of a challenge, an open duel or a duel to join.", minStep, maxStep)
	}
	me, err := a.me(ctx)
	if err != nil {
		return nil, err
	}
	switch in.Kind {
	case Ranked:
		return a.ranked(ctx, me.Account.Kind == "bot")
	case CupGame:
		return a.cupGame(ctx)
	case Challenge:
		if in.Opponent == "" {
			return nil, hintf("A challenge needs the name of the player as opponent.")
		}
		d, err := a.create(ctx, &in.Opponent, in.Seconds)
		if err != nil {
			return nil, err
		}
		return a.await(ctx, d)
	case Open:
		d, err := a.create(ctx, nil, in.Seconds)
		if err != nil {
			return nil, err
		}
		answer := a.answer(d)
		answer.Next = fmt.Sprintf("Send the code %s to the other player, who joins with start_duel, kind join. Then call "+
			"wait_turn.", answer.Duel.Duel)
		return answer, nil
	case Join:
		return a.join(ctx, &in)
	}
	out, err := client.Read[api.DuelOut](a.calls.API.Spar(ctx))
	if err != nil {
		return nil, err
	}
	return a.answer(&out.Duel), nil
}

// ranked waits for an opponent of similar strength: for a bot in the arena, for a person in the quick match.
func (a *Agent) ranked(ctx context.Context, bot bool) (*DuelAnswer, error) {
	enter, leave := a.calls.API.Queue, a.calls.API.LeaveQueue
	if !bot {
		enter, leave = a.calls.API.QuickMatch, a.calls.API.LeaveQuickMatch
	}
	limited, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	for {
		response, err := enter(limited, client.Wait(hold))
		held := err == nil && response.Header.Get("Preference-Applied") != ""
		place, err := client.Read[api.QueueOut](response, err)
		switch {
		case err == nil && place.Duel != nil:
			return a.answer(place.Duel), nil
		case limited.Err() != nil:
			return a.leaveQueue(ctx, leave)
		case err != nil && client.Code(err) != "conflict":
			return nil, err
		case !held || err != nil:
			pause(limited, pollEvery)
		}
	}
}

// leaveQueue leaves the queue, so that no duel begins that the model does not know of, and returns the one that was
// found before.
func (a *Agent) leaveQueue(
	ctx context.Context, leave func(context.Context, ...api.RequestEditorFn) (*api.Answer[api.LeaveOut], error),
) (*DuelAnswer, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	out, err := client.Read[api.LeaveOut](leave(ctx))
	if err != nil {
		return nil, err
	}
	if out.Duel != nil {
		return a.answer(out.Duel), nil
	}
	return &DuelAnswer{Next: "No opponent came, and you have left the queue. Call start_duel again, or with kind spar " +
		"for practice."}, nil
}

// cupGame waits for the caller's next game of its cup.
func (a *Agent) cupGame(ctx context.Context) (*DuelAnswer, error) {
	one := int64(1)
	cups, err := client.Read[api.CupsOut](a.calls.API.ListCups(ctx, &api.ListCupsParams{Limit: &one}))
	if err != nil {
		return nil, err
	}
	if cups.Own == nil {
		return nil, hintf("You are in no unfinished cup. Call list_cups, then join_cup.")
	}
	limited, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	for {
		cup, err := client.Read[api.CupOut](a.calls.API.GetCup(ctx, *cups.Own))
		if err != nil {
			return nil, err
		}
		if cup.YourDuel != nil {
			d, err := a.read(ctx, *cup.YourDuel)
			if err != nil {
				return nil, err
			}
			return a.answer(d), nil
		}
		text, over := a.cupWaits(cup)
		if over || !pause(limited, cupEvery) {
			return &DuelAnswer{Next: text}, ctx.Err()
		}
	}
}

// cupWaits says why a player of a cup has no game now, and whether waiting is no use.
func (a *Agent) cupWaits(c *api.CupOut) (text string, over bool) {
	switch {
	case c.Cup.Status == api.CupStatusFinished, c.Cup.Status == api.CupStatusCancelled:
		return fmt.Sprintf("The cup is over. cup_table with number %d has the result.", c.Cup.Number), true
	case deref(c.You) == api.CupOutYouOut:
		return fmt.Sprintf("You are out of this cup. cup_table with number %d has the table.", c.Cup.Number), true
	case c.Cup.Status == api.CupStatusOpen:
		left := *a.secondsUntil(c.Cup.StartsAt)
		return fmt.Sprintf("The cup starts in %d seconds. Call start_duel with kind cup again then.", left),
			left > int64(a.Wait/time.Second)
	}
	return "The next round has not begun. Call start_duel with kind cup again.", false
}

// create opens an unlisted duel without a stake, for one player or for any player that has its code. seconds is the
// time for each step, 0 for the usual one.
func (a *Agent) create(ctx context.Context, opponent *string, seconds int64) (*api.Duel, error) {
	in := api.CreateDuelIn{Listed: new(false), Opponent: opponent}
	if seconds != 0 {
		in.MoveSeconds = &seconds
	}
	out, err := client.Read[api.DuelOut](a.calls.API.CreateDuel(ctx, in))
	if err != nil {
		return nil, err
	}
	return &out.Duel, nil
}

// join joins an open duel, unless its stake is more than the model allows, or its steps have another time than it
// expects. Neither ever changes.
func (a *Agent) join(ctx context.Context, in *StartIn) (*DuelAnswer, error) {
	d, err := a.read(ctx, in.Duel)
	if err != nil {
		return nil, err
	}
	if d.Stake > max(0, in.MaxStake) {
		return nil, hintf("This duel has a stake of %d coins. Join it, with max_stake, only if the person you work for has "+
			"allowed that many.", d.Stake)
	}
	// Before the time of the first step begins.
	if d.MoveSeconds == nil && in.Seconds != 0 {
		return nil, hintf("Each step of this duel has 15 seconds between bots and 60 with a person. Join it without " +
			"move_seconds if that is enough.")
	}
	if d.MoveSeconds != nil && *d.MoveSeconds != in.Seconds {
		return nil, hintf("Each step of this duel has %d seconds. Join it with move_seconds %d if that is enough.",
			*d.MoveSeconds, *d.MoveSeconds)
	}
	out, err := client.Read[api.DuelOut](a.calls.API.JoinDuel(ctx, d.ID))
	if err != nil {
		return nil, err
	}
	return a.answer(&out.Duel), nil
}

// play plays a move in the current round.
func (a *Agent) play(ctx context.Context, in PlayIn) (*PlayOut, error) {
	move, err := game.ParseMove(string(in.Move))
	if err != nil {
		return nil, hintf("A move is rock, paper or scissors.")
	}
	d, err := a.myDuel(ctx, in.Duel)
	if err != nil {
		return nil, err
	}
	if err := a.mayPlay(d, in.Round); err != nil {
		return nil, err
	}
	out := &PlayOut{Warnings: []string{}}
	if deadline := lastRound(d).Deadline; deadline != nil && *a.secondsUntil(*deadline) < hurry {
		out.Warnings = append(out.Warnings, fmt.Sprintf("Less than %d seconds were left for this step. A missed deadline "+
			"loses the round: decide sooner.", hurry))
	}
	p, err := a.begin(d, move)
	if err != nil {
		return nil, err
	}
	if p.move != move {
		out.Warnings = append(out.Warnings, fmt.Sprintf("You have chosen %s for this round before, and it may be "+
			"committed: it is played, and no other move.", p.move))
	}
	timer := time.NewTimer(a.Wait)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return out, a.outcome(ctx, out, d.ID, p)
}

// mayPlay returns a hint if the caller cannot play a move in a duel now.
func (a *Agent) mayPlay(d *api.Duel, round int64) error {
	v := a.see(d)
	switch v.Duel.Waits {
	case YourMove, TheOpponent: // a hand that is in play or stored here is played on
	case Over, LostHand, OpponentJoins, Watching:
		return hintf("You cannot play in this duel now. %s", v.Next)
	}
	if lastRound(d) == nil {
		return hintf("The duel has not begun. Call wait_turn.")
	}
	if round != 0 && round != v.Duel.Round {
		return hintf("The current round is %d, and your move was for round %d: nothing was played. %s", v.Duel.Round, round,
			v.Next)
	}
	return nil
}

// outcome adds the state after a round, or while it goes on.
func (a *Agent) outcome(ctx context.Context, out *PlayOut, code string, p *played) error {
	var d *api.Duel
	select {
	case <-p.done:
		if p.err != nil {
			return p.err
		}
		d = p.duel
	default:
		var err error
		if d, err = a.read(ctx, code); err != nil {
			return err
		}
	}
	answer := a.answer(d)
	out.YourMove, out.Duel, out.Next = Move(p.move.String()), answer.Duel, answer.Next
	if r := roundOf(d, p.number); r != nil {
		out.Result, out.TheirMove = roundResult(r, sideOf(d)), theirMove(r, sideOf(d))
	}
	return nil
}

// waitTurn waits until a duel needs its caller.
func (a *Agent) waitTurn(ctx context.Context, in DuelIn) (*DuelAnswer, error) {
	d, err := a.myDuel(ctx, in.Duel)
	if err != nil {
		return nil, err
	}
	return a.await(ctx, d)
}

// await waits until a duel needs its caller or is over, Options.Wait at most. It continues a round whose hand is
// stored here.
func (a *Agent) await(ctx context.Context, d *api.Duel) (*DuelAnswer, error) {
	limited, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	for {
		if err := a.resumeRound(d); err != nil {
			return nil, err
		}
		if p := a.inPlay(d.ID); p != nil {
			select {
			case <-p.done:
				if p.err != nil {
					return nil, p.err
				}
				d = p.duel
				continue
			case <-limited.Done():
				return a.answer(d), ctx.Err()
			}
		}
		answer := a.answer(d)
		if w := answer.Duel.Waits; w != TheOpponent && w != OpponentJoins && w != LostHand {
			return answer, nil
		}
		next, err := a.poll(limited, d)
		if limited.Err() != nil {
			return answer, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		d = next
	}
}

// poll returns the duel once it has changed since d, or when the long poll ends.
func (a *Agent) poll(ctx context.Context, d *api.Duel) (*api.Duel, error) {
	response, err := a.calls.API.GetDuel(ctx, d.ID, &api.GetDuelParams{Version: &d.Version, Salts: new(bool)},
		client.Wait(hold))
	held := err == nil && response.Header.Get("Preference-Applied") != ""
	out, err := client.Read[api.GetDuelOut](response, err)
	if err != nil {
		return nil, err
	}
	if !held && out.Duel.Version == d.Version {
		pause(ctx, pollEvery)
	}
	return &out.Duel, nil
}

// pause waits, and reports whether ctx lets the caller go on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// resign gives up a duel, or cancels an open one.
func (a *Agent) resign(ctx context.Context, in NamedDuelIn) (*DuelAnswer, error) {
	d, err := a.myDuel(ctx, in.Duel)
	if err != nil {
		return nil, err
	}
	end := a.calls.API.ResignDuel
	if d.Status == api.DuelStatusOpen {
		end = a.calls.API.CancelDuel
	}
	out, err := client.Read[api.DuelOut](end(ctx, d.ID))
	if err != nil {
		return nil, err
	}
	return a.answer(&out.Duel), nil
}

// getDuel reads a duel.
func (a *Agent) getDuel(ctx context.Context, in NamedDuelIn) (*DuelAnswer, error) {
	d, err := a.read(ctx, in.Duel)
	if err != nil {
		return nil, err
	}
	return a.answer(d), nil
}

// read reads a duel by its code.
func (a *Agent) read(ctx context.Context, code string) (*api.Duel, error) {
	if !duelCode.MatchString(code) {
		return nil, hintf("The code of a duel is 8 letters and digits. Call status for yours.")
	}
	out, err := client.Read[api.GetDuelOut](a.calls.API.GetDuel(ctx, code, withoutSalts))
	if err != nil {
		return nil, err
	}
	return &out.Duel, nil
}

// unfinished lists the caller's duels that are active or open, each with its last round only.
func (a *Agent) unfinished(ctx context.Context, status api.ListDuelsParamsStatus) ([]api.Duel, error) {
	mine, limit := true, int64(20) // an account has no more unfinished duels
	out, err := client.Read[api.DuelsOut](a.calls.API.ListDuels(ctx,
		&api.ListDuelsParams{Mine: &mine, Limit: &limit, Status: &status}))
	if err != nil {
		return nil, err
	}
	return out.Duels, nil
}

// myDuel returns the duel with that code, or the caller's only unfinished one. Errors: errNoKey, a hint for none and
// for several, errors of the service.
func (a *Agent) myDuel(ctx context.Context, code string) (*api.Duel, error) {
	if a.Key == "" {
		return nil, errNoKey
	}
	if code != "" {
		return a.read(ctx, code)
	}
	for _, status := range []api.ListDuelsParamsStatus{api.ListDuelsParamsStatusActive, api.ListDuelsParamsStatusOpen} {
		list, err := a.unfinished(ctx, status)
		if err != nil {
			return nil, err
		}
		if len(list) == 1 {
			return a.read(ctx, list[0].ID)
		}
		var codes []string
		for i := range list {
			codes = append(codes, plain(list[i].ID))
		}
		if codes != nil {
			return nil, hintf("You have several unfinished duels: name one of %s as duel.", strings.Join(codes, ", "))
		}
	}
	return nil, hintf("You have no unfinished duel. Call start_duel.")
}

// answer returns a duel as its caller sees it, and what to do next. It goes to the model, whose time to choose a move
// begins.
func (a *Agent) answer(d *api.Duel) *DuelAnswer {
	answer := a.see(d)
	if answer.Duel.Waits == YourMove {
		a.noteShown(d.ID, answer.Duel.Round)
	}
	return answer
}

// see is answer for what the model does not get.
func (a *Agent) see(d *api.Duel) *DuelAnswer {
	v := a.viewDuel(d)
	move, sealed := game.Rock, false
	if d.Status == api.DuelStatusActive && v.You != "" {
		move, sealed = a.sealed(d)
	}
	if sealed {
		v.Sealed = Move(move.String())
	}
	v.Waits = waitsFor(d, sealed)
	return &DuelAnswer{Duel: v, Next: nextOf(v)}
}

// waitsFor returns what a duel waits for. sealed says that the hand of the current round is stored here.
func waitsFor(d *api.Duel, sealed bool) Waits {
	you, r := sideOf(d), lastRound(d)
	switch {
	case d.Status != api.DuelStatusActive && d.Status != api.DuelStatusOpen:
		return Over
	case you == "":
		return Watching
	case d.Status == api.DuelStatusOpen:
		return OpponentJoins
	case r == nil || sealed || r.YouRevealed:
		return TheOpponent
	case you == SideA && r.Committed.A, you == SideB && r.Committed.B:
		return LostHand
	}
	return YourMove
}

// nextOf says what to do next in a duel.
func nextOf(v *Duel) string {
	left := ""
	if v.SecondsLeft != nil {
		left = fmt.Sprintf(" %d seconds are left.", *v.SecondsLeft)
	}
	switch v.Waits {
	case YourMove:
		return fmt.Sprintf("Call play with a move for duel %s, round %d.%s", v.Duel, v.Round, left)
	case TheOpponent:
		return fmt.Sprintf("Call wait_turn for duel %s: the other side has to move.%s", v.Duel, left)
	case OpponentJoins:
		return fmt.Sprintf("Call wait_turn for duel %s until a player has joined it.%s", v.Duel, left)
	case LostHand:
		return fmt.Sprintf("Your move of round %d was committed by another program, which alone can reveal it. Call "+
			"wait_turn for duel %s.%s", v.Round, v.Duel, left)
	case Watching:
		return "You watch this duel and do not play in it."
	}
	if v.Result == "" {
		return "This duel is over."
	}
	return fmt.Sprintf("The duel is over: you have %s. verify checks its proof.", map[string]string{
		"won": "won", "lost": "lost", "drawn": "drawn"}[v.Result])
}
