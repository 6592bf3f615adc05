// Package demo fills an empty service with a season of history, for evaluation: people and bots with
// runs, tokens, sales, duels, cups, teams and their chain. It calls the use cases that the API calls,
// with a simulated clock, so the history obeys every rule: verify-chain and doctor find nothing. The
// chain of a demo says so in its name, and the page shows it.
package demo

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"roshambo/chain"
	"roshambo/client/strategy"
	"roshambo/game"
	"roshambo/internal/app"
	"roshambo/internal/service/account"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// days is the length of the history: a season that is closed, and the beginning of the next one.
const days = chain.SeasonDays + 3

// names are the people of the demo.
var names = []string{
	"ada", "basil", "clio", "dario", "edda", "finn", "greta", "hugo", "iris", "jonas", "kira", "leo", "mina", "nils",
	"olga", "pablo", "quinn", "rosa",
}

// world is a demo while it is made.
//
// Nothing runs concurrently: an event sets the clock, runs its use cases and is over. The clock goes on
// while an event lasts, so the next one may begin later than planned.
type world struct {
	*app.Service

	clock   atomic.Int64 // Unix milliseconds
	rand    *mathrand.Rand
	people  []account.Account        // the players that have registered so far
	bots    map[chain.Address]string // the strategies of the house's bots and of the guest
	guest   cup.Entrant              // a player's bot, without which the house's bots play no cup
	past    map[[2]chain.Address][]strategy.Round
	minds   map[chain.Address]strategy.Strategy
	bracket []account.Account
}

// Fill makes the history of a demo in the service that c configures, unless it has one. Errors: the
// error of app.Build for a service that is no demo.
//
// A crash leaves a shorter history, which the next start serves; without the data folder it begins
// again.
func Fill(ctx context.Context, c app.Config) error { return fill(ctx, c, days) }

// fill is Fill with a history of some days.
func fill(ctx context.Context, c app.Config, days int) error {
	// A made-up history, not a secret, which repeats.
	w := &world{rand: mathrand.New(mathrand.NewPCG(1, 2)), bots: map[chain.Address]string{},
		past: map[[2]chain.Address][]strategy.Round{}, minds: map[chain.Address]strategy.Strategy{}}
	now := time.Now()
	if c.Now != nil {
		now = c.Now()
	}
	begins := now.Truncate(24*time.Hour).AddDate(0, 0, -days)
	w.clock.Store(begins.UnixMilli())
	c.Now = func() time.Time { return time.UnixMilli(w.clock.Load()).UTC() }
	service, err := app.Build(ctx, c)
	if err != nil {
		return err
	}
	w.Service = service
	err = w.fill(ctx, begins, now)
	return errors.Join(err, service.Close())
}

// fill plays day after day until now. It changes nothing in a demo that has a history, from an
// earlier start or from its visitors.
func (w *world) fill(ctx context.Context, begins, now time.Time) error {
	head, err := store.Read(ctx, w.DB, w.Ledger.Head)
	if err != nil || head.Transactions+head.Pending > 1 { // more than genesis
		return err
	}
	house, err := w.EnsureHouse(ctx)
	if err != nil {
		return err
	}
	for _, b := range house {
		w.bots[b.Account.Address] = b.Strategy
		w.bracket = append(w.bracket, b.Account)
	}
	for day := begins; day.Before(now); day = day.Add(24 * time.Hour) {
		if err := w.day(ctx, day, now); err != nil {
			return fmt.Errorf("demo: %s: %w", day.Format(time.DateOnly), err)
		}
	}
	return w.close(ctx)
}

// event is something that happens at a time of a day. It may take minutes, as a cup does.
type event struct {
	at time.Time
	do func(ctx context.Context) error
}

// day plays the events of a day that are before now, in the order of their times. People visit up to
// twice a day, at any hour; the house's bots play as if the service were used; cups start at their
// usual time. A block is sealed after every few events.
func (w *world) day(ctx context.Context, day, now time.Time) error {
	var events []event
	add := func(do func(ctx context.Context) error) {
		events = append(events, event{day.Add(time.Duration(w.rand.Int64N(int64(24 * time.Hour)))), do})
	}
	for len(w.people) < len(names) && w.rand.IntN(3) > 0 {
		if err := w.register(ctx, names[len(w.people)]); err != nil {
			return err
		}
	}
	for _, p := range w.people {
		for range w.rand.IntN(3) {
			add(func(ctx context.Context) error { return w.visit(ctx, p) })
		}
	}
	for range len(w.people) / 2 {
		add(w.peopleDuel)
	}
	for range 16 {
		add(w.botDuel)
	}
	events = append(events, event{day.Add(cup.DailyHour * time.Hour), w.cups})
	slices.SortFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
	for i, e := range events {
		if !e.at.Before(now) {
			break
		}
		w.clock.Store(max(w.clock.Load(), e.at.UnixMilli()))
		if err := e.do(ctx); err != nil {
			return err
		}
		if i%4 == 0 {
			if _, err := w.Ledger.SealBlock(ctx); err != nil {
				return err
			}
		}
	}
	return w.close(ctx)
}

// close does what the loops of a service do: it seals, counts points and closes a season that is over.
func (w *world) close(ctx context.Context) error {
	if _, err := w.Ledger.SealBlock(ctx); err != nil {
		return err
	}
	if err := w.Score.Drain(ctx); err != nil {
		return err
	}
	if _, err := w.Score.CloseSeasons(ctx); err != nil {
		return err
	}
	return w.Score.Compact(ctx)
}

// pass moves the clock.
func (w *world) pass(d time.Duration) { w.clock.Add(d.Milliseconds()) }

// register opens a person's account, and lets some people found or join a team. Its password is random
// and kept nowhere: accounts of a demo cannot be entered, however public it is.
func (w *world) register(ctx context.Context, name string) error {
	var secret [24]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return err
	}
	hash, err := w.Accounts.Hasher.Hash(ctx, netip.Addr{}, hex.EncodeToString(secret[:]))
	if err != nil {
		return err
	}
	return w.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		opened, err := w.Accounts.Register(ctx, tx, account.RegisterOptions{Username: name, Password: hash})
		if err != nil {
			return err
		}
		w.people = append(w.people, opened.Account)
		switch len(w.people) {
		case 1:
			_, err = w.Teams.Create(ctx, tx, opened.Account.Address, "Paper Planes", false)
		case 2:
			_, err = w.Teams.Create(ctx, tx, opened.Account.Address, "Rolling Stones", false)
		case 4, 6, 9, 13:
			_, err = w.Teams.Join(ctx, tx, opened.Account.Address, "Paper Planes", "")
		case 5, 8, 11:
			_, err = w.Teams.Join(ctx, tx, opened.Account.Address, "Rolling Stones", "")
		}
		return err
	})
}

// visit is a visit of a person: some runs, the daily one first, and perhaps a trade. A refused step
// undoes nothing else.
func (w *world) visit(ctx context.Context, p account.Account) error {
	steps := []func(context.Context, account.Account) error{w.playDaily, w.play, w.play, w.faucet, w.play, w.trade}
	for _, step := range steps {
		if w.rand.IntN(4) == 0 {
			continue
		}
		if err := step(ctx, p); err != nil && !refused(err) {
			return err
		}
		w.pass(time.Duration(5+w.rand.IntN(40)) * time.Second)
	}
	return nil
}

// refused reports whether a use case refused an act with an error that a person would see, too: people
// in the demo try what they like and do not count their coins first. Every other error ends the demo.
func refused(err error) bool {
	_, poor := errors.AsType[*chain.InsufficientFundsError](err)
	_, soon := errors.AsType[*account.TooSoonError](err)
	return poor || soon || errors.Is(err, run.ErrEntryUsed) || errors.Is(err, account.ErrBalanceHigh) ||
		errors.Is(err, duel.ErrPaired) || errors.Is(err, chain.ErrTokenBound) || errors.Is(err, errNothing)
}

// errNothing reports an act for which there was no occasion.
var errNothing = errors.New("demo: nothing to do")

// playDaily plays the run of the day, once a day.
func (w *world) playDaily(ctx context.Context, p account.Account) error {
	return w.run(ctx, p, chain.EntryDaily)
}

// play plays a run with a free entry, or for the fee once the free ones of the day are used.
func (w *world) play(ctx context.Context, p account.Account) error { return w.run(ctx, p, "") }

// run plays a run to its end, with each decision taken in advance. The further a person got, the
// likelier is the claim. Each throw is an Update of its own: an Update has one time, and throws of an
// account have times that differ.
func (w *world) run(ctx context.Context, p account.Account, entry chain.Entry) error {
	play := func(cleared int64) run.Play {
		then := run.ThenContinue
		if w.rand.Int64N(cleared+4) >= 3 {
			then = run.ThenClaim
		}
		return run.Play{Move: w.hand(), Then: then}
	}
	var r *run.Run
	first := play(0)
	err := w.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		started, err := w.Runs.Start(ctx, tx, p.Address,
			run.StartOptions{Entry: entry, ClientSeed: p.Username, First: &first})
		r = started.Run
		return err
	})
	if err != nil {
		return err
	}
	// Each throw continues a run that has won, or claims its token; a lost one is over.
	for r.Status == run.Active {
		w.pass(time.Duration(1+w.rand.IntN(4)) * time.Second)
		next := play(r.Cleared)
		err := w.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			thrown, err := w.Runs.Throw(ctx, tx, p.Address, r.ID, next)
			r = thrown.Run
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// hand returns a random move.
func (w *world) hand() game.Move {
	return []game.Move{game.Rock, game.Paper, game.Scissors}[w.rand.IntN(3)]
}

// faucet asks for coins, which only a poor account gets.
func (w *world) faucet(ctx context.Context, p account.Account) error {
	return w.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, _, err := w.Accounts.ClaimFaucet(ctx, tx, p.Address)
		return err
	})
}
