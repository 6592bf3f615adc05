//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"roshambo/internal/platform/testseed"
	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

// Kinds of faults. Those before hangUp affect one connection, the others all.
const (
	cutBefore   = iota // the message is dropped
	cutWithin          // a part of it is relayed
	cutBehind          // all of it is relayed, and no more
	hangUp             // all connections are closed
	terminate          // the server ends all connections cleanly
	changeTable        // statements must be prepared again
	faultKinds
)

var faultNames = [faultKinds]string{
	"cut before", "cut within", "cut behind", "hung up", "terminated by the server", "table changed",
}

// The largest distance between two faults. The 240 payments of the shortest test, with a
// message each way, suffice for every kind.
const (
	maxMessages = 2*60 - 1 // messages before a cut
	maxPayments = 2*40 - 1 // payments before a fault of all connections
)

// faultPlan injects faults at random distances, each kind in rotation.
type faultPlan struct {
	mu     sync.Mutex // guards the fields below
	random *rand.Rand
	on     bool
	done   [faultKinds]int // count by kind
	cuts   series
	others series
}

// series is a recurring event at random distances.
type series struct{ left, count int }

// next reports whether the event occurs now, and as which of a number of kinds.
func (s *series) next(random *rand.Rand, distance, kinds int) (kind int, now bool) {
	if s.left > 0 {
		s.left--
		return 0, false
	}
	kind = s.count % kinds
	s.count++
	s.left = random.IntN(distance)
	return kind, true
}

// pass implements pgtest.Filter: it cuts connections at random messages.
func (h *faultPlan) pass(_ bool, message []byte) (relayed []byte, more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.on {
		return message, true
	}
	kind, now := h.cuts.next(h.random, maxMessages, hangUp)
	if !now {
		return message, true
	}
	h.done[kind]++
	switch kind {
	case cutBefore:
		return nil, false
	case cutWithin:
		return message[:h.random.IntN(len(message))], false
	}
	return message, false
}

// other reports whether a fault of all connections is due, and its kind.
func (h *faultPlan) other() (kind int, now bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if kind, now = h.others.next(h.random, maxPayments, faultKinds-hangUp); !now {
		return 0, false
	}
	kind += hangUp
	h.done[kind]++
	return kind, true
}

// draw returns a random number below n.
func (h *faultPlan) draw(n int) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return int64(h.random.IntN(n))
}

func (h *faultPlan) set(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.on = on
}

const (
	purses      = 6
	bankCallers = 8
	bankStart   = 1000 // balance of each purse
)

// bank is a database behind a faulty proxy, with the payments made.
type bank struct {
	t      *testing.T
	server *pgtest.Cluster
	wire   *pgtest.Proxy
	faults *faultPlan
	d      *store.DB

	mu       sync.Mutex // guards payments
	payments []*payment
}

var errRefused = errors.New("refused")

// payment is one Update: it moves an amount between purses and records that in a row that no
// unique index protects from duplicates.
type payment struct {
	n, from, to, amount int64
	snapshot            bool // isolation level, otherwise serializable
	prefetch, read      bool // prefetches balances; reads them and writes sums
	deferred, counted   bool // defers statements; calls RowsAffected
	swallow             bool // continues after errors
	refuse              bool // returns an error in the end

	err   error
	run   int64 // number of the last run
	after []int64
}

const (
	readPurse   = "SELECT * FROM purse WHERE id = $1" // * must be prepared again after changeTable
	setPurse    = "UPDATE purse SET balance = $1 WHERE id = $2"
	addPurse    = "UPDATE purse SET balance = balance + $1 WHERE id = $2"
	insertEntry = "INSERT INTO entry (n, run, source, target, amount) VALUES ($1, $2, $3, $4, $5)"
)

func (b *bank) pay(p *payment) {
	level := store.Serializable
	if p.snapshot {
		level = store.Snapshot
	}
	p.err = b.d.UpdateAt(b.t.Context(), level, func(ctx context.Context, tx *store.Tx) error {
		p.run++
		run := p.run
		tx.AfterCommit(func() { p.after = append(p.after, run) })
		err := p.move(ctx, tx)
		switch {
		case err != nil && !p.swallow:
			return err
		case p.refuse:
			return errRefused
		}
		return nil
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.payments = append(b.payments, p)
}

func (p *payment) move(ctx context.Context, tx *store.Tx) error {
	exec := tx.ExecContext
	if p.deferred {
		exec = tx.Deferred().ExecContext
	}
	if p.prefetch {
		tx.Prefetch(readPurse, p.from)
		tx.Prefetch(readPurse, p.to)
	}
	_, failed := exec(ctx, insertEntry, p.n, p.run, p.from, p.to, p.amount)
	for id, change := range map[int64]int64{p.from: -p.amount, p.to: p.amount} {
		text := addPurse
		if p.read {
			text = setPurse
			if err := tx.Scan(readPurse, []any{id}, func(r store.Row) { change += r.Int(1) }); err != nil {
				failed = errors.Join(failed, err)
			}
		}
		result, err := exec(ctx, text, change, id)
		if err == nil && p.counted {
			var n int64
			if n, err = result.RowsAffected(); err == nil && n != 1 {
				err = fmt.Errorf("%d purses changed", n)
			}
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// draw returns a random payment.
func (b *bank) draw(n int64) *payment {
	yes := func() bool { return b.faults.draw(2) == 0 }
	p := &payment{
		n: n, from: b.faults.draw(purses), amount: 1 + b.faults.draw(9), snapshot: yes(), prefetch: yes(), read: yes(),
		deferred: yes(), counted: yes(), swallow: b.faults.draw(6) == 0, refuse: b.faults.draw(10) == 0,
	}
	p.to = (p.from + 1 + b.faults.draw(purses-1)) % purses
	return p
}

// inject injects a fault of all connections.
func (b *bank) inject(kind int) {
	switch kind {
	case hangUp:
		b.wire.CloseAll()
	case terminate:
		b.server.QueryBool(b.t, "SELECT count(pg_terminate_backend(pid)) >= 0 FROM pg_stat_activity WHERE datname = 'bank'")
	case changeTable:
		for _, text := range []string{"ALTER TABLE purse ADD COLUMN more BIGINT", "ALTER TABLE purse DROP COLUMN more"} {
			err := b.d.Update(b.t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, text)
				return err
			})
			if err != nil && !errors.Is(err, store.ErrUnavailable) {
				b.t.Logf("%s: %v", text, err) // the previous one was lost, or stored with an unknown outcome
			}
		}
	}
}

// postgresFaults moves amounts between purses, in Updates of every shape and from several
// callers, while their connections are cut at random. An acknowledged payment is stored once,
// by the run whose results its caller has; one with ErrUnavailable is stored once or not at
// all; one with another error is not stored. The test detected each of these planted defects,
// in so many of four rounds: retrying whatever pgconn.SafeToRetry allows, 4; retrying a lost
// COMMIT, 4, or treating it as done, 4; treating a connection that the server ended as proof
// that nothing was executed, 3; repeating a statement on a new connection after an acknowledged
// BEGIN, 4.
func postgresFaults(t *testing.T, server *pgtest.Cluster) {
	server.Exec(t, "postgres", "CREATE DATABASE bank")
	server.Exec(t, "postgres", "ALTER DATABASE bank SET lock_timeout = '1s'")
	h := &faultPlan{random: testseed.Rand(t)}
	b := &bank{t: t, server: server, wire: pgtest.NewProxy(t, server.Path(""), h.pass, nil), faults: h}
	b.d = storetest.Open(t, store.Config{URL: b.wire.URL("bank") + pgtest.Patient})
	storetest.Exec(t, b.d, `CREATE TABLE entry (
		n BIGINT NOT NULL, run BIGINT NOT NULL, source BIGINT NOT NULL, target BIGINT NOT NULL, amount BIGINT NOT NULL
	)`)
	storetest.Exec(t, b.d, "CREATE TABLE purse (id BIGINT PRIMARY KEY, balance BIGINT NOT NULL)")
	for id := range purses {
		storetest.Exec(t, b.d, fmt.Sprintf("INSERT INTO purse (id, balance) VALUES (%d, %d)", id, bankStart))
	}
	each := int64(60)
	if testing.Short() {
		each = 30
	}
	h.set(true)
	var callers sync.WaitGroup
	for caller := range int64(bankCallers) {
		callers.Go(func() {
			for n := range each {
				b.pay(b.draw(caller*each + n))
				if kind, now := h.other(); now {
					b.inject(kind)
				}
			}
		})
	}
	callers.Wait()
	h.set(false)
	b.check()
}

// entry is the number of rows stored for a payment, and the run in the last one.
type entry struct{ count, run int64 }

// check compares the stored rows with the results of the payments.
func (b *bank) check() {
	t := b.t
	// The server may still execute statements of connections that were cut.
	b.wire.CloseAll()
	for b.server.QueryBool(t, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = 'bank')") {
	}
	entries, balances, want := map[int64]entry{}, map[int64]int64{}, map[int64]int64{}
	for id := range int64(purses) {
		want[id] = bankStart
	}
	err := b.d.View(t.Context(), func(_ context.Context, tx *store.Tx) error {
		err := tx.Scan("SELECT n, run, source, target, amount FROM entry", nil, func(r store.Row) {
			entries[r.Int(0)] = entry{entries[r.Int(0)].count + 1, r.Int(1)}
			want[r.Int(2)] -= r.Int(4)
			want[r.Int(3)] += r.Int(4)
		})
		return errors.Join(err, tx.Scan("SELECT id, balance FROM purse", nil, func(r store.Row) {
			balances[r.Int(0)] = r.Int(1)
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(balances, want) {
		t.Errorf("balances %v, want the sums of the payments %v", balances, want)
	}
	outcomes, reruns := map[string]int{}, int64(0)
	for _, p := range b.payments {
		e := entries[p.n]
		outcome, good := p.result(e)
		if !good {
			t.Errorf("%s: stored %d times, by run %d: %+v", outcome, e.count, e.run, p)
		}
		outcomes[outcome]++
		reruns += p.run - 1
	}
	t.Logf("%v, %d reruns, after %v of %v", outcomes, reruns, b.faults.done, faultNames)
	for kind, n := range b.faults.done {
		if n == 0 {
			t.Errorf("no fault of kind %s", faultNames[kind])
		}
	}
}

// result describes the outcome of a payment, and reports whether it is correct.
func (p *payment) result(e entry) (outcome string, good bool) {
	switch {
	case p.err == nil:
		return "acknowledged", e == entry{1, p.run} && len(p.after) == 1 && p.after[0] == p.run
	case len(p.after) > 0:
		return "an error with callbacks", false
	case errors.Is(p.err, store.ErrUnavailable):
		return fmt.Sprint("unknown, stored ", e.count), e == entry{} || e == entry{1, p.run}
	case errors.Is(p.err, errRefused):
		return "refused", e == entry{}
	}
	return "failed", e == entry{}
}
