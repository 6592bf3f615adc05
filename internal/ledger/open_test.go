package ledger_test

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// reopen closes the database and opens a ledger on it.
func (e *economy) reopen(t *testing.T, o ledgertest.Options) (*economy, error) {
	t.Helper()
	l, err := e.Reopen(t, o)
	return &economy{l}, err
}

// TestGenesis checks that a new chain begins with its name and rules, alone in block 0.
func TestGenesis(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	h := e.Newest(t)
	txs := e.sealed(t)
	if h.Block.Header.Height != 0 || h.Block.Header.Prev != (chain.Hash{}) || h.Pending != 0 || len(txs) != 1 {
		t.Fatalf("head %+v, %d transactions", h, len(txs))
	}
	want := &chain.Genesis{Name: "roshambo-test", Rules: ledgertest.Rules()}
	if diff := cmp.Diff(chain.Data(want), txs[0].Parsed.Data); diff != "" {
		t.Errorf("genesis:\n%s", diff)
	}
	if e.RulesTx() != txs[0].Hash || e.Origin() != "roshambo-test" || e.VerifierKey() != e.Key.Verifier {
		t.Errorf("rules by %v, origin %s, key %s", e.RulesTx(), e.Origin(), e.VerifierKey())
	}
	v := e.WantValid(t)
	if v.Name != "roshambo-test" || v.Height != 0 || v.Blocks != 1 || v.Transactions != 1 ||
		v.Checkpoint != h.Checkpoint {
		t.Errorf("verified %+v", v)
	}
}

// TestReopen checks that a ledger continues where the last one stopped, with the pending
// transactions.
func TestReopen(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	s := e.Everything(t)
	e.SealAll(t)
	e.Faucets(t, s.Ann, 3)
	before := e.Dump(t)
	e, err := e.reopen(t, ledgertest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, e.Dump(t)); diff != "" {
		t.Errorf("Open has changed rows:\n%s", diff)
	}
	if n := e.SealAll(t); n != 3 {
		t.Errorf("%d transactions were still pending, want 3", n)
	}
	e.WantValid(t)
}

// TestWrongKey checks that Open refuses the chain of another key or name, and leaves it unchanged.
func TestWrongKey(t *testing.T) {
	t.Parallel()
	other := ledgertest.NewKey(t, "another-chain")
	for name, tt := range map[string]struct {
		key    ledgertest.Key
		damage string
		want   string
	}{
		"another key of the same name": {key: ledgertest.NewKey(t, "roshambo-test"), want: "is signed by"},
		"another chain":                {key: other, want: "is signed by"},
		"a key that is not the signer's": {
			key:  ledgertest.Key{Signer: other.Signer, Verifier: ledgertest.NewKey(t, "another-chain").Verifier},
			want: "do not belong together",
		},
		"a malformed public key": {
			key: ledgertest.Key{Signer: other.Signer, Verifier: "none"}, want: "verifier key",
		},
		"a database that was made to fit": {
			key:    other,
			damage: "UPDATE meta SET value = '" + other.Verifier + "' WHERE name = 'chain'",
			want:   "checkpoint in the database",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEconomy(t, ledgertest.Options{})
			e.join(t)
			e.SealAll(t)
			if tt.damage != "" {
				e.Update(t, func(ctx context.Context, tx *store.Tx) error {
					_, err := tx.ExecContext(ctx, tt.damage)
					return err
				})
			}
			before := e.Dump(t)
			again, err := e.reopen(t, ledgertest.Options{Key: tt.key})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
			if diff := cmp.Diff(before, again.Dump(t)); diff != "" {
				t.Errorf("Open has changed rows:\n%s", diff)
			}
		})
	}
}

// begin seals the blocks and begins the announced rules that are due.
func (e *economy) begin(t *testing.T) {
	t.Helper()
	e.SealAll(t)
	if err := e.BeginRules(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestTrialEnds checks that rules which are announced in the first hour of the chain begin at once only when their
// block is sealed in that hour as well, and a quorum of the witnesses has seen it by then. Others wait for a day.
func TestTrialEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sealed, seen time.Duration // after genesis; seen 0: the service has no witnesses
		atOnce       bool
	}{
		"sealed in the hour":                {time.Hour, 0, true},
		"sealed later":                      {time.Hour + time.Second, 0, false},
		"seen in the hour":                  {time.Hour - 10*time.Second, time.Hour - 2*time.Second, true},
		"sealed in the hour and seen later": {time.Hour - 10*time.Second, time.Hour + time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := ledgertest.Options{}
			if tt.seen > 0 {
				o.Quorum, o.Witnesses = 1, []string{"one"}
			}
			e := newEconomy(t, o)
			genesis := e.Clock.Now()
			at := func(after time.Duration) { e.Clock.Add(genesis.Add(after).Sub(e.Clock.Now())) }
			dearer := ledgertest.Rules()
			dearer.EntryFee++
			o.Rules = &dearer
			at(time.Hour - time.Minute)
			e, err := e.reopen(t, o)
			if err != nil {
				t.Fatal(err)
			}
			if tx, from := e.Announced(); tx == (chain.Hash{}) || from.Before(genesis) {
				t.Errorf("announced are %v from %v on", tx, from)
			}
			begun := func(want bool) {
				t.Helper()
				e.begin(t)
				if got := e.Rules().EntryFee == dearer.EntryFee; got != want {
					t.Errorf("begun is %v, want %v", got, want)
				}
				e.WantValid(t)
			}
			at(tt.sealed)
			if tt.seen > 0 {
				begun(false) // not seen yet
				at(tt.seen)
				e.Keep(t, e.CosignatureAt(t, "one", 0))
			}
			begun(tt.atOnce)
			e.Clock.Add(24*time.Hour + 2*time.Second)
			begun(true)
			e.SealAll(t)
			e.WantValid(t)
			if tt.seen > 0 {
				e.wantWitnessed(t, "one")
			}
		})
	}
}

// TestRulesChange checks that new rules are recorded on the chain before they are in force, each
// change under the next number, and that the same rules are not recorded again.
func TestRulesChange(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	dearer := ledgertest.Rules()
	dearer.EntryFee = 60
	var err error
	for number := int64(1); number <= 3; number++ {
		if e, err = e.reopen(t, ledgertest.Options{Rules: &dearer}); err != nil {
			t.Fatal(err)
		}
		for range 2 { // also while the beginning is pending, and sealed
			e.begin(t)
			if diff := cmp.Diff(&dearer, e.Rules()); diff != "" {
				t.Errorf("rules in force:\n%s", diff)
			}
			e.wantRulesTx(t, number, dearer)
			e.WantValid(t)
			if e, err = e.reopen(t, ledgertest.Options{Rules: &dearer}); err != nil {
				t.Fatal(err)
			}
			e.SealAll(t)
		}
		next := e.NewHash()
		draft := ledgertest.Start(ann, e.NewID(), chain.EntryFee, next)
		draft.Transfers[0].Amount = dearer.EntryFee
		e.MustPost(t, draft)
		ann.Next = next
		e.MustPost(t, ledgertest.Lose(ann, draft.Data.(*chain.RunStart).RunID, 1))
		dearer.EntryFee += 10
		e.Clock.Add(time.Second)
	}
	e.SealAll(t)
	e.WantValid(t)
}

// TestRulesAreAnnounced checks that rules take effect a day after their announcement, also on a node
// that starts in between, and that no others are announced meanwhile.
func TestRulesAreAnnounced(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.SealAll(t)
	e.Clock.Add(2 * time.Hour)
	old, dearer, other := ledgertest.Rules(), ledgertest.Rules(), ledgertest.Rules()
	dearer.EntryFee, other.EntryFee = 60, 70
	announced := e.Clock.Now()
	for _, configured := range []*chain.Rules{&dearer, &dearer, &other} {
		var err error
		if e, err = e.reopen(t, ledgertest.Options{Rules: configured}); err != nil {
			t.Fatal(err)
		}
		tx, from := e.Announced()
		if tx == (chain.Hash{}) || !from.Equal(announced.Add(24*time.Hour)) || e.Rules().EntryFee != old.EntryFee {
			t.Fatalf("announced are %v from %v on, in force %+v", tx, from, e.Rules())
		}
		e.SealAll(t)
		e.Clock.Add(time.Hour)
	}
	pay := func(fee int64) error {
		draft := ledgertest.Start(ann, e.NewID(), chain.EntryFee, e.NewHash())
		draft.Transfers[0].Amount = fee
		return e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := e.Post(ctx, tx, draft)
			return err
		})
	}
	if err := pay(60); err == nil {
		t.Error("a fee by rules that are not in force")
	}
	begin := func() {
		t.Helper()
		if err := e.BeginRules(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	e.Clock.Add(announced.Add(24*time.Hour - time.Second).Sub(e.Clock.Now()))
	if begin(); e.Rules().EntryFee != 50 {
		t.Error("rules have begun less than a day after the block of their announcement")
	}
	e.Clock.Add(time.Second)
	begin()
	begin() // once
	if err := pay(50); err == nil {
		t.Error("a fee by rules that have ended")
	}
	if err := pay(60); err != nil || e.Rules().EntryFee != 60 {
		t.Errorf("rules in force %+v: %v", e.Rules(), err)
	}
	e.SealAll(t)
	e.WantValid(t)
	e, err := e.reopen(t, ledgertest.Options{Rules: &other}) // at the moment from which the others are in force
	if err != nil {
		t.Fatal(err)
	}
	if tx, from := e.Announced(); tx == (chain.Hash{}) || !from.Equal(announced.Add(48*time.Hour)) {
		t.Errorf("the next rules are %v from %v on", tx, from)
	}
}

// wantRulesTx checks that the rules in force come from the change with a number.
func (e *economy) wantRulesTx(t *testing.T, number int64, rules chain.Rules) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		r, err := e.Tx(ctx, tx, e.RulesTx())
		if err != nil {
			return err
		}
		if diff := cmp.Diff(chain.Data(&chain.RulesChange{Number: number, Rules: rules}), r.Parsed.Data); diff != "" {
			t.Errorf("recorded rules:\n%s", diff)
		}
		return nil
	})
}

// TestRulesChangeElsewhere checks that a node posts nothing by rules that another node has
// changed, and continues by the new ones.
func TestRulesChangeElsewhere(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	e.Share()
	ann := e.join(t)
	generous := ledgertest.Rules()
	generous.FaucetAmount = 300
	other, err := ledger.Open(t.Context(), ledger.Config{
		DB: e.DB, Rules: generous, Signer: e.Key.Signer, VerifierKey: e.Key.Verifier, Now: e.Clock.Now,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.SealBlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := other.BeginRules(t.Context()); err != nil {
		t.Fatal(err)
	}
	post := func(amount int64) error {
		return e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			draft := ledgertest.Faucet(ann)
			draft.Transfers[0].Amount = amount
			_, err := e.Post(ctx, tx, draft)
			return err
		})
	}
	if err := post(200); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("by the old rules: error %v", err)
	}
	if diff := cmp.Diff(other.Rules(), e.Rules()); diff != "" || e.RulesTx() != other.RulesTx() {
		t.Errorf("rules in force:\n%s", diff)
	}
	if err := post(200); err == nil {
		t.Error("the old amount is still given")
	}
	if err := post(300); err != nil {
		t.Errorf("by the new rules: error %v", err)
	}
	e.SealAll(t)
	e.WantValid(t)
}

// TestRulesThatTakeAway checks that rules cannot remove tiers, because players may have reached
// them.
func TestRulesThatTakeAway(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	shorter := ledgertest.Rules()
	shorter.Tiers = shorter.Tiers[:15]
	e, err := e.reopen(t, ledgertest.Options{Rules: &shorter})
	if err == nil || !strings.Contains(err.Error(), "cannot lose any") {
		t.Errorf("error %v", err)
	}
	longer := ledgertest.Rules()
	longer.Tiers = append(longer.Tiers, chain.Tier{Material: "more", Value: 1})
	if e, err = e.reopen(t, ledgertest.Options{Rules: &longer}); err != nil {
		t.Fatal(err)
	}
	e.begin(t)
	e.wantRulesTx(t, 1, longer)
}

func TestWrongRules(t *testing.T) {
	t.Parallel()
	none := chain.Rules{}
	if _, err := ledgertest.TryOpen(t, ledgertest.Options{Rules: &none}); err == nil ||
		!strings.Contains(err.Error(), "rules have") {
		t.Errorf("a new chain: error %v", err)
	}
	long := ledgertest.NewKey(t, strings.Repeat("n", 65))
	if l, err := ledgertest.TryOpen(t, ledgertest.Options{Key: long}); err == nil {
		t.Error("a chain with too long a name: no error")
	} else if exists, err := ledger.Exists(t.Context(), l.DB); err != nil || exists {
		t.Errorf("a chain with too long a name exists: %v, error %v", exists, err)
	}
	e := newEconomy(t, ledgertest.Options{})
	if _, err := e.reopen(t, ledgertest.Options{Rules: &none}); err == nil ||
		!strings.Contains(err.Error(), "rules have") {
		t.Errorf("an old chain: error %v", err)
	}
}

// TestRulesThatAreNone checks that Open refuses a database whose rules are another kind of
// transaction.
func TestRulesThatAreNone(t *testing.T) {
	t.Parallel()
	zero := strings.Repeat("0", 64)
	for value, want := range map[string]string{
		"": "ledger: rules: rules:", "x": "ledger: rules: rules:", "%g " + zero + " 0 0 0 x": "ledger: rules: rules:",
		zero + " %v 0 0 0": "not found", "%v " + zero + " 0 0 0": "holds no rules",
		"%g %v 0 0 0": "holds no rules", // the rules before
	} {
		e := newEconomy(t, ledgertest.Options{})
		p := e.NewPlayer()
		joined := e.MustPost(t, ledgertest.Create(p))
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(
				ctx,
				"UPDATE meta SET value = $1 WHERE name = 'rules'",
				strings.NewReplacer("%v", joined.Hash.String(), "%g", e.RulesTx().String()).Replace(value),
			)
			return err
		})
		if _, err := e.reopen(t, ledgertest.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one that says %q", value, err, want)
		}
	}
}

// TestOpenUnderMishaps checks that Open, after any fault of the first commits of a chain,
// continues or begins the same chain.
func TestOpenUnderMishaps(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			faults := new(ledgertest.Faults)
			faults.Play(m)
			l, err := ledgertest.TryOpen(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}})
			if errors.Is(err, store.ErrUnavailable) != m.Unavailable || err != nil && !m.Unavailable {
				t.Errorf("error %v, unavailable is %v", err, m.Unavailable)
			}
			e := &economy{l}
			var blocks int
			e.View(t, func(ctx context.Context, tx *store.Tx) error {
				return tx.QueryRowContext(ctx, "SELECT count(*) FROM chain_block").Scan(&blocks)
			})
			if stored := blocks > 0; stored != m.Stored {
				t.Errorf("a chain is there: %v, want %v", stored, m.Stored)
			}
			if e, err = e.reopen(t, ledgertest.Options{}); err != nil {
				t.Fatal(err)
			}
			if txs := e.sealed(t); len(txs) != 1 {
				t.Errorf("%d transactions", len(txs))
			}
			e.WantValid(t)
		})
	}
}

// TestRulesUnderMishaps checks that a change of the rules whose commit fails is recorded once, now
// or at the next start.
func TestRulesUnderMishaps(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			e := newEconomy(t, ledgertest.Options{})
			dearer := ledgertest.Rules()
			dearer.FaucetAmount++
			faults := new(ledgertest.Faults)
			// The first commit of Open stores nothing new.
			m.Commits = append([]store.Fault{store.NoFault}, m.Commits...)
			faults.Play(m)
			e, err := e.reopen(t, ledgertest.Options{Rules: &dearer, DB: store.Config{Faults: faults.Config()}})
			if errors.Is(err, store.ErrUnavailable) != m.Unavailable || err != nil && !m.Unavailable {
				t.Errorf("error %v, unavailable is %v", err, m.Unavailable)
			}
			if e, err = e.reopen(t, ledgertest.Options{Rules: &dearer}); err != nil {
				t.Fatal(err)
			}
			e.begin(t)
			e.SealAll(t)
			e.wantRulesTx(t, 1, dearer)
			if v := e.WantValid(t); v.Transactions != 3 {
				t.Errorf("%d transactions, want 3", v.Transactions)
			}
		})
	}
}

// failingSigner is the signer of a log whose key cannot be used for a while.
type failingSigner struct {
	note.Signer
	fails atomic.Bool
}

// Sign signs, or fails.
func (s *failingSigner) Sign(message []byte) ([]byte, error) {
	if s.fails.Load() {
		return nil, errStatement
	}
	return s.Signer.Sign(message)
}

// TestSigner checks that a receipt is signed with the log's key, and that nothing is stored or handed out
// without a signature.
func TestSigner(t *testing.T) {
	t.Parallel()
	key := ledgertest.NewKey(t, "roshambo-test")
	signer := &failingSigner{Signer: key.Signer}
	e := newEconomy(t, ledgertest.Options{Key: ledgertest.Key{Signer: signer, Verifier: key.Verifier}})
	e.join(t)
	text, err := e.SignReceipt("a statement")
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(key.Verifier)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !verifier.Verify(chain.ReceiptMessage("a statement"), signature) {
		t.Errorf("signature %q, error %v", text, err)
	}
	signer.fails.Store(true)
	if text, err := e.SignReceipt("a statement"); text != "" || !errors.Is(err, errStatement) {
		t.Errorf("signature %q, error %v, want that of the signer", text, err)
	}
	if n, err := e.SealBlock(t.Context()); n != 0 || !errors.Is(err, errStatement) {
		t.Errorf("sealed %d, error %v, want that of the signer", n, err)
	}
	signer.fails.Store(false)
	e.SealAll(t)
	e.WantValid(t)
}

// errStatement is the error of a planted fault.
var errStatement = errors.New("this statement fails")
