// Package ledger moves everything of value, and keeps the chain that proves it.
//
// A use case posts a transaction inside its own database transaction:
//
//	posted, err := l.Post(ctx, tx, ledger.Draft{Actor: player, Data: &chain.Faucet{}, Transfers: …})
//
// Post holds it to the rules of package chain, changes balances, tokens, nonces
// and commitments, and stores the raw as pending. A sealer then takes what is
// pending, in order, and makes blocks; each block is an entry of a transparency
// log (c2sp.org/tlog-tiles) whose head is signed.
//
// The order of pending transactions is that of a number drawn when they are
// stored. Post draws it last, after it has changed every row that the
// transaction depends on: whoever builds on those rows draws a later number. So
// any prefix of the pending transactions is valid by itself.
package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Config is what a ledger needs.
type Config struct {
	DB     *store.DB
	Rules  chain.Rules // to be in force; a change is recorded on the chain
	Signer note.Signer // of the log; its name is the chain's name and the log's origin
	// VerifierKey is what strangers check checkpoints with, as
	// golang.org/x/mod/sumdb/note writes it.
	VerifierKey string
	// File remembers what was signed outside of the database; nil for a chain that nobody
	// else follows, as in tests.
	File   *HeadFile
	Now    func() time.Time
	Logger *slog.Logger
}

// Ledger posts transactions and seals blocks. Its methods are safe for
// concurrent use.
type Ledger struct {
	db           *store.DB
	rules        atomic.Pointer[inForce]
	shared       bool // other processes may change the rules meanwhile, and seal
	file         *HeadFile
	signer       note.Signer
	key          string
	public       note.Verifier // of key
	now          func() time.Time
	log          *slog.Logger
	wake         chan struct{} // holds one token while something may be pending
	pendingCount pendingCount

	rolledBack     atomic.Pointer[RollbackError] // what sealing has stopped for
	rollbackLogged atomic.Int64                  // when that was logged last, in milliseconds

	sealFailureLogged atomic.Int64 // when, in Unix milliseconds; 0 for never

	heights       heights
	listeners     []Listener     // set by Listen, before use
	sealListeners []SealListener // set by ListenSealed, before use
}

// ErrOtherKey says that the chain in the database is signed by another key.
var ErrOtherKey = errors.New("another key signs the chain in the database")

// Open opens the chain in the database, beginning it with a genesis block when
// there is none. It fails with ErrOtherKey when the chain there is not the signer's, and with
// a RollbackError when the database is behind what was signed.
func Open(ctx context.Context, c Config) (*Ledger, error) {
	if err := c.Rules.Check(); err != nil {
		return nil, err
	}
	verifier, err := note.NewVerifier(c.VerifierKey)
	if err != nil {
		return nil, fmt.Errorf("ledger: verifier key: %w", err)
	}
	if verifier.Name() != c.Signer.Name() || verifier.KeyHash() != c.Signer.KeyHash() {
		return nil, errors.New("ledger: the signer and the verifier key do not belong together")
	}
	l := &Ledger{db: c.DB, signer: c.Signer, key: c.VerifierKey, public: verifier, now: c.Now, log: c.Logger, wake: make(chan struct{}, 1), shared: !c.DB.Alone(), file: c.File}
	if err := l.checkStart(ctx); err != nil {
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	if err := l.begin(ctx, c.Rules); err != nil {
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	if err := l.resignHead(ctx); err != nil {
		return nil, fmt.Errorf("ledger: declared rollbacks: %w", err)
	}
	if err := l.UpdateHeadFile(ctx); err != nil {
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	if err := l.adoptRules(ctx, c.Rules); err != nil {
		return nil, fmt.Errorf("ledger: rules: %w", err)
	}
	if err := l.countPeriods(ctx); err != nil {
		return nil, fmt.Errorf("ledger: activity: %w", err)
	}
	l.Wake() // what was pending when the last process ended
	return l, nil
}

// Origin returns the chain's name.
func (l *Ledger) Origin() string { return l.signer.Name() }

// VerifierKey returns the public key of the log.
func (l *Ledger) VerifierKey() string { return l.key }

// begin makes sure that there is a genesis block, and that it is ours.
func (l *Ledger) begin(ctx context.Context, rules chain.Rules) error {
	return l.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		known, err := q.New(tx).GetMeta(ctx, layout.MetaChain)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			// A crash before the commit leaves an empty database, and the next
			// start begins the chain; after it, the chain has begun.
			return l.genesis(ctx, tx, rules)
		case err != nil:
			return err
		case known != l.key:
			return fmt.Errorf("%w: it is signed by %s, the key given is %s", ErrOtherKey, known, l.key)
		}
		checkpoint, err := l.Checkpoint(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := note.Open(checkpoint, note.VerifierList(l.public)); err != nil {
			return fmt.Errorf("checkpoint in the database: %w", err)
		}
		return nil
	})
}

func (l *Ledger) genesis(ctx context.Context, tx *store.Tx, rules chain.Rules) error {
	genesis := chain.Tx{Time: l.now().UnixMilli(), Data: &chain.Genesis{Name: l.signer.Name(), Rules: rules}}
	if _, err := rules.Effects(&genesis); err != nil {
		return err
	}
	raw := genesis.Raw()
	hash := chain.HashTx(raw)
	for name, value := range map[string]string{layout.MetaChain: l.key, layout.MetaRules: hash.String()} {
		if err := q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: name, Value: value}); err != nil {
			return err
		}
	}
	b, err := l.build(ctx, tx, head{height: -1}, []pending{{hash: hash, raw: raw}}, genesis.Time)
	if err != nil {
		return err
	}
	return b.store(ctx, tx)
}
