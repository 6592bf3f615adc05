package demo

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/client/strategy"
	"roshambo/game"
	"roshambo/internal/service/account"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// trade lists a token, sells one to the house or buys the cheapest one that is for sale. Prices lie
// around the value of the tier, so that charts and the market have something to show; a bound token can
// only be sold to the house.
func (w *world) trade(ctx context.Context, p account.Account) error {
	return w.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error { return w.tradeOne(ctx, tx, p) })
}

func (w *world) tradeOne(ctx context.Context, tx *store.Tx, p account.Account) error {
	if w.rand.IntN(3) == 0 {
		page, err := w.Market.Browse(ctx, tx, market.BrowseOptions{Sort: market.ByPrice, Count: 20})
		if err != nil {
			return err
		}
		for _, l := range page.Listings {
			if l.Seller != p.Address {
				_, err := w.Market.Buy(ctx, tx, p.Address, l.ID)
				return err
			}
		}
		return errNothing
	}
	owned, err := w.Ledger.TokensOf(ctx, tx, p.Address, 0, 50)
	if err != nil {
		return err
	}
	for _, token := range owned {
		state, err := w.Ledger.LoadToken(ctx, tx, token.ID)
		if err != nil {
			return err
		}
		if state.Locked || w.rand.IntN(3) > 0 {
			continue
		}
		if token.Bound || w.rand.IntN(3) == 0 {
			o, err := w.Market.Offer(ctx, tx, p.Address, token.ID)
			if err != nil {
				return err
			}
			_, _, err = w.Market.Respond(ctx, tx, p.Address, o.ID, true)
			return err
		}
		value := w.Ledger.Rules().Tier(token.Tier).Value
		_, err = w.Market.List(ctx, tx, p.Address, token.ID, value*int64(80+w.rand.IntN(60))/100)
		return err
	}
	return errNothing
}

// player returns an account as a side of a duel.
func player(a account.Account) duel.Player {
	return duel.Player{Address: a.Address, Username: a.Username, Kind: a.Kind}
}

// pick returns two different ones of accounts.
func (w *world) pick(accounts []account.Account) (a, b account.Account) {
	i := w.rand.IntN(len(accounts))
	j := (i + 1 + w.rand.IntN(len(accounts)-1)) % len(accounts)
	return accounts[i], accounts[j]
}

// peopleDuel plays a rated duel of two people.
func (w *world) peopleDuel(ctx context.Context) error {
	if len(w.people) < 2 {
		return nil
	}
	a, b := w.pick(w.people)
	return w.duel(ctx, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return w.Duels.StartQuick(ctx, tx, player(a), player(b))
	})
}

// botDuel plays a ranked duel of two of the house's bots.
func (w *world) botDuel(ctx context.Context) error {
	a, b := w.pick(w.bracket)
	return w.duel(ctx, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return w.Duels.StartRanked(ctx, tx, player(a), player(b))
	})
}

// duel begins a duel and plays it to its end, in one Update: one for each step would be most of the time that
// a demo takes. So all of a duel has one time; the clock goes on behind it. A pair that has had its rated duels
// of the day plays none.
func (w *world) duel(ctx context.Context, begin func(ctx context.Context, tx *store.Tx) (*duel.Duel, error)) error {
	err := w.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		d, err := begin(ctx, tx)
		for err == nil && d.Status == duel.Active {
			w.pass(2 * time.Second)
			d, err = w.round(ctx, tx, d)
		}
		return err
	})
	if err != nil && !refused(err) {
		return fmt.Errorf("duel: %w", err)
	}
	return nil
}

// round plays a round of a duel: both sides commit, then both reveal. What they played is what their
// strategies know of each other in the next round.
func (w *world) round(ctx context.Context, tx *store.Tx, d *duel.Duel) (*duel.Duel, error) {
	sides := [2]chain.Address{d.A.Address, d.B.Address}
	var hands [2]duel.Hand
	for i, side := range sides {
		var salt [16]byte
		for n := range salt {
			salt[n] = byte(w.rand.Uint32())
		}
		move, err := w.move(side, sides[1-i])
		if err != nil {
			return nil, err
		}
		hands[i] = duel.Hand{Move: move, Salt: hex.EncodeToString(salt[:])}
		if d, err = w.Duels.Commit(ctx, tx, duel.Step{Caller: side, Code: d.Code},
			chain.HashHand(hands[i].Move, hands[i].Salt)); err != nil {
			return nil, err
		}
	}
	for i, side := range sides {
		var err error
		if d, err = w.Duels.Reveal(ctx, tx, duel.Step{Caller: side, Code: d.Code}, hands[i]); err != nil {
			return nil, err
		}
	}
	for i, side := range sides {
		pair := [2]chain.Address{side, sides[1-i]}
		w.past[pair] = append(w.past[pair], strategy.Round{Mine: hands[i].Move, Theirs: hands[1-i].Move})
	}
	return d, nil
}

// move returns a player's next move: a bot's by its strategy, a person's at random. Strategies learn from
// all rounds of a pair, so ratings spread as they do in the arena.
func (w *world) move(side, other chain.Address) (game.Move, error) {
	name, bot := w.bots[side]
	if !bot {
		return w.hand(), nil
	}
	if w.minds[side] == nil {
		mind, err := strategy.New(name, strategy.Seed{1})
		if err != nil {
			return game.Rock, err
		}
		w.minds[side] = mind
	}
	return w.minds[side].Next(w.past[[2]chain.Address{side, other}]), nil
}

// cups does what the loop of cups and the players do at that hour of the day. It
// starts the cup for bots that is due, opens and starts one for people on Saturdays, and plays
// both.
func (w *world) cups(ctx context.Context) error {
	now := time.UnixMilli(w.clock.Load()).UTC()
	if now.Weekday() == time.Saturday && len(w.people) > 5 {
		err := w.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			terms := cup.Terms{Kind: cup.People, System: tables.Swiss, Seats: cup.MaxPlayers, HostPlays: true,
				StartsAt: now.Add(cup.MinLead)}
			c, err := w.Cups.Create(ctx, tx, cup.Entrant{Address: w.people[0].Address, Kind: chain.Full, Secured: true}, terms)
			if err != nil {
				return err
			}
			// The founder is in the cup already.
			for _, p := range w.people[1:] {
				_, err := w.Cups.Join(ctx, tx, cup.Entrant{Address: p.Address, Kind: chain.Full}, c.Number, "")
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	w.pass(cup.MinLead)
	// Each pass pairs a round of both cups or closes one of them.
	for range 2 * 8 { // more than the rounds of a cup, and the two ends
		if err := w.Cups.Advance(ctx); err != nil {
			return err
		}
		if err := w.cupGames(ctx); err != nil {
			return err
		}
		w.pass(cup.Pause)
	}
	return w.enterBot(ctx)
}

// enterBot enters a player's bot in the cup for bots that is open, the next day's: the house's bots alone
// play no cup. The first call makes the bot.
func (w *world) enterBot(ctx context.Context) error {
	if len(w.people) == 0 {
		return nil
	}
	return w.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		guest := w.guest
		if guest.Owner == nil {
			// The first to register owns it. Its key is not kept: the demo plays its moves itself.
			owner := w.people[0].Address
			bot, _, err := w.Accounts.CreateBot(ctx, tx, owner, "paper-trail", account.FreeStart)
			if err != nil {
				return err
			}
			guest = cup.Entrant{Address: bot.Account.Address, Kind: chain.Bot, Owner: &owner}
		}
		list, err := w.Cups.List(ctx, tx, 1<<50, 4)
		if err != nil {
			return err
		}
		for _, c := range list {
			// Cups for people are entered by their founders' event alone.
			if c.Status != cup.Open || c.Kind != cup.Bots {
				continue
			}
			if _, err := w.Cups.Join(ctx, tx, guest, c.Number, ""); err != nil {
				return err
			}
		}
		// Only then: a closure that is retried makes the bot again.
		tx.AfterCommit(func() { w.guest, w.bots[guest.Address] = guest, "markov-2" })
		return nil
	})
}

// cupGames plays the games of cups that wait. Two cups at most run at a time, and both are among the
// newest.
func (w *world) cupGames(ctx context.Context) error {
	var codes []string
	err := w.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		codes = nil
		list, err := w.Cups.List(ctx, tx, 1<<50, 4)
		if err != nil {
			return err
		}
		for _, c := range list {
			if c.Status != cup.Running {
				continue
			}
			games, _, err := w.Cups.Games(ctx, tx, c.Number)
			if err != nil {
				return err
			}
			for _, g := range games {
				if !g.Over {
					codes = append(codes, g.Duel)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// The games of a round are played side by side: each begins at the same time, before the deadlines
	// of the others pass.
	began, ended := w.clock.Load(), w.clock.Load()
	for _, code := range codes {
		w.clock.Store(began)
		err := w.duel(ctx, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
			d, _, err := w.Duels.Get(ctx, tx, code)
			return d, err
		})
		// The clock goes on from the end of the longest game, also when one has failed.
		ended = max(ended, w.clock.Load())
		if err != nil {
			w.clock.Store(ended)
			return err
		}
	}
	w.clock.Store(ended)
	return nil
}
