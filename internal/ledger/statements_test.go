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

	"golang.org/x/mod/sumdb/tlog"

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
	return storetest.Listen(ctx, tx, func() { s.posted++ })
}

// Sealed implements ledger.SealListener.
func (s *scenario) Sealed(ctx context.Context, tx *store.Tx, _ ledger.Block) error {
	return storetest.Listen(ctx, tx, func() { s.sealed++ })
}

// scenarioOn opens a scenario with options.
func scenarioOn(t *testing.T, o ledgertest.Options) *scenario {
	t.Helper()
	s := &scenario{}
	if o.DB.Faults == nil {
		o.DB.Faults = &store.Faults{}
	}
	faults := s.each.Faults()
	faults.Commit = o.DB.Faults.Commit
	o.DB.Faults = faults
	s.economy = newEconomy(t, o)
	s.each.Use(t, s.DB, s.Location)
	return s
}

// newScenario opens a scenario with a witness, and with listeners.
func newScenario(t *testing.T) *scenario {
	t.Helper()
	s := scenarioOn(t, ledgertest.Options{Quorum: 1, Witnesses: []string{"witness"}})
	s.Listen(s)
	s.ListenSealed(s)
	return s
}

func (s *scenario) posts(name string, d ledger.Draft) storetest.Case {
	return storetest.Case{Name: name, Update: storetest.Do(s.Post, d)}
}

// game posts the start and the end of a game at once.
func (s *scenario) game(start, end ledger.Draft) storetest.Case {
	return storetest.Case{Name: "game", Update: func(c storetest.In) (any, error) {
		state, err := s.LoadActor(c, c.Tx, start.Actor)
		if err != nil {
			return nil, err
		}
		start.State = &state
		return nil, s.PostGame(c, c.Tx, start, end)
	}}
}

// TestEachStatement posts every kind of transaction, locks, seals and reads, with each statement
// failing once.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	s := newScenario(t)
	ann, bob := s.NewPlayer(), s.NewPlayer()
	next := s.NewHash()
	var token ledger.OwnedToken
	do, seal := storetest.Do, storetest.Case{Name: "seal", Call: storetest.Do(s.SealBlock)}
	s.each.Run(t, []storetest.Case{
		s.posts("create", ledgertest.Create(ann)),
		s.posts("create", ledgertest.Create(bob)),
		s.posts("start", ledgertest.Start(ann, "a run", chain.EntryFee, next)),
		{Name: "claim", Update: func(c storetest.In) (any, error) {
			id, err := s.NewTokenID(c, c.Tx)
			if err != nil {
				return nil, err
			}
			token = ledger.OwnedToken{ID: id, Tier: 2}
			claim := ann
			claim.Next = next
			return s.Post(c, c.Tx, ledgertest.Claim(claim, "a run", token))
		}},
		seal,
	})
	ann.Next = next
	s.each.Run(t, []storetest.Case{
		s.posts("faucet", ledgertest.Faucet(ann)),
		s.posts("secure", ledger.Draft{Actor: ann.Address, Data: &chain.AccountSecure{}}),
	})
	s.each.Run(t, s.locks(ann, bob, token))
	s.each.Run(t, []storetest.Case{
		s.posts("sale", ledgertest.Sale(bob, ann, token.ID)),
		s.posts("stake", ledgertest.Stake(ann, "a duel", 10)),
		s.posts("stake", ledgertest.Stake(bob, "a duel", 10)),
		s.posts("settle", ledgertest.Settle(ann, bob, "a duel", 10)),
		s.posts("buyback", ledgertest.Buyback(bob, token)),
	})
	burnt := s.Win(t, &ann, 1)
	next = s.NewHash()
	s.each.Run(t, []storetest.Case{
		s.game(ledgertest.Burn(ann, "burning", next, burnt), ledgertest.Lose(ann, "burning", 1)),
	})
	ann.Next = next
	s.EndSeason(t, 1)
	s.each.Run(t, []storetest.Case{s.posts("close a season", ledgertest.CloseSeason(1))})
	s.readEach(t, ann, token) // with some pending
	s.each.Run(t, []storetest.Case{seal, {Name: "not witnessed", Update: do(s.Witnessed), Refused: ledger.ErrNotFound}})
	c := s.CosignatureAt(t, "witness", 0)
	s.each.Run(t, []storetest.Case{
		{Name: "keep a cosignature", Update: do(s.KeepCosignature, c)},
		{Name: "witnessed", View: do(s.Witnessed)},
		{Name: "cosigned by", View: do(s.CosignedBy, c.Witness), Want: c.Size},
		{Name: "cosigned by another", View: do(s.CosignedBy, "another"), Want: int64(0)},
	})
	s.readEach(t, ann, token)
	if s.posted != 16 || s.sealed != 2 {
		t.Errorf("listeners have stored %d transactions and %d blocks, want 16 and 2", s.posted, s.sealed)
	}
	s.each.Run(t, s.opens())
}

// TestEachStatementOfRules begins announced rules, a day after the block of their announcement.
func TestEachStatementOfRules(t *testing.T) {
	t.Parallel()
	s := newScenario(t)
	s.Clock.Add(2 * time.Hour)
	dearer := s.config()
	dearer.Rules.EntryFee++
	l, err := ledger.Open(t.Context(), dearer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.SealBlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Clock.Add(25 * time.Hour)
	s.each.Run(t, []storetest.Case{{Name: "begin", Call: storetest.Do(l.BeginRules)}})
	if got := l.Rules().EntryFee; got != dearer.Rules.EntryFee {
		t.Errorf("an entry fee of %d, want %d", got, dearer.Rules.EntryFee)
	}
	s.View(t, s.Reload)
	s.SealAll(t)
	s.WantValid(t)
}

// TestEachStatementOfRecovery marks a database as restored and declares the recovery.
func TestEachStatementOfRecovery(t *testing.T) {
	t.Parallel()
	s := newScenario(t)
	do, ann := storetest.Do, s.NewPlayer()
	var state ledger.ActorState
	s.each.Run(t, []storetest.Case{
		{Name: "mark", Call: do(ledger.MarkRestored, s.DB, "a test")},
		{Name: "mark in a transaction", Update: do(ledger.PutMark, "a test")},
		{Name: "marked", View: do(ledger.Marked)},
		{Name: "recover", Update: func(c storetest.In) (any, error) {
			reason, marked, err := ledger.TakeMark(c, c.Tx)
			if err != nil || !marked {
				return nil, errors.Join(err, errors.New("no mark"))
			}
			return nil, s.Recover(c, c.Tx, reason)
		}},
		{Name: "recovered", Update: do(s.Recovered)},
		{Name: "reason", View: do(s.RecoveryReason, 1), Want: "a test"},
		{Name: "reasons", View: do(s.RecoveryReasons)},
		{Name: "no such recovery", Update: do(s.RecoveryReason, 2), Refused: ledger.ErrNotFound},
		s.posts("create", ledgertest.Create(ann)),
		{Name: "actor", View: do(s.LoadActor, ann.Address), Keep: &state},
		{Name: "rotated", View: do(s.CheckRotated, &state)},
		{Name: "crossed", View: func(c storetest.In) (any, error) {
			crossed, err := s.CrossedRecovery(c, c.Tx, s.RulesTx(), state.CommitmentTx)
			if err != nil || crossed == nil {
				return nil, errors.Join(err, errors.New("no recovery between genesis and the account"))
			}
			return s.Ledger.Tx(c, c.Tx, *crossed)
		}},
		{Name: "recovery since", View: do(s.RecoverySince, time.Time{}, &state.CommitmentTx)},
		{Name: "reload", View: do(s.Reload)},
	})
	if got := s.Recovery(); got != 1 {
		t.Errorf("recovery %d, want 1", got)
	}
	s.SealAll(t)
	s.each.Run(t, []storetest.Case{{Name: "kept", View: do(s.Kept, &ledger.Record{Height: 1}),
		Want: func(raw []byte) bool { return len(raw) > 0 }}})
	s.WantValid(t)
}

// locks locks and unlocks a token.
func (s *scenario) locks(owner, other player, token ledger.OwnedToken) []storetest.Case {
	do := storetest.Do
	return []storetest.Case{
		{Name: "touch a token", Update: do(s.TouchToken, owner.Address, token.ID)},
		{Name: "touch an account", Update: do(s.TouchAccount, owner.Address)},
		{Name: "lock", Update: do(s.Lock, owner.Address, token.ID)},
		{Name: "touch a locked token", Update: do(s.TouchToken, owner.Address, token.ID), Refused: ledger.ErrConflict},
		{Name: "sell a locked token", Refused: ledger.ErrLocked,
			Update: do(s.Post, ledgertest.Sale(other, owner, token.ID))},
		{Name: "locked", View: do(s.LoadToken, token.ID), Want: func(state ledger.TokenState) bool {
			return errors.Is(state.MayMove(owner.Address), ledger.ErrLocked)
		}},
		{Name: "cheapest of locked ones", Update: do(s.CheapestToken, owner.Address), Refused: ledger.ErrNotFound},
		{Name: "unlock", Update: do(s.Unlock, token.ID)},
		{Name: "cheapest", View: do(s.CheapestToken, owner.Address),
			Want: func(got ledger.OwnedToken) bool { return got.ID == token.ID }},
	}
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
	fresh, err := ledger.Inspect(t.Context(), s.DB, s.Clock.Now) // with an empty cache of heights
	if err != nil {
		t.Fatal(err)
	}
	s.each.Run(t, s.accounts(a, token))
	s.each.Run(t, s.blocks(fresh, block, record))
	s.each.Run(t, s.log(block, record))
}

// all is above every height and position.
const all = int64(math.MaxInt64)

// accounts returns the reads of accounts and tokens.
func (s *scenario) accounts(a player, token ledger.OwnedToken) []storetest.Case {
	do := storetest.Do
	return []storetest.Case{
		{Name: "account", View: do(s.Account, a.Address),
			Want: func(c chain.Account, _ chain.Hash) bool { return c.Nonce > 0 }},
		{Name: "load actor", View: do(s.LoadActor, a.Address)},
		{Name: "history", View: do(s.History, a.Address, all, 100), Want: func(l []ledger.Record) bool { return len(l) > 5 }},
		{Name: "pending", View: do(s.Pending, a.Address, 100)},
		{Name: "tokens of", View: do(s.TokensOf, a.Address, -1, 10), Want: storetest.Len(0)},
		{Name: "holding", View: do(s.Holding, a.Address),
			Want: func(h ledger.Holding) bool { return h.Account.Nonce > 0 && h.Cheapest == nil }},
		{Name: "token", View: do(s.Token, token.ID),
			Want: func(k chain.Token, won string) bool { return k.Tier == 2 && won == "a run" }},
		{Name: "token history", View: do(s.TokenHistory, token.ID), Want: func(l []ledger.Record) bool { return len(l) > 0 }},
		{Name: "find addresses", View: do(s.FindAddresses, a.Address.String()[:12], 10), Want: storetest.Len(1)},
	}
}

// blocks returns the reads of blocks and transactions.
func (s *scenario) blocks(fresh *ledger.Ledger, block ledger.Block, record ledger.Record) []storetest.Case {
	do := storetest.Do
	return []storetest.Case{
		{Name: "head", View: do(s.Head), Want: func(h ledger.Head) bool { return h.Block.Header.Height > 0 }},
		{Name: "block", View: do(s.Block, 1), Want: func(b ledger.Block) bool { return b.Hash == block.Hash }},
		{Name: "blocks", View: do(s.Blocks, all, 10), Want: func(l []ledger.Block) bool { return len(l) > 1 }},
		{Name: "txs", View: do(s.Txs, block), Want: storetest.Len(4)},
		{Name: "tx", View: do(s.Ledger.Tx, record.Hash), Want: func(r ledger.Record) bool { return r.Sealed }},
		{Name: "height of", View: do(fresh.HeightOf, record.Hash), Want: func(h *int64) bool { return h != nil && *h == 1 }},
		{Name: "anchors", View: func(c storetest.In) (any, error) {
			l, _, err := s.Anchors(c, c.Tx, record.Hash)
			return len(l) == 1, err
		}},
		{Name: "backlog", View: do(s.Backlog)},
	}
}

// log returns the methods that serve and search the log.
func (s *scenario) log(block ledger.Block, record ledger.Record) []storetest.Case {
	do, some := storetest.Do, func(b []byte) bool { return len(b) > 0 }
	return []storetest.Case{
		{Name: "checkpoint", View: do(s.Checkpoint), Want: some},
		{Name: "consistency", View: do(s.Consistency, 1, 2), Want: func(p tlog.TreeProof) bool { return len(p) > 0 }},
		{Name: "signed head", View: do(s.SignedHead), Want: some},
		{Name: "each", View: func(c storetest.In) (any, error) {
			n := int64(0)
			err := s.Each(c, c.Tx, func(*chain.Tx, []byte) { n++ })
			head, errHead := s.Head(c, c.Tx)
			return n > 4 && n == head.Transactions+head.Pending, errors.Join(err, errHead)
		}},
		{Name: "log kept", View: do(s.LogKept, 0)},
		{Name: "log games", View: do(s.LogGames, 0)},
		{Name: "log page", View: do(s.LogPage, 0), Want: func(lines []byte, _ bool) bool { return len(lines) > 0 }},
		{Name: "tile", View: do(s.Tile, "tile/0/000.p/2"), Want: storetest.Len(64)},
		{Name: "entries", View: do(s.Tile, "tile/entries/000.p/2"),
			Want: func(b []byte) bool { return bytes.HasSuffix(b, block.Raw) }},
		{Name: "periods", View: do(s.Periods, time.Hour, all, 10), Want: func(l []ledger.Period) bool { return len(l) > 0 }},
		{Name: "find txs", View: do(s.FindTxs, record.Hash.String()[:8], 10), Want: storetest.Len(1)},
		{Name: "find blocks", View: do(s.FindBlocks, block.Hash.String()[:8], 10), Want: storetest.Len(1)},
	}
}

// config returns the configuration of a further process on the chain.
func (s *scenario) config() ledger.Config {
	return ledger.Config{DB: s.DB, Rules: ledgertest.Rules(), Signer: s.Key.Signer, VerifierKey: s.Key.Verifier,
		Now: s.Clock.Now, Logger: slog.New(slog.DiscardHandler)}
}

// opens opens, verifies and exports the chain.
func (s *scenario) opens() []storetest.Case {
	do := storetest.Do
	return []storetest.Case{
		{Name: "open", Call: do(ledger.Open, s.config())},
		{Name: "inspect", Call: do(ledger.Inspect, s.DB, s.Clock.Now), Want: func(l *ledger.Ledger) bool {
			return l.VerifierKey() == s.Key.Verifier && reflect.DeepEqual(l.Rules(), s.Rules())
		}},
		{Name: "export", Call: do(audit.Export, s.DB, io.Discard, audit.ExportOptions{})},
		{Name: "exists", Call: do(ledger.Exists, s.DB)},
		{Name: "verify", Call: do(s.Verify), Want: func(v audit.Verification) bool { return len(v.Problems) == 0 }},
	}
}

// TestEachStatementWithHeadFile opens a chain with a head file, updates the file and seals, with
// each statement failing once: the file never gets ahead of what the sealer signed.
func TestEachStatementWithHeadFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, lost := remembering(t, folder), remembering(t, t.TempDir()) // lost is as after the loss of the file
	s := scenarioOn(t, ledgertest.Options{File: file})
	ann := s.join(t)
	s.SealAll(t)
	s.Faucets(t, ann, 2)
	do := storetest.Do
	s.each.Run(t, []storetest.Case{{Name: "seal", Call: do(s.SealBlock)}})
	size, _ := file.Size()
	reopened := s.config()
	reopened.File = remembering(t, folder)
	s.each.Run(t, []storetest.Case{
		{Name: "update the head file", Call: do(s.UpdateHeadFile)},
		{Name: "open with a head file", Call: do(ledger.Open, reopened)},
		{Name: "accept the tree of the database",
			Call: do(ledger.AcceptRollback, s.DB, lost, ledger.Acceptance{Size: size})},
	})
	if again, _ := file.Size(); again != size || size != 3 {
		t.Errorf("%d blocks are remembered, then %d, want 3", size, again)
	}
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
	s := scenarioOn(t, ledgertest.Options{File: remembering(t, t.TempDir()), DB: store.Config{
		Faults: &store.Faults{Commit: func() store.Fault { return store.Fault(fault.Load()) }}}})
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
	s.each.Run(t, []storetest.Case{
		{Name: "seal again", Call: storetest.Do(s.SealBlock)},
		{Name: "the block made again", View: storetest.Do(s.Head),
			Want: func(h ledger.Head) bool { return h.Pending == 1 && h.Block.Header.TxCount == 2 }},
	})
	s.SealAll(t)
	s.WantValid(t)
}

// TestEachStatementOfRefusals posts what exists already, with each statement failing once, also those that
// explain why a row is in the way.
func TestEachStatementOfRefusals(t *testing.T) {
	t.Parallel()
	s := newScenario(t)
	scene, refused := s.Everything(t), errors.New("refused as expected")
	refuses := func(name string, d ledger.Draft, text string) storetest.Case {
		return storetest.Case{Name: name, Refused: refused, Update: func(c storetest.In) (any, error) {
			_, err := s.Post(c, c.Tx, d)
			if err != nil && strings.Contains(err.Error(), text) {
				return nil, refused
			}
			return nil, err
		}}
	}
	s.each.Run(t, []storetest.Case{
		refuses("an account twice", ledgertest.Create(scene.Ann), "the account exists already"),
		refuses("a token twice", ledgertest.Claim(scene.Ann, scene.Run, scene.Token), "created once"),
		refuses("a run twice", ledgertest.Start(scene.Bob, scene.Run, chain.EntryFree, s.NewHash()),
			"started or decided before"),
	})
}

// TestEachStatementOfSeveralNodes posts on a node of several, which reads the rules again for each
// transaction, with each statement failing once.
func TestEachStatementOfSeveralNodes(t *testing.T) {
	t.Parallel()
	s := newScenario(t)
	s.Share()
	ann := s.NewPlayer()
	s.each.Run(t, []storetest.Case{
		s.posts("create", ledgertest.Create(ann)),
		s.game(ledgertest.Start(ann, "a run", chain.EntryFee, s.NewHash()), ledgertest.Lose(ann, "a run", 1)),
	})
	s.SealAll(t)
	s.WantValid(t)
}
