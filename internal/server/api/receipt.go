package api

import (
	"net/http"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/run"
)

// With Prefer: receipt the house signs what an answer states about a game (docs/protocol.md,
// section 11). Statements are signed inside the transaction of the change, so that an answer stored
// under an Idempotency-Key holds them; the answer is sent only after the commit, so that a crash
// before it leaves no statement about something that did not happen.

// Receipt is a statement of the house with its signature.
type Receipt struct {
	Raw       string `json:"raw" doc:"The statement in canonical JSON (docs/protocol.md, section 11)."`
	Signature string `json:"signature" doc:"Base64 of the Ed25519 signature by the log's key."`
}

// givingReceipts are the operations that accept Prefer: receipt.
var givingReceipts = map[string]bool{"startRun": true, "throw": true, "continueRun": true, "claimRun": true,
	"abandonRun": true, "startDaily": true, "commitDuel": true, "revealDuel": true, "getDuel": true, "joinDuel": true,
	"spar": true, "createDuel": true, "cancelDuel": true}

// prefersReceipt reports whether the header has the preference receipt (RFC 7240).
func prefersReceipt(h http.Header) bool {
	for preference := range strings.SplitSeq(strings.Join(h.Values("Prefer"), ","), ",") {
		preference, _, _ = strings.Cut(preference, ";")
		if strings.EqualFold(strings.TrimSpace(preference), "receipt") {
			return true
		}
	}
	return false
}

// receipts signs the statements when the caller prefers receipts, and otherwise returns nil.
func (a *call) receipts(statements ...chain.Statement) ([]Receipt, error) {
	if !prefersReceipt(a.r.Header) {
		return nil, nil
	}
	var list []Receipt
	for _, s := range statements {
		raw := string(chain.StatementRaw(s))
		signature, err := a.Ledger.SignReceipt(raw)
		if err != nil {
			return nil, err
		}
		list = append(list, Receipt{raw, signature})
	}
	return list, nil
}

// startStatement states the start of a run at a time.
func startStatement(s *run.Started, now time.Time) chain.Statement {
	r := s.Run
	return &chain.StartStatement{Account: r.Account, ClientSeedHash: chain.HashText(r.ClientSeed),
		Commitment: r.Commitment,
		Entry:      r.Entry, FirstTier: r.FirstTier, NextCommitment: s.NextCommitment, RunID: r.ID, Time: now.UnixMilli()}
}

// throwStatements state a throw and the decision that was carried out with it, if any: the player's, or
// the claim that the highest tier and the last seed make by themselves.
func throwStatements(t *run.Thrown, now time.Time) []chain.Statement {
	r := t.Run
	list := []chain.Statement{&chain.ThrowStatement{Account: r.Account, EntropyHash: t.Throw.EntropyHash,
		House: t.Throw.House, Move: t.Throw.Move, N: int64(t.Throw.N), Outcome: t.Throw.Outcome, RunID: r.ID,
		Seed: t.Throw.Seed, Time: now.UnixMilli()}}
	switch {
	case r.Status == run.Claimed: // by the player or at the top
		list = append(list, decisionStatement(r, chain.DecideClaim, t.Throw.N, now))
	case t.Throw.Outcome == game.Win && r.Status == run.Active:
		list = append(list, decisionStatement(r, chain.DecideContinue, t.Throw.N, now))
	}
	return list
}

// decisionStatement states a decision after a number of throws.
func decisionStatement(r *run.Run, d chain.Decision, throws int, now time.Time) chain.Statement {
	return &chain.DecisionStatement{Account: r.Account, Cleared: r.Cleared, Decision: d, RunID: r.ID,
		Throws: int64(throws),
		Time:   now.UnixMilli()}
}

// roundStatements state both commitments of the current round, if both are in. From then on they are
// public, so the statement reveals nothing to any caller.
func roundStatements(d *duel.Duel, now time.Time) []chain.Statement {
	rounds := d.RoundsFor(game.NoSide)
	if d.Status != duel.Active || len(rounds) == 0 {
		return nil
	}
	r := rounds[len(rounds)-1]
	if r.Decided || !r.Hands[0].Committed || !r.Hands[1].Committed {
		return nil
	}
	return []chain.Statement{&chain.RoundStatement{A: d.A.Address, B: d.B.Address, CommitmentA: r.Hands[0].Commitment,
		CommitmentB: r.Hands[1].Commitment, DuelID: d.Code, N: int64(r.N), Time: now.UnixMilli()}}
}
