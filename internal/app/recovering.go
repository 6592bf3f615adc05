package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// Values of Config.OnRollback: what happens when the database is behind the signed log.
const (
	// RollbackWait refuses all writes until an operator decides.
	RollbackWait = "wait"
	// RollbackRecover declares the lost blocks, voids the games in play and goes on, at most once an
	// hour, unless a witness has cosigned more than is kept.
	RollbackRecover = "recover"
)

// recoverAfter is how many seconds the nodes have to report the trees that they know before one of them
// declares the largest one lost.
const recoverAfter = 5

// recoverLoop returns a loop that recovers from lost blocks by itself, once a second, under a guard.
func (s *Service) recoverLoop(guard ledger.Guard) func(context.Context) error {
	seconds := 0
	return func(ctx context.Context) error {
		if !s.Ledger.Recovering() {
			seconds = 0
			return nil
		}
		if seconds++; seconds < recoverAfter {
			return nil
		}
		return s.recoverLost(ctx, guard)
	}
}

// recoverLost declares the lost blocks, voids the games in play, rotates the commitments, and lets writes
// go on. Each step is durable, and writes stay refused until the last one: the next call continues after
// a crash.
func (s *Service) recoverLost(ctx context.Context, guard ledger.Guard) error {
	cosigned, err := s.askWitnesses(ctx)
	if err != nil {
		return fmt.Errorf("recovery: the witnesses must say first what they have cosigned: %w", err)
	}
	ctx = store.Within(store.Unguarded(ctx), store.CommandTrip)
	if err := s.Ledger.DeclareLost(ctx, guard, cosigned); err != nil {
		return err
	}
	if err := s.Ledger.SignDeclared(ctx); err != nil {
		return err
	}
	if err := s.recoverRuns(ctx); err != nil {
		return err
	}
	s.forget()
	if err := s.Ledger.Resumed(ctx, guard); err != nil {
		return err
	}
	return s.Ledger.UpdateHeadFile(ctx)
}

// askWitnesses returns the largest size that a witness has cosigned, 0 without witnesses. Errors: one for
// each witness that does not answer.
func (s *Service) askWitnesses(ctx context.Context) (largest int64, err error) {
	if len(s.config.Witnesses) == 0 {
		return 0, nil
	}
	size, signed, err := ledger.StoredCheckpoint(ctx, s.DB)
	if err != nil {
		return 0, err
	}
	var failed []error
	for _, text := range s.config.Witnesses {
		w, err := ParseWitness(text)
		if err != nil {
			return 0, err
		}
		known, err := w.Cosigned(ctx, size, signed)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", keyName(w), err))
			continue
		}
		largest = max(largest, known)
	}
	return largest, errors.Join(failed...)
}

// acceptAtStart accepts, for --on-rollback=recover, a rollback that refuses the start. No node writes from then on,
// until the recovery is stored that this start performs or, if it stops before, the next one, or a node that runs.
func (s *Service) acceptAtStart(ctx context.Context, refused error, head *ledger.HeadFile) error {
	rolled, ok := errors.AsType[*ledger.RollbackError](refused)
	if !ok || s.config.OnRollback != RollbackRecover || rolled.Has == 0 {
		return refused
	}
	if !s.alone() {
		err := s.awaitReports(ctx, head)
		if err == nil {
			return nil // another node has declared the loss
		}
		if rolled, ok = errors.AsType[*ledger.RollbackError](err); !ok {
			return errors.Join(refused, err)
		}
	}
	cosigned, err := s.askWitnesses(ctx)
	if err != nil || cosigned > rolled.Has {
		return errors.Join(refused, err, fmt.Errorf("a witness has cosigned %d blocks: an operator decides", cosigned))
	}
	line, err := ledger.AcceptRollback(ctx, s.DB, head, ledger.Acceptance{Strict: s.alone(), Paced: true})
	if errors.Is(err, ledger.ErrNothingToAccept) && !s.alone() {
		return nil // another node has declared it just before
	}
	if err != nil {
		return errors.Join(refused, err)
	}
	s.log.Warn("declared lost blocks by itself (--on-rollback=recover)", "line", line)
	return nil
}

// awaitReports gives the other nodes the time to report larger lost trees, as nodes that run do (recoverLoop), and
// compares the database again. The refused start has reported the tree of this node (ledger.Open), so no node writes
// meanwhile. Errors: *ledger.RollbackError while no node has declared the loss.
func (s *Service) awaitReports(ctx context.Context, head *ledger.HeadFile) error {
	s.log.Warn("waits for what other nodes know before it declares lost blocks by itself", "seconds", recoverAfter)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(recoverAfter * time.Second):
	}
	_, err := ledger.CheckHeadFile(ctx, s.DB, head, false)
	return err
}
