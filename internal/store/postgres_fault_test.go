//go:build unix

package store_test

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

// Kinds of harm. The first ones come to what is said on a connection, the others to all.
const (
	cutBefore   = iota // nothing of it gets through
	cutWithin          // a part of it
	cutBehind          // all of it, and no more
	hangUp             // all connections end
	terminate          // the server ends all of them, in order
	changeTable        // statements have to be prepared anew
	harms
)

var harmNames = [harms]string{"cut before", "cut within", "cut behind", "hung up", "ended by the server", "prepared anew"}

// What lies between one harm and the next, at most. So many fit into the shortest test, in
// which 240 payments say and hear something each, that no kind is left out by chance.
const (
	mostSaid = 2*60 - 1 // to a cut
	mostPaid = 2*40 - 1 // to harm that comes to all
)

// harm does harm by chance, each kind in its turn.
type harm struct {
	mu     sync.Mutex // guards what follows
	random *rand.Rand
	on     bool
	done   [harms]int // how often
	cuts   series
	others series
}

// series is of what comes again and again, at distances that are drawn.
type series struct{ left, count int }

// next says whether it comes now, and as which of so many kinds.
func (s *series) next(random *rand.Rand, most, kinds int) (kind int, now bool) {
	if s.left > 0 {
		s.left--
		return 0, false
	}
	kind = s.count % kinds
	s.count++
	s.left = random.IntN(most)
	return kind, true
}

// pass is the wire's: it cuts one in so many of what is said.
func (h *harm) pass(_ bool, said []byte) (through []byte, more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.on {
		return said, true
	}
	kind, now := h.cuts.next(h.random, mostSaid, hangUp)
	if !now {
		return said, true
	}
	h.done[kind]++
	switch kind {
	case cutBefore:
		return nil, false
	case cutWithin:
		return said[:h.random.IntN(len(said))], false
	}
	return said, false
}

// other says whether harm is to come to all, and which.
func (h *harm) other() (kind int, now bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if kind, now = h.others.next(h.random, mostPaid, harms-hangUp); !now {
		return 0, false
	}
	kind += hangUp
	h.done[kind]++
	return kind, true
}

// draw returns a number below n.
func (h *harm) draw(n int) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return int64(h.random.IntN(n))
}

func (h *harm) set(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.on = on
}

const (
	purses      = 6
	bankCallers = 8
	bankStart   = 1000 // in each purse
)

// bank is a database behind a wire that does harm, and what was asked of it.
type bank struct {
	t      *testing.T
	server *pgtest.Cluster
	wire   *pgtest.Proxy
	harm   *harm
	d      *store.DB

	mu       sync.Mutex // guards payments
	payments []*payment
}

// payment is one Update: it moves an amount, and says so in a row that no index keeps from
// being there twice.
type payment struct {
	n, from, to, amount int64
	snapshot            bool // else serial
	ahead, ask          bool // what is in the purses, to write what is in them then
	later, promised     bool
	swallow             bool // it goes on after errors
	refuse              bool // it returns an error in the end

	err   error
	run   int64 // the last
	after []int64
}

const (
	readPurse   = "SELECT * FROM purse WHERE id = $1" // to be prepared anew when there are others
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
	if p.later {
		exec = tx.Deferred().ExecContext
	}
	if p.ahead {
		tx.Prefetch(readPurse, p.from)
		tx.Prefetch(readPurse, p.to)
	}
	_, failed := exec(ctx, insertEntry, p.n, p.run, p.from, p.to, p.amount)
	for id, change := range map[int64]int64{p.from: -p.amount, p.to: p.amount} {
		text := addPurse
		if p.ask {
			text = setPurse
			if err := tx.Scan(readPurse, []any{id}, func(r store.Row) { change += r.Int(1) }); err != nil {
				failed = errors.Join(failed, err)
			}
		}
		result, err := exec(ctx, text, change, id)
		if err == nil && p.promised {
			var n int64
			if n, err = result.RowsAffected(); err == nil && n != 1 {
				err = fmt.Errorf("%d purses changed", n)
			}
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// draw makes up a payment.
func (b *bank) draw(n int64) *payment {
	yes := func() bool { return b.harm.draw(2) == 0 }
	p := &payment{
		n: n, from: b.harm.draw(purses), amount: 1 + b.harm.draw(9), snapshot: yes(), ahead: yes(), ask: yes(),
		later: yes(), promised: yes(), swallow: b.harm.draw(6) == 0, refuse: b.harm.draw(10) == 0,
	}
	p.to = (p.from + 1 + b.harm.draw(purses-1)) % purses
	return p
}

// hurt does harm that comes to all.
func (b *bank) hurt(kind int) {
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
				b.t.Logf("%s: %v", text, err) // the one before was lost, or was stored after all
			}
		}
	}
}

// postgresHarm moves amounts between purses, in Updates of every shape and from
// several callers, while their connections are cut at any moment. What was answered is
// stored once, and by the run whose results its caller has; what was answered with
// ErrUnavailable once or not at all; and nothing of any other error. Of four rounds each,
// these mistakes were found in so many: what pgconn.SafeToRetry allows is run again, 4; a
// COMMIT that was lost is run again, 4, or taken for done, 4; a connection that the server
// ends always means that nothing was run, 3; a statement is repeated on a new connection
// behind a BEGIN that was answered, 4.
func postgresHarm(t *testing.T, server *pgtest.Cluster) {
	server.Exec(t, "postgres", "CREATE DATABASE bank")
	server.Exec(t, "postgres", "ALTER DATABASE bank SET lock_timeout = '1s'")
	h := &harm{random: testseed.Rand(t)}
	b := &bank{t: t, server: server, wire: pgtest.NewProxy(t, server.Path(""), h.pass, nil), harm: h}
	b.d = storetest.Open(t, store.Config{URL: b.wire.URL("bank")})
	exec(t, b.d, "CREATE TABLE entry (n BIGINT NOT NULL, run BIGINT NOT NULL, source BIGINT NOT NULL, target BIGINT NOT NULL, amount BIGINT NOT NULL)")
	exec(t, b.d, "CREATE TABLE purse (id BIGINT PRIMARY KEY, balance BIGINT NOT NULL)")
	for id := range purses {
		exec(t, b.d, fmt.Sprintf("INSERT INTO purse (id, balance) VALUES (%d, %d)", id, bankStart))
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
					b.hurt(kind)
				}
			}
		})
	}
	callers.Wait()
	h.set(false)
	b.check()
}

// entry is what is stored of a payment.
type entry struct{ count, run int64 }

// check compares what is stored with what was answered.
func (b *bank) check() {
	t := b.t
	// What was asked for on a connection that is cut may still happen.
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
		return errors.Join(err, tx.Scan("SELECT id, balance FROM purse", nil, func(r store.Row) { balances[r.Int(0)] = r.Int(1) }))
	})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(balances, want) {
		t.Errorf("the purses hold %v, and the payments come to %v", balances, want)
	}
	outcomes, reruns := map[string]int{}, int64(0)
	for _, p := range b.payments {
		e := entries[p.n]
		outcome, good := p.is(e)
		if !good {
			t.Errorf("%s: stored %d times, by run %d: %+v", outcome, e.count, e.run, p)
		}
		outcomes[outcome]++
		reruns += p.run - 1
	}
	t.Logf("%v, %d runs more than payments, after %v of %v", outcomes, reruns, b.harm.done, harmNames)
	for kind, n := range b.harm.done {
		if n == 0 {
			t.Errorf("never %s", harmNames[kind])
		}
	}
}

// is says what became of a payment, and whether that may be.
func (p *payment) is(e entry) (outcome string, good bool) {
	switch {
	case p.err == nil:
		return "answered", e == entry{1, p.run} && len(p.after) == 1 && p.after[0] == p.run
	case len(p.after) > 0:
		return "an error, and what follows a commit", false
	case errors.Is(p.err, store.ErrUnavailable):
		return fmt.Sprint("unknown, stored ", e.count), e == entry{} || e == entry{1, p.run}
	case errors.Is(p.err, errRefused):
		return "refused", e == entry{}
	}
	return "failed", e == entry{}
}
