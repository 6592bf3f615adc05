package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// inForce holds the rules and the row of the database that names them. It is immutable.
type inForce struct {
	layout.RulesRow
	row string // RulesRow.String
}

func newInForce(r layout.RulesRow) *inForce { return &inForce{r, r.String()} }

// Rules returns the rules in force now.
func (l *Ledger) Rules() *chain.Rules { return l.rules.Load().Now() }

// RulesTx returns the hash of the transaction with the rules in force now.
func (l *Ledger) RulesTx() chain.Hash { return l.rules.Load().NowTx() }

// Announced returns the hash of the transaction with rules that are not in force yet, and when they
// will be at the earliest, which is past for rules that begin at once; zero values for none.
func (l *Ledger) Announced() (tx chain.Hash, from time.Time) {
	known := l.rules.Load()
	if known.From != 0 {
		tx, from = known.LatestTx, time.UnixMilli(max(known.From, known.Began)).UTC()
	}
	return tx, from
}

// adoptRules loads the rules, and announces the configured ones when they differ from the last ones
// that were announced. While others wait for their effect, it leaves that to a later start.
func (l *Ledger) adoptRules(ctx context.Context, configured chain.Rules) error {
	return l.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		now, err := l.loadRules(ctx, tx)
		if err != nil {
			return err
		}
		l.rules.Store(now)
		if sameRules(&now.Latest, &configured) || l.Recovering() {
			return nil
		}
		if configured.Top() < now.Latest.Top() {
			// Tokens and runs may have reached the tiers that would go: they would have no value
			// and could not end.
			return fmt.Errorf("the ladder has %d tiers and cannot lose any: %d", now.Latest.Top(), configured.Top())
		}
		if now.From != 0 {
			l.log.Warn("the configured rules differ from those that were announced, and cannot be announced "+
				"before those are in force: start again then", "from", now.From)
			return nil
		}
		_, err = l.postChain(ctx, tx, &chain.RulesChange{Number: now.Number + 1, Rules: configured})
		return err // the sealer begins them, after the block of the announcement
	})
}

// BeginRules puts announced rules into force when their notice is over. The sealer calls it.
func (l *Ledger) BeginRules(ctx context.Context) error {
	known := l.rules.Load()
	if known.From == 0 || l.now().UnixMilli() < known.From {
		return nil
	}
	err := l.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := l.Reload(ctx, tx); err != nil { // another node may have begun them
			return err
		}
		return l.beginRules(ctx, tx)
	})
	if err != nil { // a transaction that was rolled back may have left its own
		err = errors.Join(err, l.db.View(ctx, l.Reload))
	}
	return err
}

// beginRules posts the beginning of the announced rules if it is due: at once when the block of the announcement
// is of the first hour of the chain and a quorum of the witnesses has seen it in that hour, otherwise 24 hours after
// the block and after a quorum has seen it. It needs that block: the process may stop before it seals, and the next
// one seal after the hour. A crash before the caller's commit leaves the rules waiting, and the next sealer begins
// them.
func (l *Ledger) beginRules(ctx context.Context, tx *store.Tx) error {
	known := l.rules.Load()
	if known.From == 0 {
		return nil
	}
	r, err := l.Tx(ctx, tx, known.LatestTx)
	if err != nil {
		return fmt.Errorf("ledger: announced rules: %w", err)
	}
	if !r.Sealed {
		return nil
	}
	b, err := l.Block(ctx, tx, r.Height)
	if err != nil {
		return err
	}
	by := max(known.Began+chain.RulesTrial, tx.Now().UnixMilli()-chain.RulesNotice)
	if b.Header.Time > by {
		return nil
	}
	// Verifiers with the witnesses' keys demand that the witnesses have seen the announcement by then.
	if seen, err := l.seenFor(ctx, tx, r.Height, by); err != nil || !seen {
		return err
	}
	_, err = l.postChain(ctx, tx, &chain.RulesBegin{Number: known.Number})
	return err
}

// postChain posts a transaction of the chain that changes the row of rules, and stores the new row.
func (l *Ledger) postChain(ctx context.Context, tx *store.Tx, d chain.Data) (chain.Hash, error) {
	posted, err := l.Post(ctx, tx, Draft{Data: d})
	if err != nil {
		return chain.Hash{}, err
	}
	next := l.rules.Load().RulesRow
	next.Apply(posted.Hash, posted.tx)
	l.rules.Store(newInForce(next))
	return posted.Hash, q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRules, Value: next.String()})
}

// Recovery returns the number of the last recovery, 0 for none.
func (l *Ledger) Recovery() int64 { return l.rules.Load().RulesRow.Recovery }

// Reload reads the rules and the number of the last recovery, which another node may have changed.
func (l *Ledger) Reload(ctx context.Context, tx *store.Tx) error {
	now, err := l.loadRules(ctx, tx)
	if err != nil {
		return err
	}
	l.rules.Store(now)
	return nil
}

// loadRules reads the rules.
func (l *Ledger) loadRules(ctx context.Context, tx *store.Tx) (*inForce, error) {
	text, err := q.New(tx).GetMeta(ctx, layout.MetaRules)
	if err != nil {
		return nil, err
	}
	if known := l.rules.Load(); known != nil && known.row == text {
		return known, nil
	}
	row, err := layout.ParseRulesRow(text)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	if row.Latest, row.Number, err = l.rulesOf(ctx, tx, row.LatestTx); err != nil {
		return nil, err
	}
	if row.BeforeTx != (chain.Hash{}) {
		if row.Before, _, err = l.rulesOf(ctx, tx, row.BeforeTx); err != nil {
			return nil, err
		}
	}
	return newInForce(row), nil
}

// rulesOf returns the rules in a transaction, with their number.
func (l *Ledger) rulesOf(ctx context.Context, tx *store.Tx, hash chain.Hash) (chain.Rules, int64, error) {
	record, err := l.Tx(ctx, tx, hash)
	if err != nil {
		return chain.Rules{}, 0, fmt.Errorf("transaction %v: %w", hash, err)
	}
	switch d := record.Parsed.Data.(type) {
	case *chain.Genesis:
		return d.Rules, 0, nil
	case *chain.RulesChange:
		return d.Rules, d.Number, nil
	}
	return chain.Rules{}, 0, fmt.Errorf("transaction %v holds no rules", hash)
}

// checkBase compares what a proposal rests on with the database, where other nodes may change it: the
// rules that the caller knows, and that a transaction of the time at may follow the newest one. If
// the rules differ it adopts the new ones and returns ErrConflict, because the caller prepared its
// transaction by the old ones. Errors: of checkTime.
func (l *Ledger) checkBase(ctx context.Context, tx *store.Tx, known *inForce, at int64) error {
	if err := l.checkTime(at, l.newest.Load()); err != nil || !l.shared {
		return err
	}
	if tx.Deferred().Assumed() {
		return nil // writer.pending checks both: a difference retries the closure
	}
	head, err := loadHead(ctx, tx)
	if err != nil {
		return err
	}
	if err := l.checkTime(at, max(head.time, head.posted)); err != nil {
		return err
	}
	now, err := l.loadRules(ctx, tx)
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	l.rules.Store(now)
	if now.row == known.row {
		return nil
	}
	return fmt.Errorf("the rules have changed: %w", ErrConflict)
}

// effectsOf returns the effects of a transaction by the rules in force.
func (f *inForce) effectsOf(t *chain.Tx) (chain.Effects, error) {
	effects, err := f.Now().Effects(t)
	effects.At(f.Recovery)
	return effects, err
}

// sameRules compares rules by the text that the chain records.
func sameRules(a, b *chain.Rules) bool {
	text := func(r *chain.Rules) string {
		tx := chain.Tx{Data: &chain.RulesChange{Rules: *r}}
		return string(tx.Raw())
	}
	return text(a) == text(b)
}
