package ledger

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// MinHashPrefix is how many hex digits a hash must at least be given by.
const MinHashPrefix = 6

// hashRange returns the first and the last hash that begin with hex digits.
func hashRange(digits string) (first, last chain.Hash, ok bool) {
	size := hex.EncodedLen(len(first))
	if len(digits) < MinHashPrefix || len(digits) > size {
		return first, last, false
	}
	first, err := chain.ParseHash(digits + strings.Repeat("0", size-len(digits)))
	if err != nil {
		return first, last, false
	}
	last, err = chain.ParseHash(digits + strings.Repeat("f", size-len(digits)))
	return first, last, err == nil
}

// FindTxs returns the hashes of up to count transactions that begin with some hex digits,
// 6 at least: sealed ones, and then those that are pending.
func (l *Ledger) FindTxs(ctx context.Context, tx *store.Tx, digits string, count int64) (list []chain.Hash, err error) {
	first, last, ok := hashRange(digits)
	if !ok {
		return nil, nil
	}
	// The digits fix the first bits, and so the sign: between two prefixes of that sign
	// signed integers are ordered as hashes are.
	rows, err := q.New(tx).FindTxBetween(ctx, q.FindTxBetweenParams{First: layout.Prefix(first), Last: layout.Prefix(last), Count: count})
	if err != nil {
		return nil, fmt.Errorf("ledger: transactions %s…: %w", digits, err)
	}
	for _, row := range rows {
		r, err := recordAt(txRow(row))
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(r.Hash.String(), digits) { // an index row holds 16 digits
			list = append(list, r.Hash)
		}
	}
	pending, err := q.New(tx).FindPendingBetween(ctx, q.FindPendingBetweenParams{
		First: first[:], Last: last[:], Count: count - int64(len(list))})
	if err != nil {
		return nil, fmt.Errorf("ledger: pending transactions %s…: %w", digits, err)
	}
	for _, hash := range pending {
		list = append(list, chain.Hash(hash))
	}
	return list, nil
}

// FindBlocks returns the heights of up to count blocks whose hashes begin with some hex
// digits, 6 at least.
func (l *Ledger) FindBlocks(ctx context.Context, tx *store.Tx, digits string, count int64) ([]int64, error) {
	first, last, ok := hashRange(digits)
	if !ok {
		return nil, nil
	}
	list, err := q.New(tx).FindBlocksBetween(ctx, q.FindBlocksBetweenParams{First: first[:], Last: last[:], Count: count})
	if err != nil {
		return nil, fmt.Errorf("ledger: blocks %s…: %w", digits, err)
	}
	return list, nil
}

// FindAddresses returns up to count addresses that are in use and begin with a text, at
// least 4 characters after rps1.
func (l *Ledger) FindAddresses(ctx context.Context, tx *store.Tx, text string, count int64) (list []chain.Address, err error) {
	first, last, ok := chain.AddressRange(text)
	if !ok {
		return nil, nil
	}
	rows, err := q.New(tx).FindAccountsBetween(ctx, q.FindAccountsBetweenParams{First: first[:], Last: last[:], Count: count})
	if err != nil {
		return nil, fmt.Errorf("ledger: addresses %s…: %w", text, err)
	}
	for _, row := range rows {
		var a chain.Address
		if copy(a[:], row); strings.HasPrefix(a.String(), text) {
			list = append(list, a)
		}
	}
	return list, nil
}
