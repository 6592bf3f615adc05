package ledger_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// model is the state in memory: the rules of package chain without tables.
type model struct {
	rules    chain.Rules
	accounts map[chain.Address]chain.Account
	tokens   map[int64]chain.Token
	games    map[string]chain.Game
}

// take applies a draft, or returns an error and changes nothing.
func (m *model) take(d ledger.Draft, at time.Time) error {
	tx := chain.Tx{Time: at.UnixMilli(), Actor: d.Actor, Nonce: m.accounts[d.Actor].Nonce, Transfers: d.Transfers,
		Data: d.Data}
	effects, err := m.rules.Effects(&tx)
	if err != nil {
		return err
	}
	accounts, tokens, games := maps.Clone(m.accounts), maps.Clone(m.tokens), maps.Clone(m.games)
	for i := range effects.Accounts {
		e := &effects.Accounts[i]
		a := accounts[e.Address]
		if err := a.Apply(e); err != nil {
			return err
		}
		accounts[e.Address] = a
	}
	for i := range effects.Tokens {
		e := &effects.Tokens[i]
		token := tokens[e.ID]
		if err := token.Apply(e); err != nil {
			return err
		}
		tokens[e.ID] = token
	}
	for i := range effects.Games {
		e := &effects.Games[i]
		g := games[e.ID]
		if err := g.Apply(e); err != nil {
			return err
		}
		games[e.ID] = g
	}
	m.accounts, m.tokens, m.games = accounts, tokens, games
	return nil
}

// crowd is a group of players with random transactions.
type crowd struct {
	*economy
	model
	players []player
	runs    []string
	duels   []string
	won     []ledger.OwnedToken
	posted  map[chain.Kind]int
	refused map[chain.Kind]int
	season  int64 // the last one that was closed
	tb      testing.TB
}

// attempt holds the random choices for one transaction.
type attempt struct {
	p, q      player // the actor and the other player
	run, duel string
	coins     int64
	tier      int64
	token     ledger.OwnedToken
}

// attempt draws random choices.
func (c *crowd) attempt(t *rapid.T) attempt {
	a := attempt{
		p:     rapid.SampledFrom(c.players).Draw(t, "who"),
		q:     rapid.SampledFrom(c.players).Draw(t, "whom"),
		run:   rapid.SampledFrom(c.runs).Draw(t, "run"),
		duel:  rapid.SampledFrom(c.duels).Draw(t, "duel"),
		coins: rapid.SampledFrom([]int64{1, 10, 10, 900, 5000}).Draw(t, "coins"),
		tier:  rapid.Int64Range(1, 16).Draw(t, "tier"),
		token: ledger.OwnedToken{ID: 1, Tier: 1},
	}
	if len(c.won) > 0 {
		a.token = rapid.SampledFrom(c.won).Draw(t, "token")
	}
	return a
}

// by makes the owner of an address the player of a, three times in four, so that most attempts fit
// the state.
func (a attempt) by(t *rapid.T, address chain.Address) attempt {
	if address != (chain.Address{}) && rapid.IntRange(0, 3).Draw(t, "fits") > 0 {
		a.p = player{Address: address}
	}
	return a
}

// marked sets the marks of a draft as the state demands, and returns it.
func (m *model) marked(d ledger.Draft) ledger.Draft {
	bound := func() bool { return len(d.Transfers) > 0 && m.tokens[d.Transfers[0].TokenID].Bound }
	switch data := d.Data.(type) {
	case *chain.RunStart:
		data.Bound = data.Entry == chain.EntryFee && m.accounts[d.Actor].Bound > 0 || data.Entry == chain.EntryBurn && bound()
	case *chain.RunEnd:
		data.Bound = m.games["run:"+data.RunID].Bound
	case *chain.Buyback:
		data.Bound = bound()
	}
	return d
}

// flip inverts the mark of a draft that has one.
func flip(d ledger.Draft) {
	switch data := d.Data.(type) {
	case *chain.RunStart:
		data.Bound = !data.Bound
	case *chain.RunEnd:
		data.Bound = !data.Bound
	case *chain.Buyback:
		data.Bound = !data.Bound
	}
}

// draft returns a random transaction that is often, but not always, valid. id is a reserved token
// id for it.
func (c *crowd) draft(t *rapid.T, id int64) ledger.Draft {
	d := c.marked(c.unmarked(t, id))
	if rapid.IntRange(0, 9).Draw(t, "marked") == 9 {
		flip(d)
	}
	return d
}

// unmarked is draft before its marks are set.
func (c *crowd) unmarked(t *rapid.T, id int64) ledger.Draft {
	a := c.attempt(t)
	run, duel, token := c.games["run:"+a.run], c.games["duel:"+a.duel], c.tokens[a.token.ID]
	next := c.NewHash()
	switch rapid.IntRange(0, 13).Draw(t, "what") {
	case 0:
		return ledgertest.Create(a.p)
	case 1:
		return ledgertest.Faucet(a.p)
	case 2:
		return ledgertest.Start(c.current(a.p), a.run, chain.EntryFee, next)
	case 3:
		return ledgertest.Burn(c.current(a.by(t, token.Owner).p), a.run, next, a.token)
	case 4:
		// The highest tier claims by itself.
		return ledgertest.Lose(a.by(t, run.A).p, a.run, max(run.Tier, min(run.Tier+a.tier%3, 15)))
	case 5:
		if a.tier == run.Tier { // only a win can be claimed
			a.tier++
		}
		return ledgertest.Claim(a.by(t, run.A).p, a.run, ledger.OwnedToken{ID: id, Tier: a.tier})
	case 6:
		return ledgertest.Stake(a.p, a.duel, max(duel.Stake, a.coins))
	case 7, 10:
		return ledgertest.Settle(a.by(t, duel.A).p, player{Address: duel.B}, a.duel, duel.Stake)
	case 8:
		return ledgertest.Sale(a.p, a.by(t, token.Owner).p, a.token.ID)
	case 9, 11:
		return ledgertest.Buyback(a.by(t, token.Owner).p, a.token)
	case 12:
		return ledger.Draft{Actor: a.p.Address, Data: &chain.AccountSecure{}}
	default:
		return c.nextSeason(t)
	}
}

// nextSeason returns the close of the next season, at its end; rarely the close of the last one. The
// ledger does not check the order: that is a rule of the whole chain.
func (c *crowd) nextSeason(t *rapid.T) ledger.Draft {
	if rapid.IntRange(0, 3).Draw(t, "season") == 3 {
		return ledgertest.CloseSeason(c.season)
	}
	c.EndSeason(c.tb, c.season+1)
	return ledgertest.CloseSeason(c.season + 1)
}

// current returns p with its outstanding commitment.
func (c *crowd) current(p player) player {
	return player{Address: p.Address, Next: c.accounts[p.Address].Commitment}
}

// must is the part of rapid.T and testing.T that reports failures.
type must interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

// try posts a draft to the model and to the ledger, and compares the results. draft may use the id
// of a reserved token.
func (c *crowd) try(t must, tb testing.TB, draft func(id int64) ledger.Draft) {
	var d ledger.Draft
	var posted ledger.Posted
	err := c.DB.Update(tb.Context(), func(ctx context.Context, tx *store.Tx) error {
		id, err := c.NewTokenID(ctx, tx)
		if err != nil {
			t.Fatal(err)
		}
		if d = draft(id); d.Data.Kind() != chain.KindRunEnd || len(d.Transfers) == 0 {
			if _, err := tx.ExecContext(ctx, "DELETE FROM ledger_token WHERE token_id = $1", id); err != nil {
				t.Fatal(err)
			}
		}
		posted, err = c.Post(ctx, tx, d)
		return err
	})
	if want := c.take(d, c.Clock.Now()); (err == nil) != (want == nil) {
		t.Fatalf("%s: the ledger says %v, the rules say %v", d.Data.Kind(), err, want)
	}
	if err != nil {
		c.refused[d.Data.Kind()]++
		return
	}
	c.posted[d.Data.Kind()]++
	if d, ok := d.Data.(*chain.SeasonClose); ok {
		c.season = d.Season
	}
	if posted.Balance != c.accounts[d.Actor].Balance {
		t.Errorf("%s: balance %d, want %d", d.Data.Kind(), posted.Balance, c.accounts[d.Actor].Balance)
	}
	for _, transfer := range d.Transfers {
		if transfer.Token && transfer.From == (chain.Address{}) {
			c.won = append(c.won, ledger.OwnedToken{ID: transfer.TokenID, Tier: transfer.Tier})
		}
	}
}

// everyKind posts every kind of transaction, one valid and one invalid each.
func (c *crowd) everyKind(t *testing.T) {
	t.Helper()
	c.newcomers(t)
	fresh, ann, bob, eve := c.players[0], c.players[1], c.players[2], c.players[3]
	lost, won, duel := c.runs[0], c.runs[1], c.duels[0]
	for _, step := range []func(id int64) ledger.Draft{
		func(int64) ledger.Draft { return ledgertest.Faucet(fresh) },
		func(int64) ledger.Draft { return ledgertest.Faucet(ann) },
		func(int64) ledger.Draft { return ledgertest.Create(fresh) },
		func(int64) ledger.Draft { return ledgertest.Create(fresh) },
		func(int64) ledger.Draft { return ledgertest.Start(c.current(ann), lost, chain.EntryFee, c.NewHash()) },
		func(int64) ledger.Draft { return ledgertest.Start(c.current(ann), lost, chain.EntryFee, c.NewHash()) },
		func(int64) ledger.Draft { return ledgertest.Lose(ann, lost, 1) },
		func(int64) ledger.Draft { return ledgertest.Lose(ann, lost, 1) },
		func(int64) ledger.Draft { return ledgertest.Start(c.current(ann), won, chain.EntryFree, c.NewHash()) },
		func(id int64) ledger.Draft { return ledgertest.Claim(ann, won, ledger.OwnedToken{ID: id, Tier: 2}) },
		func(int64) ledger.Draft { return ledgertest.Sale(bob, ann, c.won[0].ID) },
		func(int64) ledger.Draft { return ledgertest.Sale(eve, ann, c.won[0].ID) },
		func(int64) ledger.Draft { return ledgertest.Buyback(ann, c.won[0]) },
		func(int64) ledger.Draft { return ledgertest.Buyback(bob, c.won[0]) },
		func(int64) ledger.Draft { return ledgertest.Stake(ann, duel, 10) },
		func(int64) ledger.Draft { return ledgertest.Stake(bob, duel, 10) },
		func(int64) ledger.Draft { return ledgertest.Stake(eve, duel, 10) },
		func(int64) ledger.Draft { return ledgertest.Settle(ann, bob, duel, 10) },
		func(int64) ledger.Draft { return ledgertest.Settle(ann, bob, duel, 10) },
		func(int64) ledger.Draft { c.EndSeason(t, 1); return ledgertest.CloseSeason(1) },
		func(int64) ledger.Draft { return ledgertest.CloseSeason(1) },
		func(int64) ledger.Draft { return ledger.Draft{Actor: ann.Address, Data: &chain.AccountSecure{}} },
		func(int64) ledger.Draft { return ledger.Draft{Actor: ann.Address, Data: &chain.AccountSecure{}} },
	} {
		c.try(t, t, func(id int64) ledger.Draft { return c.marked(step(id)) })
	}
	c.SealAll(t)
	c.WantValid(t)
}

// newcomers replaces the players, runs and duels. One player has no account yet.
func (c *crowd) newcomers(t testing.TB) {
	c.players, c.runs, c.duels, c.won = nil, nil, nil, nil
	for i := range 4 {
		p := c.NewPlayer()
		c.players = append(c.players, p)
		c.runs, c.duels = append(c.runs, c.NewID()), append(c.duels, c.NewID())
		if i > 0 {
			c.MustPost(t, ledgertest.Create(p))
			if err := c.take(ledgertest.Create(p), c.Clock.Now()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// compare compares the players' accounts and tokens with the model.
func (c *crowd) compare(t *rapid.T, tb testing.TB) {
	c.View(tb, func(ctx context.Context, tx *store.Tx) error {
		for _, p := range c.players {
			want, known := c.accounts[p.Address]
			if got, _, err := c.Account(ctx, tx, p.Address); known && (err != nil || got != want) {
				t.Errorf("%v: got %+v, %v, want %+v", p.Address, got, err, want)
			}
		}
		for _, token := range c.won {
			want := c.tokens[token.ID]
			if got, _, err := c.Token(ctx, tx, token.ID); err != nil || got != want {
				t.Errorf("token %d: got %+v, %v, want %+v", token.ID, got, err, want)
			}
		}
		return nil
	})
}

// TestRandomEconomies checks that the ledger and the rules agree on every random attempt, and that
// an audit finds no difference at any time.
func TestRandomEconomies(t *testing.T) {
	t.Parallel()
	c := &crowd{
		economy: newEconomy(t, ledgertest.Options{}),
		model: model{rules: ledgertest.Rules(), accounts: map[chain.Address]chain.Account{},
			tokens: map[int64]chain.Token{}, games: map[string]chain.Game{}},
		posted: map[chain.Kind]int{}, refused: map[chain.Kind]int{}, tb: t,
	}
	c.everyKind(t) // however few economies follow
	rapid.Check(t, func(rt *rapid.T) {
		c.newcomers(t)
		for range rapid.IntRange(20, 80).Draw(rt, "attempts") {
			c.try(rt, t, func(id int64) ledger.Draft { return c.draft(rt, id) })
			switch rapid.IntRange(0, 15).Draw(rt, "meanwhile") {
			case 0:
				c.SealAll(t)
			case 1:
				c.Clock.Add(time.Minute)
			}
		}
		c.compare(rt, t)
		c.WantValid(t)
	})
	c.SealAll(t)
	c.WantValid(t)
	t.Logf("posted %v, refused %v", c.posted, c.refused)
	for _, kind := range []chain.Kind{
		chain.KindAccountCreate, chain.KindFaucet, chain.KindRunStart, chain.KindRunEnd, chain.KindDuelStake,
		chain.KindDuelSettle, chain.KindMarketSale, chain.KindBuyback, chain.KindSeasonClose, chain.KindAccountSecure,
	} {
		if c.posted[kind] == 0 || c.refused[kind] == 0 {
			t.Errorf("%s: posted %d, refused %d: nothing was shown", kind, c.posted[kind], c.refused[kind])
		}
	}
}
