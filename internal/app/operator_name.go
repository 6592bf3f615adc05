package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"roshambo/internal/platform/event"
	"roshambo/internal/server/api"
	"roshambo/internal/service/account"
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
		return c.s.Accounts.WithdrawName(ctx, tx, a.Address)
	})
}

// restoreName gives an account a name back that an operator has withdrawn, everywhere.
func (c *operatorCall) restoreName(ctx context.Context) (any, error) {
	out, err := c.setName(ctx, func(ctx context.Context, tx *store.Tx, a account.Account) (account.Account, error) {
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

// hide hides the name of a team ("team": its slug; its name typed as "confirm"), for a public reason, or
// an item of the feed ("feed": its id; see itemConfirmed).
func (c *operatorCall) hide(ctx context.Context) (any, error) {
	return c.setHidden(ctx, func(ctx context.Context, tx *store.Tx, slug string) (*team.Team, error) {
		t, err := c.s.Teams.BySlug(ctx, tx, slug)
		if err != nil {
			return nil, err
		}
		if c.values["confirm"] != t.Name {
			return nil, &operatorError{http.StatusBadRequest, "send the name of the team as confirm: the act hits this team",
				map[string]any{"name": t.Name, "members": t.Members}}
		}
		return c.s.Teams.HideName(ctx, tx, slug, c.values["reason"])
	})
}

// unhide shows the name of a team or an item of the feed again.
func (c *operatorCall) unhide(ctx context.Context) (any, error) {
	return c.setHidden(ctx, c.s.Teams.ShowName)
}

// setHidden hides or shows the named thing; change does so with a team.
func (c *operatorCall) setHidden(
	ctx context.Context, change func(context.Context, *store.Tx, string) (*team.Team, error),
) (any, error) {
	if err := c.reason(); err != nil {
		return nil, err
	}
	slug := c.values["team"]
	if (slug == "") == (c.values["feed"] == "") {
		return nil, refusedCall("name a team or an item of the feed")
	}
	id, err := c.number("feed", 1, 1<<53)
	if err != nil {
		return nil, err
	}
	out, err := c.do(ctx, "", func(ctx context.Context, tx *store.Tx, _ account.Account) (any, error) {
		if slug == "" {
			return c.setItemHidden(ctx, tx, id)
		}
		t, err := change(ctx, tx, slug)
		if err != nil {
			return nil, err
		}
		return map[string]any{"slug": t.Slug, "name": t.Name}, c.s.Score.ForgetTeamName(ctx, tx, t.ID)
	})
	switch {
	case errors.Is(err, team.ErrNotFound), errors.Is(err, score.ErrNotFound):
		err = &operatorError{status: http.StatusNotFound, text: "there is no such thing, or it is hidden already"}
	case errors.Is(err, team.ErrHidden), errors.Is(err, team.ErrNameTaken):
		err = &operatorError{status: http.StatusConflict, text: err.Error()}
	}
	return out, err
}

// setItemHidden hides an item of the feed, also from streams that resume, or shows it again.
func (c *operatorCall) setItemHidden(ctx context.Context, tx *store.Tx, id int64) (any, error) {
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
