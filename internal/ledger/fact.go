package ledger

import (
	"context"

	"roshambo/chain"
	"roshambo/internal/store"
)

// Listener is implemented by packages that need every transaction. The ledger calls Posted inside
// the database transaction that posts it: the listener's writes are stored with the transaction,
// and its error rolls both back. The rows of the accounts and tokens concerned are already updated
// and locked, so a listener sees two transactions of one account one after the other.
type Listener interface {
	Posted(ctx context.Context, tx *store.Tx, f *Fact) error
}

// Listen adds a listener. Call it before the ledger is used.
func (l *Ledger) Listen(listener Listener) { l.listeners = append(l.listeners, listener) }

// Fact is a transaction that has taken effect.
type Fact struct {
	Tx       *chain.Tx
	Hash     chain.Hash
	Accounts []AccountFact // of each address that it concerns, in ascending order
	Tokens   []TokenFact
}

// AccountFact is the effect of a transaction on one address.
type AccountFact struct {
	Address chain.Address
	Kind    chain.AccountKind // "" for an escrow
	Delta   int64             // coins received or, below 0, spent
	Balance int64             // afterwards
}

// TokenFact is the effect of a transaction on one token.
type TokenFact struct {
	ID, Tier int64
	From, To chain.Address // zero From: created; zero To: destroyed
}

// SealListener is implemented by packages that need every new block. The ledger calls Sealed
// inside the database transaction that stores the block: the listener's writes are stored with the
// block or not at all. It does not call Sealed for the genesis block, which Open creates.
type SealListener interface {
	Sealed(ctx context.Context, tx *store.Tx, b Block) error
}

// ListenSealed adds a listener. Call it before the ledger is used.
func (l *Ledger) ListenSealed(listener SealListener) {
	l.sealListeners = append(l.sealListeners, listener)
}
