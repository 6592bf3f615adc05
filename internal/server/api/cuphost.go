package api

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/contract"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// The host of a cup is the account that has opened it. Only the host sees the code of a private cup, and only the
// host's calls start, pause, resume and end it, or remove a player.

// hostOperations registers the creation of a cup, and the operations of its host.
func (a *API) hostOperations() {
	create := cupCall("createCup", "/api/cups", "Open a cup as its host", "bad_request", "in_cup", "not_secured",
		"forbidden", "limit_reached", "cup_name_taken")
	create.OptionalBody = true
	add(a, create, (*call).createCup)
	host := func(id, action, summary string, errors ...string) contract.Operation {
		op := cupCall(id, "/api/cups/{number}/"+action, summary, append(errors, "not_found", "forbidden", "cup_state")...)
		op.Security = players
		return op
	}
	plain := func(op contract.Operation, act hostAct) {
		op.OptionalBody = true
		add(a, op, func(a *call, ctx context.Context, in *cupIn) (*CupOut, error) {
			return a.hostCup(ctx, in.Number, act(a.Cups))
		})
	}
	start := host("startCup", "start", "Start an open cup of the caller's now", "cup_few")
	start.Description = "A cup for bots starts 15 seconds later, so that they end the ranked duels that they play."
	plain(start, func(s *cup.Service) cupAct { return s.Start })
	pause := host("pauseCup", "pause", "Keep the next round of a running cup of the caller's from beginning")
	pause.Description = "Games in progress go on. All pauses end a day after the start of the cup, which cannot be " +
		"paused later. A paused cup holds no bot whose game is over. A cup with the house's bots is not paused."
	plain(pause, func(s *cup.Service) cupAct { return s.Pause })
	resume := host("resumeCup", "resume", "End the pause of a cup of the caller's")
	resume.Description = "The next round of a cup for bots begins 15 seconds later, so that they end the ranked duels that " +
		"they play."
	plain(resume, func(s *cup.Service) cupAct { return s.Resume })
	end := host("endCup", "end", "End a cup of the caller's")
	end.Description = "An open cup is cancelled. The current round of a running one is its last: its games go on, and then " +
		"the table is final."
	plain(end, func(s *cup.Service) cupAct { return s.End })
	remove := host("removeCupPlayer", "remove", "Remove a player from a cup of the caller's", "not_in_cup")
	remove.Description = "Before the start the player, and the other bots of its owner, cannot join it again. Later the " +
		"player is not paired again; its game in progress goes on."
	add(a, remove, (*call).removeCupPlayer)
	key := host("endCupBotKey", "end-key", "End the key of a bot in an open cup of the caller's", "not_in_cup")
	key.Security = session // as everything that ends keys
	key.Description = "The cup is private, and has not started; on a service for a class (class of GET /api/tiers) it may be " +
		"public. The bot's owner receives a notice by mail and the event key_ended, and alone gets a fresh key, by POST " +
		"/api/bots/{address}/rotate; until then the bot makes no call. Nothing happens if the bot's key has ended before."
	add(a, key, (*call).endCupBotKey)
}

// cupAct is an act of a host that needs the cup's number alone.
type cupAct = func(ctx context.Context, tx *store.Tx, host chain.Address, number int64) (*cup.Cup, error)

// hostAct returns an act of the cups' service.
type hostAct func(s *cup.Service) cupAct

// hostCup runs an act of the caller on a cup and answers with the cup. The use case checks that the caller is its
// host, in the transaction that authorises the caller.
func (a *call) hostCup(ctx context.Context, number int64, act cupAct) (*CupOut, error) {
	me := a.caller.address
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*CupOut, error) {
		c, err := act(ctx, tx, me, number)
		if err != nil {
			return nil, err
		}
		return a.cupOut(ctx, tx, c)
	})
}

// removeCupPlayerIn is the input of removeCupPlayer.
type removeCupPlayerIn struct {
	Number int64 `path:"number" min:"1" max:"2147483647"`
	Body   RemoveCupPlayerIn
}

// RemoveCupPlayerIn is the body of POST /api/cups/{number}/remove.
type RemoveCupPlayerIn struct {
	Player string `json:"player" required:"true" minLength:"1" maxLength:"64" pattern:"^[^\\x00]*$" doc:"A username or an address."`
}

// removeCupPlayer removes a player from a cup of the caller's.
func (a *call) removeCupPlayer(ctx context.Context, in *removeCupPlayerIn) (*CupOut, error) {
	return a.hostCup(ctx, in.Number, func(
		ctx context.Context, tx *store.Tx, host chain.Address, number int64,
	) (*cup.Cup, error) {
		player, err := a.find(ctx, tx, in.Body.Player)
		if err != nil {
			return nil, err
		}
		return a.Cups.Remove(ctx, tx, host, player.Address, number)
	})
}

// endCupBotKeyIn is the input of endCupBotKey.
type endCupBotKeyIn struct {
	Number int64 `path:"number" min:"1" max:"2147483647"`
	Body   EndCupBotKeyIn
}

// EndCupBotKeyIn is the body of POST /api/cups/{number}/end-key.
type EndCupBotKeyIn struct {
	Bot string `json:"bot" required:"true" minLength:"1" maxLength:"64" pattern:"^[^\\x00]*$" doc:"A username or an address."`
}

// endCupBotKey ends the key of a bot in a cup of the caller's, and the bot's streams.
func (a *call) endCupBotKey(ctx context.Context, in *endCupBotKeyIn) (*CupOut, error) {
	var bot chain.Address
	out, err := a.hostCup(ctx, in.Number, func(
		ctx context.Context, tx *store.Tx, host chain.Address, number int64,
	) (*cup.Cup, error) {
		found, err := a.find(ctx, tx, in.Body.Bot)
		if err != nil {
			return nil, err
		}
		bot = found.Address
		return a.Cups.EndKey(ctx, tx, host, bot, number)
	})
	a.sessionsMayHaveEnded(err, bot)
	return out, err
}

// CreateCupIn says what a cup is like. A value that is not offered is refused, so that no caller gets another cup than
// the one asked for; of duels, best of five alone is offered.
type CreateCupIn struct {
	Kind        string  `json:"kind" default:"people" enum:"bots,people" doc:"Who plays it."`
	Name        *string `json:"name" maxLength:"60" pattern:"^[^\\x00]*$" doc:"With a letter or a digit; no other unfinished cup has one like it."`
	Minutes     *int64  `json:"minutes" min:"1" max:"1440" doc:"From now to the start. Without minutes, at and by_hand it is 10."`
	At          *string `json:"at" maxLength:"40" doc:"The time of the start instead, with its zone as in RFC 3339: a minute to 7 days ahead."`
	ByHand      bool    `json:"by_hand" default:"false" doc:"Whether the host starts it instead: within 7 days, or it is cancelled."`
	System      string  `json:"system" default:"swiss" enum:"swiss,round_robin" doc:"How rounds are paired."`
	Rounds      *int64  `json:"rounds" min:"1" max:"63" doc:"At most so many; 7 in a Swiss cup. Without it, as many as the system has for its players."`
	Private     bool    `json:"private" default:"false" doc:"Whether joining requires a code, which its host sees. A private cup is in no list and on no profile; the topic cups has its number, status, round and number of players."`
	HouseBots   bool    `json:"house_bots" default:"false" doc:"Whether a third of the house's bots, those in no other cup, join at the start of a cup for bots."`
	Seats       int64   `json:"seats" default:"64" min:"2" max:"64" doc:"For players, the house's bots not counted."`
	MoveSeconds *int64  `json:"move_seconds" min:"5" max:"300" doc:"The time for each commitment and each reveal; without it that of any duel. At most 15 with the house's bots."`
	BestOf      int64   `json:"best_of" default:"5" min:"5" max:"5" doc:"How many rounds of a duel count; only best of five is offered."`
	Replay      bool    `json:"replay_missed" default:"false" doc:"Whether a duel that a side has missed is played once more."`
	Play        *bool   `json:"play" doc:"Whether the host is its first player: by default of a cup for people."`
}

// lead is the time from the creation of a cup to its start by default.
const lead = 10 * time.Minute

// Broken implements contract.Ruled: it refuses values that exclude each other.
func (in *CreateCupIn) Broken() string {
	bots, starts := in.Kind == string(cup.Bots), 0
	for _, chosen := range []bool{in.Minutes != nil, in.At != nil, in.ByHand} {
		if chosen {
			starts++
		}
	}
	switch {
	case starts > 1:
		return "a cup starts by minutes, at or by_hand alone"
	case in.System == tables.Swiss && deref(in.Rounds) > tables.MaxSwissRounds:
		return fmt.Sprintf("a Swiss cup has at most %d rounds", tables.MaxSwissRounds)
	case in.HouseBots && !bots:
		return "the house's bots play cups for bots"
	case in.HouseBots && deref(in.MoveSeconds) > int64(duel.BotStepTimeout/time.Second):
		return fmt.Sprintf("move_seconds is at most %d with the house's bots", duel.BotStepTimeout/time.Second)
	case deref(in.Play) && bots:
		return "a person plays no cup for bots"
	}
	return ""
}

// terms returns the terms of a new cup. Errors: *contract.ValidationError for a time of the start that is out of reach.
func (in *CreateCupIn) terms(now time.Time) (cup.Terms, error) {
	t := cup.Terms{Kind: cup.Kind(in.Kind), Name: deref(in.Name), System: in.System, MostRounds: deref(in.Rounds),
		HouseBots: in.HouseBots, Seats: in.Seats, Step: time.Duration(deref(in.MoveSeconds)) * time.Second,
		Replay: in.Replay, ByHand: in.ByHand, HostPlays: in.Kind != string(cup.Bots), StartsAt: now.Add(lead)}
	if in.Play != nil {
		t.HostPlays = *in.Play
	}
	if in.Private {
		t.Code = cup.NewCode()
	}
	if in.Minutes != nil {
		t.StartsAt = now.Add(time.Duration(*in.Minutes) * time.Minute)
	}
	if in.At != nil {
		at, err := time.Parse(time.RFC3339, *in.At)
		if err != nil || at.Before(now.Add(cup.MinLead)) || at.After(now.Add(cup.MaxLead)) {
			return t, contract.InvalidValue([]any{"body", "at"}, "a time of RFC 3339, a minute to 7 days ahead", *in.At)
		}
		t.StartsAt = at
	}
	if in.ByHand {
		t.StartsAt = now.Add(cup.MaxLead)
	}
	return t, nil
}

// createCup opens a cup. It counts against the budget of new cups of the network address, and an account has few
// unfinished ones.
func (a *call) createCup(ctx context.Context, in *body[CreateCupIn]) (*CupOut, error) {
	return a.changeCup(ctx, func(ctx context.Context, tx *store.Tx, e cup.Entrant) (*cup.Cup, error) {
		terms, err := in.Body.terms(tx.Now())
		if err != nil {
			return nil, err
		}
		return a.Cups.Create(ctx, tx, e, terms)
	})
}
