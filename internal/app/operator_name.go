package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/api"
	"roshambo/internal/service/account"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/score"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

// rename replaces an abusive name by a generated one, everywhere.
func (c *operatorCall) rename(ctx context.Context) (any, error) {
	return c.setName(ctx, func(ctx context.Context, tx *store.Tx, a account.Account) (account.Account, error) {
		if err := c.confirmed(ctx, tx, a); err != nil {
			return a, err
		}
		if err := c.hideWithName(ctx, tx, a); err != nil {
			return a, err
		}
		return c.s.Accounts.WithdrawName(ctx, tx, a.Address)
	})
}

// hiddenWithName is the public reason of words that are hidden with the name of their bot: the reason of the act itself
// is not public.
const hiddenWithName = "hidden with the bot's former name"

// hideWithName hides version and description of a bot whose name is replaced: they may repeat it.
func (c *operatorCall) hideWithName(ctx context.Context, tx *store.Tx, a account.Account) error {
	if a.Kind != chain.Bot {
		return nil
	}
	err := c.s.Accounts.HideWords(ctx, tx, a.Address, hiddenWithName)
	if errors.Is(err, account.ErrWordsHidden) { // there are none, or they are hidden already
		return nil
	}
	return err
}

// showWithName shows what hideWithName has hidden of a bot that gets its name back.
func (c *operatorCall) showWithName(ctx context.Context, tx *store.Tx, a account.Account) error {
	words, err := c.s.Accounts.BotWords(ctx, tx, a.Address)
	if err != nil || words.Hidden != hiddenWithName {
		return err
	}
	return c.s.Accounts.ShowWords(ctx, tx, a.Address)
}

// restoreName gives an account a name back that an operator has withdrawn, everywhere.
func (c *operatorCall) restoreName(ctx context.Context) (any, error) {
	out, err := c.setName(ctx, func(ctx context.Context, tx *store.Tx, a account.Account) (account.Account, error) {
		if err := c.showWithName(ctx, tx, a); err != nil {
			return a, err
		}
		return c.s.Accounts.RestoreName(ctx, tx, a.Address, c.values["name"])
	})
	if errors.Is(err, account.ErrNotWithdrawn) {
		err = &operatorError{status: http.StatusNotFound, text: "no such name was withdrawn from this account"}
	}
	return out, err
}

// setName changes the name of an account, also in the records that keep the names of their time. All of
// it is one transaction: a crash leaves the former name everywhere, or the new one.
func (c *operatorCall) setName(
	ctx context.Context, change func(context.Context, *store.Tx, account.Account) (account.Account, error),
) (any, error) {
	if err := c.reason(); err != nil {
		return nil, err
	}
	return c.do(ctx, c.subject(), func(ctx context.Context, tx *store.Tx, a account.Account) (any, error) {
		renamed, err := change(ctx, tx, a)
		if err != nil {
			return nil, err
		}
		return map[string]any{"address": a.Address.String(), "before": a.Username, "username": renamed.Username},
			c.s.API.ReplaceName(ctx, tx, a.Address, [2]string{a.Username, renamed.Username})
	})
}

// hideable are the acts on the things whose names an operator hides, or which an operator takes out of the feed, by
// the parameter that names the thing.
var hideable = map[string]func(*operatorCall, context.Context, *store.Tx) (any, error){
	"team": (*operatorCall).setTeamHidden, "cup": (*operatorCall).setCupHidden, "feed": (*operatorCall).setItemHidden,
	"bot": (*operatorCall).setWordsHidden,
}

// hide hides the name of a team ("team": its slug) or of a cup ("cup": its number), or version and description of a bot
// ("bot": its name or address), each with the name typed as "confirm", for a public reason, or an item of the feed
// ("feed": its id; see itemConfirmed). As unhide, it shows the thing again. Every node forgets answers with the thing.
func (c *operatorCall) hide(ctx context.Context) (any, error) {
	if err := c.reason(); err != nil {
		return nil, err
	}
	var act func(*operatorCall, context.Context, *store.Tx) (any, error)
	named := 0
	for thing, set := range hideable {
		if c.values[thing] != "" {
			act, named = set, named+1
		}
	}
	if named != 1 {
		return nil, refusedCall("name a team, a cup, a bot or an item of the feed")
	}
	out, err := c.do(ctx, "", func(ctx context.Context, tx *store.Tx, _ account.Account) (any, error) {
		out, err := act(c, ctx, tx)
		if err != nil {
			return nil, err
		}
		return out, c.s.Events.Correct(ctx, tx)
	})
	switch {
	case errors.Is(err, team.ErrNotFound), errors.Is(err, score.ErrNotFound), errors.Is(err, cup.ErrNotFound):
		err = &operatorError{status: http.StatusNotFound, text: "there is no such thing, or it is hidden already"}
	case errors.Is(err, team.ErrHidden), errors.Is(err, team.ErrNameTaken), errors.Is(err, cup.ErrHidden),
		errors.Is(err, account.ErrWordsHidden):
		err = &operatorError{status: http.StatusConflict, text: err.Error()}
	}
	return out, err
}

// setTeamHidden hides the name of a team, or shows it again.
func (c *operatorCall) setTeamHidden(ctx context.Context, tx *store.Tx) (any, error) {
	slug := c.values["team"]
	t, err := c.s.Teams.BySlug(ctx, tx, slug)
	switch {
	case err != nil:
		return nil, err
	case c.action == "unhide":
		t, err = c.s.Teams.ShowName(ctx, tx, slug)
	case c.values["confirm"] != t.Name:
		return nil, &operatorError{http.StatusBadRequest, "send the name of the team as confirm: the act hits this team",
			map[string]any{"name": t.Name, "members": t.Members}}
	default:
		t, err = c.s.Teams.HideName(ctx, tx, slug, c.values["reason"])
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"slug": t.Slug, "name": t.Name}, c.s.Score.ForgetTeamName(ctx, tx, t.ID)
}

// setCupHidden hides the name of a cup, or shows it again.
func (c *operatorCall) setCupHidden(ctx context.Context, tx *store.Tx) (any, error) {
	number, err := c.number("cup", 0, chain.MaxID)
	if err != nil {
		return nil, err
	}
	one, err := c.s.Cups.Get(ctx, tx, number)
	switch {
	case err != nil:
		return nil, err
	case c.action == "unhide":
		one, err = c.s.Cups.ShowName(ctx, tx, number)
	case one.Name != "" && c.values["confirm"] != one.Name:
		return nil, &operatorError{http.StatusBadRequest, "send the name of the cup as confirm: the act hits this cup",
			map[string]any{"name": one.Name, "status": string(one.Status), "players": one.Players}}
	default: // a cup without a name is refused
		one, err = c.s.Cups.HideName(ctx, tx, number, c.values["reason"])
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"cup": number, "name": one.Name}, nil
}

// setWordsHidden hides version and description of a bot, or shows them again. Errors: also account.ErrNotFound.
func (c *operatorCall) setWordsHidden(ctx context.Context, tx *store.Tx) (any, error) {
	bot, err := c.s.findAccount(ctx, tx, c.values["bot"])
	if err != nil {
		return nil, err
	}
	words, err := c.s.Accounts.BotWords(ctx, tx, bot.Address)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"bot": bot.Address.String(), "username": bot.Username, "version": words.Version,
		"description": words.Description}
	switch {
	case c.action == "unhide":
		return out, c.s.Accounts.ShowWords(ctx, tx, bot.Address)
	case c.values["confirm"] != bot.Username:
		return nil, &operatorError{http.StatusBadRequest,
			"send the username of the bot as confirm: the act hits this bot", out}
	}
	return out, c.s.Accounts.HideWords(ctx, tx, bot.Address, c.values["reason"])
}

// setItemHidden hides an item of the feed, also from streams that resume, or shows it again.
func (c *operatorCall) setItemHidden(ctx context.Context, tx *store.Tx) (any, error) {
	id, err := c.number("feed", 0, 1<<53)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"feed": id}
	if c.action == "unhide" { // streams have read past it: only the feed has it again
		return out, c.s.Score.HideFeedItem(ctx, tx, id, "")
	}
	if err := c.itemConfirmed(ctx, tx, id); err != nil {
		return nil, err
	}
	if err := c.s.Score.HideFeedItem(ctx, tx, id, c.values["reason"]); err != nil {
		return nil, err
	}
	return out, c.s.Events.Retract(ctx, tx, event.Feed, fmt.Sprintf(`{"id":%d,`, id))
}

// itemConfirmed checks that the operator has typed the username in an item of the feed, or the kind of an item
// without one. Errors: score.ErrNotFound, *operatorError with the item.
func (c *operatorCall) itemConfirmed(ctx context.Context, tx *store.Tx, id int64) error {
	list, err := c.s.Score.FeedItems(ctx, tx, id+1, 1) // the newest one up to id
	if err != nil {
		return err
	}
	if len(list) == 0 || list[0].ID != id {
		return score.ErrNotFound
	}
	if c.values["confirm"] == cmp.Or(list[0].Username, list[0].Kind) {
		return nil
	}
	return &operatorError{http.StatusBadRequest,
		"send the username in the item as confirm, or the kind of an item without one: the act hits this item",
		api.NewFeedEvent(list[0], func(tier int64) string { return c.s.Ledger.Rules().Tier(tier).Material })}
}
