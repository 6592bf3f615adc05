package ledger

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// inForce holds rules and the transaction that put them in force. It is immutable.
type inForce struct {
	rules  chain.Rules
	number int64      // of the change; 0 at genesis
	tx     chain.Hash // that put them in force
}

// Rules returns the rules in force.
func (l *Ledger) Rules() *chain.Rules { return &l.rules.Load().rules }

// RulesTx returns the hash of the transaction that put the rules in force.
func (l *Ledger) RulesTx() chain.Hash { return l.rules.Load().tx }

// adoptRules loads the rules in force, and posts a change when the configured rules differ.
func (l *Ledger) adoptRules(ctx context.Context, configured chain.Rules) error {
	return l.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		now, err := l.loadRules(ctx, tx)
		if err != nil {
			return err
		}
		l.rules.Store(now)
		if sameRules(&now.rules, &configured) {
			return nil
		}
		if configured.Top() < now.rules.Top() {
			// Tokens and runs may have reached the tiers that would go: they would have no value
			// and could not end.
			return fmt.Errorf("the ladder has %d tiers and cannot lose any: %d", now.rules.Top(), configured.Top())
		}
		posted, err := l.Post(ctx, tx, Draft{Data: &chain.RulesChange{Number: now.number + 1, Rules: configured}})
		if err != nil {
			return err
		}
		l.rules.Store(&inForce{configured, now.number + 1, posted.Hash})
		return q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRules, Value: posted.Hash.String()})
	})
}

// loadRules reads the rules in force.
func (l *Ledger) loadRules(ctx context.Context, tx *store.Tx) (*inForce, error) {
	text, err := q.New(tx).GetMeta(ctx, layout.MetaRules)
	if err != nil {
		return nil, err
	}
	hash, err := chain.ParseHash(text)
	if err != nil {
		return nil, err
	}
	if known := l.rules.Load(); known != nil && known.tx == hash {
		return known, nil
	}
	record, err := l.Tx(ctx, tx, hash)
	if err != nil {
		return nil, fmt.Errorf("transaction %v: %w", hash, err)
	}
	switch d := record.Parsed.Data.(type) {
	case *chain.Genesis:
		return &inForce{d.Rules, 0, hash}, nil
	case *chain.RulesChange:
		return &inForce{d.Rules, d.Number, hash}, nil
	}
	return nil, fmt.Errorf("transaction %v holds no rules", hash)
}

// checkRules compares the rules in force with the known ones, where other nodes may change them.
// If they differ it adopts the new ones and returns ErrConflict, because the caller prepared its
// transaction by the old ones.
func (l *Ledger) checkRules(ctx context.Context, tx *store.Tx, known *inForce) error {
	if !l.shared {
		return nil
	}
	if tx.Deferred().Assumed() {
		return nil // writer.pending checks: a change of the rules retries the closure
	}
	now, err := l.loadRules(ctx, tx)
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	l.rules.Store(now)
	if now.tx == known.tx {
		return nil
	}
	return fmt.Errorf("the rules have changed: %w", ErrConflict)
}

// sameRules compares rules by the text that the chain records.
func sameRules(a, b *chain.Rules) bool {
	text := func(r *chain.Rules) string {
		tx := chain.Tx{Data: &chain.RulesChange{Rules: *r}}
		return string(tx.Raw())
	}
	return text(a) == text(b)
}
