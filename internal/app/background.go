package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/lease"
	"roshambo/internal/store"
)

// Leases of the work that one node at a time does for all. A lease saves work and conflicts;
// correctness does not depend on it: every change is a compare-and-swap, and blocks are fenced as
// well.
const (
	leaseSealing   = "sealing"   // blocks
	leaseSweeping  = "sweeping"  // deadlines of runs and duels, rounds of cups
	leaseMatching  = "matching"  // pairing the bots in the queue
	leaseBoards    = "boards"    // reducing reports, folding in board changes, closing seasons
	leaseUpkeep    = "upkeep"    // deleting expired rows
	leaseWitnesses = "witnesses" // collecting cosignatures
	leaseHouse     = "house"     // the house's own bots
	leaseBackup    = "backup"    // scheduled backups
	leaseRecovery  = "recovery"  // recovering from lost blocks, where a node may do so by itself
)

// leaseTopic is woken when a node releases a lease.
const leaseTopic = "lease"

// background holds the loops that run without requests.
type background struct {
	loops sync.WaitGroup
	// last holds the loops that the others need until they have ended: leases and relay.
	last     sync.WaitGroup
	stop     func() // ends the loops
	stopLast func() // ends the loops in last
	err      error  // of the preparation of seed chains, which ended then
}

// start starts the loops. The caller calls end.
func (s *Service) start(ctx context.Context) *background {
	b := &background{}
	var last context.Context
	last, b.stopLast = context.WithCancel(ctx)
	b.last.Go(func() { s.leases.Run(last) })
	b.last.Go(func() { s.relay.Run(last) })
	b.last.Go(func() { s.watchLeases(last) })
	ctx, b.stop = context.WithCancel(ctx)
	s.startEverywhere(ctx, b)
	s.startLeased(ctx, b)
	return b
}

// end stops the loops, which release their leases, and then the loops that they depend on.
func (b *background) end() error {
	b.stop()
	b.loops.Wait()
	b.stopLast()
	b.last.Wait()
	return b.err
}

// watchLeases checks the leases when another node releases one.
func (s *Service) watchLeases(ctx context.Context) {
	watch := s.Hub.Watch(leaseTopic)
	defer watch.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch.C():
			s.leases.Poll()
		}
	}
}

// startEverywhere starts the loops that every node runs.
func (s *Service) startEverywhere(ctx context.Context, b *background) {
	// Prepares seed chains in memory, for the accounts and runs of this node.
	b.loops.Go(func() { b.err = s.Runs.Seeds.Fill(ctx) })
	// Reads the log of events for the streams of this node, and numbers new events. Any node may
	// number, by a compare-and-swap, so that no event waits for a lease to change hands.
	b.loops.Go(func() { s.Tail.Run(ctx) })
	b.loops.Go(func() { trimMemory(ctx, s.forget) })
	b.loops.Go(func() { s.every(time.Hour, "address_limits", s.dropAddresses)(ctx) })
	// Each node trims the accounts for which it has stored answers.
	trim := func(ctx context.Context) error { return s.answers.Trim(ctx, s.DB) }
	b.loops.Go(func() { s.every(time.Minute, "answers", trim)(ctx) })
	// Reports the sides that have left their duels, and reports those that watch here to the other nodes.
	beat := func(ctx context.Context) error { s.presence.Beat(); return ctx.Err() }
	b.loops.Go(func() { s.every(time.Second, "presence", beat)(ctx) })
	b.loops.Go(func() { s.every(time.Second, "clock", s.DB.MeasureClock)(ctx) })
	if !s.alone() {
		// Remembers the signed heads. On a single node the sealer does it.
		b.loops.Go(func() { s.followHead(ctx) })
	}
	// Sends mails. A node claims a mail before it sends it, and sends those that it was asked for
	// at once.
	b.loops.Go(func() { s.sendMails(ctx) })
}

// startLeased starts the loops that one node runs for all.
func (s *Service) startLeased(ctx context.Context, b *background) {
	keep := func(name string, work func(context.Context, ledger.Guard)) {
		b.loops.Go(func() {
			s.leases.Keep(ctx, name, func(ctx context.Context, t *lease.Term) {
				defer s.metrics.HoldLease(name)()
				work(ctx, fence(t))
			})
		})
	}
	unfenced := func(work func(context.Context)) func(context.Context, ledger.Guard) {
		return func(ctx context.Context, _ ledger.Guard) { work(ctx) }
	}
	keep(leaseSealing, s.Ledger.Seal)
	if s.config.OnRollback == RollbackRecover {
		keep(leaseRecovery, func(ctx context.Context, guard ledger.Guard) {
			s.every(time.Second, "recovery", s.recoverLoop(guard))(ctx)
		})
	}
	keep(leaseSweeping, unfenced(s.sweep))
	keep(leaseMatching, unfenced(s.Arena.MatchLoop))
	keep(leaseBoards, unfenced(s.countBoards))
	keep(leaseUpkeep, unfenced(s.upkeep))
	if len(s.config.Witnesses) > 0 {
		keep(leaseWitnesses, unfenced(s.collect))
	}
	if s.backups != nil {
		keep(leaseBackup, unfenced(s.runBackups))
	}
}

// dropAddresses drops the network addresses that no limit counts any more, so that none stays in
// memory for more than the longest window and an hour.
func (s *Service) dropAddresses(context.Context) error {
	for _, l := range s.addressLimits {
		l.DropExpired()
	}
	s.Accounts.DropKnownClients()
	return nil
}

// fence returns a guard that fails with ledger.ErrNotSealer once the term of the lease has ended.
func fence(t *lease.Term) ledger.Guard {
	return func(ctx context.Context, tx *store.Tx) error {
		err := t.Confirm(ctx, tx)
		if errors.Is(err, lease.ErrLost) {
			return fmt.Errorf("%w: %w", ledger.ErrNotSealer, err)
		}
		return err
	}
}

// runAll runs works concurrently until all have returned.
func runAll(ctx context.Context, works ...func(context.Context)) {
	var all sync.WaitGroup
	for _, work := range works {
		all.Go(func() { work(ctx) })
	}
	all.Wait()
}

// sweep applies the deadlines of runs and duels and moves cups on until ctx ends.
func (s *Service) sweep(ctx context.Context) {
	runAll(ctx, s.sweepDuels, s.every(30*time.Second, "abandoned_runs", func(ctx context.Context) error {
		_, err := s.Runs.Sweep(ctx)
		return err
	}), s.every(time.Second, "cups", s.Cups.Advance))
}

// countBoards keeps points, leaderboards and the feed up to date, and closes seasons.
func (s *Service) countBoards(ctx context.Context) {
	react := func(ctx context.Context) {
		s.Score.RunReducer(ctx, func(err error) { s.log.Error("reducing reports", "error", err) })
	}
	fold := func(ctx context.Context) {
		s.Score.RunCompactor(ctx, func(err error) { s.log.Error("folding board changes", "error", err) })
	}
	foldRatings := func(ctx context.Context) {
		s.Arena.RunCompactor(ctx, func(err error) { s.log.Error("cannot fold rating changes", "error", err) })
	}
	runAll(ctx, react, fold, foldRatings, s.every(time.Minute, "season", func(ctx context.Context) error {
		ctx = store.Within(ctx, store.LongTrip)
		_, err := s.Score.CloseSeasons(ctx)
		return errors.Join(err, s.Score.ReportRanked(ctx))
	}))
}

// upkeep deletes expired rows and old events.
func (s *Service) upkeep(ctx context.Context) {
	ctx = store.Within(ctx, store.LongTrip)
	runAll(ctx, s.every(time.Hour, "stale", s.dropStale),
		s.every(time.Hour, "idle_guests", s.dropIdleGuests),
		s.every(10*time.Minute, "old_events", func(ctx context.Context) error {
			_, err := s.Events.Sweep(ctx)
			return err
		}))
}

// duelSweep is the longest pause of the sweep of duels. The first deadline of a new duel is never
// sooner, so no deadline is late because the sweep did not know of the duel.
const duelSweep = 2 * time.Second

// sweepDuels applies the deadlines of duels as they pass: it sleeps until the next known deadline,
// at most duelSweep.
func (s *Service) sweepDuels(ctx context.Context) {
	done := s.loop("duels", duelSweep)
	for {
		next, err := s.Duels.Sweep(ctx)
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

// mailRetry is the interval between attempts to send a mail.
const mailRetry = time.Minute

// sendMails sends the queued links and notices, at once and every mailRetry.
func (s *Service) sendMails(ctx context.Context) {
	done := s.loop("mails", mailRetry)
	ticker := time.NewTicker(mailRetry)
	defer ticker.Stop()
	for {
		done(ctx, s.Accounts.Links.Send(ctx))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-s.Accounts.Links.Woken():
		}
	}
}

// dropStale deletes expired sessions, stored answers, links, notices, held names, devices, tags of networks
// and people's places in the queue. All of them are attempted even when one fails.
func (s *Service) dropStale(ctx context.Context) error {
	return s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		tx.Long() // it deletes many rows
		_, errSessions := s.Accounts.DropStaleSessions(ctx, tx)
		_, errAnswers := s.answers.Drop(ctx, tx)
		_, errLinks := s.Accounts.DropExpiredLinks(ctx, tx)
		_, errNotices := s.Accounts.DropExpiredNotices(ctx, tx)
		_, errNames := s.Accounts.DropFormerNames(ctx, tx)
		_, errDevices := s.Accounts.DropStaleDevices(ctx, tx)
		_, errNetworks := s.Accounts.DropNetworks(ctx, tx)
		_, errCharges := s.Score.DropNetworks(ctx, tx)
		errQuick := s.Arena.DropQuick(ctx, tx)
		return errors.Join(errSessions, errAnswers, errLinks, errNotices, errNames, errDevices, errNetworks, errCharges,
			errQuick)
	})
}

// dropIdleGuests removes guests that never did anything, in small transactions.
func (s *Service) dropIdleGuests(ctx context.Context) error {
	idle, err := store.Read(ctx, s.DB, s.Accounts.IdleGuests)
	if err != nil {
		return err
	}
	for guests := range slices.Chunk(idle, 50) {
		err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			for _, guest := range guests {
				if err := errors.Join(s.Runs.Forget(ctx, tx, guest), s.Accounts.RemoveGuest(ctx, tx, guest)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// loop returns a function that a loop calls after each round, with its error. period is the longest
// pause between rounds. An error is logged and not returned, because the next round retries the
// work; metrics report when a round last succeeded. The backlogs of loops outside this package are
// read from the tables (measure.go).
func (s *Service) loop(name string, period time.Duration) (done func(context.Context, error)) {
	watched := s.metrics.Loop(name, period)
	return func(ctx context.Context, err error) {
		if err != nil && ctx.Err() != nil {
			return // the loop was stopped
		}
		watched.Round(err)
		if err != nil && !errors.Is(err, ledger.ErrRecovering) { // that is logged once
			s.log.Error("background loop", "loop", name, "error", err)
		}
	}
}

// every returns a loop that calls work at once and then every period until its context ends.
func (s *Service) every(period time.Duration, name string, work func(context.Context) error) func(context.Context) {
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
