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
		if sameRules(&now.Latest, &configured) || l.lacking() {
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
//
// A replay judges each transaction by the rules in force at its place, and the database numbers a transaction when it
// stores it, which is before its commit. So no other transaction may be posted while rules begin (store.Alone). Of a
// post and the beginning of rules, by any nodes, one of two things happens:
//
//   - The Update of the post has begun first. The beginning waits for its end, and is numbered after it: the post
//     obeys the old rules, and comes before the new ones.
//   - The beginning has excluded others first. The Update of the post waits for its end, and its snapshot, taken after
//     that, shows the new rules: a post that was prepared by the old ones is refused (checkBase,
//     InsertPendingUnder), and the use case runs again by the new ones.
//
// SQLite runs one Update at a time, which gives the same.
//
// A crash before the commit leaves the rules waiting, and the next sealer begins them.
func (l *Ledger) BeginRules(ctx context.Context) error {
	known := l.rules.Load()
	if known.From == 0 || l.now().UnixMilli() < known.From || l.Recovering() {
		return nil
	}
	// Looked up first: rules may wait for the witnesses, and no post waits meanwhile.
	if due, err := store.Read(ctx, l.db, l.rulesDue); err != nil || !due {
		return err
	}
	err := l.db.UpdateAt(ctx, store.Alone, func(ctx context.Context, tx *store.Tx) error {
		due, err := l.rulesDue(ctx, tx) // another node may have begun them
		if err != nil || !due {
			return err
		}
		_, err = l.postChain(ctx, tx, &chain.RulesBegin{Number: l.rules.Load().Number})
		return err
	})
	if err != nil { // a transaction that was rolled back may have left its own
		err = errors.Join(err, l.db.View(ctx, l.Reload))
	}
	return err
}

// rulesDue reads the rules, and reports whether announced ones begin: at once when the block of the announcement
// is of the first hour of the chain and a quorum of the witnesses has seen it in that hour, otherwise 24 hours after
// the block and after a quorum has seen it. It needs that block: the process may stop before it seals, and the next
// one seal after the hour.
func (l *Ledger) rulesDue(ctx context.Context, tx *store.Tx) (bool, error) {
	if err := l.Reload(ctx, tx); err != nil {
		return false, err
	}
	known := l.rules.Load()
	if known.From == 0 {
		return false, nil
	}
	r, err := l.Tx(ctx, tx, known.LatestTx)
	if err != nil {
		return false, fmt.Errorf("ledger: announced rules: %w", err)
	}
	if !r.Sealed {
		return false, nil
	}
	b, err := l.Block(ctx, tx, r.Height)
	if err != nil {
		return false, err
	}
	by := max(known.Began+chain.RulesTrial, tx.Now().UnixMilli()-chain.RulesNotice)
	if b.Header.Time > by {
		return false, nil
	}
	// Verifiers with the witnesses' keys demand that the witnesses have seen the announcement by then.
	return l.seenFor(ctx, tx, r.Height, by)
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
