// Package ledger records transfers of coins and tokens as transactions of the chain, and seals
// them into signed blocks.
//
// A use case posts a transaction inside its own database transaction:
//
//	posted, err := l.Post(ctx, tx, ledger.Draft{Actor: player, Data: &chain.Faucet{}, Transfers: …})
//
// Post applies the rules of package chain, updates balances, tokens, nonces and commitments, and
// stores the raw transaction as pending. A sealer then takes the pending transactions in order and
// makes blocks of them. Each block is an entry of a transparency log (c2sp.org/tlog-tiles) whose
// head is signed.
//
// Pending transactions are ordered by a sequence number that the database draws when it stores
// them. Post stores last, after it has updated every row that the transaction depends on: a
// transaction that builds on those rows draws a later number. So every prefix of the pending
// transactions is valid by itself.
//
// Package layout encodes the rows of the tables, package audit verifies them.
package ledger

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
	"roshambo/internal/store/recent"
	"roshambo/verify"
)

// Config configures a ledger.
type Config struct {
	DB     *store.DB
	Rules  chain.Rules // to put in force; a change is recorded on the chain
	Signer note.Signer // of the log; its name is the chain's name and the log's origin
	// VerifierKey is the public key of Signer, in the format of golang.org/x/mod/sumdb/note.
	VerifierKey string
	// File remembers the signed trees outside of the database; nil for a chain without
	// followers, as in tests.
	File *HeadFile
	// Witnesses are the verifier keys of the service's witnesses. Quorum of them must have cosigned a checkpoint
	// that is kept; 0 without witnesses.
	Witnesses []string
	Quorum    int
	Now       func() time.Time // store.DB.Now
	Logger    *slog.Logger
}

// Ledger posts transactions and seals blocks. Its methods are safe for
// concurrent use.
type Ledger struct {
	db           *store.DB
	rules        atomic.Pointer[inForce]
	shared       bool // other processes may seal and change the rules
	file         *HeadFile
	witnesses    map[string]bool // by verify.Key.String
	quorum       int             // of the witnesses; 0 without any
	signer       note.Signer
	key          string
	public       note.Verifier // of key
	now          func() time.Time
	log          *slog.Logger
	wake         chan struct{} // capacity 1; filled while transactions may be pending
	pendingCount pendingCount
	actors       recent.Map[chain.Address, ActorState] // accounts as this node posted them last: see Recall

	rotated        atomic.Int64                  // the last recovery whose rotations are known to be in blocks
	lost           atomic.Pointer[lostTree]      // what loadLost has returned last
	rolledBack     atomic.Pointer[RollbackError] // the reason why sealing has stopped; nil for none
	newest         atomic.Int64                  // time of a block or transaction of this node, in Unix milliseconds
	rollbackLogged atomic.Int64                  // when it was last logged, in Unix milliseconds
	sealing        atomic.Int64                  // least time of the block being made, in Unix milliseconds; 0 for none

	// When each was last logged, in Unix milliseconds; 0 for never.
	sealFailureLogged, earlyLogged atomic.Int64

	heights       recent.Map[chain.Hash, int64] // of sealed transactions, which change by a loss alone
	cosignatures  recentCosignatures
	forget        func()         // set by OnLoss, before use; nil for nothing
	listeners     []Listener     // set by Listen, before use
	sealListeners []SealListener // set by ListenSealed, before use
}

// ErrOtherKey reports that another key signs the chain in the database.
var ErrOtherKey = errors.New("another key signs the chain in the database")

// Open opens the chain in the database, and creates it with a genesis block when there is none.
// Errors: ErrOtherKey when another key signs the chain; *RollbackError when the database is behind
// the signed log; ErrHeadFileLost and ErrOtherChain for a missing or foreign head file.
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
	l := &Ledger{
		db: c.DB, signer: c.Signer, key: c.VerifierKey, public: verifier, now: c.Now, log: c.Logger,
		wake: make(chan struct{}, 1), shared: !c.DB.Exclusive(), file: c.File, quorum: c.Quorum,
		witnesses: map[string]bool{},
	}
	for _, key := range c.Witnesses {
		w, err := verify.ParseWitnessKey(key)
		if err != nil {
			return nil, fmt.Errorf("ledger: %w: %q", err, key)
		}
		l.witnesses[w.String()] = true
	}
	if err := l.checkStart(ctx); err != nil {
		return nil, fmt.Errorf("ledger: open: %w", errors.Join(err, l.share(ctx, err)))
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
	l.Wake() // for transactions that the last process left pending
	return l, nil
}

// Origin returns the chain's name, which is the origin of its checkpoints.
func (l *Ledger) Origin() string { return l.signer.Name() }

// VerifierKey returns the public key of the log, in the format of golang.org/x/mod/sumdb/note.
func (l *Ledger) VerifierKey() string { return l.key }

// SignReceipt signs the raw of a statement (chain.Statement) with the log's key and returns the
// signature in base64. The domain in the signed text keeps it apart from checkpoints.
func (l *Ledger) SignReceipt(raw string) (string, error) {
	signature, err := l.signer.Sign(chain.ReceiptMessage(raw))
	if err != nil {
		return "", fmt.Errorf("ledger: receipt: %w", err)
	}
	return base64.StdEncoding.EncodeToString(signature), nil
}

// begin creates the genesis block if the database has no chain, and otherwise checks that the
// signer's key signs it.
func (l *Ledger) begin(ctx context.Context, rules chain.Rules) error {
	return l.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		known, err := q.New(tx).GetMeta(ctx, layout.MetaChain)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			// A crash before the commit leaves an empty database, and the next start creates the
			// chain; a crash after it leaves the chain.
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
		return l.loadTimes(ctx, tx)
	})
}

// loadTimes makes the clock of a single node go on from the newest block and from the transactions that
// wait for the next one: it may have been set back while the node was down.
func (l *Ledger) loadTimes(ctx context.Context, tx *store.Tx) error {
	h, err := loadHead(ctx, tx)
	if err != nil {
		return err
	}
	l.noteNewest(max(h.time, h.posted))
	kept, err := lastKept(ctx, tx)
	if err != nil {
		return err
	}
	latest := max(h.time, leastBehind(kept))
	list, err := loadPending(ctx, tx, math.MinInt64)
	if err != nil {
		return err
	}
	for i := range list {
		latest = max(latest, list[i].tx.Time)
	}
	l.db.NotBefore(time.UnixMilli(latest))
	return nil
}

// genesis stores block 0, whose only transaction holds the chain's name and rules.
func (l *Ledger) genesis(ctx context.Context, tx *store.Tx, rules chain.Rules) error {
	genesis := chain.Tx{Time: tx.Now().UnixMilli(), Data: &chain.Genesis{Name: l.signer.Name(), Rules: rules}}
	if _, err := rules.Effects(&genesis); err != nil {
		return err
	}
	raw := genesis.Raw()
	hash := chain.HashTx(raw)
	var row layout.RulesRow
	row.Apply(hash, &genesis)
	for name, value := range map[string]string{layout.MetaChain: l.key, layout.MetaRules: row.String()} {
		if err := q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: name, Value: value}); err != nil {
			return err
		}
	}
	b, err := l.build(ctx, tx, head{height: -1}, []pending{{hash: hash, raw: raw, tx: genesis}}, genesis.Time)
	if err != nil {
		return err
	}
	l.noteNewest(genesis.Time)
	return b.store(ctx, tx)
}
