package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// hostClock is the clock of a node that a test shifts. A live one, for PostgreSQL, whose clock goes on, follows the
// time.
type hostClock struct {
	live          bool
	start         time.Time
	passed, shift atomic.Int64
}

func newHostClock(live bool) *hostClock { return &hostClock{start: time.Now(), live: live} }

// pass lets time pass.
func (h *hostClock) pass(d time.Duration) { h.passed.Add(int64(d)) }

func (h *hostClock) read() (wall time.Time, elapsed time.Duration) {
	shift := time.Duration(h.shift.Load())
	if h.live {
		return time.Now().Round(0).Add(shift), time.Since(h.start)
	}
	elapsed = time.Duration(h.passed.Load())
	return h.start.Round(0).Add(elapsed + shift), elapsed
}

// TestPostBeforeGenesis checks that a node whose clock was set back since it made the chain posts nothing that no block
// could hold.
func TestPostBeforeGenesis(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	for back, refused := range map[time.Duration]bool{0: false, 2 * time.Minute: true} {
		e.Clock.Add(-back)
		err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			p := e.NewPlayer()
			_, err := e.Post(ctx, tx, ledger.Draft{
				Actor: p.Address, Data: &chain.AccountCreate{Commitment: p.Next, AccountKind: chain.Guest},
				Transfers: []chain.Transfer{{Amount: e.Rules().StartingBalance, To: p.Address}},
			})
			return err
		})
		if errors.Is(err, store.ErrNotStored) != refused || err != nil != refused {
			t.Errorf("set back by %v: error %v", back, err)
		}
		e.Clock.Add(back)
	}
}

// TestClockShifts shifts the clock of one node while it posts and seals, beside a second node where there
// can be one, and then the clock of the database: nothing is stored meanwhile. All blocks and transactions are valid
// at the end.
func TestClockShifts(t *testing.T) {
	t.Parallel()
	host := newHostClock(storetest.Postgres())
	place, shiftDatabase := storetest.WithClock(t)
	place.HostClock = host.read
	e := newEconomy(t, ledgertest.Options{DB: place})
	ann := e.join(t)
	nodes := []*ledgertest.Ledger{e.Ledger}
	if storetest.Postgres() {
		place := e.Location
		place.HostClock = newHostClock(true).read
		nodes = append(nodes, ledgertest.Open(t, ledgertest.Options{DB: place, Key: e.Key}))
	}
	posted := 0
	play := func(seconds int, refused bool) {
		for range seconds {
			for _, node := range nodes {
				err := node.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					_, err := node.Post(ctx, tx, ledgertest.Faucet(ann))
					return err
				})
				if err == nil {
					posted++
				}
				if errors.Is(err, store.ErrNotStored) != refused || (err != nil) != refused {
					t.Errorf("refused is %v: error %v", refused, err)
				}
				if err := node.DB.MeasureClock(t.Context()); errors.Is(err, store.ErrTime) != refused {
					t.Errorf("refused is %v: measured: %v", refused, err)
				}
				if _, err := node.SealBlock(t.Context()); err != nil && !errors.Is(err, ledger.ErrClocksApart) {
					t.Error(err)
				}
			}
			host.pass(time.Second)
		}
	}
	for _, shift := range []time.Duration{-2 * time.Hour, -90 * time.Second, 90 * time.Second, 2 * time.Hour} {
		for _, seconds := range []int{1, 4, 20} {
			host.shift.Store(int64(shift))
			play(seconds, false)
			host.shift.Store(0)
			play(1, false)
			if storetest.Postgres() {
				shiftDatabase(shift)
				play(seconds, true)
				shiftDatabase(0)
				for _, node := range nodes { // the service measures every second
					if err := node.DB.MeasureClock(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				play(1, false)
			}
		}
	}
	nodes[len(nodes)-1].SealAll(t)
	if v := e.WantValid(t); v.Transactions != int64(posted)+2 { // and genesis, and the player's account
		t.Errorf("%d transactions, posted %d", v.Transactions, posted)
	}
}

// TestClocksApart checks that no block is made while this node's clock and the database's differ, since
// either is wrong, and that the sealer then leaves its lease to another node.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	host := newHostClock(storetest.Postgres())
	e := newEconomy(t, ledgertest.Options{DB: store.Config{HostClock: host.read}})
	e.join(t)
	e.Share()
	host.shift.Store(int64(store.ClockApart + time.Minute))
	if storetest.Postgres() {
		if err := e.DB.MeasureClock(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := e.SealBlock(t.Context()); n != 0 || !errors.Is(err, ledger.ErrClocksApart) {
		t.Errorf("sealed %d, error %v", n, err)
	}
	e.Seal(t.Context(), nil) // returns
	host.shift.Store(0)
	if err := e.DB.MeasureClock(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.SealAll(t)
	e.WantValid(t)
}

// TestTooEarly checks that nothing is posted which the chain's rules forbid behind the newest block, since
// the database's clock was set back, with one line in the log for many posts; whether this node has made
// the block, another one, or one before its start.
func TestTooEarly(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e := newEconomy(t, ledgertest.Options{Log: &log})
	ann := e.join(t)
	other, err := e.node(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	other.Share()
	e.Clock.Add(time.Hour)
	e.SealAll(t)
	e.Clock.Add(-time.Minute / 2)
	e.Faucets(t, ann, 1)
	e.Clock.Add(-time.Millisecond)
	started, err := e.node(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]*ledger.Ledger{
		"its own block": e.Ledger.Ledger, "another node's": other, "a block before its start": started,
	} {
		for range 2 {
			err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := l.Post(ctx, tx, ledgertest.Faucet(ann))
				return err
			})
			if !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, store.ErrNotStored) {
				t.Errorf("%s: error %v", name, err)
			}
		}
		err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			state, err := l.LoadActor(ctx, tx, ann.Address)
			if err != nil {
				return err
			}
			start := ledgertest.Start(ann, "a run", chain.EntryFree, e.NewHash())
			start.State = &state
			own := e.Ledger.Ledger
			e.Ledger.Ledger = l
			defer func() { e.Ledger.Ledger = own }()
			return e.PostGame(ctx, tx, start, ledgertest.Lose(ann, "a run", 0))
		})
		if !errors.Is(err, store.ErrNotStored) {
			t.Errorf("%s: a whole game: error %v", name, err)
		}
	}
	if n := strings.Count(log.String(), "nothing is posted"); n != 1 {
		t.Errorf("logged %d times: %s", n, &log)
	}
	e.SealAll(t)
	e.WantValid(t)
}

// TestDatedAhead checks that nothing is posted behind a transaction that is dated two hours ahead, by any node;
// that it waits for its time, with those that rest on it, while others are sealed that were posted beside it; and
// that no block is made of a transaction that is too early for it.
func TestDatedAhead(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann, bob, cat := e.join(t), e.join(t), e.join(t)
	e.Share()
	nodes := []*ledger.Ledger{e.Ledger.Ledger}
	for range 2 {
		node, err := e.node(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		node.Share()
		nodes = append(nodes, node)
	}
	post := func(node int, p ledgertest.Player) error {
		return e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := nodes[node].Post(ctx, tx, ledgertest.Faucet(p))
			return err
		})
	}
	seals := func(what string, n int, want error) {
		t.Helper()
		if got, err := e.SealBlock(t.Context()); got != n || !errors.Is(err, want) {
			t.Errorf("%s: sealed %d, error %v", what, got, err)
		}
		e.WantValid(t)
	}
	e.SealAll(t)
	e.Clock.Add(2 * time.Hour)
	e.Faucets(t, ann, ledger.MaxBlock+5)
	e.Clock.Add(-2 * time.Hour)
	for node := range nodes[:2] {
		if err := post(node, bob); !errors.Is(err, store.ErrNotStored) {
			t.Errorf("node %d: error %v", node, err)
		}
	}
	storetest.Exec(t, e.DB, "UPDATE chain_head SET posted = 0") // which the third node has not seen
	if err := post(2, bob); err != nil {
		t.Fatal(err)
	}
	seals("posted beside", 1, nil)
	seals("the rest", 0, ledger.ErrTxAhead)
	e.Clock.Add(2*time.Hour - 20*time.Second)
	for _, p := range []ledgertest.Player{ann, cat} {
		if err := post(0, p); err != nil {
			t.Fatal(err)
		}
	}
	seals("rests on those", 0, ledger.ErrTxAhead)
	e.Clock.Add(20 * time.Second)
	seals("at last", ledger.MaxBlock, nil)
	seals("at last", 7, nil)

	if err := post(0, bob); err != nil {
		t.Fatal(err)
	}
	storetest.Exec(t, e.DB, "CREATE TABLE aside AS SELECT hash, actor, raw FROM chain_pending")
	storetest.Exec(t, e.DB, "DELETE FROM chain_pending")
	e.Clock.Add(time.Minute + time.Millisecond)
	e.Faucets(t, cat, 1)
	e.SealAll(t)
	storetest.Exec(t, e.DB, "INSERT INTO chain_pending (hash, actor, raw) SELECT hash, actor, raw FROM aside")
	if n, err := e.SealBlock(t.Context()); n != 0 || !errors.Is(err, ledger.ErrTxEarly) {
		t.Errorf("too early: sealed %d, error %v", n, err)
	}
}

// TestClockSetBackWhileDown checks that a single node goes on from the time of the newest block, or of a
// transaction that waits for its block, and refuses to start with one that cannot be read.
func TestClockSetBackWhileDown(t *testing.T) {
	t.Parallel()
	host := newHostClock(false)
	options := ledgertest.Options{DB: store.Config{HostClock: host.read, Path: storetest.NewSQLite(t).Path}}
	e := newEconomy(t, options)
	ann := e.join(t)
	for _, sealed := range []bool{true, false} {
		host.pass(time.Hour)
		e.Faucets(t, ann, 1)
		if sealed {
			e.SealAll(t)
		}
		before := e.DB.Now().Truncate(time.Millisecond)
		host.shift.Add(-int64(10 * time.Minute))
		again, err := e.reopen(t, options)
		if err != nil {
			t.Fatal(err)
		}
		e = again
		if now := e.DB.Now(); now.Before(before) || now.Sub(before) > time.Second {
			t.Errorf("sealed is %v: goes on at %v after %v", sealed, now, before)
		}
		e.Faucets(t, ann, 1)
		e.SealAll(t)
	}
	e.WantValid(t)
	damaged := []byte("no transaction")
	hash := chain.HashTx(damaged)
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO chain_pending (hash, raw) VALUES ($1, $2)", hash[:], damaged)
		return err
	})
	if _, err := e.reopen(t, options); err == nil || !strings.Contains(err.Error(), "pending transaction") {
		t.Errorf("a transaction that waits and is damaged: error %v", err)
	}
}

// TestLateCommit checks that a transaction whose commit takes long is in a valid block: a disk did not answer, or the
// machine was suspended, between its date and its commit. It begins and commits while a block is built, or has begun
// before, and another one was posted since.
func TestLateCommit(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		folder := t.TempDir()
		e := newEconomy(
			t, ledgertest.Options{DB: store.Config{Faults: storetest.ViewsOnce()}, File: remembering(t, folder)})
		ann, bob := e.join(t), e.join(t)
		e.SealAll(t)
		want := e.Faucets(t, ann, 1)
		dated := e.Clock.Now()
		e.Clock.Add(2 * time.Minute)
		began, goOn := make(chan struct{}), make(chan struct{})
		end := sync.OnceFunc(func() { close(goOn) })
		var post sync.WaitGroup
		begin := func() {
			post.Go(func() {
				e.Update(t, func(ctx context.Context, tx *store.Tx) error {
					d := ledgertest.Faucet(bob)
					d.Time = dated
					posted, err := e.Post(ctx, tx, d)
					if err != nil {
						return err
					}
					want = append(want, posted.Hash)
					close(began)
					<-goOn
					return nil
				})
			})
			<-began
		}
		calls := -100
		slow, err := ledger.Open(t.Context(), ledger.Config{
			DB: e.DB, Rules: *e.Rules(), Signer: e.Key.Signer, VerifierKey: e.Key.Verifier,
			Logger: slog.New(slog.DiscardHandler), File: remembering(t, folder),
			Now: func() time.Time { // called twice while a block is built
				switch calls++; {
				case calls == 1 && !after:
					begin()
					end()
					post.Wait()
				case calls == 2 && after:
					end()
				}
				return e.Clock.Now()
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if after {
			begin()
		}
		if after && storetest.Postgres() { // which has more than one writer, and numbers what is posted at the commit
			want = slices.Insert(want, 1, e.Faucets(t, ann, 1)...)
		}
		calls = 0
		if n, err := slow.SealBlock(t.Context()); n != len(want) || err != nil {
			t.Errorf("sealed %d, error %v, want %d", n, err, len(want))
		}
		end()
		post.Wait()
		e.wantSealed(t, 3, want)
		e.WantValid(t)
	}
}
