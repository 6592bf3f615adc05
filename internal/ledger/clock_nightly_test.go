//go:build nightly

package ledger_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestClockShiftsUnderLoad is TestClockShifts in real time: each node posts without a pause and measures every
// second, and blocks are sealed, while one node's clock is off for 1, 4 and 20 seconds.
func TestClockShiftsUnderLoad(t *testing.T) {
	t.Parallel()
	host := newHostClock(true)
	e := newEconomy(t, ledgertest.Options{DB: store.Config{HostClock: host.read}})
	players := []ledgertest.Player{e.join(t)}
	nodes := []*ledgertest.Ledger{e.Ledger}
	if storetest.Postgres() {
		place := e.Location
		place.HostClock = newHostClock(true).read
		nodes = append(nodes, ledgertest.Open(t, ledgertest.Options{DB: place, Key: e.Key}))
		players = append(players, e.join(t))
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var load sync.WaitGroup
	var posted atomic.Int64
	report := func(err error) {
		refused := errors.Is(err, ledger.ErrClocksApart) || errors.Is(err, ledger.ErrBlockAhead)
		if err != nil && ctx.Err() == nil && !refused {
			t.Error(err)
		}
	}
	for i, node := range nodes {
		load.Go(func() {
			for ctx.Err() == nil {
				report(node.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
					_, err := node.Post(ctx, tx, ledgertest.Faucet(players[i]))
					return err
				}))
				posted.Add(1)
			}
		})
		load.Go(func() { measures(ctx, node, report) })
	}
	load.Go(func() {
		for ctx.Err() == nil {
			for _, node := range nodes { // one after the other: there is no lease
				_, err := node.SealBlock(ctx)
				report(err)
			}
		}
	})
	for _, shift := range []time.Duration{-2 * time.Hour, -90 * time.Second, 90 * time.Second, 2 * time.Hour} {
		for _, lasts := range []time.Duration{time.Second, 4 * time.Second, 20 * time.Second} {
			host.shift.Store(int64(shift))
			<-time.After(lasts)
			host.shift.Store(0)
			<-time.After(time.Second)
		}
	}
	stop()
	load.Wait()
	for _, node := range nodes {
		if err := node.DB.MeasureClock(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	nodes[len(nodes)-1].SealAll(t)
	if v := e.WantValid(t); v.Transactions < posted.Load()/2 {
		t.Errorf("%d transactions, posted %d", v.Transactions, posted.Load())
	}
}

// measures measures the clock of a node's database every second until ctx ends, as a service does.
func measures(ctx context.Context, node *ledgertest.Ledger, report func(error)) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			report(node.DB.MeasureClock(ctx))
		}
	}
}
