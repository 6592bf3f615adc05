package verify

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"roshambo/canon"
	"roshambo/chain"
	"roshambo/game"
)

// Receipts are statements that the house signed while a game went on (chain.Statement). The check
// compares them with the proof. The file of receipts has one per line, each a canonical
//
//	{"raw":text,"signature":text}
//
// with the base64 of an Ed25519 signature by the log's key.
//
// A difference convicts the house only if the house has signed both sides of it: the receipt, and the
// block that holds what the receipt contradicts. Anyone may have written a claim into the proof that
// is in no block.

// maxReceipts is the largest number of receipts about one game: more than any game has, and few
// enough for the Python script, which checks some hundred signatures in a second. maxReceiptsSize is
// the largest file in bytes, of some 100,000 receipts of all of a bot's games.
const (
	maxReceipts     = 1000
	maxReceiptsSize = 64 << 20
)

// receipt is a line of the file.
type receipt struct {
	line      int // from 1
	raw       string
	signature []byte
	statement chain.Statement // the parsed raw
}

// contradiction is the error of a receipt that states something else than the proof.
type contradiction struct {
	text string
	// anchored reports that what the receipt contradicts is in a block, so that the house has signed both.
	anchored bool
}

// Error names the receipt, and what it states differently.
func (c *contradiction) Error() string { return c.text }

// readReceipt parses a line. The error is the text of the failure, the same in all verifiers.
func readReceipt(n int, text string) (receipt, error) {
	one, r := receipt{line: n}, canon.NewReader([]byte(text))
	r.Literal(`{"raw":`)
	one.raw = r.String()
	r.Literal(`,"signature":`)
	signature, encoded := strictBase64(r.String())
	r.Literal(`}`)
	errLine := r.End()
	var err error
	one.statement, err = chain.ParseStatement([]byte(one.raw))
	if errors.Join(errLine, err) != nil || !encoded || len(signature) != ed25519.SignatureSize {
		return one, fmt.Errorf("receipt %d is malformed", n)
	}
	one.signature = signature
	return one, nil
}

// count are the numbers of receipts by what they are about: receipts that agree with the proof,
// receipts about a later state of its game, about changes that a recovery has lost, and about
// other games.
type count struct{ agree, later, lost, others int }

// text describes the count in a report. recovery is the number of the recovery that the proof crosses.
func (c count) text(recovery int64) string {
	text := fmt.Sprintf("%d receipts agree with the proof", c.agree)
	if c.later > 0 {
		text += fmt.Sprintf("; %d state later than it", c.later)
	}
	if c.lost > 0 {
		text += fmt.Sprintf("; %d lost, declared by recovery %d", c.lost, recovery)
	}
	if c.others > 0 {
		text += fmt.Sprintf("; %d of other games", c.others)
	}
	return text
}

// mark is the text that every canonical receipt about this game contains, and that no canonical receipt
// about another game does: ids in proofs are letters, digits and hyphens, which no escape replaces.
func (r *parsedProof) mark() string {
	if r.run != nil {
		return `\"run_id\":\"` + r.run.proof.RunID + `\"`
	}
	return `\"duel_id\":\"` + r.duel.proof.DuelID + `\"`
}

// receipts is the check of the same name: each receipt about this game is well formed, has the log's
// signature and states what the proof states. Lines about other games are counted and not read, as a bot
// keeps the receipts of all its games in one file. The first fault ends the check. The error is a
// *contradiction when the fault is one.
func (r *parsedProof) receipts(data []byte, pinned *string) (finding, error) {
	// The pinned key, so that a proof cannot bring along a key that fits forged receipts. A proof
	// without a pinned key fits its receipts only if both are of the same house.
	trusted := r.verifierKey
	if pinned != nil {
		trusted = *pinned
	}
	key, err := ParseKey(trusted)
	if err != nil {
		return fail("no verifier key to check receipts with"), nil
	}
	// The last line may lack its end. An empty file has no receipts, not one that is malformed.
	data, _ = bytes.CutSuffix(data, []byte("\n"))
	if len(data) > maxReceiptsSize || !utf8.Valid(data) {
		return fail("the receipts are not UTF-8 of at most %d bytes", maxReceiptsSize), nil
	}
	var c count
	n, mark := 0, r.mark()
	for text := range strings.SplitSeq(string(data), "\n") {
		if len(data) == 0 {
			break
		}
		n++
		if !strings.Contains(text, mark) {
			c.others++
			continue
		}
		if c.agree+c.later+c.lost == maxReceipts {
			return fail("more than %d receipts are about this game", maxReceipts), nil
		}
		one, err := readReceipt(n, text)
		if err == nil && !r.isAbout(one.statement) { // a text that only looks like one
			err = fmt.Errorf("receipt %d is malformed", n)
		}
		if err != nil {
			return fail("%v", err), nil
		}
		if !ed25519.Verify(key.Public, chain.ReceiptMessage(one.raw), one.signature) {
			return fail("receipt %d is not signed by %v", n, key), nil
		}
		compared, err := r.compare(one)
		if err != nil {
			return fail("%v", err), err
		}
		switch compared {
		case agrees:
			c.agree++
		case statesLater:
			c.later++
		case statesLost:
			c.lost++
		}
	}
	if c.agree == 0 || c.lost > 0 {
		number := int64(0)
		if c.lost > 0 {
			number = r.crossed.number()
		}
		return note("%s", c.text(number)), nil
	}
	return pass("%s", c.text(0)), nil
}

// comparison is the result of comparing a receipt with the proof of its game.
type comparison int

const (
	agrees      comparison = iota
	statesLater            // the proof is of an earlier state
	statesLost             // a recovery has lost what the receipt states
)

// isAbout reports whether a statement is about the game of the proof. Ids of runs and codes of duels are
// different names: a statement about a round is never about a run.
func (r *parsedProof) isAbout(s chain.Statement) bool {
	switch s := s.(type) {
	case *chain.StartStatement:
		return r.run != nil && s.RunID == r.run.proof.RunID
	case *chain.ThrowStatement:
		return r.run != nil && s.RunID == r.run.proof.RunID
	case *chain.DecisionStatement:
		return r.run != nil && s.RunID == r.run.proof.RunID
	case *chain.RoundStatement:
		return r.duel != nil && s.DuelID == r.duel.proof.DuelID
	}
	return false
}

// compare compares a receipt about this game with the proof. The error is a *contradiction.
func (r *parsedProof) compare(one receipt) (comparison, error) {
	if r.run != nil {
		return r.run.compare(one)
	}
	return r.duel.compare(one)
}

// Statements and proof are compared member by member, in the order of the statement's members, so that
// all verifiers report the same first difference.

// fact is a member of a statement, and whether the proof states the same.
type fact struct {
	member string
	same   bool
}

// against returns the contradiction of the first fact that differs, nil for none. subject is what the
// receipt is about.
func (one receipt) against(subject string, anchored bool, facts []fact) error {
	for _, f := range facts {
		if !f.same {
			text := fmt.Sprintf("receipt %d states another %s of %s than the proof", one.line, f.member, subject)
			return &contradiction{text, anchored}
		}
	}
	return nil
}

// lacks returns statesLost for a receipt about something that a proof of an ended game lacks, when the
// recovery c excuses it, otherwise the contradiction.
func (one receipt) lacks(subject string, anchored bool, c *crossing) (comparison, error) {
	if c.lost(chain.StatementTime(one.statement)) {
		return statesLost, nil
	}
	return agrees, &contradiction{fmt.Sprintf("receipt %d states %s, which the proof lacks", one.line, subject), anchored}
}

// compare compares a receipt with a run, as parsedProof.compare does.
func (r *parsedRun) compare(one receipt) (comparison, error) {
	// The end pins the transcript, so throws and decisions are anchored with it; the start is anchored
	// by itself.
	anchored := r.end != nil && r.end.Height != nil
	switch s := one.statement.(type) {
	case *chain.StartStatement:
		start := r.start.tx.Data.(*chain.RunStart)
		return agrees, one.against("the start", r.start.Height != nil, []fact{
			{"account", s.Account == r.start.tx.Actor},
			{"client_seed_hash", s.ClientSeedHash == start.ClientSeedHash},
			{"commitment", s.Commitment == start.Commitment},
			{"entry", s.Entry == start.Entry},
			{"first_tier", s.FirstTier == start.FirstTier},
			{"next_commitment", s.NextCommitment == start.NextCommitment},
		})
	case *chain.ThrowStatement:
		subject := fmt.Sprintf("throw %d", s.N)
		if err := one.against(subject, anchored, r.player(s.Account)); err != nil {
			return agrees, err
		}
		switch {
		case s.N >= 1 && s.N <= int64(len(r.throws)):
			t := r.throws[s.N-1]
			return agrees, one.against(subject, anchored, []fact{
				{"entropy_hash", s.EntropyHash == t.EntropyHash},
				{"house", s.House == t.House},
				{"move", s.Move == t.Move},
				{"outcome", s.Outcome == t.Outcome},
				{"seed", s.Seed == t.Seed},
			})
		case r.end == nil:
			return statesLater, nil
		}
		return one.lacks(subject, anchored, r.crossed)
	case *chain.DecisionStatement:
		subject := fmt.Sprintf("the decision after throw %d", s.Throws)
		if err := one.against(subject, anchored, r.player(s.Account)); err != nil {
			return agrees, err
		}
		switch made := int64(len(r.throws)); {
		case r.end == nil:
			return statesLater, nil
		case r.crossed.there() && (s.Throws > made || s.Throws == made && !r.ended(s.Decision)):
			return one.lacks(subject, anchored, r.crossed)
		}
		return agrees, one.against(subject, anchored, r.decided(s))
	}
	return statesLater, nil
}

// player returns the fact that comes first in each comparison, also with what the proof lacks: no recovery
// explains a statement about another player.
func (r *parsedRun) player(stated chain.Address) []fact {
	return []fact{{"account", stated.String() == r.proof.Account}}
}

// ended reports whether a run that crosses a recovery can have ended after a decision. One that was
// continued ends void or, after a win, claimed.
func (r *parsedRun) ended(d chain.Decision) bool {
	return d == chain.DecideContinue || d == chain.DecideClaim && r.proof.Status == "claimed"
}

// decided returns the facts of a decision in a run that has ended.
func (r *parsedRun) decided(s *chain.DecisionStatement) []fact {
	// The tier at the time of the decision: each win before it cleared one.
	made, cleared := int64(len(r.throws)), r.start.tx.Data.(*chain.RunStart).FirstTier
	for i, t := range r.throws {
		if int64(i) < s.Throws && t.Outcome == game.Win {
			cleared++
		}
	}
	// A run that was continued may have been abandoned before its next throw, or ended by a recovery.
	throws, decision := s.Throws == made, r.proof.Status == map[chain.Decision]string{
		chain.DecideClaim: "claimed", chain.DecideAbandon: "abandoned"}[s.Decision]
	if s.Decision == chain.DecideContinue {
		throws = s.Throws >= 1 && s.Throws <= made && r.throws[s.Throws-1].Outcome == game.Win
		decision = s.Throws < made || r.proof.Status == "abandoned" || r.crossed.there()
	}
	return []fact{{"throws", throws}, {"cleared", s.Cleared == cleared}, {"decision", decision}}
}

// compare compares a receipt with a duel, as parsedProof.compare does.
func (d *parsedDuel) compare(one receipt) (comparison, error) {
	s := one.statement.(*chain.RoundStatement)
	anchored, subject := d.settle != nil && d.settle.Height != nil, fmt.Sprintf("round %d", s.N)
	// The sides come first, as in parsedRun.player.
	err := one.against(subject, anchored, []fact{{"a", s.A == d.transcript.A}, {"b", s.B == d.transcript.B}})
	if err != nil {
		return agrees, err
	}
	if s.N >= 1 && s.N <= int64(len(d.transcript.Rounds)) {
		// A round that a side forfeited before it committed has no commitment of that side, but the
		// house has stated one: a difference too.
		hands := d.transcript.Rounds[s.N-1].Hands
		err = one.against(subject, anchored, []fact{
			{"commitment_a", hands[0].Committed && s.CommitmentA == hands[0].Commitment},
			{"commitment_b", hands[1].Committed && s.CommitmentB == hands[1].Commitment},
		})
		// A duel without a stake goes on after a recovery, and its sides play a lost round again.
		if err != nil && d.transcript.Stake == 0 && d.crossed.lost(s.Time) {
			return statesLost, nil
		}
		return agrees, err
	}
	if d.settle == nil {
		return statesLater, nil
	}
	return one.lacks(subject, anchored, d.crossed)
}
