package run

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/runq"
)

// Recovered counts what Recover has done.
type Recovered struct {
	Recovered                bool // false without the mark
	Voided, Claimed, Rotated int
}

// recoverPage is how many rows Recover reads at a time.
const recoverPage = 500

// Recover makes a database safe that is marked as restored (ledger.MarkRestored): players may have
// seen seeds that its state has not revealed. It ends the runs in play, claims what they had won and
// gives back the entries of the others, settles the staked duels in play void, replaces every outstanding
// commitment, so that no run ever uses the old seeds, and deals the house's hands in duels anew. Without
// the mark it does nothing. It must run before any other use case.
//
// The mark refuses all other writes (ledger.CheckWritable) but those that began before it was there, whose end Recover
// awaits first: between the recovery and its consequences a replay admits nothing else.
//
// All of it is one transaction. A crash before its commit leaves the mark, and the next start does it;
// a crash after it leaves nothing to do. Of two nodes that start, one does it, and the other one's
// transaction is repeated and finds no mark.
func (s *Service) Recover(ctx context.Context) (done Recovered, err error) {
	marked, err := store.Read(ctx, s.DB, ledger.Marked)
	if err == nil && marked {
		err = s.DB.UpdateAt(ctx, store.Alone, func(ctx context.Context, tx *store.Tx) error {
			_, err := ledger.Marked(ctx, tx)
			return err
		})
	}
	if err != nil {
		return Recovered{}, fmt.Errorf("run: recover: %w", err)
	}
	err = s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		done = Recovered{} // the transaction may be repeated
		reason, marked, err := ledger.TakeMark(ctx, tx)
		if err != nil {
			return err
		}
		if !marked {
			return s.Ledger.Reload(ctx, tx) // another node may have done it since this one read the chain
		}
		done.Recovered = true
		return s.recover(ctx, tx, reason, &done)
	})
	if err != nil {
		return Recovered{}, fmt.Errorf("run: recover: %w", err)
	}
	return done, nil
}

// recover declares the recovery and posts its consequences, in the order that a replay demands: the ends
// of all games in play, then the rotations.
func (s *Service) recover(ctx context.Context, tx *store.Tx, reason string, done *Recovered) (err error) {
	if err := s.Ledger.Recover(ctx, tx, reason); err != nil {
		return err
	}
	if err := s.endAll(ctx, tx, done); err != nil {
		return err
	}
	if s.Hands != nil {
		if err := s.Hands(ctx, tx); err != nil {
			return err
		}
	}
	if done.Rotated, err = s.rotateAll(ctx, tx); err != nil {
		return err
	}
	return s.Ledger.Recovered(ctx, tx)
}

// endAll ends every run in play.
func (s *Service) endAll(ctx context.Context, tx *store.Tx, done *Recovered) error {
	for {
		rows, err := q.New(tx).UnfinishedRuns(ctx, recoverPage)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			r, err := fromRow(row)
			if err != nil {
				return err
			}
			if err := r.recover(tx.Now()); err != nil {
				return err
			}
			if _, err := s.save(ctx, tx, r); err != nil {
				return fmt.Errorf("end %s: %w", r.ID, err)
			}
			if r.Status == Claimed {
				done.Claimed++
			} else {
				done.Voided++
			}
		}
	}
}

// rotateAll replaces the commitment of every account that can start a run.
func (s *Service) rotateAll(ctx context.Context, tx *store.Tx) (n int, err error) {
	last := []byte{}
	for {
		accounts, err := q.New(tx).Committed(ctx, q.CommittedParams{After: last, Count: recoverPage})
		if err != nil || len(accounts) == 0 {
			return n, err
		}
		for _, account := range accounts {
			if err := s.rotate(ctx, tx, chain.Address(account)); err != nil {
				return n, fmt.Errorf("rotate the commitment of %v: %w", chain.Address(account), err)
			}
			n++
		}
		last = accounts[len(accounts)-1]
	}
}

// rotate replaces the commitment of one account.
func (s *Service) rotate(ctx context.Context, tx *store.Tx, account chain.Address) error {
	tx.Prefetch(q.GetCommitment, account[:])
	actor, err := s.Ledger.LoadActor(ctx, tx, account)
	if err != nil {
		return err
	}
	row, err := q.New(tx).GetCommitment(ctx, account[:])
	if err != nil {
		return err
	}
	next, err := s.nextCommitment(ctx, tx, account, row.Commitment)
	if err != nil {
		return err
	}
	_, err = s.Ledger.Post(ctx, tx, ledger.Draft{Actor: account, State: &actor,
		Data: &chain.Rotate{Commitment: actor.Account.Commitment, NextCommitment: next.commitment}})
	return err
}

// giveBack returns the transfers that give back the entry of a void run: the coins that were paid, or
// a new token of the burnt one's tier.
func (s *Service) giveBack(ctx context.Context, tx *store.Tx, r *Run) ([]chain.Transfer, error) {
	if r.Entry == chain.EntryBurn {
		id, err := s.Ledger.NewTokenID(ctx, tx)
		return []chain.Transfer{{Token: true, TokenID: id, Tier: r.FirstTier, To: r.Account}}, err
	}
	actor, err := s.Ledger.LoadActor(ctx, tx, r.Account)
	if err != nil || actor.Account.Paid == 0 {
		return nil, err
	}
	return []chain.Transfer{{Amount: actor.Account.Paid, To: r.Account}}, nil
}
