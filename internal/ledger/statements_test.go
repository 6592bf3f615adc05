package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// scenario is an economy in which each statement fails once.
type scenario struct {
	*economy
	each   storetest.Statements
	posted int // transactions that a listener has stored something of
	sealed int // and blocks
}

// Posted implements ledger.Listener.
func (s *scenario) Posted(ctx context.Context, tx *store.Tx, _ *ledger.Fact) error {
	return s.read(ctx, tx, &s.posted)
}

// Sealed implements ledger.SealListener.
func (s *scenario) Sealed(ctx context.Context, tx *store.Tx, _ ledger.Block) error {
	return s.read(ctx, tx, &s.sealed)
}

// read runs one statement, as a listener that stores something does: its error must roll back the
// transaction that it listens to.
func (s *scenario) read(ctx context.Context, tx *store.Tx, n *int) error {
	var one int
	if err := tx.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return err
	}
	tx.AfterCommit(func() { *n++ })
	return nil
}

func newScenario(t *testing.T) *scenario {
	t.Helper()
	s := &scenario{}
	s.economy = newEconomy(t, ledgertest.Options{
		Quorum: 1, Witnesses: []string{"witness"}, DB: store.Config{Faults: s.each.Faults()},
	})
	s.each.Use(t, s.DB, s.Location)
	s.Listen(s)
	s.ListenSealed(s)
	return s
}

func (s *scenario) posts(t *testing.T, name string, d ledger.Draft) {
	t.Helper()
	s.each.Update(t, name, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Post(ctx, tx, d)
		return err
	})
}

// game posts the start and the end of a game at once.
func (s *scenario) game(t *testing.T, start, end ledger.Draft) {
	t.Helper()
	s.each.Update(t, "game", func(ctx context.Context, tx *store.Tx) error {
		state, err := s.LoadActor(ctx, tx, start.Actor)
		if err != nil {
			return err
		}
		start.State = &state
		return s.PostGame(ctx, tx, start, end)
	})
}

// TestEachStatement posts every kind of transaction, locks, seals and reads, with each statement
// failing once.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	s := newScenario(t)
	ann, bob := s.NewPlayer(), s.NewPlayer()
	s.posts(t, "create", ledgertest.Create(ann))
	s.posts(t, "create", ledgertest.Create(bob))
	next := s.NewHash()
	s.posts(t, "start", ledgertest.Start(ann, "a run", chain.EntryFee, next))
	ann.Next = next
	var token ledger.OwnedToken
	s.each.Update(t, "claim", func(ctx context.Context, tx *store.Tx) error {
		id, err := s.NewTokenID(ctx, tx)
		if err != nil {
			return err
		}
		token = ledger.OwnedToken{ID: id, Tier: 2}
		_, err = s.Post(ctx, tx, ledgertest.Claim(ann, "a run", token))
		return err
	})
	s.each.Call(t, "seal", s.seal)
	s.posts(t, "faucet", ledgertest.Faucet(ann))
	s.posts(t, "secure", ledger.Draft{Actor: ann.Address, Data: &chain.AccountSecure{}})
	s.locks(t, ann, bob, token)
	s.posts(t, "sale", ledgertest.Sale(bob, ann, token.ID))
	s.posts(t, "stake", ledgertest.Stake(ann, "a duel", 10))
	s.posts(t, "stake", ledgertest.Stake(bob, "a duel", 10))
	s.posts(t, "settle", ledgertest.Settle(ann, bob, "a duel", 10))
	s.posts(t, "buyback", ledgertest.Buyback(bob, token))
	burnt := s.Win(t, &ann, 1)
	next = s.NewHash()
	s.game(t, ledgertest.Burn(ann, "burning", next, burnt), ledgertest.Lose(ann, "burning", 1))
	ann.Next = next
	s.EndSeason(t, 1)
	s.posts(t, "close a season", ledgertest.CloseSeason(1))
	s.readEach(t, ann, token) // with some pending
	s.each.Call(t, "seal", s.seal)
	s.each.Refused(t, "not witnessed", ledger.ErrNotFound, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Witnessed(ctx, tx)
		return err
	})
	c := s.CosignatureAt(t, "witness", 0)
	s.each.Update(t, "keep a cosignature", func(ctx context.Context, tx *store.Tx) error {
		return s.KeepCosignature(ctx, tx, c)
	})
	s.each.View(t, "witnessed", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Witnessed(ctx, tx)
		return err
	})
	s.each.View(t, "cosigned by", func(ctx context.Context, tx *store.Tx) error {
		size, err := s.CosignedBy(ctx, tx, c.Witness)
		if err == nil && size != c.Size {
			t.Errorf("the witness has cosigned %d blocks, want %d", size, c.Size)
		}
		other, errOther := s.CosignedBy(ctx, tx, "another")
		if errOther == nil && other != 0 {
			t.Errorf("another witness has cosigned %d blocks", other)
		}
		return errors.Join(err, errOther)
	})
	s.readEach(t, ann, token)
	if s.posted != 16 || s.sealed != 2 {
		t.Errorf("listeners have stored %d transactions and %d blocks, want 16 and 2", s.posted, s.sealed)
	}
	s.opens(t)
}

// TestEachStatementOfRules begins announced rules, a day after the block of their announcement.
func TestEachStatementOfRules(t *testing.T) {
	t.Parallel()
	s := newScenario(t)
	s.Clock.Add(2 * time.Hour)
	dearer := ledgertest.Rules()
	dearer.EntryFee++
	l, err := ledger.Open(t.Context(), ledger.Config{DB: s.DB, Rules: dearer, Signer: s.Key.Signer,
		VerifierKey: s.Key.Verifier, Now: s.Clock.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.SealBlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Clock.Add(25 * time.Hour)
	s.each.Call(t, "begin", l.BeginRules)
	if got := l.Rules().EntryFee; got != dearer.EntryFee {
		t.Errorf("an entry fee of %d, want %d", got, dearer.EntryFee)
	}
	s.View(t, s.Reload)
	s.SealAll(t)
	s.WantValid(t)
}

// TestEachStatementOfRecovery marks a database as restored and declares the recovery.
func TestEachStatementOfRecovery(t *testing.T) {
	t.Parallel()
	s := newScenario(t)
	s.each.Call(t, "mark", func(ctx context.Context) error { return ledger.MarkRestored(ctx, s.DB, "a test") })
	s.each.Update(t, "mark in a transaction", func(ctx context.Context, tx *store.Tx) error {
		return ledger.PutMark(ctx, tx, "a test")
	})
	s.each.View(t, "marked", func(ctx context.Context, tx *store.Tx) error {
		marked, err := ledger.Marked(ctx, tx)
		if err == nil && !marked {
			t.Error("not marked")
		}
		return err
	})
	s.each.Update(t, "recover", func(ctx context.Context, tx *store.Tx) error {
		reason, marked, err := ledger.TakeMark(ctx, tx)
		if err != nil || !marked {
			return errors.Join(err, errors.New("no mark"))
		}
		return s.Recover(ctx, tx, reason)
	})
	s.each.Update(t, "recovered", s.Recovered)
	s.each.View(t, "reason", func(ctx context.Context, tx *store.Tx) error {
		reason, err := s.RecoveryReason(ctx, tx, 1)
		if err == nil && reason != "a test" {
			t.Errorf("the reason %q", reason)
		}
		return err
	})
	s.each.View(t, "reasons", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.RecoveryReasons(ctx, tx)
		return err
	})
	s.each.Refused(t, "no such recovery", ledger.ErrNotFound, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.RecoveryReason(ctx, tx, 2)
		return err
	})
	ann := s.NewPlayer()
	s.posts(t, "create", ledgertest.Create(ann))
	var ann1 ledger.ActorState
	s.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		ann1, err = s.LoadActor(ctx, tx, ann.Address)
		return err
	})
	s.each.View(t, "rotated", func(ctx context.Context, tx *store.Tx) error { return s.CheckRotated(ctx, tx, ann1) })
	s.each.View(t, "crossed", func(ctx context.Context, tx *store.Tx) error {
		crossed, err := s.CrossedRecovery(ctx, tx, s.RulesTx(), ann1.CommitmentTx)
		if err != nil || crossed == nil {
			return errors.Join(err, errors.New("no recovery between genesis and the account"))
		}
		_, failed := s.RecoverySince(ctx, tx, time.Time{}, &ann1.CommitmentTx)
		_, err = s.Tx(ctx, tx, *crossed)
		return errors.Join(failed, err)
	})
	s.each.View(t, "reload", s.Reload)
	if got := s.Recovery(); got != 1 {
		t.Errorf("recovery %d, want 1", got)
	}
	s.SealAll(t)
	s.each.View(t, "kept", func(ctx context.Context, tx *store.Tx) error {
		raw, err := s.Kept(ctx, tx, &ledger.Record{Height: 1})
		if err == nil && len(raw) == 0 {
			t.Error("no block 0")
		}
		return err
	})
	s.WantValid(t)
}

// seal makes a block of the pending transactions.
func (s *scenario) seal(ctx context.Context) error {
	_, err := s.SealBlock(ctx)
	return err
}

// locks locks and unlocks a token.
func (s *scenario) locks(t *testing.T, owner, other player, token ledger.OwnedToken) {
	t.Helper()
	for _, c := range []struct {
		name string
		use  func(ctx context.Context, tx *store.Tx) error
	}{
		{"touch a token", func(ctx context.Context, tx *store.Tx) error {
			return s.TouchToken(ctx, tx, owner.Address, token.ID)
		}},
		{"touch an account", func(ctx context.Context, tx *store.Tx) error {
			return s.TouchAccount(ctx, tx, owner.Address)
		}},
		{"lock", func(ctx context.Context, tx *store.Tx) error {
			return s.Lock(ctx, tx, owner.Address, token.ID)
		}},
	} {
		s.each.Update(t, c.name, c.use)
	}
	s.each.Refused(t, "touch a locked token", ledger.ErrConflict, func(ctx context.Context, tx *store.Tx) error {
		return s.TouchToken(ctx, tx, owner.Address, token.ID)
	})
	s.each.Refused(t, "sell what is locked", ledger.ErrLocked, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Post(ctx, tx, ledgertest.Sale(other, owner, token.ID))
		return err
	})
	s.each.View(t, "locked", func(ctx context.Context, tx *store.Tx) error {
		state, err := s.LoadToken(ctx, tx, token.ID)
		if err == nil && !errors.Is(state.MayMove(owner.Address), ledger.ErrLocked) {
			t.Errorf("not locked: %+v", state)
		}
		return err
	})
	s.each.Refused(t, "cheapest of locked ones", ledger.ErrNotFound, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.CheapestToken(ctx, tx, owner.Address)
		return err
	})
	s.each.Update(t, "unlock", func(ctx context.Context, tx *store.Tx) error { return s.Unlock(ctx, tx, token.ID) })
	s.each.View(t, "cheapest", func(ctx context.Context, tx *store.Tx) error {
		got, err := s.CheapestToken(ctx, tx, owner.Address)
		if err == nil && got.ID != token.ID {
			t.Errorf("the cheapest token is %+v, want %+v", got, token)
		}
		return err
	})
}

// readEach calls every read method.
func (s *scenario) readEach(t *testing.T, a player, token ledger.OwnedToken) {
	t.Helper()
	var block ledger.Block
	var record ledger.Record
	s.View(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := s.TokenHistory(ctx, tx, token.ID)
		if err != nil {
			return err
		}
		record = list[0]
		block, err = s.Block(ctx, tx, record.Height)
		return err
	})
	s.readAccounts(t, a, token)
	s.readBlocks(t, block, record)
}

// all is above every height and position.
const all = math.MaxInt64

func (s *scenario) readAccounts(t *testing.T, a player, token ledger.OwnedToken) {
	t.Helper()
	s.each.Views(t, map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"account": func(ctx context.Context, tx *store.Tx) (bool, error) {
			c, _, err := s.Account(ctx, tx, a.Address)
			return c.Nonce > 0, err
		},
		"load actor": func(ctx context.Context, tx *store.Tx) (bool, error) {
			_, err := s.LoadActor(ctx, tx, a.Address)
			return true, err
		},
		"history": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := s.History(ctx, tx, a.Address, all, 100)
			return len(l) > 5, err
		},
		"pending": func(ctx context.Context, tx *store.Tx) (bool, error) {
			_, err := s.Pending(ctx, tx, a.Address, 100)
			return true, err
		},
		"tokens of": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := s.TokensOf(ctx, tx, a.Address, -1, 10)
			return len(l) == 0, err
		},
		"holding": func(ctx context.Context, tx *store.Tx) (bool, error) {
			h, err := s.Holding(ctx, tx, a.Address)
			return h.Account.Nonce > 0 && h.Cheapest == nil, err
		},
		"token": func(ctx context.Context, tx *store.Tx) (bool, error) {
			k, won, err := s.Token(ctx, tx, token.ID)
			return k.Tier == 2 && won == "a run", err
		},
		"token history": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := s.TokenHistory(ctx, tx, token.ID)
			return len(l) > 0, err
		},
		"find addresses": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := s.FindAddresses(ctx, tx, a.Address.String()[:12], 10)
			return len(l) == 1, err
		},
	})
}

func (s *scenario) readBlocks(t *testing.T, block ledger.Block, record ledger.Record) {
	t.Helper()
	fresh, err := ledger.Inspect(t.Context(), s.DB, s.Clock.Now) // with an empty cache of heights
	if err != nil {
		t.Fatal(err)
	}
	s.each.Views(t, map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"head": func(ctx context.Context, tx *store.Tx) (bool, error) {
			h, err := s.Head(ctx, tx)
			return h.Block.Header.Height > 0, err
		},
		"block": func(ctx context.Context, tx *store.Tx) (bool, error) {
			b, err := s.Block(ctx, tx, 1)
			return b.Hash == block.Hash, err
		},
		"blocks": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := s.Blocks(ctx, tx, all, 10)
			return len(l) > 1, err
		},
		"txs": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := s.Txs(ctx, tx, block)
			return len(l) == 4, err
		},
		"tx": func(ctx context.Context, tx *store.Tx) (bool, error) {
			r, err := s.Ledger.Tx(ctx, tx, record.Hash)
			return r.Sealed, err
		},
		"height of": func(ctx context.Context, tx *store.Tx) (bool, error) {
			h, err := fresh.HeightOf(ctx, tx, record.Hash)
			return h != nil && *h == 1, err
		},
		"anchors": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, _, err := s.Anchors(ctx, tx, record.Hash)
			return len(l) == 1, err
		},
		"backlog": func(ctx context.Context, tx *store.Tx) (bool, error) {
			_, err := s.Backlog(ctx, tx)
			return true, err
		},
	})
	s.readLog(t, block, record)
}

// readLog calls the methods that serve and search the log.
func (s *scenario) readLog(t *testing.T, block ledger.Block, record ledger.Record) {
	t.Helper()
	s.each.Views(t, map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"checkpoint": func(ctx context.Context, tx *store.Tx) (bool, error) {
			b, err := s.Checkpoint(ctx, tx)
			return len(b) > 0, err
		},
		"consistency": func(ctx context.Context, tx *store.Tx) (bool, error) {
			p, err := s.Consistency(ctx, tx, 1, 2)
			return len(p) > 0, err
		},
		"signed head": func(ctx context.Context, tx *store.Tx) (bool, error) {
			b, err := s.SignedHead(ctx, tx)
			return len(b) > 0, err
		},
		"each": func(ctx context.Context, tx *store.Tx) (bool, error) {
			n := int64(0)
			err := s.Each(ctx, tx, func(*chain.Tx, []byte) { n++ })
			head, errHead := s.Head(ctx, tx)
			return n > 4 && n == head.Transactions+head.Pending, errors.Join(err, errHead)
		},
		"log kept": func(ctx context.Context, tx *store.Tx) (bool, error) {
			_, _, err := s.LogKept(ctx, tx, 0)
			return true, err
		},
		"log games": func(ctx context.Context, tx *store.Tx) (bool, error) {
			_, _, err := s.LogGames(ctx, tx, 0)
			return true, err
		},
		"log page": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, _, err := s.LogPage(ctx, tx, 0)
			return len(l) > 0, err
		},
		"tile": func(ctx context.Context, tx *store.Tx) (bool, error) {
			b, err := s.Tile(ctx, tx, "tile/0/000.p/2")
			return len(b) == 64, err
		},
		"entries": func(ctx context.Context, tx *store.Tx) (bool, error) {
			b, err := s.Tile(ctx, tx, "tile/entries/000.p/2")
			return bytes.HasSuffix(b, block.Raw), err
		},
		"periods": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := s.Periods(ctx, tx, time.Hour, all, 10)
			return len(l) > 0, err
		},
		"find txs": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := s.FindTxs(ctx, tx, record.Hash.String()[:8], 10)
			return len(l) == 1, err
		},
		"find blocks": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := s.FindBlocks(ctx, tx, block.Hash.String()[:8], 10)
			return len(l) == 1, err
		},
	})
}

// opens opens, verifies and exports the chain with each statement failing once.
func (s *scenario) opens(t *testing.T) {
	t.Helper()
	s.each.Call(t, "open", func(ctx context.Context) error {
		_, err := ledger.Open(ctx, ledger.Config{DB: s.DB, Rules: ledgertest.Rules(), Signer: s.Key.Signer,
			VerifierKey: s.Key.Verifier, Now: s.Clock.Now, Logger: slog.New(slog.DiscardHandler)})
		return err
	})
	s.each.Call(t, "inspect", func(ctx context.Context) error {
		l, err := ledger.Inspect(ctx, s.DB, s.Clock.Now)
		if err == nil && (l.VerifierKey() != s.Key.Verifier || !reflect.DeepEqual(l.Rules(), s.Rules())) {
			t.Errorf("inspected a chain of %s with rules %+v", l.VerifierKey(), l.Rules())
		}
		return err
	})
	s.each.Call(t, "export", func(ctx context.Context) error {
		return audit.Export(ctx, s.DB, io.Discard, audit.ExportOptions{})
	})
	s.each.Call(t, "exists", func(ctx context.Context) error {
		_, err := ledger.Exists(ctx, s.DB)
		return err
	})
	s.each.Call(t, "verify", func(ctx context.Context) error {
		v, err := s.Verify(ctx)
		if err == nil && len(v.Problems) > 0 {
			t.Errorf("problems: %+v", v.Problems)
		}
		return err
	})
}

// TestEachStatementWithHeadFile opens a chain with a head file, updates the file and seals, with
// each statement failing once: the file never gets ahead of what the sealer signed.
func TestEachStatementWithHeadFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := &scenario{}
	file := remembering(t, folder)
	s.economy = newEconomy(t, ledgertest.Options{DB: store.Config{Faults: s.each.Faults()}, File: file})
	s.each.Use(t, s.DB, s.Location)
	ann := s.join(t)
	s.SealAll(t)
	s.Faucets(t, ann, 2)
	s.each.Call(t, "seal", s.seal)
	size, _ := file.Size()
	s.each.Call(t, "update the head file", s.UpdateHeadFile)
	if again, _ := file.Size(); again != size || size != 3 {
		t.Errorf("%d blocks are remembered, then %d, want 3", size, again)
	}
	s.each.Call(t, "open with a head file", func(ctx context.Context) error {
		_, err := ledger.Open(ctx, ledger.Config{DB: s.DB, Rules: ledgertest.Rules(), Signer: s.Key.Signer,
			VerifierKey: s.Key.Verifier, Now: s.Clock.Now, Logger: slog.New(slog.DiscardHandler),
			File: remembering(t, folder)})
		return err
	})
	lost := remembering(t, t.TempDir()) // as after the loss of the file
	s.each.Call(t, "accept the tree of the database", func(ctx context.Context) error {
		_, err := ledger.AcceptRollback(ctx, s.DB, lost, ledger.Acceptance{Size: size})
		return err
	})
	if again, exists := lost.Size(); !exists || again != size {
		t.Errorf("accepted: a file %v with %d blocks, want %d", exists, again, size)
	}
	s.WantValid(t)
}

// TestEachStatementOfSealingAgain makes a block that was signed and not stored again, with each
// statement failing once: the log must never sign another block at its height.
func TestEachStatementOfSealingAgain(t *testing.T) {
	t.Parallel()
	var fault atomic.Int64
	s := &scenario{}
	faults, file := s.each.Faults(), remembering(t, t.TempDir())
	faults.Commit = func() store.Fault { return store.Fault(fault.Load()) }
	s.economy = newEconomy(t, ledgertest.Options{DB: store.Config{Faults: faults}, File: file})
	s.each.Use(t, s.DB, s.Location)
	ann := s.join(t)
	s.SealAll(t)
	s.Faucets(t, ann, 2)
	// Not Full: after that the store looks for space by writing, whenever it likes.
	fault.Store(int64(store.NotStored))
	if _, err := s.SealBlock(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("sealed without a commit: error %v", err)
	}
	fault.Store(int64(store.NoFault))
	s.Faucets(t, ann, 1) // the block is made again without it
	s.each.Call(t, "seal again", s.seal)
	s.View(t, func(ctx context.Context, tx *store.Tx) error {
		head, err := s.Head(ctx, tx)
		if err == nil && (head.Pending != 1 || head.Block.Header.TxCount != 2) {
			t.Errorf("made again: %+v with %d pending", head.Block, head.Pending)
		}
		return err
	})
	s.SealAll(t)
	s.WantValid(t)
}

// TestEachStatementOfRefusals posts what exists already, with each statement failing once: those by which
// the ledger finds out why a row is in the way, too.
func TestEachStatementOfRefusals(t *testing.T) {
	t.Parallel()
	s := newScenario(t)
	scene := s.Everything(t)
	for name, c := range map[string]struct {
		draft ledger.Draft
		text  string
	}{
		"an account twice": {ledgertest.Create(scene.Ann), "the account exists already"},
		"a token twice":    {ledgertest.Claim(scene.Ann, scene.Run, scene.Token), "created once"},
		"a run twice": {ledgertest.Start(scene.Bob, scene.Run, chain.EntryFree, s.NewHash()),
			"started or decided before"},
	} {
		refused := errors.New("refused as expected")
		s.each.Refused(t, name, refused, func(ctx context.Context, tx *store.Tx) error {
			_, err := s.Post(ctx, tx, c.draft)
			if err != nil && strings.Contains(err.Error(), c.text) {
				return refused
			}
			return err
		})
	}
}

// TestEachStatementOfSeveralNodes posts on a node of several, which reads the rules again for each
// transaction, with each statement failing once.
func TestEachStatementOfSeveralNodes(t *testing.T) {
	t.Parallel()
	s := newScenario(t)
	s.Share()
	ann := s.NewPlayer()
	s.posts(t, "create", ledgertest.Create(ann))
	s.game(t, ledgertest.Start(ann, "a run", chain.EntryFee, s.NewHash()), ledgertest.Lose(ann, "a run", 1))
	s.SealAll(t)
	s.WantValid(t)
}
