package ledger

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// inForce are rules and the transaction that put them in force. It is never changed.
type inForce struct {
	rules  chain.Rules
	number int64
	tx     chain.Hash
}

// Rules returns the rules in force.
func (l *Ledger) Rules() *chain.Rules { return &l.rules.Load().rules }

// RulesTx returns the hash of the transaction that put the rules in force.
func (l *Ledger) RulesTx() chain.Hash { return l.rules.Load().tx }

// adoptRules loads the rules in force, and records want when it differs.
func (l *Ledger) adoptRules(ctx context.Context, want chain.Rules) error {
	return l.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		now, err := l.loadRules(ctx, tx)
		if err != nil {
			return err
		}
		l.rules.Store(now)
		if sameRules(&now.rules, &want) {
			return nil
		}
		if want.Top() < now.rules.Top() {
			// A token or run that has reached them could not be told the value of,
			// nor be ended.
			return fmt.Errorf("the ladder has %d tiers and cannot lose any: %d", now.rules.Top(), want.Top())
		}
		posted, err := l.Post(ctx, tx, Draft{Data: &chain.RulesChange{Number: now.number + 1, Rules: want}})
		if err != nil {
			return err
		}
		l.rules.Store(&inForce{want, now.number + 1, posted.Hash})
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

// followRules takes over rules that another node has put in force instead of those that
// are followed, and then returns ErrConflict: what is about to be posted was made by the
// old ones.
func (l *Ledger) checkRules(ctx context.Context, tx *store.Tx, known *inForce) error {
	if !l.shared {
		return nil
	}
	if later := tx.Later(); later.Assumed() {
		return OneRow(q.New(later).HasMeta(ctx, q.HasMetaParams{Name: layout.MetaRules, Value: known.tx.String()}))
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

// sameRules compares by the text that would be recorded.
func sameRules(a, b *chain.Rules) bool {
	text := func(r *chain.Rules) string {
		tx := chain.Tx{Data: &chain.RulesChange{Rules: *r}}
		return string(tx.Raw())
	}
	return text(a) == text(b)
}
