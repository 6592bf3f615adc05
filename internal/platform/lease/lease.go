// Package lease has work that one node alone is to do at a time done by one of them, and
// by another one soon after that one has died.
//
//	keeper := lease.New(lease.Config{DB: d, Logger: logger})
//	go keeper.Run(ctx)
//	keeper.Keep(ctx, "sealing", func(ctx context.Context, t *lease.Term) {
//		… // until ctx ends, which it does when the lease is lost
//	})
//
// A lease is a row with its holder, a fencing number and a beat. The holder raises the
// beat every second. Another node reads the row four times a second, and takes the lease
// over when it has seen the same beat for three seconds of its own clock: no clocks are
// compared between machines. The fence goes up by one each time that a lease is taken.
//
// Two things keep an old holder from meddling:
//
//   - It stops by itself. A beat is good for 2.5 seconds from when the holder began to
//     store it, and nobody who has seen it takes over within three of seeing it. This
//     holds as long as clocks run at about the same rate and the process runs at all.
//   - What must not happen twice does not rely on that, nor on the process not being
//     stopped between two instructions: it calls Term.Confirm in the transaction that it
//     protects, which is refused once the fence is another, and in that transaction it
//     swaps what the next holder will swap, so that of the two one is refused.
//
// Where one process has the database alone (SQLite) it takes every lease at once, as its
// lock says that no other holder lives, and has no need to beat.
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

// timing says how often and how long. Of the defaults, the worst case is a holder that
// dies just after a beat that is seen a quarter of a second later, with three seconds to
// wait and a quarter to the next look: three and a half seconds.
type timing struct {
	beat     time.Duration // from one beat to the next
	hold     time.Duration // how long a beat is good for its holder
	patience time.Duration // how long a watcher sees the same beat before it takes over
	look     time.Duration // from one look of a watcher to the next
}

var defaultTiming = timing{beat: time.Second, hold: 2500 * time.Millisecond, patience: 3 * time.Second, look: 250 * time.Millisecond}

// releaseWithin is how long giving a lease back may take. Who cannot leaves it to the
// patience of the others.
const releaseWithin = 2 * time.Second

// ErrLost says that the lease is somebody else's by now.
var ErrLost = errors.New("lease: lost")

// Config is what a Keeper needs.
type Config struct {
	DB     *store.DB
	Logger *slog.Logger
	// Released, when set, is called after a lease was given back, to have Look called on
	// other nodes.
	Released func()

	timing timing // in tests
	shared bool   // in tests: as if others had the database, too
}

// Keeper takes leases for a node and keeps them. Its methods are safe for concurrent use.
type Keeper struct {
	Config
	holder string
	alone  bool
	now    chan struct{} // has one place: filled to look at once

	mu   sync.Mutex // guards what follows, and each job's fields
	jobs map[string]*job
}

// job is work that this node would do.
type job struct {
	name    string
	seen    sight
	term    *Term      // nil while it is not held
	granted chan *Term // has one place
}

// New returns a Keeper, which does nothing until Run.
func New(c Config) (*Keeper, error) {
	var random [6]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, fmt.Errorf("lease: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	if c.timing == (timing{}) {
		c.timing = defaultTiming
	}
	return &Keeper{
		Config: c, holder: host + "-" + hex.EncodeToString(random[:]), alone: c.DB.Exclusive() && !c.shared,
		now: make(chan struct{}, 1), jobs: map[string]*job{},
	}, nil
}

// Holder returns what this node is called in the table.
func (k *Keeper) Holder() string { return k.holder }

// Term is one time of holding a lease.
type Term struct {
	name  string
	fence int64
	ctx   context.Context // ends when the lease is lost
	lose  context.CancelFunc
	timer *time.Timer // loses it when no beat is stored in time; nil when none is needed
}

// Fence returns the fencing number, which no other term of this lease has.
func (t *Term) Fence() int64 { return t.fence }

// Confirm makes sure within a transaction that the lease is held: if it was taken over
// before, the error is ErrLost. A taking over meanwhile is as if it came after tx, and
// waits for nothing: the lease's row is read and not locked, so that a transaction of any
// length keeps neither this node from beating nor others from taking over. What tx writes
// must therefore be in the way of what the next holder writes; two blocks swap one head.
func (t *Term) Confirm(ctx context.Context, tx *store.Tx) error {
	fence, err := q.New(tx).Fence(ctx, t.name)
	if err == nil && fence != t.fence {
		err = ErrLost
	}
	if err != nil {
		return fmt.Errorf("lease: %s, fence %d: %w", t.name, t.fence, err)
	}
	return nil
}

// Keep does work whenever this node holds a lease, until ctx ends; then it gives the
// lease back. The context of work ends when the lease is lost, and work should return
// then; the node does not take the same lease again before it has. Work that returns by
// itself is done again, on some node, a beat later.
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
			if t.ctx.Err() == nil { // it has ended by itself: not again and again
				k.wait(ctx)
			}
			if ctx.Err() != nil {
				return // and leave, so that this node does not take it again
			}
			k.release(ctx, j, t)
		}
	}
}

// wait waits for as long as a beat takes.
func (k *Keeper) wait(ctx context.Context) {
	timer := time.NewTimer(k.timing.beat)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
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
	k.Look()
	return j
}

// leave ends what join began, and gives back what is held.
func (k *Keeper) leave(ctx context.Context, j *job) {
	k.mu.Lock()
	delete(k.jobs, j.name)
	t := j.term
	k.mu.Unlock()
	if t != nil {
		k.release(ctx, j, t)
	}
}

// release gives a lease back. A crash before it, or a database that is away, costs the
// others their patience.
func (k *Keeper) release(ctx context.Context, j *job, t *Term) {
	lost := t.ctx.Err() != nil
	t.end()
	defer func() {
		k.mu.Lock()
		j.term = nil
		k.mu.Unlock()
		k.Look()
	}()
	if lost {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
	defer cancel()
	err := k.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := q.New(tx).Release(ctx, q.ReleaseParams{Name: t.name, Fence: t.fence})
		return err
	})
	if err != nil {
		k.Logger.Warn("a lease was not given back", "lease", t.name, "error", err)
		return
	}
	k.Logger.Debug("a lease was given back", "lease", t.name, "fence", t.fence)
	if k.Released != nil {
		k.Released()
	}
}

// end stops the work of a term.
func (t *Term) end() {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.lose()
}

// Held returns the leases that this node holds, with their fences.
func (k *Keeper) Held() map[string]int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	held := map[string]int64{}
	for name, j := range k.jobs {
		if j.term != nil && j.term.ctx.Err() == nil {
			held[name] = j.term.fence
		}
	}
	return held
}

// Look has the Keeper look at the leases at once.
func (k *Keeper) Look() {
	select {
	case k.now <- struct{}{}:
	default: // it will look later than now
	}
}

// Run beats and takes leases until ctx ends, which should be after every Keep has
// returned. Neither waits for the other: a database that is slow to let a lease be taken
// costs no lease that is held.
func (k *Keeper) Run(ctx context.Context) {
	var beating sync.WaitGroup
	if !k.alone {
		beating.Go(func() { k.beats(ctx) })
	}
	ticker := time.NewTicker(k.timing.look)
	defer ticker.Stop()
	for {
		if err := k.round(ctx); err != nil && ctx.Err() == nil {
			k.Logger.Warn("looking at the leases", "error", err) // and again at the next tick
		}
		select {
		case <-ctx.Done():
			beating.Wait()
			return
		case <-ticker.C:
		case <-k.now:
		}
	}
}

// beats beats once a beat, and after a failure as often as watchers look.
func (k *Keeper) beats(ctx context.Context) {
	ticker := time.NewTicker(k.timing.look)
	defer ticker.Stop()
	var beaten time.Time // when the last one that was stored began
	for {
		if began := clock(); began.Sub(beaten) >= k.timing.beat {
			if err := k.beat(ctx, began); err == nil {
				beaten = began
			} else if ctx.Err() == nil {
				k.Logger.Warn("beating for the leases", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// round looks at the leases that this node does not hold.
func (k *Keeper) round(ctx context.Context) error {
	open := k.open()
	if len(open) == 0 {
		return nil
	}
	var rows map[string]row
	err := k.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		rows = map[string]row{}
		list, err := q.New(tx).ListLeases(ctx)
		for _, r := range list {
			rows[r.Name] = row{r.Holder, r.Fence, r.Beat}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("lease: list: %w", err)
	}
	now := clock() // after it was read: later is safe
	for _, j := range open {
		if r := rows[j.name]; k.alone || r.holder == k.holder || j.seen.free(r, now, k.timing.patience) {
			if err := k.take(ctx, j, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// open returns the jobs whose lease this node does not hold.
func (k *Keeper) open() (open []*job) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, j := range k.jobs {
		if j.term == nil {
			open = append(open, j)
		}
	}
	return open
}

// living returns the terms that are not over. One that is over although its work has not
// returned is not among them: nobody works then, and others are to have the lease.
func (k *Keeper) living() (living []*Term) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, j := range k.jobs {
		if j.term != nil && j.term.ctx.Err() == nil {
			living = append(living, j.term)
		}
	}
	slices.SortFunc(living, func(a, b *Term) int { return cmp.Compare(a.name, b.name) })
	return living
}

// beat raises the beats of all leases that are held, and learns which are lost. It began
// before anything is stored: earlier is safe.
func (k *Keeper) beat(ctx context.Context, began time.Time) error {
	var beaten map[*Term]bool
	if len(k.living()) == 0 {
		return nil
	}
	err := k.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		beaten = map[*Term]bool{}
		queries := q.New(tx.Deferred()) // all of them are one step
		for _, t := range k.living() {
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
		case t.ctx.Err() == nil: // not given back meanwhile
			k.Logger.Warn("a lease was taken over by another node", "lease", t.name, "fence", t.fence)
			t.end()
		}
	}
	return nil
}

// extend has a term last so long from now, unless it is over.
func (t *Term) extend(d time.Duration) {
	if t.timer.Stop() {
		t.timer.Reset(d)
	}
}

// take tries to take a lease over from how it was seen.
func (k *Keeper) take(ctx context.Context, j *job, seen row) error {
	began := clock()
	var fence int64
	err := k.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		fence, err = q.New(tx).Take(ctx, q.TakeParams{
			Name: j.name, Holder: k.holder, SeenHolder: seen.holder, SeenFence: seen.fence, SeenBeat: seen.beat})
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil // another node was faster, or the holder lives
	}
	if err != nil {
		return fmt.Errorf("lease: take %s: %w", j.name, err)
	}
	t := &Term{name: j.name, fence: fence}
	t.ctx, t.lose = context.WithCancel(context.Background())
	if !k.alone {
		t.timer = time.AfterFunc(k.timing.hold-since(began), func() {
			k.Logger.Warn("a lease was lost: no beat could be stored", "lease", t.name, "fence", t.fence)
			t.lose()
		})
	}
	k.Logger.Info("a lease was taken", "lease", j.name, "fence", fence, "from", seen.holder)
	k.mu.Lock()
	defer k.mu.Unlock()
	j.term = t
	j.granted <- t
	if k.jobs[j.name] != j { // its Keep has ended meanwhile, and has not seen the term
		go k.release(ctx, j, t)
	}
	return nil
}

// row is a lease as it is stored; the zero row is one that nobody has taken yet.
type row struct {
	holder      string
	fence, beat int64
}

// sight is what a watcher has seen of a lease.
type sight struct {
	row   row
	since time.Time // when it was first seen so
}

// free takes a look at a lease, and says whether it may be taken: it was given back, or
// has not changed for as long as patience lasts.
func (s *sight) free(r row, now time.Time, patience time.Duration) bool {
	if r != s.row || s.since.IsZero() {
		s.row, s.since = r, now
	}
	return r.holder == "" || now.Sub(s.since) >= patience
}

// clock returns the time of the process's own clock, which never jumps. The time of day,
// which a service is given, means nothing here.
func clock() time.Time { return time.Now() } //nolint:forbidigo // see above

func since(t time.Time) time.Duration { return clock().Sub(t) }
