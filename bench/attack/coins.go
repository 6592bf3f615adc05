package attack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Attacks on the economy. A run that claims its first tier wins 96 coins in one of two cases, so every
// run is worth runValue whatever the attacker's luck was. The goals are compared with that, and the
// value of the tokens that were won is shown beside it.

const (
	runValue     = 48                      // coins, expected
	steadyIncome = 4 * runValue            // of three free runs and the daily one
	firstDay     = 1000 + steadyIncome     // of a newcomer
	attackDays   = 8                       // of the attacks that take days
	wallet       = "198.51.100.7"          // the attacker's network address
	openAtMost   = 30                      // accounts that the attacker tries to open a day
	hour         = time.Hour + time.Second // a budget by the hour is free again after it
)

// farm is an attacker with one network address and any number of accounts.
type farm struct {
	w    *world
	from string
	main *actor
	alts []*actor

	opened int     // accounts on this day
	runs   int64   // on this day, that could win free tokens
	coins  int64   // brought to main on this day
	tokens []token // brought to main on this day
}

// newFarm opens the main account of the attacker.
func newFarm(w *world) (*farm, error) {
	main, err := w.registered(wallet)
	return &farm{w: w, from: wallet, main: main}, err
}

// open opens as many accounts as the service admits on this day, up to openAtMost, and secures each.
func (f *farm) open() error {
	for f.opened = 0; f.opened < openAtMost; f.opened++ {
		a, err := f.w.registered(f.from)
		if isRefused(err, http.StatusTooManyRequests) {
			before := f.w.day()
			f.w.now = f.w.now.Add(hour)
			if a, err = f.w.registered(f.from); isRefused(err, http.StatusTooManyRequests) || f.w.day() != before {
				return nil // the limit of the day
			}
		}
		if err != nil {
			return err
		}
		f.alts = append(f.alts, a)
	}
	return nil
}

// isRefused reports whether the service refused a call with a status.
func isRefused(err error, status int) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.status == status
}

// harvest plays the runs of all accounts while they win free tokens, and brings everything to main.
// The newest accounts play last: those with a bound start win bound tokens in their first three days.
func (f *farm) harvest() error {
	f.runs, f.coins, f.tokens = 0, 0, nil
	for _, a := range append([]*actor{f.main}, f.alts...) {
		won, runs, err := a.playFree()
		if err != nil {
			return err
		}
		f.runs += runs
		if a == f.main {
			f.tokens = append(f.tokens, won...)
			continue
		}
		if err := f.give(a, won); err != nil {
			return err
		}
	}
	return nil
}

// playFree plays a day's free and daily runs until one would win a bound token, and returns the free
// tokens and how many runs could win one.
func (a *actor) playFree() (won []token, runs int64, err error) {
	for _, entry := range []string{"daily", "free", "free", "free"} {
		t, bound, err := a.playBound(map[string]any{"entry": entry})
		if _, ok := errors.AsType[*refusal](err); ok || bound {
			return won, runs, nil
		}
		if err != nil {
			return nil, 0, err
		}
		runs++
		if t != nil {
			won = append(won, *t)
		}
	}
	return won, runs, nil
}

// playBound is play that also reports whether the run wins a bound token.
func (a *actor) playBound(in map[string]any) (won *token, bound bool, err error) {
	won, err = a.play(in)
	return won, a.bound, err
}

// give moves the free coins of an alt to main by a lost stake, and its tokens by sales for one coin.
func (f *farm) give(a *actor, tokens []token) error {
	m, err := a.me()
	if err != nil {
		return err
	}
	for m.Free > 0 {
		main, err := f.main.me()
		if err != nil {
			return err
		}
		stake := min(m.Free, main.Free)
		if err := f.dump(a, stake); err != nil {
			return err
		}
		f.coins, m.Free = f.coins+stake, m.Free-stake
	}
	for _, t := range tokens {
		var listed struct{ Listing struct{ ID int64 } }
		if err := a.post("/api/market/list", map[string]any{"token_id": t.ID, "price": 1}, &listed); err != nil {
			return err
		}
		if err := f.main.post(fmt.Sprintf("/api/market/%d/buy", listed.Listing.ID), nil, nil); err != nil {
			return err
		}
		f.tokens = append(f.tokens, t)
	}
	return nil
}

// dump loses a staked duel to main.
func (f *farm) dump(a *actor, stake int64) error {
	var opened struct{ Duel struct{ ID string } }
	if err := a.post("/api/duels", map[string]any{"stake": stake, "listed": false}, &opened); err != nil {
		return err
	}
	if err := f.main.post("/api/duels/"+opened.Duel.ID+"/join", nil, nil); err != nil {
		return err
	}
	return a.post("/api/duels/"+opened.Duel.ID+"/resign", nil, nil)
}

// expected returns the value that a day brought to main, with the expected value of its runs.
func (f *farm) expected() int64 { return f.coins + f.runs*runValue }

// throwawayCoins opens as many accounts as one address may, plays their runs, and brings all free coins
// (stake dumping) and free tokens to one account.
func (s *attacks) throwawayCoins(ctx context.Context) error {
	return s.inWorld(ctx, func(w *world) error {
		f, err := newFarm(w)
		if err != nil {
			return err
		}
		var first, most, sum, won, opened int64
		for day := range attackDays {
			if err := f.open(); err != nil {
				return err
			}
			if err := f.harvest(); err != nil {
				return err
			}
			if day == 0 {
				first = f.expected() + 1000 // the main account's own start
			} else {
				most, sum, won = max(most, f.expected()), sum+f.expected(), won+f.coins+worth(f.tokens)
			}
			opened += int64(f.opened)
			if err := w.nextDay(); err != nil {
				return err
			}
		}
		newcomer, steady := float64(first)/firstDay, float64(most)/steadyIncome
		s.add(finding{attack: "throwaway coins, stake dumping: the first day",
			gain:   fmt.Sprintf("%d coins (%.1f times)", first, newcomer),
			honest: fmt.Sprintf("%d on a newcomer's first day", firstDay), exceeded: newcomer > goalNewcomer})
		s.add(finding{attack: "throwaway coins, stake dumping: a later day",
			gain: fmt.Sprintf(
				"at most %d coins a day (%.1f times), %d on average, %d with the tokens that it won; from %d accounts",
				most, steady, sum/(attackDays-1), won/(attackDays-1), opened),
			honest: fmt.Sprintf("%d a day", steadyIncome), exceeded: steady > goalSteady})
		return nil
	})
}

// washTrades sells tokens among accounts of one address at a high price, to move the reference price.
func (s *attacks) washTrades(ctx context.Context) error {
	return s.inWorld(ctx, func(w *world) error {
		f, err := newFarm(w)
		if err != nil {
			return err
		}
		before, err := reference(f.main)
		if err != nil {
			return err
		}
		const price = 900
		var sales, fees int64
		for range attackDays {
			if err := f.open(); err != nil {
				return err
			}
			for _, a := range f.alts {
				won, _, err := a.playFree()
				if err != nil {
					return err
				}
				for _, t := range won { // one sale per pair and day counts
					fee, err := f.wash(a, t, price)
					if err != nil {
						return err
					}
					sales, fees = sales+1, fees+fee
				}
			}
			if err := w.nextDay(); err != nil {
				return err
			}
		}
		after, err := reference(f.main)
		if err != nil {
			return err
		}
		s.add(finding{attack: fmt.Sprintf("wash trades, %d days", attackDays),
			gain: fmt.Sprintf("no coins: %d sales destroyed %d coins in fees; the shown reference price of Clay %d → %d; "+
				"the house pays by the rules' value whatever the market shows", sales, fees, before, after),
			honest: "pays the same fees", verdict: "no gain; the shown price of a thin market can be moved"})
		return nil
	})
}

// reference returns the reference price of the first tier.
func reference(a *actor) (int64, error) {
	var out struct {
		ReferencePrices []struct {
			Tier  int64
			Price int64
		} `json:"reference_prices"`
	}
	if err := a.call("GET", "/api/market", nil, &out); err != nil {
		return 0, err
	}
	for _, r := range out.ReferencePrices {
		if r.Tier == 1 {
			return r.Price, nil
		}
	}
	return 0, errors.New("no reference price of tier 1")
}

// wash sells an alt's token to main at a high price, and takes the price back by a lost stake. It
// returns the fee; 0 when main is short of coins.
func (f *farm) wash(a *actor, t token, price int64) (fee int64, err error) {
	m, err := f.main.me()
	if err != nil || m.Free < price {
		return 0, err
	}
	var listed struct{ Listing struct{ ID int64 } }
	if err := a.post("/api/market/list", map[string]any{"token_id": t.ID, "price": price}, &listed); err != nil {
		return 0, err
	}
	var bought struct{ Fee int64 }
	if err := f.main.post(fmt.Sprintf("/api/market/%d/buy", listed.Listing.ID), nil, &bought); err != nil {
		return 0, err
	}
	return bought.Fee, f.give(a, nil)
}

// burnLadder spends what one address yields on runs of one account, and burns the tokens for higher
// ones, to gain points.
func (s *attacks) burnLadder(ctx context.Context) error {
	return s.inWorld(ctx, func(w *world) error {
		f, err := newFarm(w)
		if err != nil {
			return err
		}
		honest, err := w.registered("203.0.113.1")
		if err != nil {
			return err
		}
		for range attackDays {
			if err := f.open(); err != nil {
				return err
			}
			if err := f.harvest(); err != nil {
				return err
			}
			if err := f.climb(); err != nil {
				return err
			}
			if err := honest.grind(); err != nil {
				return err
			}
			if err := w.nextDay(); err != nil {
				return err
			}
		}
		bought, err := points(f.main)
		if err != nil {
			return err
		}
		earned, err := points(honest)
		if err != nil {
			return err
		}
		s.add(finding{attack: fmt.Sprintf("burn ladder: points in %d days", attackDays),
			gain:    fmt.Sprintf("%d points a day, from %d accounts' coins and tokens", bought/attackDays, len(f.alts)+1),
			honest:  fmt.Sprintf("%d points a day of one account that also plays the faucet's coins", earned/attackDays),
			verdict: "points follow the value at risk; see below"})
		return nil
	})
}

// climb burns main's new tokens, each for double or nothing, up to three times, and plays the rest of
// the day's 20 counted runs with coins.
func (f *farm) climb() error {
	runs := 0
	for _, t := range f.tokens {
		for range 3 {
			next, err := f.main.play(map[string]any{"entry": "burn", "token_id": t.ID})
			if err != nil {
				return err
			}
			if runs++; next == nil {
				break
			}
			t = *next
		}
	}
	for ; runs < 20; runs++ {
		if _, err := f.main.play(map[string]any{"entry": "fee"}); err != nil {
			return err
		}
	}
	return nil
}

// grind plays a day's free runs, the daily run, and as many paid runs as the faucet pays for.
func (a *actor) grind() error {
	for _, entry := range []string{"daily", "free"} {
		if err := a.playAll(entry, 3); err != nil {
			return err
		}
	}
	for range 5 { // every 4 hours
		a.w.now = a.w.now.Add(4 * time.Hour)
		if err := a.post("/api/faucet", nil, nil); err != nil && !isRefused(err, http.StatusTooManyRequests) &&
			!isRefused(err, http.StatusConflict) {
			return err
		}
		if err := a.playAll("fee", 4); err != nil {
			return err
		}
	}
	return nil
}

// points returns the points of an account since genesis.
func points(a *actor) (int64, error) {
	row, err := a.row("all")
	return row.Value, err
}
