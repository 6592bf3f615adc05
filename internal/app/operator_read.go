package app

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/account"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/operator"
	"roshambo/internal/store"
)

// account looks an account up.
func (c *operatorCall) account(ctx context.Context) (any, error) {
	return c.do(ctx, c.subject(), c.show)
}

// accountOut is what an operator sees of an account.
type accountOut struct {
	Username     string           `json:"username"`
	Address      string           `json:"address"`
	Kind         string           `json:"kind"`
	Owner        *string          `json:"owner,omitempty"` // of a bot, as the next three
	Version      string           `json:"version,omitempty"`
	Description  string           `json:"description,omitempty"`
	HiddenReason string           `json:"hidden_reason,omitempty"` // "" for words that are shown
	CreatedAt    time.Time        `json:"created_at"`
	FrozenAt     *time.Time       `json:"frozen_at"`
	DeletedAt    *time.Time       `json:"deleted_at"`
	Balance      int64            `json:"balance"`
	Bots         []string         `json:"bots"`
	Team         *teamOut         `json:"team"`
	Cups         map[string]int64 `json:"cups"` // by address, of the account or a bot
	HostedCups   []int64          `json:"hosted_cups"`
	ActiveDuels  int              `json:"active_duels"`
	OpenDuels    int              `json:"open_duels"`
	Listings     int              `json:"listings"`
	Sessions     int64            `json:"sessions"`
	Keys         int64            `json:"keys"`
	Mailboxes    int64            `json:"mailboxes"`
	HasPassword  bool             `json:"has_password"`
}

// teamOut is the team of an account.
type teamOut struct {
	Slug    string `json:"slug"`
	Name    string `json:"name"`
	Members int64  `json:"members"`
	Founder bool   `json:"founder"`
}

// show returns what an operator sees of an account, and what an act on it hits.
func (c *operatorCall) show(ctx context.Context, tx *store.Tx, a account.Account) (any, error) {
	standing, err := c.s.Accounts.Standing(ctx, tx, a)
	if err != nil {
		return nil, err
	}
	state, _, err := c.s.Ledger.Account(ctx, tx, a.Address)
	if err != nil {
		return nil, err
	}
	out := &accountOut{Username: a.Username, Address: a.Address.String(), Kind: string(a.Kind), CreatedAt: a.CreatedAt,
		FrozenAt: standing.FrozenAt, DeletedAt: standing.DeletedAt, Balance: state.Balance, Sessions: standing.Sessions,
		Keys: standing.Keys, Mailboxes: standing.Mailboxes, HasPassword: standing.HasPassword,
		Bots: make([]string, len(standing.Bots)), Cups: map[string]int64{}}
	for i, b := range standing.Bots {
		out.Bots[i] = b.String()
	}
	if standing.Owner != nil {
		owner := standing.Owner.String()
		out.Owner = &owner
		words, err := c.s.Accounts.BotWords(ctx, tx, a.Address)
		if err != nil {
			return nil, err
		}
		out.Version, out.Description, out.HiddenReason = words.Version, words.Description, words.Hidden
	}
	listings, err := c.s.Market.ActiveBySeller(ctx, tx, a.Address)
	if err != nil {
		return nil, err
	}
	out.Listings = len(listings)
	for status, count := range map[duel.Status]*int{duel.Open: &out.OpenDuels, duel.Active: &out.ActiveDuels} {
		list, err := c.s.Duels.List(ctx, tx, duel.Filter{
			Of: a.Address, Status: status, Before: chain.MaxID, Count: duel.MaxUnfinished})
		if err != nil {
			return nil, err
		}
		*count = len(list)
	}
	for _, of := range append([]chain.Address{a.Address}, standing.Bots...) {
		seat, err := c.s.Cups.SeatOf(ctx, tx, of)
		if err != nil {
			return nil, err
		}
		if seat.Cup != 0 {
			out.Cups[of.String()] = seat.Cup
		}
	}
	return out, c.showOwn(ctx, tx, a.Address, out)
}

// showOwn adds the unfinished cups that an account hosts, and its team.
func (c *operatorCall) showOwn(ctx context.Context, tx *store.Tx, a chain.Address, out *accountOut) error {
	hosted, err := c.s.Cups.HostedBy(ctx, tx, a)
	if err != nil {
		return err
	}
	out.HostedCups = make([]int64, len(hosted))
	for i, one := range hosted {
		out.HostedCups[i] = one.Number
	}
	id, err := c.s.Teams.TeamOf(ctx, tx, a)
	if err != nil || id == 0 {
		return err
	}
	t, err := c.s.Teams.ByID(ctx, tx, id)
	if err != nil {
		return err
	}
	out.Team = &teamOut{t.Slug, t.Name, t.Members, t.Founder == a}
	return nil
}

// readFlows reads the flows of the last hours (24 by default), and logs the call.
func (c *operatorCall) readFlows(ctx context.Context) (flows []operator.Flow, parties map[chain.Address]operator.Party,
	err error) {
	hours, err := c.number("hours", 24, 24*366)
	if err != nil {
		return nil, nil, err
	}
	since := c.s.config.Now().Add(-time.Duration(hours) * time.Hour)
	err = c.s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error { // a long scan, outside of the update
		flows, parties, err = operator.Flows(ctx, tx, since)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	_, err = c.do(ctx, "", func(context.Context, *store.Tx, account.Account) (any, error) { return nil, nil })
	return flows, parties, err
}

// partyOut is an account in a flow.
type partyOut struct {
	Address  string  `json:"address"`
	Username string  `json:"username"`
	Kind     string  `json:"kind"`
	Owner    *string `json:"owner,omitempty"`
}

func party(parties map[chain.Address]operator.Party, a chain.Address) partyOut {
	p := parties[a]
	out := partyOut{Address: a.String(), Username: p.Username, Kind: string(p.Kind)}
	if p.Owner != nil {
		owner := p.Owner.String()
		out.Owner = &owner
	}
	return out
}

// flowOut is a value flow.
type flowOut struct {
	From  partyOut `json:"from"`
	To    partyOut `json:"to"`
	Times int64    `json:"times"`
	Coins int64    `json:"coins"`
}

// flows lists the largest value flows between accounts.
func (c *operatorCall) flows(ctx context.Context) (any, error) {
	limit, err := c.number("limit", 50, 1000)
	if err != nil {
		return nil, err
	}
	flows, parties, err := c.readFlows(ctx)
	if err != nil {
		return nil, err
	}
	list := []flowOut{}
	for _, f := range flows[:min(len(flows), int(limit))] {
		list = append(list, flowOut{party(parties, f.From), party(parties, f.To), f.Times, f.Coins})
	}
	return map[string]any{"flows": list}, nil
}

// clusterOut is a set of accounts that value connects.
type clusterOut struct {
	Accounts []partyOut `json:"accounts"`
	Flows    int64      `json:"flows"`
	Coins    int64      `json:"coins"`
	Sink     string     `json:"sink"`
	Gain     int64      `json:"gain"`
}

// clusters lists the accounts that value flows or owners connect.
func (c *operatorCall) clusters(ctx context.Context) (any, error) {
	limit, err := c.number("limit", 20, 1000)
	if err != nil {
		return nil, err
	}
	coins, err := c.number("coins", 1, chain.MaxID)
	if err != nil {
		return nil, err
	}
	flows, parties, err := c.readFlows(ctx)
	if err != nil {
		return nil, err
	}
	owners := map[chain.Address]chain.Address{}
	for a, p := range parties {
		if p.Owner != nil {
			owners[a] = *p.Owner
		}
	}
	clusters := operator.Clusters(flows, owners, coins)
	list := []clusterOut{}
	for _, cluster := range clusters[:min(len(clusters), int(limit))] {
		accounts := make([]partyOut, len(cluster.Accounts))
		for i, a := range cluster.Accounts {
			accounts[i] = party(parties, a)
		}
		list = append(list, clusterOut{accounts, cluster.Flows, cluster.Coins, cluster.Sink.String(), cluster.Gain})
	}
	return map[string]any{"clusters": list}, nil
}

// entryOut is an entry of the log of acts.
type entryOut struct {
	Seq      int64           `json:"seq"`
	At       time.Time       `json:"at"`
	Operator string          `json:"operator"`
	Action   string          `json:"action"`
	Subject  *string         `json:"subject,omitempty"`
	Detail   json.RawMessage `json:"detail"`
	Hash     string          `json:"hash"`
}

// log verifies the log of acts and lists its newest entries. The call itself is the first of them.
func (c *operatorCall) log(ctx context.Context) (any, error) {
	limit, err := c.number("limit", 50, 1000)
	if err != nil {
		return nil, err
	}
	if _, err := c.do(ctx, "", func(context.Context, *store.Tx, account.Account) (any, error) {
		return nil, nil
	}); err != nil {
		return nil, err
	}
	out := map[string]any{}
	err = c.s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		acts := c.s.acts()
		entries, err := acts.Entries(ctx, tx, 1<<62, limit)
		if err != nil {
			return err
		}
		_, errBroken := acts.Verify(ctx, tx)
		if errBroken != nil && !errors.Is(errBroken, operator.ErrBroken) {
			return errBroken
		}
		list := []entryOut{}
		for _, e := range entries {
			row := entryOut{Seq: e.Seq, At: e.At, Operator: e.Operator, Action: e.Action, Detail: e.Detail,
				Hash: hex.EncodeToString(e.Hash[:])}
			if e.Subject != nil {
				subject := e.Subject.String()
				row.Subject = &subject
			}
			list = append(list, row)
		}
		out["valid"], out["entries"] = errBroken == nil, list
		if errBroken != nil {
			out["problem"] = errBroken.Error()
		}
		return nil
	})
	return out, err
}
