// Package lease runs work on one node at a time, and moves it to another node soon after that one
// has died.
//
//	keeper, err := lease.New(lease.Config{DB: d, Logger: logger})
//	go keeper.Run(ctx)
//	keeper.Keep(ctx, "sealing", func(ctx context.Context, t *lease.Term) {
//		… // until ctx ends, which it does when the lease is lost
//	})
//
// A lease is a row with its holder, a fencing number and a beat. The holder raises the beat every
// second. Other nodes read the row four times a second, and take the lease over when they have
// read the same beat for three seconds of their own clock; clocks of different machines are never
// compared. Every takeover raises the fence by one.
//
// Two mechanisms keep an old holder from interfering:
//
//   - It stops by itself. A beat is valid for 2.5 seconds from when the holder began to store it,
//     and no node that has read it takes over within three seconds of reading it. This holds as
//     long as clocks run at about the same rate and the process runs at all.
//   - Work that must not happen twice relies on neither: it calls Term.Confirm in the transaction
//     that it protects, which fails when the fence has changed, and it swaps in that transaction a
//     row that the next holder swaps as well, so that one of the two fails. So a process may even
//     be suspended between two instructions.
//
// Where one process owns the database (SQLite), its lock excludes other holders: it takes every
// lease at once and sends no beats.
package lease

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/leaseq"
)

// timing holds the intervals. With the defaults the worst case is 3.5 seconds: a holder dies just
// after a beat, another node reads the beat a quarter of a second later, waits three seconds, and
// polls again within a quarter.
type timing struct {
	beat     time.Duration // between two beats
	hold     time.Duration // validity of a beat for its holder
	takeover time.Duration // time after which an unchanged beat permits a takeover
	poll     time.Duration // between two reads by other nodes
}

var defaultTiming = timing{
	beat: time.Second, hold: 2500 * time.Millisecond, takeover: 3 * time.Second, poll: 250 * time.Millisecond,
}

// releaseTimeout bounds the release of a lease. If it fails, other nodes take over as after a
// crash.
const releaseTimeout = 2 * time.Second

// ErrLost reports that another node has taken the lease over.
var ErrLost = errors.New("lease: lost")

// Config configures a Keeper.
type Config struct {
	DB     *store.DB
	Logger *slog.Logger
	// Released, when set, is called after a lease was released. It should make other nodes call
	// Poll.
	Released func()

	timing timing // for tests; zero for the defaults
	shared bool   // for tests: other processes use the database, too
}

// Keeper takes and holds the leases of a node. Its methods are safe for concurrent use.
type Keeper struct {
	Config
	holder  string        // name of this node
	alone   bool          // no other process uses the database
	pollNow chan struct{} // capacity 1; filled to poll at once

	mu   sync.Mutex // guards jobs and the fields of each job
	jobs map[string]*job
}

// job is the work of one lease on this node.
type job struct {
	name     string
	observed observation
	term     *Term      // nil while the lease is not held
	granted  chan *Term // capacity 1
}

// New returns a Keeper. It takes no lease until Run.
func New(c Config) *Keeper {
	var random [6]byte
	rand.Read(random[:])
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	if c.timing == (timing{}) {
		c.timing = defaultTiming
	}
	return &Keeper{
		Config: c, holder: host + "-" + hex.EncodeToString(random[:]), alone: c.DB.Exclusive() && !c.shared,
		pollNow: make(chan struct{}, 1), jobs: map[string]*job{},
	}
}

// Holder returns the name of this node in the table.
func (k *Keeper) Holder() string { return k.holder }

// Holders returns the names of the nodes that hold a lease, also of those that have died since.
func (k *Keeper) Holders(ctx context.Context) (names []string, err error) {
	list, err := k.list(ctx)
	for _, r := range list {
		if r.Holder != "" && !slices.Contains(names, r.Holder) {
			names = append(names, r.Holder)
		}
	}
	return names, err
}

// Lease is a lease as the table has it.
type Lease struct {
	Name   string
	Holder string // the node that holds it, or held it when it died; "" after a release
	Fence  int64  // the number of the holder's term
}

// Leases returns all leases that a node has taken since the database began, by name.
func (k *Keeper) Leases(ctx context.Context) ([]Lease, error) {
	list, err := k.list(ctx)
	leases := make([]Lease, len(list))
	for i, r := range list {
		leases[i] = Lease{r.Name, r.Holder, r.Fence}
	}
	return leases, err
}

// list reads all leases.
func (k *Keeper) list(ctx context.Context) ([]q.Lease, error) {
	list, err := store.Read(ctx, k.DB, func(ctx context.Context, tx *store.Tx) ([]q.Lease, error) {
		return q.New(tx).ListLeases(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("lease: list: %w", err)
	}
	return list, nil
}

// Term is one period of holding a lease.
type Term struct {
	name  string
	fence int64
	ctx   context.Context // ends when the lease is lost
	lose  context.CancelFunc
	timer *time.Timer // ends the term when no beat is stored in time; nil when alone
}

// Confirm checks in a transaction that the lease is held. Errors: ErrLost after a takeover. It
// reads the lease's row without locking it, so that a long transaction blocks neither this node's
// beats nor a takeover. A concurrent takeover counts as later than tx; so tx must also conflict
// with the next holder's writes, as two blocks swap one head.
func (t *Term) Confirm(ctx context.Context, tx *store.Tx) error {
	fence, err := q.New(tx).Fence(ctx, t.name)
	if err != nil {
		return fmt.Errorf("lease: %s, fence %d: %w", t.name, t.fence, err)
	}
	if fence != t.fence {
		return fmt.Errorf("lease: %s, fence %d: %w", t.name, t.fence, ErrLost)
	}
	return nil
}

// Keep runs work whenever this node holds a lease, until ctx ends; then it releases the lease. The
// context of work ends when the lease is lost, and work should then return: the node does not take
// the same lease again before. Work that returns by itself is run again, on some node, a beat
// later.
func (k *Keeper) Keep(ctx context.Context, name string, work func(context.Context, *Term)) {
	j := k.join(name)
	defer k.leave(ctx, j)
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-j.granted:
			inner, stop := context.WithCancel(ctx)
			context.AfterFunc(t.ctx, stop)
			work(inner, t)
			stop()
			if t.ctx.Err() == nil { // work returned by itself: pause before the next run
				select {
				case <-ctx.Done():
				case <-time.After(k.timing.beat):
				}
			}
			if ctx.Err() != nil {
				return // leave releases the lease, and this node does not take it again
			}
			k.release(ctx, j, t)
		}
	}
}

func (k *Keeper) join(name string) *job {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.jobs[name] != nil {
		panic("lease: " + name + " is kept twice")
	}
	j := &job{name: name, granted: make(chan *Term, 1)}
	k.jobs[name] = j
	k.Poll()
	return j
}

// leave removes a job and releases its lease.
func (k *Keeper) leave(ctx context.Context, j *job) {
	k.mu.Lock()
	delete(k.jobs, j.name)
	t := j.term
	k.mu.Unlock()
	if t != nil {
		k.release(ctx, j, t)
	}
}

// release releases a lease. After a crash before it, or without a database, other nodes wait for
// the takeover time.
func (k *Keeper) release(ctx context.Context, j *job, t *Term) {
	lost := t.ctx.Err() != nil
	t.end()
	defer func() {
		k.mu.Lock()
		j.term = nil
		k.mu.Unlock()
		k.Poll()
	}()
	if lost {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	err := k.DB.Update(store.Unguarded(ctx), func(ctx context.Context, tx *store.Tx) error {
		_, err := q.New(tx).Release(ctx, q.ReleaseParams{Name: t.name, Fence: t.fence})
		return err
	})
	if err != nil {
		k.Logger.Warn("cannot release a lease", "lease", t.name, "error", err)
		return
	}
	k.Logger.Debug("lease released", "lease", t.name, "fence", t.fence)
	if k.Released != nil {
		k.Released()
	}
}

// end ends a term, and with it the context of its work.
func (t *Term) end() {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.lose()
}

// Poll makes the Keeper read the leases at once.
func (k *Keeper) Poll() {
	select {
	case k.pollNow <- struct{}{}:
	default: // a poll is due already
	}
}

// Run sends beats and takes leases until ctx ends, which should be after every Keep has returned.
// The two run independently: a slow takeover does not delay beats.
func (k *Keeper) Run(ctx context.Context) {
	var beating sync.WaitGroup
	if !k.alone {
		beating.Go(func() { k.beatLoop(ctx) })
	}
	ticker := time.NewTicker(k.timing.poll)
	defer ticker.Stop()
	for {
		if err := k.round(ctx); err != nil && ctx.Err() == nil {
			k.Logger.Warn("cannot read the leases", "error", err) // retried at the next tick
		}
		select {
		case <-ctx.Done():
			beating.Wait()
			return
		case <-ticker.C:
		case <-k.pollNow:
		}
	}
}

// beatLoop stores beats, one per beat interval, and retries failures at the poll interval.
func (k *Keeper) beatLoop(ctx context.Context) {
	ticker := time.NewTicker(k.timing.poll)
	defer ticker.Stop()
	var beaten time.Time // start of the last stored beat
	for {
		if began := clock(); began.Sub(beaten) >= k.timing.beat {
			if err := k.beat(ctx, began); err == nil {
				beaten = began
			} else if ctx.Err() == nil {
				k.Logger.Warn("cannot renew the leases", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// round reads the leases and takes those that this node wants and may take.
func (k *Keeper) round(ctx context.Context) error {
	unheld := k.unheld()
	if len(unheld) == 0 {
		return nil
	}
	list, err := k.list(ctx)
	if err != nil {
		return err
	}
	rows := map[string]row{}
	for _, r := range list {
		rows[r.Name] = row{r.Holder, r.Fence, r.Beat}
	}
	now := clock() // after the read: a late time only delays a takeover
	for _, j := range unheld {
		if r := rows[j.name]; k.alone || r.holder == k.holder || j.observed.mayTake(r, now, k.timing.takeover) {
			if err := k.take(ctx, j, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// unheld returns the jobs whose lease this node does not hold.
func (k *Keeper) unheld() (unheld []*job) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, j := range k.jobs {
		if j.term == nil {
			unheld = append(unheld, j)
		}
	}
	return unheld
}

// heldTerms returns the terms that are not over, sorted by name. A term that is over although its
// work has not returned is not renewed: other nodes may take the lease.
func (k *Keeper) heldTerms() (held []*Term) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, j := range k.jobs {
		if j.term != nil && j.term.ctx.Err() == nil {
			held = append(held, j.term)
		}
	}
	slices.SortFunc(held, func(a, b *Term) int { return cmp.Compare(a.name, b.name) })
	return held
}

// beat renews all held leases, and ends those that are lost. began is a time before the store: an
// early time only shortens the validity.
func (k *Keeper) beat(ctx context.Context, began time.Time) error {
	var beaten map[*Term]bool
	if len(k.heldTerms()) == 0 {
		return nil
	}
	err := k.DB.Update(store.Unguarded(ctx), func(ctx context.Context, tx *store.Tx) error {
		beaten = map[*Term]bool{}
		queries := q.New(tx.Deferred()) // one round trip for all
		for _, t := range k.heldTerms() {
			n, err := queries.Beat(ctx, q.BeatParams{Name: t.name, Fence: t.fence})
			if err != nil {
				return err
			}
			beaten[t] = n == 1
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("lease: beat: %w", err)
	}
	for t, stored := range beaten {
		switch {
		case stored:
			t.extend(k.timing.hold - since(began))
		case t.ctx.Err() == nil: // not released meanwhile
			k.Logger.Warn("lease taken over by another node", "lease", t.name, "fence", t.fence)
			t.end()
		}
	}
	return nil
}

// extend makes a term end after d from now, unless it is over.
func (t *Term) extend(d time.Duration) {
	if t.timer.Stop() {
		t.timer.Reset(d)
	}
}

// take tries to take a lease whose row is still as it was read.
func (k *Keeper) take(ctx context.Context, j *job, seen row) error {
	began := clock()
	var fence int64
	err := k.DB.Update(store.Unguarded(ctx), func(ctx context.Context, tx *store.Tx) (err error) {
		fence, err = q.New(tx).Take(ctx, q.TakeParams{
			Name: j.name, Holder: k.holder, SeenHolder: seen.holder, SeenFence: seen.fence, SeenBeat: seen.beat})
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil // another node was first, or the holder has renewed it
	}
	if err != nil {
		return fmt.Errorf("lease: take %s: %w", j.name, err)
	}
	t := &Term{name: j.name, fence: fence}
	t.ctx, t.lose = context.WithCancel(context.Background())
	if !k.alone {
		t.timer = time.AfterFunc(k.timing.hold-since(began), func() {
			k.Logger.Warn("lease lost: no beat could be stored", "lease", t.name, "fence", t.fence)
			t.lose()
		})
	}
	k.Logger.Info("lease taken", "lease", j.name, "fence", fence, "from", seen.holder)
	k.mu.Lock()
	defer k.mu.Unlock()
	j.term = t
	j.granted <- t
	if k.jobs[j.name] != j { // its Keep has returned meanwhile, without the term
		go k.release(ctx, j, t)
	}
	return nil
}

// row is a lease as stored; the zero row is one that no node has taken yet.
type row struct {
	holder      string
	fence, beat int64
}

// observation is the last change that this node has read of a lease.
type observation struct {
	row   row
	since time.Time // of the first read of this row
}

// mayTake records a read of a lease and reports whether this node may take it: the lease was
// released, or its row has not changed for the takeover time.
func (s *observation) mayTake(r row, now time.Time, takeover time.Duration) bool {
	if r != s.row || s.since.IsZero() {
		s.row, s.since = r, now
	}
	return r.holder == "" || now.Sub(s.since) >= takeover
}

// clock returns the monotonic time of the process. The service's time of day is irrelevant here.
func clock() time.Time { return time.Now() } //nolint:forbidigo // see above

func since(t time.Time) time.Duration { return clock().Sub(t) }
