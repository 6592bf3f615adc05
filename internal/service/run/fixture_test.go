package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
	"roshambo/verify"
)

// fixture is a run service on its own ledger. The test can read its unrevealed seeds.
type fixture struct {
	*ledgertest.Ledger
	*run.Service
	drawn *drawn
	key   []byte // of the seeds
}

// drawn is a source of randomness that records the seed chains generated from it.
type drawn struct {
	source io.Reader
	mu     sync.Mutex // guards chains
	chains map[chain.Hash]*fair.Chain
}

// Read draws the last seed of a chain.
func (d *drawn) Read(b []byte) (int, error) {
	n, err := d.source.Read(b)
	if len(b) == len(fair.Seed{}) {
		c := fair.NewChain(fair.Seed(b))
		d.mu.Lock()
		defer d.mu.Unlock()
		d.chains[chain.Hash(c.Commitment())] = c
	}
	return n, err
}

// behind returns the seed chain behind a commitment.
func (d *drawn) behind(commitment chain.Hash) *fair.Chain {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.chains[commitment]
}

func newFixture(t testing.TB, o ledgertest.Options) *fixture {
	t.Helper()
	if o.Rules == nil {
		rules := ledgertest.Rules()
		rules.FreePerDay = 3
		o.Rules = &rules
	}
	h := &fixture{
		Ledger: ledgertest.Open(t, o), key: make([]byte, 32),
		drawn: &drawn{source: testseed.Reader(t), chains: map[chain.Hash]*fair.Chain{}},
	}
	h.fill(t, h.key)
	h.restart(t)
	return h
}

// fill fills b with random bytes derived from the test's seed.
func (h *fixture) fill(t testing.TB, b []byte) {
	t.Helper()
	if _, err := io.ReadFull(h.drawn.source, b); err != nil {
		t.Fatal(err)
	}
}

// restart replaces the service by a new one with an empty cache, as a restart does.
func (h *fixture) restart(t testing.TB) {
	t.Helper()
	seeds, err := run.NewSeeds(h.key, h.drawn)
	if err != nil {
		t.Fatal(err)
	}
	h.Service = &run.Service{DB: h.Ledger.DB, Ledger: h.Ledger.Ledger, Seeds: seeds}
}

// do runs fn in a database transaction and returns its error.
func (h *fixture) do(t testing.TB, fn func(ctx context.Context, tx *store.Tx) error) error {
	t.Helper()
	return h.Ledger.DB.Update(t.Context(), fn)
}

// join opens an account.
func (h *fixture) join(t testing.TB) (address chain.Address) {
	t.Helper()
	h.fill(t, address[:])
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		commitment, err := h.FirstCommitment(ctx, tx, address)
		if err != nil {
			return err
		}
		_, err = h.Post(ctx, tx, ledger.Draft{
			Actor: address, Data: &chain.AccountCreate{Commitment: commitment, AccountKind: chain.Guest},
			Transfers: []chain.Transfer{{Amount: 1000, To: address}}})
		return err
	})
	return address
}

func (h *fixture) start(t testing.TB, who chain.Address, o run.StartOptions) (started run.Started, err error) {
	t.Helper()
	err = h.do(t, func(ctx context.Context, tx *store.Tx) (err error) {
		started, err = h.Start(ctx, tx, who, o)
		return err
	})
	return started, err
}

// begin starts a run and returns its id. It fails the test on an error.
func (h *fixture) begin(t testing.TB, who chain.Address, o run.StartOptions) string {
	t.Helper()
	started, err := h.start(t, who, o)
	if err != nil {
		t.Fatal(err)
	}
	return started.Run.ID
}

func (h *fixture) get(t testing.TB, id string) (r *run.Run) {
	t.Helper()
	h.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		r, err = h.Get(ctx, tx, id)
		return err
	})
	return r
}

// moveFor returns the move that gives the next throw of a run the wanted outcome.
func (h *fixture) moveFor(r *run.Run, want game.Outcome, entropy string) game.Move {
	if r.Throws >= fair.Length {
		return game.Rock
	}
	n := int(r.Throws) + 1
	theirs := fair.HouseMove(h.drawn.behind(r.Commitment).Seed(n), n, fair.HashText(r.ClientSeed),
		fair.HashText(entropy))
	for _, ours := range []game.Move{game.Rock, game.Paper, game.Scissors} {
		if ours.Against(theirs) == want {
			return ours
		}
	}
	panic("no such outcome")
}

// throw plays the next throw with the move that gives the wanted outcome.
func (h *fixture) throw(t testing.TB, who chain.Address, id string, want game.Outcome) (thrown run.Thrown, err error) {
	t.Helper()
	play := run.Play{Move: h.moveFor(h.get(t, id), want, "")}
	err = h.do(t, func(ctx context.Context, tx *store.Tx) (err error) {
		thrown, err = h.Throw(ctx, tx, who, id, play)
		return err
	})
	if err == nil && thrown.Throw.Outcome != want {
		t.Fatalf("the outcome is %v, want %v", thrown.Throw.Outcome, want)
	}
	return thrown, err
}

func (h *fixture) proceed(t testing.TB, who chain.Address, id string) (r *run.Run, err error) {
	t.Helper()
	err = h.do(t, func(ctx context.Context, tx *store.Tx) (err error) {
		r, err = h.Continue(ctx, tx, who, id)
		return err
	})
	return r, err
}

func (h *fixture) claim(t testing.TB, who chain.Address, id string) (r *run.Run, err error) {
	t.Helper()
	err = h.do(t, func(ctx context.Context, tx *store.Tx) (err error) {
		r, _, err = h.Claim(ctx, tx, who, id)
		return err
	})
	return r, err
}

func (h *fixture) abandon(t testing.TB, who chain.Address, id string) (r *run.Run, err error) {
	t.Helper()
	err = h.do(t, func(ctx context.Context, tx *store.Tx) (err error) {
		r, _, err = h.Abandon(ctx, tx, who, id)
		return err
	})
	return r, err
}

// climb wins throws, and continues between them, so that the run ends up deciding.
func (h *fixture) climb(t testing.TB, who chain.Address, id string, wins int) {
	t.Helper()
	for i := range wins {
		if i > 0 {
			if _, err := h.proceed(t, who, id); err != nil {
				t.Fatal(err)
			}
		}
		h.Clock.Add(run.ThrowInterval)
		if _, err := h.throw(t, who, id, game.Win); err != nil {
			t.Fatal(err)
		}
	}
}

// token wins a token of a tier in a daily run, and moves the clock to the next day.
func (h *fixture) token(t testing.TB, who chain.Address, tier int) ledger.OwnedToken {
	t.Helper()
	id := h.begin(t, who, run.StartOptions{Entry: chain.EntryDaily})
	h.climb(t, who, id, tier)
	r := h.get(t, id)
	if r.Status == run.Deciding {
		var err error
		if r, err = h.claim(t, who, id); err != nil {
			t.Fatal(err)
		}
	}
	h.Clock.Add(24 * time.Hour)
	return ledger.OwnedToken{ID: *r.TokenID, Tier: int64(tier)}
}

// tokens returns the tokens in a wallet.
func (h *fixture) tokens(t testing.TB, who chain.Address) (list []ledger.OwnedToken) {
	t.Helper()
	h.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		list, err = h.TokensOf(ctx, tx, who, -1, 100)
		return err
	})
	return list
}

// proof returns the proof bundle of a run in its current state.
func (h *fixture) proof(t testing.TB, id string) []byte {
	t.Helper()
	r := h.get(t, id)
	hashes := []chain.Hash{r.CommitTx, r.StartTx}
	if r.EndTx != nil {
		hashes = append(hashes, *r.EndTx)
	}
	p := verify.RunProof{
		Format: verify.FormatRun, RunID: r.ID, Account: r.Account.String(), Status: string(r.Status), Cleared: r.Cleared,
		Transcript: verify.Document{Raw: string(r.Transcript)}, VerifierKey: h.VerifierKey(),
	}
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		if r.EndTx != nil {
			crossed, err := h.CrossedRecovery(ctx, tx, r.StartTx, *r.EndTx)
			if err != nil {
				return err
			}
			if crossed != nil {
				hashes = append(hashes, *crossed)
			}
		}
		list, checkpoint, err := h.Anchors(ctx, tx, hashes...)
		if err != nil {
			return err
		}
		if len(list) > 3 {
			p.Recovery = anchored(list[3])
			if list[3].Record.Sealed {
				raw, err := h.Kept(ctx, tx, &list[3].Record)
				if err != nil {
					return err
				}
				kept := string(raw)
				p.Kept = &kept
			}
		}
		p.Checkpoint, p.Commit, p.Start = &checkpoint, anchored(list[0]), anchored(list[1])
		if r.EndTx != nil {
			p.End = anchored(list[2])
		}
		return nil
	})
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func anchored(a ledger.Anchor) *verify.Anchored {
	out := &verify.Anchored{Raw: string(a.Record.Raw), Hash: a.Record.Hash.String()}
	if a.Record.Sealed {
		header := string(a.Header)
		out.Height, out.Index, out.Header = &a.Record.Height, &a.Record.Index, &header
		out.TxProof, out.BlockProof = hexes(a.TxProof), hexes(a.BlockProof)
	}
	return out
}

func hexes(hashes []chain.Hash) []string {
	list := make([]string, len(hashes))
	for i, hash := range hashes {
		list[i] = hash.String()
	}
	return list
}

// wantProven checks that no check of the proof of a run fails. The run may go on or wait for its block.
func (h *fixture) wantProven(t testing.TB, id string) {
	t.Helper()
	report := verify.Run(h.proof(t, id), verify.Options{})
	for _, c := range report.Checks {
		if c.Result == verify.Fail {
			t.Errorf("run %s: %s: %s", id, c.ID, c.Text)
		}
	}
}

// wantState checks that err is a *StateError with the wanted state.
func wantState(t testing.TB, err error, want run.Status) {
	t.Helper()
	if s, ok := errors.AsType[*run.StateError](err); !ok || s.Status != want {
		t.Errorf("got error %v, want a StateError with status %s", err, want)
	}
}
