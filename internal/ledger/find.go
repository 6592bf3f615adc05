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

// MinHashPrefix is the least number of hex digits of a hash that FindTxs and FindBlocks search
// for.
const MinHashPrefix = 6

// hashRange returns the least and the greatest hash that begin with hex digits. ok is false for
// fewer than MinHashPrefix digits, too many, or other characters.
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

// FindTxs returns the hashes of up to count transactions that begin with at least MinHashPrefix
// hex digits: sealed ones first, then pending ones. Malformed digits match nothing.
func (l *Ledger) FindTxs(ctx context.Context, tx *store.Tx, digits string, count int64) (list []chain.Hash, err error) {
	first, last, ok := hashRange(digits)
	if !ok {
		return nil, nil
	}
	// The digits fix the first bits and so the sign: within it, signed integers sort like hashes.
	rows, err := q.New(tx).FindTxBetween(
		ctx, q.FindTxBetweenParams{First: layout.Prefix(first), Last: layout.Prefix(last), Count: count},
	)
	if err != nil {
		return nil, fmt.Errorf("ledger: transactions %s…: %w", digits, err)
	}
	for _, row := range rows {
		r, err := recordAt(txRow(row))
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(r.Hash.String(), digits) { // the index holds the first 16 digits alone
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

// FindBlocks returns the heights of up to count blocks whose hashes begin with at least
// MinHashPrefix hex digits. Malformed digits match nothing.
func (l *Ledger) FindBlocks(ctx context.Context, tx *store.Tx, digits string, count int64) ([]int64, error) {
	first, last, ok := hashRange(digits)
	if !ok {
		return nil, nil
	}
	list, err := q.New(tx).FindBlocksBetween(
		ctx, q.FindBlocksBetweenParams{First: first[:], Last: last[:], Count: count},
	)
	if err != nil {
		return nil, fmt.Errorf("ledger: blocks %s…: %w", digits, err)
	}
	return list, nil
}

// FindAddresses returns up to count used addresses that begin with a text: rps1 and at least 4
// characters more. Other texts match nothing.
func (l *Ledger) FindAddresses(
	ctx context.Context, tx *store.Tx, text string, count int64,
) (list []chain.Address, err error) {
	first, last, ok := chain.AddressRange(text)
	if !ok {
		return nil, nil
	}
	rows, err := q.New(tx).FindAccountsBetween(
		ctx, q.FindAccountsBetweenParams{First: first[:], Last: last[:], Count: count},
	)
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
