package portfolio

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/db"
	"roshambo/internal/ledger"
	q "roshambo/internal/query/portfolioq"
)

// Posted writes a transaction into the book. The ledger holds the accounts concerned
// until the database transaction ends, so that an account's rows change one transaction
// after the other.
func (s *Service) Posted(ctx context.Context, tx *db.Tx, f *ledger.Fact) error {
	if f.Tx.Kind() == chain.KindAccountCreate {
		return nil // the first row is written when there is something to say
	}
	b := book{ctx: ctx, q: q.New(tx), day: f.Tx.Time / (secondsPerDay * 1000)}
	for _, a := range f.Accounts {
		if a.Kind == "" || a.Delta == 0 {
			continue // an escrow, or a token alone
		}
		if err := b.coins(a, f.Tx.Kind() == chain.KindFaucet); err != nil {
			return fmt.Errorf("portfolio: coins of %v: %w", a.Address, err)
		}
	}
	paid, received := prices(f.Tx)
	for _, t := range f.Tokens {
		if t.From != (chain.Address{}) {
			if err := b.token(t.From, t.Tier, tierSums{disposed: 1, proceeds: received}); err != nil {
				return fmt.Errorf("portfolio: tokens of %v: %w", t.From, err)
			}
		}
		if t.To != (chain.Address{}) {
			if err := b.token(t.To, t.Tier, tierSums{acquired: 1, cost: paid}); err != nil {
				return fmt.Errorf("portfolio: tokens of %v: %w", t.To, err)
			}
		}
	}
	return nil
}

// prices returns what the new owner of a transaction's token has paid for it, and what
// the old one received.
func prices(tx *chain.Tx) (paid, received int64) {
	switch tx.Kind() {
	case chain.KindMarketSale, chain.KindBuyback:
		for _, t := range tx.Transfers {
			paid += t.Amount
			if t.To != (chain.Address{}) { // the fee goes to nobody
				received += t.Amount
			}
		}
	}
	return paid, received
}

// book writes the rows of one transaction.
type book struct {
	ctx context.Context
	q   *q.Queries
	day int64
}

func (b *book) coins(a ledger.AccountFact, given bool) error {
	now, err := b.q.CoinNow(b.ctx, a.Address[:])
	if errors.Is(err, sql.ErrNoRows) {
		// What was there before the first change is what it was opened with.
		before := a.Balance - a.Delta
		now, err = q.CoinNowRow{Changed: -1, Balance: before, Inflow: before}, nil
	}
	if err != nil {
		return err
	}
	if b.day > now.Changed {
		err := b.q.KeepCoin(b.ctx, q.KeepCoinParams{Address: a.Address[:], Day: b.day, Balance: now.Balance, Inflow: now.Inflow})
		if err != nil {
			return err
		}
	}
	inflow := now.Inflow
	if given {
		inflow += a.Delta
	}
	return b.q.PutCoin(b.ctx, q.PutCoinParams{
		Address: a.Address[:], Changed: max(b.day, now.Changed), Balance: a.Balance, Inflow: inflow,
	})
}

// tierSums are the sums of a tier.
type tierSums struct{ acquired, disposed, cost, proceeds int64 }

func (b *book) token(owner chain.Address, tier int64, change tierSums) error {
	now, err := b.q.TierNow(b.ctx, q.TierNowParams{Address: owner[:], Tier: tier})
	if errors.Is(err, sql.ErrNoRows) {
		now, err = q.TierNowRow{Changed: -1}, nil
	}
	if err != nil {
		return err
	}
	if b.day > now.Changed {
		err := b.q.KeepTier(b.ctx, q.KeepTierParams{
			Address: owner[:], Day: b.day, Tier: tier,
			Acquired: now.Acquired, Disposed: now.Disposed, Cost: now.Cost, Proceeds: now.Proceeds,
		})
		if err != nil {
			return err
		}
	}
	err = b.q.PutTier(b.ctx, q.PutTierParams{
		Address: owner[:], Tier: tier, Changed: max(b.day, now.Changed),
		Acquired: now.Acquired + change.acquired, Disposed: now.Disposed + change.disposed,
		Cost: now.Cost + change.cost, Proceeds: now.Proceeds + change.proceeds,
	})
	if err != nil || change.cost == 0 {
		return err
	}
	return b.q.InsertLot(b.ctx, q.InsertLotParams{Address: owner[:], Tier: tier, N: now.Acquired + 1, Cost: now.Cost + change.cost})
}
