package duel_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// fixture is a duel service on its own ledger.
type fixture struct {
	*ledgertest.Ledger
	*duel.Service
	hub       event.Hub
	mu        sync.Mutex     // guards finished: on PostgreSQL use cases end concurrently
	finished  map[string]int // reports to the listener, by duel
	accounts  []duel.Player
	addresses io.Reader
	cost      int // statements of the last use case
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	updates := 0
	return newFixtureWith(t, &store.Faults{Twice: func() bool { updates++; return updates%3 == 0 }})
}

func newFixtureWith(t testing.TB, faults *store.Faults) *fixture {
	t.Helper()
	return newFixtureOn(t, store.Config{Faults: faults})
}

func newFixtureOn(t testing.TB, db store.Config) *fixture {
	t.Helper()
	h := &fixture{Ledger: ledgertest.Open(t, ledgertest.Options{DB: db}), finished: map[string]int{}}
	chance := testseed.Reader(t)
	h.addresses = chance
	var err error
	h.Service, err = duel.New(duel.Config{
		DB: h.Ledger.DB, Ledger: h.Ledger.Ledger, Now: h.Clock.Now, Rand: chance, Secret: []byte("of the test"),
		Events: &event.Log{DB: h.Ledger.DB, Hub: &h.hub},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Rating, h.Listeners = first{}, []duel.Listener{h}
	return h
}

// DuelFinished checks a report and counts it when it is stored.
func (h *fixture) DuelFinished(_ context.Context, tx *store.Tx, d *duel.Duel) error {
	if d.Status != duel.Finished || d.EndedAt == nil {
		return fmt.Errorf("reported a duel that is %s", d.Status)
	}
	if d.SettleTx == nil {
		return fmt.Errorf("reported a duel with stake %d, rated %v, without a settlement", d.Stake, d.Rated)
	}
	tx.AfterCommit(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.finished[d.Code]++
	})
	return nil
}

// first is the Rating of the fixture.
type first struct{}

// DuelFinished checks that the duel is finished, and that the settlement is not posted yet.
func (first) DuelFinished(_ context.Context, _ *store.Tx, d *duel.Duel) error {
	if d.Status != duel.Finished {
		return fmt.Errorf("rated a duel that is %s", d.Status)
	}
	if d.SettleTx != nil {
		return errors.New("the settlement was posted before Rating was called")
	}
	return nil
}

// startingBalance is the initial balance of every account.
const startingBalance = 1000

// join opens an account.
func (h *fixture) join(t testing.TB, name string, kind chain.AccountKind) duel.Player {
	t.Helper()
	p := duel.Player{Username: name, Kind: kind}
	if _, err := io.ReadFull(h.addresses, p.Address[:]); err != nil {
		t.Fatal(err)
	}
	h.MustPost(t, ledger.Draft{
		Actor: p.Address, Data: &chain.AccountCreate{Commitment: h.NewHash(), AccountKind: kind},
		Transfers: []chain.Transfer{{Amount: startingBalance, To: p.Address}},
	})
	h.accounts = append(h.accounts, p)
	return p
}

// do runs a use case in its own transaction, as the API does.
func (h *fixture) do(
	t testing.TB, use func(ctx context.Context, tx *store.Tx) (*duel.Duel, error),
) (d *duel.Duel, err error) {
	t.Helper()
	err = h.Ledger.DB.UpdateAt(t.Context(), duel.Isolation, func(ctx context.Context, tx *store.Tx) error {
		d, err = use(ctx, tx)
		h.cost = tx.Statements()
		return err
	})
	return d, err
}

func (h *fixture) create(t testing.TB, p duel.Player, stake int64) (*duel.Duel, error) {
	t.Helper()
	return h.terms(t, p, duel.Terms{Stake: stake})
}

// terms creates a duel with terms.
func (h *fixture) terms(t testing.TB, p duel.Player, terms duel.Terms) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return h.Create(ctx, tx, p, terms) })
}

func (h *fixture) enter(t testing.TB, p duel.Player, code string) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return h.Service.Join(ctx, tx, p, code) })
}

func (h *fixture) cancel(t testing.TB, p duel.Player, code string) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return h.Cancel(ctx, tx, p.Address, code)
	})
}

func (h *fixture) commit(t testing.TB, p duel.Player, code string, hand duel.Hand) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return h.Commit(ctx, tx, duel.Step{Caller: p.Address, Code: code}, chain.HashHand(hand.Move, hand.Salt))
	})
}

func (h *fixture) reveal(t testing.TB, p duel.Player, code string, hand duel.Hand) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return h.Reveal(ctx, tx, duel.Step{Caller: p.Address, Code: code}, hand)
	})
}

func (h *fixture) spar(t testing.TB, p duel.Player) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return h.StartSparring(ctx, tx, p) })
}

func (h *fixture) ranked(t testing.TB, a, b duel.Player) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return h.StartRanked(ctx, tx, a, b) })
}

func (h *fixture) quick(t testing.TB, a, b duel.Player) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return h.StartQuick(ctx, tx, a, b) })
}

func (h *fixture) unlisted(t testing.TB, p duel.Player, stake int64) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return h.Create(ctx, tx, p, duel.Terms{Stake: stake, Unlisted: true})
	})
}

func (h *fixture) resign(t testing.TB, p duel.Player, code string) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return h.Resign(ctx, tx, p.Address, code)
	})
}

func (h *fixture) rematch(t testing.TB, p duel.Player, code string) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return h.OfferRematch(ctx, tx, p, code) })
}

func (h *fixture) withdraw(t testing.TB, p duel.Player, code string) (*duel.Duel, error) {
	t.Helper()
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return h.WithdrawRematch(ctx, tx, p.Address, code)
	})
}

// read returns the current state of a duel and stores passed deadlines, as the API does.
func (h *fixture) read(t testing.TB, code string) *duel.Duel {
	t.Helper()
	return h.must(t)(h.applied(t, code))
}

// applied returns a duel after the deadlines that have passed.
func (h *fixture) applied(t testing.TB, code string) (*duel.Duel, error) {
	t.Helper()
	var d *duel.Duel
	var due bool
	h.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		d, due, err = h.Get(ctx, tx, code)
		return err
	})
	if !due {
		return d, nil
	}
	return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return h.ApplyDeadlines(ctx, tx, code)
	})
}

// must fails the test if a use case returns an error.
func (h *fixture) must(t testing.TB) func(*duel.Duel, error) *duel.Duel {
	return func(d *duel.Duel, err error) *duel.Duel {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

// sweep applies all passed deadlines and returns the next one.
func (h *fixture) sweep(t testing.TB) time.Time {
	t.Helper()
	next, err := h.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return next
}

var salts atomic.Uint64

// salted returns a hand with an unused salt.
func salted(move game.Move) duel.Hand {
	return duel.Hand{Move: move, Salt: fmt.Sprintf("%024x", salts.Add(1))}
}

// play plays rounds. A round has a character for each side: r, p or s plays that move, x
// commits without revealing, - does nothing; a missing step misses its deadline.
func (h *fixture) play(t testing.TB, d *duel.Duel, rounds ...string) *duel.Duel {
	t.Helper()
	for _, did := range rounds {
		var hands [2]duel.Hand
		sides := [2]duel.Player{d.A, d.B}
		for i, p := range sides {
			hands[i] = salted(map[byte]game.Move{'r': game.Rock, 'p': game.Paper, 's': game.Scissors}[did[i]])
			if did[i] != '-' && !p.SparringBot() {
				d = h.must(t)(h.commit(t, p, d.Code, hands[i]))
			}
		}
		for i, p := range sides {
			if did[i] != '-' && did[i] != 'x' && did[1-i] != '-' && !p.SparringBot() {
				d = h.must(t)(h.reveal(t, p, d.Code, hands[i]))
			}
		}
		if did[0] == '-' || did[0] == 'x' || did[1] == '-' || did[1] == 'x' {
			h.Clock.Set(d.Deadline)
			d = h.read(t, d.Code)
		}
	}
	return d
}

// balance returns the coins at an address.
func (h *fixture) balance(t testing.TB, address chain.Address) (coins int64) {
	t.Helper()
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		a, _, err := h.Account(ctx, tx, address)
		if errors.Is(err, ledger.ErrNotFound) {
			return nil
		}
		coins = a.Balance
		return err
	})
	return coins
}
