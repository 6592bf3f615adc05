package ledger_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// page returns one page of an address's history.
func (e *economy) page(t testing.TB, p player, before, count int64) (list []ledger.Record) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		list, err = e.History(ctx, tx, p.Address, before, count)
		return err
	})
	if int64(len(list)) > count {
		t.Errorf("%d transactions on a page of %d", len(list), count)
	}
	return list
}

// TestHistory reads an account's history with pages of every size, while other players act and
// blocks are sealed between the pages: every transaction present at the first page comes once, the
// newest first, whether it was sealed meanwhile or not.
func TestHistory(t *testing.T) {
	t.Parallel()
	for size := int64(1); size <= 9; size++ {
		t.Run(fmt.Sprint("pages of ", size), func(t *testing.T) {
			t.Parallel()
			e := newEconomy(t, ledgertest.Options{})
			s := e.Everything(t)
			e.SealAll(t)
			var want []chain.Hash
			for _, r := range e.sealed(t) {
				if slices.Contains(r.Parsed.Addresses(), s.Bob.Address) {
					want = append(want, r.Hash)
				}
			}
			e.Faucets(t, s.Ann, 3) // of no concern
			for range 3 {
				want = append(want, e.Faucets(t, s.Bob, 1)...)
				e.Faucets(t, s.Ann, 1)
			}
			slices.Reverse(want)

			var got []chain.Hash
			before := int64(ledger.Newest)
			for turn := 0; ; turn++ {
				page := e.page(t, s.Bob, before, size)
				for _, r := range page {
					got = append(got, r.Hash)
					before = r.Pos
				}
				if int64(len(page)) < size {
					break
				}
				e.Faucets(t, s.Bob, 1) // newer than the first page
				if turn%2 == 0 {
					e.SealAll(t)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %v\nwant %v", got, want)
			}
		})
	}
}

// TestHistoryKnowsPositions checks that History predicts the position at which a pending
// transaction is sealed.
func TestHistoryKnowsPositions(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann, bob := e.join(t), e.join(t)
	e.SealAll(t)
	for range 3 {
		e.Faucets(t, ann, 2)
		e.Faucets(t, bob, 1)
	}
	before := e.page(t, ann, ledger.Newest, 100)
	e.SealAll(t)
	after := e.page(t, ann, ledger.Newest, 100)
	if len(before) != 7 || len(after) != 7 { // the account and six pending ones
		t.Fatalf("%d transactions, then %d, want 7", len(before), len(after))
	}
	for i, r := range after {
		if b := before[i]; b.Pos != r.Pos || b.Hash != r.Hash || !r.Sealed || b.Sealed == (i < 6) {
			t.Errorf("%d: at %d (sealed %v), was said to come at %d (sealed %v)", i, r.Pos, r.Sealed, b.Pos, b.Sealed)
		}
	}
}

// TestPendingForAll checks that a transaction is at once, and once, in the history of every
// account that it concerns, whether an account or the chain itself is the actor, before and after
// it is sealed.
func TestPendingForAll(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann, bob, eve := e.join(t), e.join(t), e.join(t)
	token := e.Win(t, &ann, 2)
	e.SealAll(t)
	sold := e.MustPost(t, ledgertest.Sale(bob, ann, token.ID)).Hash
	settled := e.MustPost(t, ledgertest.Settle(ann, bob, "a duel", 0)).Hash
	for _, when := range []string{"pending", "sealed"} {
		for name, p := range map[string]player{"ann": ann, "bob": bob, "eve": eve} {
			var got []chain.Hash
			for _, r := range e.page(t, p, ledger.Newest, 100) {
				if r.Hash == sold || r.Hash == settled {
					got = append(got, r.Hash)
				}
			}
			if want := []chain.Hash{
				settled, sold,
			}; !slices.Equal(got, want) && name != "eve" ||
				name == "eve" && len(got) > 0 {
				t.Errorf("%s sees %v while it is %s, want %v", name, got, when, want)
			}
		}
		e.WantValid(t)
		e.SealAll(t)
	}
	var left int
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM chain_pending_address").Scan(&left)
	})
	if left != 0 {
		t.Errorf("%d rows are left of what is sealed", left)
	}
}

func TestTokenHistory(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann, bob := e.join(t), e.join(t)
	token := e.Win(t, &ann, 2)
	other := e.Win(t, &bob, 1)
	e.SealAll(t)
	e.MustPost(t, ledgertest.Sale(bob, ann, token.ID))
	e.SealAll(t)
	again := ledgertest.Sale(ann, bob, token.ID)
	again.Data = &chain.MarketSale{ListingID: token.ID + 1}
	e.MustPost(t, again)
	e.MustPost(t, ledgertest.Burn(ann, "burning", e.NewHash(), token))
	e.SealAll(t)
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := e.TokenHistory(ctx, tx, token.ID)
		var kinds []chain.Kind
		for _, r := range list {
			kinds = append(kinds, r.Parsed.Kind())
		}
		want := []chain.Kind{chain.KindRunEnd, chain.KindMarketSale, chain.KindMarketSale, chain.KindRunStart}
		if err != nil || !slices.Equal(kinds, want) {
			t.Errorf("history %v, error %v, want %v", kinds, err, want)
		}
		state, run, err := e.Token(ctx, tx, token.ID)
		if err != nil || state != (chain.Token{Tier: 2}) || run == "" {
			t.Errorf("burnt: %+v, run %q, error %v", state, run, err)
		}
		if list, err := e.TokenHistory(ctx, tx, other.ID); err != nil || len(list) != 1 {
			t.Errorf("another token: %d, error %v", len(list), err)
		}
		cheapest, err := e.CheapestToken(ctx, tx, bob.Address)
		if err != nil || cheapest != other {
			t.Errorf("cheapest of bob: %+v, error %v", cheapest, err)
		}
		return nil
	})
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	for range 7 {
		e.Faucets(t, ann, 2)
		e.SealAll(t)
	}
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		before := int64(ledger.Newest)
		for want := int64(7); want >= 0; {
			list, err := e.Blocks(ctx, tx, before, 3)
			if err != nil || len(list) == 0 {
				t.Fatalf("%d blocks before %d, error %v", len(list), before, err)
			}
			for _, b := range list {
				if b.Header.Height != want || chain.HashBlock(b.Raw) != b.Hash {
					t.Errorf("block %d: %+v", want, b.Header)
				}
				before = b.Header.Height
				want--
			}
		}
		return nil
	})
}

// TestTx checks that a transaction is found by its hash, pending or sealed, and that another one
// with the same prefix is not returned.
func TestTx(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	sealed := e.Faucets(t, ann, 100)
	e.SealAll(t)
	waiting := e.Faucets(t, ann, 2)
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		// As if all hashes began with the first 8 bytes of the first one.
		_, err := tx.ExecContext(
			ctx,
			"INSERT INTO chain_index (prefix, pos) SELECT (SELECT prefix FROM chain_index WHERE pos = 2), pos "+
				"FROM chain_index WHERE pos <> 2",
		)
		return err
	})
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		for i, hash := range append(slices.Clone(sealed), waiting...) {
			r, err := e.Tx(ctx, tx, hash)
			if err != nil || r.Hash != hash || r.Sealed != (i < 100) ||
				r.Sealed && (r.Pos != int64(i+2) || r.Height != 1 || r.Index != int64(i+1)) {
				t.Errorf("%d: %+v, error %v", i, r, err)
			}
		}
		return nil
	})
}

func TestNothingThere(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	s := e.Everything(t)
	unused := e.NewPlayer().Address
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		_, errBlock := e.Block(ctx, tx, 1)
		_, errNegative := e.Block(ctx, tx, -1)
		_, errTx := e.Tx(ctx, tx, e.NewHash())
		_, _, errAccount := e.Account(ctx, tx, unused)
		_, _, errToken := e.Token(ctx, tx, 99)
		_, errCheapest := e.CheapestToken(ctx, tx, unused)
		for i, err := range []error{errBlock, errNegative, errTx, errAccount, errToken, errCheapest} {
			if !errors.Is(err, ledger.ErrNotFound) {
				t.Errorf("%d: error %v, want ErrNotFound", i, err)
			}
		}
		history, err := e.History(ctx, tx, unused, ledger.Newest, 10)
		if err != nil || len(history) != 0 {
			t.Errorf("history of an unused address: %d, error %v", len(history), err)
		}
		tokens, err := e.TokensOf(ctx, tx, s.Bob.Address, s.Token.ID, 10)
		if err != nil || len(tokens) != 0 {
			t.Errorf("tokens after the last: %v, error %v", tokens, err)
		}
		return nil
	})
	err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		id, err := e.NewTokenID(ctx, tx)
		if err != nil {
			return err
		}
		if _, _, err := e.Token(ctx, tx, id); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("a token that is only reserved: error %v", err)
		}
		return sql.ErrTxDone // taken back
	})
	if !errors.Is(err, sql.ErrTxDone) {
		t.Error(err)
	}
}

// TestDamageIsNotServed checks that rows which the ledger never wrote cause an error, neither an
// answer nor a panic.
func TestDamageIsNotServed(t *testing.T) {
	t.Parallel()
	for damage, read := range map[string]func(ctx context.Context, e *economy, tx *store.Tx) error{
		"UPDATE chain_block SET hash = x'00' WHERE height = 1":                                     readBlock,
		"UPDATE chain_block SET header = x'7b7d' WHERE height = 1":                                 readBlock,
		"UPDATE chain_block SET height = 9 WHERE height = 1":                                       readBlocks,
		"UPDATE chain_block SET tx_count = 9, first_pos = 3 WHERE height = 1":                      readBlock,
		"UPDATE chain_chunk SET body = x'ffffffff00' WHERE height = 1":                             readBlock,
		"UPDATE chain_chunk SET body = x'00' WHERE height = 1":                                     readBlock,
		"UPDATE chain_chunk SET body = x'' WHERE height = 1":                                       readHistory,
		"UPDATE chain_chunk SET body = x'00000001ff' WHERE height = 1":                             readBlock,
		"DELETE FROM chain_chunk WHERE height = 1":                                                 readBlock,
		"UPDATE chain_pending SET raw = x'7b7d'":                                                   readPending,
		"UPDATE chain_pending SET raw = (SELECT raw FROM chain_pending ORDER BY seq DESC LIMIT 1)": readPending,
		"DELETE FROM log_hash": readTile,
	} {
		t.Run(damage, func(t *testing.T) {
			t.Parallel()
			e := newEconomy(t, ledgertest.Options{})
			ann := e.join(t)
			e.Faucets(t, ann, 3)
			e.SealAll(t)
			e.Faucets(t, ann, 2)
			view := func() error {
				return e.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error { return read(ctx, e, tx) })
			}
			if err := view(); err != nil {
				t.Fatal("before: ", err)
			}
			e.Update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, storetest.SQL(damage))
				return err
			})
			if err := view(); err == nil {
				t.Error("it was served")
			}
		})
	}
}

func readBlocks(ctx context.Context, e *economy, tx *store.Tx) error {
	_, err := e.Blocks(ctx, tx, ledger.Newest, 10)
	return err
}

func readBlock(ctx context.Context, e *economy, tx *store.Tx) error {
	b, err := e.Block(ctx, tx, 1)
	if err == nil {
		_, err = e.Txs(ctx, tx, b)
	}
	return err
}

func readTile(ctx context.Context, e *economy, tx *store.Tx) error {
	_, err := e.Tile(ctx, tx, "tile/0/000.p/2")
	return err
}

func readHistory(ctx context.Context, e *economy, tx *store.Tx) error {
	_, err := e.History(ctx, tx, chain.Address(e.firstActor(ctx, tx)), ledger.Newest, 10)
	return err
}

func readPending(ctx context.Context, e *economy, tx *store.Tx) error {
	var hash []byte
	if err := tx.QueryRowContext(ctx, "SELECT hash FROM chain_pending ORDER BY seq LIMIT 1").Scan(&hash); err != nil {
		return err
	}
	_, err := e.Tx(ctx, tx, chain.Hash(hash))
	return err
}

// firstActor returns the address of the account that was opened first.
func (e *economy) firstActor(ctx context.Context, tx *store.Tx) (address []byte) {
	if err := tx.QueryRowContext(ctx, "SELECT address FROM ledger_account").Scan(&address); err != nil {
		panic(err)
	}
	return address
}
