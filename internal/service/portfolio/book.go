package portfolio

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/portfolioq"
)

// Posted writes a transaction into the book. The ledger holds the accounts concerned
// until the database transaction ends, so that an account's rows change one transaction
// after the other.
func (s *Service) Posted(ctx context.Context, tx *store.Tx, f *ledger.Fact) error {
	if f.Tx.Kind() == chain.KindAccountCreate {
		return nil // the first row is written when there is something to say
	}
	b := book{ctx: ctx, q: q.New(tx.Deferred()), day: f.Tx.Time / (secondsPerDay * 1000)}
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

// coins writes down what an account has. What was there before the first change is what it
// was opened with.
func (b *book) coins(a ledger.AccountFact, isGift bool) error {
	opened, given := a.Balance-a.Delta, int64(0)
	if isGift {
		given = a.Delta
	}
	err := b.q.KeepCoin(b.ctx, q.KeepCoinParams{Address: a.Address[:], Day: b.day, Opened: opened})
	if err != nil {
		return err
	}
	return b.q.PutCoin(b.ctx, q.PutCoinParams{Address: a.Address[:], Day: b.day, Balance: a.Balance, Opened: opened, Given: given})
}

// tierSums are the sums of a tier.
type tierSums struct{ acquired, disposed, cost, proceeds int64 }

func (b *book) token(owner chain.Address, tier int64, change tierSums) error {
	err := b.q.KeepTier(b.ctx, q.KeepTierParams{Address: owner[:], Day: b.day, Tier: tier})
	if err != nil {
		return err
	}
	err = b.q.AddToTier(b.ctx, q.AddToTierParams{
		Address: owner[:], Tier: tier, Day: b.day,
		Acquired: change.acquired, Disposed: change.disposed, Cost: change.cost, Proceeds: change.proceeds,
	})
	if err != nil || change.cost == 0 {
		return err
	}
	return ledger.OneRow(b.q.AddLot(b.ctx, q.AddLotParams{Address: owner[:], Tier: tier}))
}
