package portfolio

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/portfolioq"
)

// Posted implements ledger.Listener: it writes a transaction into the book. The ledger has
// locked the accounts concerned until the database transaction ends, so changes of one
// account's rows follow one another.
func (s *Service) Posted(ctx context.Context, tx *store.Tx, f *ledger.Fact) error {
	if f.Tx.Kind() == chain.KindAccountCreate {
		return nil // the first change writes the first row, with the starting balance
	}
	b := book{ctx: ctx, q: q.New(tx.Deferred()), day: f.Tx.Time / (secondsPerDay * 1000)}
	for _, a := range f.Accounts {
		if a.Kind == "" || a.Delta == 0 {
			continue // an escrow account, or a transfer of tokens only
		}
		if err := b.putCoins(a, f.Tx.Kind() == chain.KindFaucet); err != nil {
			return fmt.Errorf("portfolio: coins of %v: %w", a.Address, err)
		}
	}
	paid, received := tradePrices(f.Tx)
	for _, t := range f.Tokens {
		if t.From != (chain.Address{}) {
			if err := b.addToTier(t.From, t.Tier, tierSums{disposed: 1, proceeds: received}); err != nil {
				return fmt.Errorf("portfolio: tokens of %v: %w", t.From, err)
			}
		}
		if t.To != (chain.Address{}) {
			if err := b.addToTier(t.To, t.Tier, tierSums{acquired: 1, cost: paid}); err != nil {
				return fmt.Errorf("portfolio: tokens of %v: %w", t.To, err)
			}
		}
	}
	return nil
}

// tradePrices returns the price that the buyer of a token paid, and the part of it that the
// seller received; 0 for transactions other than sales and buybacks.
func tradePrices(tx *chain.Tx) (paid, received int64) {
	switch tx.Kind() {
	case chain.KindMarketSale, chain.KindBuyback:
		for _, t := range tx.Transfers {
			paid += t.Amount
			if t.To != (chain.Address{}) { // the fee is destroyed
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
	day int64 // of the transaction
}

// putCoins stores the balance of an account, after a snapshot of the state before the day's
// first change. The balance before the very first change is the starting balance, a gift.
func (b *book) putCoins(a ledger.AccountFact, isGift bool) error {
	opened, given := a.Balance-a.Delta, int64(0)
	if isGift {
		given = a.Delta
	}
	err := b.q.SnapshotCoins(b.ctx, q.SnapshotCoinsParams{Address: a.Address[:], Day: b.day, Opened: opened})
	if err != nil {
		return err
	}
	return b.q.PutCoins(b.ctx, q.PutCoinsParams{
		Address: a.Address[:], Day: b.day, Balance: a.Balance, Opened: opened, Given: given})
}

// tierSums are sums over the tokens of a tier that an account ever held: numbers acquired and
// disposed of, coins paid and received.
type tierSums struct{ acquired, disposed, cost, proceeds int64 }

// addToTier adds to the sums of an account's tier, after a snapshot of the state before the
// day's first change. A token that cost something gets a lot: the running sum of costs, from
// which CostOfDisposed reads the FIFO cost.
func (b *book) addToTier(owner chain.Address, tier int64, change tierSums) error {
	err := b.q.SnapshotTier(b.ctx, q.SnapshotTierParams{Address: owner[:], Day: b.day, Tier: tier})
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
