package ledger

import (
	"context"

	"roshambo/chain"
	"roshambo/internal/store"
)

// Listener is told of every transaction within the database transaction that posts it:
// what it writes is stored with it, and its error takes all of it back. The accounts and
// tokens concerned are changed by then, and held, so that of two posts about the same
// account the listener sees one after the other.
type Listener interface {
	Posted(ctx context.Context, tx *store.Tx, f *Fact) error
}

// Listen adds a listener. It is called before the ledger is used.
func (l *Ledger) Listen(listener Listener) { l.listeners = append(l.listeners, listener) }

// Fact is a transaction that has taken effect.
type Fact struct {
	Tx       *chain.Tx
	Hash     chain.Hash
	Accounts []AccountFact // each address that it concerns, in ascending order
	Tokens   []TokenFact
}

// AccountFact is what a transaction did to one address.
type AccountFact struct {
	Address chain.Address
	Kind    chain.AccountKind // "" for an escrow
	Delta   int64             // coins that came or, below 0, went
	Balance int64             // afterwards
}

// TokenFact is what a transaction did to one token.
type TokenFact struct {
	ID, Tier int64
	From, To chain.Address // none: created, destroyed
}

// SealListener is told of each block that a sealer makes, within the database transaction
// that stores it: what it writes is stored with the block or not at all. Of the genesis
// block, which Open makes, nobody is told.
type SealListener interface {
	Sealed(ctx context.Context, tx *store.Tx, b Block) error
}

// ListenSealed adds a listener. It is called before the ledger is used.
func (l *Ledger) ListenSealed(listener SealListener) {
	l.sealListeners = append(l.sealListeners, listener)
}
