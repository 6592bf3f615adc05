package client

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"time"

	"roshambo/chain"
	"roshambo/client/api"
	"roshambo/verify"
)

// Between the commitments and the reveals of a round nothing is on the chain yet. A bot that has
// revealed can be cheated by a house that works with the opponent: the two know the bot's move, and
// could exchange the opponent's commitment. The house's signature under both commitments makes that
// provable, so the bot obtains it before it reveals, and keeps it.

// ErrReceipt reports that the service did not sign both commitments of a round, or signed something else than
// it answered. The bot reveals nothing then: after its reveal, the service could exchange the
// opponent's commitment (docs/protocol.md, section 11).
var ErrReceipt = errors.New("client: the house has not signed what it answers")

// round is a round of a duel as an answer shows it: the code, the number from 1, and the commitments. The commitments
// belong to it because a receipt of others is another one, which must be kept too.
type round struct {
	duel                     string
	n                        int64
	commitmentA, commitmentB string // "" for none
}

// shownRound returns a round of a duel.
func shownRound(d *api.Duel, r *api.DuelRound) round {
	shown := round{duel: d.ID, n: r.Round}
	if r.CommitmentA != nil && r.CommitmentB != nil {
		shown.commitmentA, shown.commitmentB = *r.CommitmentA, *r.CommitmentB
	}
	return shown
}

// notary asks for receipts, checks and keeps them. Its zero value takes the key that the service
// states, and has no file.
type notary struct {
	// key is the key of the log; nil until it is read from the service.
	key  *verify.Key
	file string // "" for none
	// last is the newest round whose receipt is kept. Rounds come in order, so one is enough.
	last round
}

// Receipts asks the service to sign what it answers. Pass it to methods of Client.API whose
// operations document the header Prefer; it replaces Wait, with d as the duration of a long poll, 0
// for none.
func Receipts(d time.Duration) api.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		prefer := "receipt"
		if d > 0 {
			prefer += ", wait=" + strconv.Itoa(int(d.Seconds()))
		}
		r.Header.Set("Prefer", prefer)
		return nil
	}
}

// newNotary returns a notary with a file, "" for none, and the trusted key of the log, "" for the one that the service
// states.
func newNotary(file, verifierKey string) (notary, error) {
	n := notary{file: file}
	if verifierKey == "" {
		return n, nil
	}
	key, err := verify.ParseKey(verifierKey)
	if err != nil {
		return n, fmt.Errorf("client: %w", err)
	}
	n.key = &key
	return n, nil
}

// keep checks the receipts of an answer with the duel, and appends the first one of each round to the
// file, and each that states something else. It ignores answers in which the service has not signed a round.
func (b *Bot) keep(ctx context.Context, d *api.Duel, list *[]api.Receipt) error {
	if list == nil || len(*list) == 0 || len(d.Rounds) == 0 {
		return nil
	}
	r := &d.Rounds[len(d.Rounds)-1]
	current := shownRound(d, r)
	if r.CommitmentA == nil || r.CommitmentB == nil || d.B == nil {
		return nil
	}
	if err := b.notary.learn(ctx, b.Client); err != nil {
		return err
	}
	// The receipt must state what this answer shows, so that a house cannot sign one thing and answer
	// another.
	for _, one := range *list {
		said, err := b.notary.statement(one)
		if err != nil {
			return fmt.Errorf("%w: duel %s, round %d: %w", ErrReceipt, d.ID, r.Round, err)
		}
		s, ok := said.(*chain.RoundStatement)
		if !ok || s.DuelID != d.ID || s.N != r.Round || s.A.String() != d.A.Address || s.B.String() != d.B.Address ||
			s.CommitmentA.String() != *r.CommitmentA || s.CommitmentB.String() != *r.CommitmentB {
			return b.notary.refuse(one, fmt.Sprintf("duel %s, round %d", d.ID, r.Round))
		}
		if b.notary.last == current {
			continue
		}
		if err := b.notary.store(one); err != nil {
			return err
		}
		b.notary.last = current
	}
	return nil
}

// A receipt is evidence for others, so the signature is checked over the text as it came, before the
// text is parsed.

// statement checks the signature of a receipt and returns what it states. The key must be known. A signed text that is
// no statement is an error and is not kept: verifiers take no file with a malformed line about the game, so a house
// could spoil the evidence with it.
func (n *notary) statement(r api.Receipt) (chain.Statement, error) {
	signature, err := base64.StdEncoding.DecodeString(r.Signature)
	if err != nil || !ed25519.Verify(n.key.Public, chain.ReceiptMessage(r.Raw), signature) {
		return nil, fmt.Errorf("it is not signed by %v", *n.key)
	}
	return chain.ParseStatement([]byte(r.Raw))
}

// refuse appends a signed receipt that states something else than the answer to the file, unless it is there, and
// returns the error. Nothing convicts a house as it does, once the chain states what the answer has shown. It is kept
// once: a bot that is started again and again would otherwise fill the disk with it.
func (n *notary) refuse(r api.Receipt, game string) error {
	err := fmt.Errorf("%w: %s: it states something else than the answer", ErrReceipt, game)
	if n.file == "" {
		return err
	}
	there, errKeep := n.has(r)
	if errKeep == nil && !there {
		errKeep = n.store(r)
	}
	if errKeep != nil {
		return fmt.Errorf("%w; the receipt is not kept: %w", err, errKeep)
	}
	return fmt.Errorf("%w; the receipt is kept in %s", err, n.file)
}

// has reports whether the file has a receipt.
func (n *notary) has(r api.Receipt) (bool, error) {
	want, err := receiptLine(r)
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(n.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("client: receipts: %w", err)
	}
	for line := range bytes.Lines(text) {
		if bytes.Equal(line, want) {
			return true, nil
		}
	}
	return false, nil
}

// receiptLine returns a receipt as a line of the file.
func receiptLine(r api.Receipt) ([]byte, error) {
	line, err := json.Marshal(r) // canonical: both members are ASCII without characters to escape in HTML
	if err != nil {
		return nil, fmt.Errorf("client: receipts: %w", err)
	}
	return append(line, '\n'), nil
}

// keepRun checks the receipts of an answer with its run, and appends them to the file, also one that states something
// else. Errors: ErrReceipt.
func (n *notary) keepRun(ctx context.Context, c *Client, run *api.Run, list *[]api.Receipt) error {
	if list == nil || len(*list) == 0 {
		return nil
	}
	if err := n.learn(ctx, c); err != nil {
		return err
	}
	newest := int64(0)
	for _, one := range *list {
		said, err := n.statement(one)
		if err != nil {
			return fmt.Errorf("%w: run %s: %w", ErrReceipt, run.ID, err)
		}
		if !statesRun(said, run) {
			return n.refuse(one, "run "+run.ID)
		}
		if s, ok := said.(*chain.ThrowStatement); ok {
			newest = max(newest, s.N)
		}
		if err := n.store(one); err != nil {
			return err
		}
	}
	// An answer has the receipts of what it has changed: without one of its newest throw, the house has withheld that
	// one, or answers with receipts of an earlier throw.
	if newest != int64(len(run.Throws)) {
		return fmt.Errorf("%w: run %s: nothing states its newest throw", ErrReceipt, run.ID)
	}
	return nil
}

// statesRun reports whether a statement says what a run shows: its start, one of its throws, or what was decided last.
// A statement of another run, or of this one with another hand, is evidence of something that the player has not seen.
func statesRun(said chain.Statement, run *api.Run) bool {
	switch s := said.(type) {
	case *chain.StartStatement:
		return s.RunID == run.ID && s.Account.String() == run.Account && s.Commitment.String() == run.Commitment &&
			s.ClientSeedHash.String() == run.ClientSeedHash
	case *chain.ThrowStatement:
		if s.RunID != run.ID || s.Account.String() != run.Account || s.N < 1 || s.N > int64(len(run.Throws)) {
			return false
		}
		t := &run.Throws[s.N-1]
		return t.N == s.N && string(t.Move) == s.Move.String() && string(t.House) == s.House.String() &&
			string(t.Outcome) == s.Outcome.String() && t.EntropyHash == s.EntropyHash.String() &&
			t.Seed == chain.Hash(s.Seed).String()
	case *chain.DecisionStatement:
		status := map[chain.Decision]api.RunStatus{chain.DecideClaim: api.RunStatusClaimed,
			chain.DecideContinue: api.RunStatusActive, chain.DecideAbandon: api.RunStatusAbandoned}
		return s.RunID == run.ID && s.Account.String() == run.Account && s.Cleared == run.Cleared &&
			s.Throws == int64(len(run.Throws)) && status[s.Decision] == run.Status
	}
	return false
}

// store appends a receipt to the file, which only its owner can read, and syncs it. The bot reveals
// only afterwards: a crash between the two leaves a receipt of a round that the bot can still
// reveal.
func (n *notary) store(r api.Receipt) error {
	if n.file == "" {
		return nil
	}
	// One write appends the whole line, so that a bot that shares the file cannot interleave.
	line, err := receiptLine(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(n.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("client: receipts: %w", err)
	}
	_, err = f.Write(line)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("client: receipts: %w", err)
	}
	return nil
}

// learn reads the log's key from the service unless it is known. A key that the service states
// itself still binds it: its receipts convict it by the key under which it signs its checkpoints.
func (n *notary) learn(ctx context.Context, c *Client) error {
	if n.key != nil {
		return nil
	}
	out, err := Read(c.API.GetHead(ctx, nil))
	if err != nil {
		return err
	}
	key, err := verify.ParseKey(out.Head.VerifierKey)
	if err != nil {
		return err
	}
	n.key = &key
	return nil
}

// receipted returns nil once the receipt of the round is kept. It asks once more if it is not: the
// answer that showed both commitments may have been lost, or stored under an Idempotency-Key before
// the opponent had committed. Errors: ErrReceipt.
func (b *Bot) receipted(ctx context.Context, d *api.Duel, r *api.DuelRound) error {
	// After a restart the receipt may be in the file already; a second one does no harm.
	if b.WithoutReceipts || b.notary.last == shownRound(d, r) {
		return nil
	}
	out, err := Read(b.Client.API.GetDuel(ctx, d.ID, nil, Receipts(0)))
	if err != nil {
		return err
	}
	if out.Duel.Status != api.DuelStatusActive || out.Duel.Rounds[len(out.Duel.Rounds)-1].Round != r.Round {
		return nil // the round is over: the reveal is refused, without effect, and the bot reads the duel again
	}
	if err := b.keep(ctx, &out.Duel, out.Receipts); err != nil {
		return err
	}
	if b.notary.last != shownRound(d, r) {
		return fmt.Errorf("%w: duel %s, round %d: it has not signed both commitments", ErrReceipt, d.ID, r.Round)
	}
	return nil
}

// prefer is Receipts or, without receipts, Wait. It returns the preferences of the bot's calls about a
// duel, d being the longest wait for a change, 0 for none.
func (b *Bot) prefer(d time.Duration) api.RequestEditorFn {
	switch {
	case !b.WithoutReceipts:
		return Receipts(d)
	case d > 0:
		return Wait(d)
	}
	return func(context.Context, *http.Request) error { return nil }
}
