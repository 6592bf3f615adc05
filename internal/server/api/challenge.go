package api

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// challengeOperations registers the operations on what an account has chosen about challenges. mine and op are the same
// as in duelOperations.
func (a *API) challengeOperations(mine func(contract.Operation) contract.Operation,
	op func(id, method, path, summary string, errors ...string) contract.Operation) {
	get := op("getChallenges", "GET", "/api/duels/challenges",
		"Whose challenges the caller takes, or a bot of the caller's", "not_found", "unauthenticated")
	get.Security = anyScheme
	add(a, get, (*call).getChallenges)
	set := mine(op("setChallenges", "POST", "/api/duels/challenges",
		"Choose whose challenges the caller takes, or a bot of the caller's", "not_found"))
	set.OptionalBody = false
	set.Description = "Replaces what was chosen before. Challenges that wait already stay: join or cancel them. A bot " +
		"joins those of GET /api/duels?for_me=true itself, and plays them beside its ranked duels."
	add(a, set, (*call).setChallenges)
}

// TakesChallenges is what everyone may know about challenges of a player.
type TakesChallenges struct {
	Takes string `json:"takes" enum:"none,met,all" doc:"Whose challenges the player takes: no one's, those of people whom the player has met in a duel of the last 30 days, or all players'."`
	Quiet bool   `json:"quiet" doc:"The player has quiet hours now, and takes none."`
}

// takesChallenges reads what everyone may know about challenges of an account.
func (a *call) takesChallenges(ctx context.Context, tx *store.Tx, of account.Account) (TakesChallenges, error) {
	s, err := a.Duels.Setting(ctx, tx, of.Address, of.Kind)
	return TakesChallenges{Takes: string(s.Takes), Quiet: s.QuietAt(tx.Now())}, err
}

// ChallengesOut is what an account has chosen about challenges.
type ChallengesOut struct {
	Challenges ChallengeSetting `json:"challenges"`
}

// ChallengeSetting is what an account has chosen about challenges, or the default of its kind.
type ChallengeSetting struct {
	Takes     string  `json:"takes" enum:"none,met,all" doc:"By default met for people, and none for bots."`
	QuietFrom *string `json:"quiet_from" doc:"The beginning of the quiet hours, HH:MM in UTC; null for none."`
	QuietTo   *string `json:"quiet_to" doc:"Their end, on the next day when it is earlier."`
}

// wireSetting returns the wire form of a setting.
func wireSetting(s duel.Setting) ChallengeSetting {
	out := ChallengeSetting{Takes: string(s.Takes)}
	if s.Quiet != (duel.Hours{}) {
		text := func(minutes int64) *string { return new(fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)) }
		out.QuietFrom, out.QuietTo = text(s.Quiet.From), text(s.Quiet.To)
	}
	return out
}

// getChallengesIn names a bot.
type getChallengesIn struct {
	Bot *string `query:"bot" doc:"Username or address of a bot of the caller's; by default the caller."`
}

// getChallenges reads what the caller has chosen about challenges.
func (a *call) getChallenges(ctx context.Context, in *getChallengesIn) (*ChallengesOut, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*ChallengesOut, error) {
		of, kind, err := a.challenged(ctx, tx, in.Bot)
		if err != nil {
			return nil, err
		}
		s, err := a.Duels.Setting(ctx, tx, of, kind)
		return &ChallengesOut{wireSetting(s)}, err
	})
}

// ChallengesIn is the body of POST /api/duels/challenges.
type ChallengesIn struct {
	Takes     string  `json:"takes" required:"true" enum:"none,met,all" example:"all" doc:"Whose challenges are taken: no one's, those of people whom the account has met in a duel of the last 30 days, or all players'. A bot has met no one."`
	QuietFrom *string `json:"quiet_from" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"HH:MM in UTC: from then until quiet_to no challenge is taken, over midnight when that is earlier. Both or neither; without them there are no quiet hours."`
	QuietTo   *string `json:"quiet_to" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
	Bot       *string `json:"bot" maxLength:"64" doc:"Username or address of a bot of the caller's, for which this is; by default the caller."`

	_ struct{} `both:"quiet_from,quiet_to"`
}

// setting returns the setting of a body.
func (in *ChallengesIn) setting() duel.Setting {
	s := duel.Setting{Takes: duel.Takes(in.Takes)}
	if in.QuietFrom != nil { // the contract has checked that the end is there as well
		s.Quiet = duel.Hours{From: minuteOfDay(*in.QuietFrom), To: minuteOfDay(*in.QuietTo)}
	}
	return s
}

// minuteOfDay returns the minutes from midnight to a time HH:MM, which the contract has checked.
func minuteOfDay(text string) int64 {
	at, err := time.Parse("15:04", text)
	if err != nil {
		panic("api: the pattern of the contract admits hours and minutes only")
	}
	return int64(at.Hour()*60 + at.Minute())
}

// setChallenges stores what the caller has chosen about challenges.
func (a *call) setChallenges(ctx context.Context, in *body[ChallengesIn]) (*ChallengesOut, error) {
	s := in.Body.setting()
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*ChallengesOut, error) {
		of, kind, err := a.challenged(ctx, tx, in.Body.Bot)
		if err != nil {
			return nil, err
		}
		if err := a.Duels.SetSetting(ctx, tx, of, s); err != nil {
			return nil, err
		}
		stored, err := a.Duels.Setting(ctx, tx, of, kind)
		return &ChallengesOut{wireSetting(stored)}, err
	})
}

// challenged returns the account that a call is about, and its kind as far as defaults depend on it: the caller, or a
// bot of the caller's with a name or address. Errors: account.ErrNotFound.
func (a *call) challenged(
	ctx context.Context, tx *store.Tx, bot *string,
) (of chain.Address, kind chain.AccountKind, err error) {
	me := a.caller.address
	if bot == nil {
		if a.caller.scheme == botScheme {
			return me, chain.Bot, nil
		}
		return me, chain.Full, nil
	}
	found, err := a.find(ctx, tx, *bot)
	if err != nil {
		return of, kind, err
	}
	owner, err := a.Accounts.Party(ctx, tx, found.Address)
	if err == nil && (found.Kind != chain.Bot || found.Address != me && owner != me) {
		err = account.ErrNotFound
	}
	return found.Address, found.Kind, err
}
