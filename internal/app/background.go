package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/lease"
	"roshambo/internal/store"
)

// Leases: what one node at a time does for all. Nothing of it would go wrong if two did
// it: whatever they change they swap from what they have seen, and blocks are fenced
// besides. They would do it twice for nothing, and be in each other's way.
const (
	leaseSealing   = "sealing"   // blocks
	leaseSweeping  = "sweeping"  // deadlines of runs and duels
	leaseMatching  = "matching"  // bots that wait
	leaseBoards    = "boards"    // reacting to what was reported, folding in changes, closing seasons
	leaseUpkeep    = "upkeep"    // deleting what is over
	leaseWitnesses = "witnesses" // asking for cosignatures
	leaseHouse     = "house"     // the house's own bots
)

// leaseTopic is woken when a lease was given back.
const leaseTopic = "lease"

// background is what works without being asked.
type background struct {
	errgroup.Group

	stop     func() // of the group
	stopLast func() // of what the group needs until it has ended
	last     errgroup.Group
}

// start starts the loops that work without being asked.
func (s *service) start(ctx context.Context) *background {
	b := &background{}
	var last context.Context
	last, b.stopLast = context.WithCancel(ctx)
	b.last.Go(func() error { s.leases.Run(last); return nil })
	b.last.Go(func() error { s.relay.Run(last); return nil })
	b.last.Go(func() error { s.heedLeases(last); return nil })
	ctx, b.stop = context.WithCancel(ctx)
	s.startEverywhere(ctx, b)
	s.startLeased(ctx, b)
	return b
}

// end ends the loops, what they hold is given back, and only then what they need.
func (b *background) end() error {
	b.stop()
	err := b.Wait()
	b.stopLast()
	return errors.Join(err, b.last.Wait())
}

// heedLeases looks at the leases when another node gives one back.
func (s *service) heedLeases(ctx context.Context) {
	watch := s.hub.Watch(leaseTopic)
	defer watch.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch.C():
			s.leases.Look()
		}
	}
}

// startEverywhere starts what each node does for itself.
func (s *service) startEverywhere(ctx context.Context, b *background) {
	// Seed chains are made ready in memory, for this node's accounts and runs.
	b.Go(func() error { return s.runs.Seeds.Fill(ctx) })
	// Each node reads the log of events for its own streams. It also numbers what was
	// posted: one at a time by a compare-and-swap, whichever is first, so that no event
	// waits for a lease to change hands.
	b.Go(func() error { s.tail.Run(ctx); return nil })
	b.Go(func() error { trimMemory(ctx, s.forget); return nil })
	// Each node remembers for itself what was signed. Alone, the sealer does it.
	if !s.db.Alone() {
		b.Go(func() error { s.followHead(ctx); return nil })
	}
	// A mail is claimed before it is sent, and goes out from the node that was asked for
	// it, at once.
	b.Go(func() error { s.sendMails(ctx); return nil })
}

// startLeased starts what one node does for all.
func (s *service) startLeased(ctx context.Context, b *background) {
	keep := func(name string, work func(context.Context)) {
		b.Go(func() error {
			s.leases.Keep(ctx, name, func(ctx context.Context, _ *lease.Term) {
				defer s.metrics.Held(name)()
				work(ctx)
			})
			return nil
		})
	}
	b.Go(func() error {
		s.leases.Keep(ctx, leaseSealing, func(ctx context.Context, t *lease.Term) {
			defer s.metrics.Held(leaseSealing)()
			s.ledger.Seal(ctx, fence(t))
		})
		return nil
	})
	keep(leaseSweeping, s.sweep)
	keep(leaseMatching, s.arena.Match)
	keep(leaseBoards, s.countBoards)
	keep(leaseUpkeep, s.upkeep)
	if len(s.config.Witnesses) > 0 {
		keep(leaseWitnesses, s.collect)
	}
}

// fence holds a sealer to its term.
func fence(t *lease.Term) ledger.Guard {
	return func(ctx context.Context, tx *store.Tx) error {
		err := t.Confirm(ctx, tx)
		if errors.Is(err, lease.ErrLost) {
			return fmt.Errorf("%w: %w", ledger.ErrNotSealer, err)
		}
		return err
	}
}

// together does several works until all have returned.
func together(ctx context.Context, works ...func(context.Context)) {
	var all sync.WaitGroup
	for _, work := range works {
		all.Go(func() { work(ctx) })
	}
	all.Wait()
}

// sweep applies the deadlines of runs and duels.
func (s *service) sweep(ctx context.Context) {
	together(ctx, s.sweepDuels, s.every(30*time.Second, "abandoned_runs", func(ctx context.Context) error {
		_, err := s.runs.Sweep(ctx)
		return err
	}))
}

// countBoards keeps points, leaderboards and the feed, and closes seasons.
func (s *service) countBoards(ctx context.Context) {
	react := func(ctx context.Context) {
		s.score.RunReducer(ctx, func(err error) { s.log.Error("reacting to what was reported", "error", err) })
	}
	fold := func(ctx context.Context) {
		s.score.RunCompactor(ctx, func(err error) { s.log.Error("counting the boards", "error", err) })
	}
	foldRatings := func(ctx context.Context) {
		s.arena.RunCompactor(ctx, func(err error) { s.log.Error("counting the ratings", "error", err) })
	}
	together(ctx, react, fold, foldRatings, s.every(time.Minute, "season", func(ctx context.Context) error {
		_, err := s.score.CloseSeasons(ctx)
		return err
	}))
}

// upkeep deletes what is over.
func (s *service) upkeep(ctx context.Context) {
	together(ctx, s.every(time.Hour, "stale", unlessAhead(s.config.Now, s.sharedClock(), s.dropStale)),
		s.every(10*time.Minute, "old_events", func(ctx context.Context) error {
			_, err := s.events.Sweep(ctx)
			return err
		}))
}

// duelSweep is the longest that the sweep of duels sleeps. No new duel has its first
// deadline sooner than that, so none is late because the sweep did not know of it.
const duelSweep = 2 * time.Second

// sweepDuels applies the deadlines of duels as they pass.
func (s *service) sweepDuels(ctx context.Context) {
	done := s.loop("duels", duelSweep)
	for {
		next, err := s.duels.Sweep(ctx)
		done(ctx, err)
		sleep := duelSweep
		if err == nil && !next.IsZero() {
			sleep = min(sleep, max(next.Sub(s.config.Now()), time.Millisecond))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(sleep):
		}
	}
}

// mailRetry is how often mails that could not be sent are tried again.
const mailRetry = time.Minute

// sendMails mails links as they are asked for.
func (s *service) sendMails(ctx context.Context) {
	done := s.loop("mails", mailRetry)
	ticker := time.NewTicker(mailRetry)
	defer ticker.Stop()
	for {
		done(ctx, s.accounts.Links.Send(ctx))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-s.accounts.Links.Woken():
		}
	}
}

// dropStale deletes sessions that are over and answers that are not given again.
func (s *service) dropStale(ctx context.Context) error {
	return s.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, errSessions := s.accounts.DropStaleSessions(ctx, tx)
		_, errAnswers := s.answers.Drop(ctx, tx)
		_, errLinks := s.accounts.DropExpiredLinks(ctx, tx)
		return errors.Join(errSessions, errAnswers, errLinks)
	})
}

// loop returns what is called after each round of a loop that sleeps so long at most. A
// failure is said, as it is tried again by itself; metrics tell when a round last went
// well. How far the loops are behind that are none of this package's is read from what
// waits for them (measure.go).
func (s *service) loop(name string, period time.Duration) (done func(context.Context, error)) {
	watched := s.metrics.Loop(name, period)
	return func(ctx context.Context, err error) {
		if err != nil && ctx.Err() != nil {
			return // it was told to end
		}
		watched.Round(err)
		if err != nil {
			s.log.Error("background loop", "loop", name, "error", err)
		}
	}
}

// every returns what does work now and then.
func (s *service) every(period time.Duration, name string, work func(context.Context) error) func(context.Context) {
	return func(ctx context.Context) {
		done := s.loop(name, period)
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			done(ctx, work(ctx))
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}
}
