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
// block that holds what the receipt contradicts. What is in no block, anyone may have written into the
// proof.

// maxReceipts is the largest number of receipts of one verification: more than any game has, and few
// enough for the Python script, which checks some hundred signatures in a second.
const maxReceipts = 1000

// receipt is a line of the file, parsed and with a correct signature.
type receipt struct {
	line      int // from 1
	statement chain.Statement
}

// contradiction is the error of a receipt that states something else than the proof.
type contradiction struct {
	text string
	// anchored reports that what the receipt contradicts is in a block, so that the house has signed both.
	anchored bool
}

func (c *contradiction) Error() string { return c.text }

// readReceipts parses the receipts and checks their signatures. The error is the text of the failure,
// the same in all verifiers.
func readReceipts(data []byte, key Key) ([]receipt, error) {
	// The last line may lack its end. An empty file has no receipts, not one that is malformed.
	data, _ = bytes.CutSuffix(data, []byte("\n"))
	if len(data) == 0 {
		return nil, nil
	}
	if len(data) > MaxSize || !utf8.Valid(data) || bytes.Count(data, []byte("\n")) >= maxReceipts {
		return nil, fmt.Errorf("the receipts are not UTF-8, larger than %d bytes or more than %d", MaxSize, maxReceipts)
	}
	var list []receipt
	for text := range strings.SplitSeq(string(data), "\n") {
		// The form first, then the signature: all verifiers report the same first fault.
		one := receipt{line: len(list) + 1}
		r := canon.NewReader([]byte(text))
		r.Literal(`{"raw":`)
		raw := r.String()
		r.Literal(`,"signature":`)
		signature, encoded := strictBase64(r.String())
		r.Literal(`}`)
		errLine := r.End()
		var err error
		one.statement, err = chain.ParseStatement([]byte(raw))
		if errors.Join(errLine, err) != nil || !encoded || len(signature) != ed25519.SignatureSize {
			return nil, fmt.Errorf("receipt %d is malformed", one.line)
		}
		if !ed25519.Verify(key.Public, chain.ReceiptMessage(raw), signature) {
			return nil, fmt.Errorf("receipt %d is not signed by %v", one.line, key)
		}
		list = append(list, one)
	}
	return list, nil
}

// receipts is the check of the same name: each receipt has the log's signature, and those of this game
// state what the proof states. The error is a *contradiction when the failure is one.
func (r *parsedProof) receipts(data []byte, pinned *string) (finding, error) {
	trusted := r.verifierKey
	if pinned != nil {
		trusted = *pinned
	}
	key, err := ParseKey(trusted)
	if err != nil {
		return fail("no verifier key to check receipts with"), nil
	}
	list, err := readReceipts(data, key)
	if err != nil {
		return fail("%v", err), nil
	}
	// The first contradiction ends the comparison; one is enough.
	agree, later, others := 0, 0, 0
	for _, one := range list {
		var compared, ofThis bool
		if r.run != nil {
			compared, ofThis, err = r.run.compare(one)
		} else {
			compared, ofThis, err = r.duel.compare(one)
		}
		switch {
		case err != nil:
			return fail("%v", err), err
		case !ofThis:
			others++
		case compared:
			agree++
		default:
			later++
		}
	}
	text := fmt.Sprintf("%d receipts agree with the proof", agree)
	if later > 0 {
		text += fmt.Sprintf("; %d state later than it", later)
	}
	if others > 0 {
		text += fmt.Sprintf("; %d of other games", others)
	}
	if agree == 0 {
		return note("%s", text), nil
	}
	return pass("%s", text), nil
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

// lacks returns the contradiction of a receipt about something that a proof of an ended game lacks.
func (one receipt) lacks(subject string, anchored bool) error {
	return &contradiction{fmt.Sprintf("receipt %d states %s, which the proof lacks", one.line, subject), anchored}
}

// compare compares a receipt with a run. It returns whether the proof is late enough to compare, and
// whether the receipt is about this run.
func (r *parsedRun) compare(one receipt) (compared, ofThis bool, err error) {
	anchored := r.end != nil && r.end.Height != nil
	switch s := one.statement.(type) {
	case *chain.StartStatement:
		if s.RunID != r.proof.RunID {
			return false, false, nil
		}
		start := r.start.tx.Data.(*chain.RunStart)
		return true, true, one.against("the start", r.start.Height != nil, []fact{
			{"account", s.Account == r.start.tx.Actor},
			{"client_seed_hash", s.ClientSeedHash == chain.HashText(start.ClientSeed)},
			{"commitment", s.Commitment == start.Commitment},
			{"entry", s.Entry == start.Entry},
			{"first_tier", s.FirstTier == start.FirstTier},
			{"next_commitment", s.NextCommitment == start.NextCommitment},
		})
	case *chain.ThrowStatement:
		subject := fmt.Sprintf("throw %d", s.N)
		switch {
		case s.RunID != r.proof.RunID:
			return false, false, nil
		case s.N >= 1 && s.N <= int64(len(r.throws)):
			t := r.throws[s.N-1]
			return true, true, one.against(subject, anchored, []fact{
				{"account", s.Account.String() == r.proof.Account},
				{"entropy_hash", s.EntropyHash == chain.HashText(t.Entropy)},
				{"house", s.House == t.House},
				{"move", s.Move == t.Move},
				{"outcome", s.Outcome == t.Outcome},
				{"seed", s.Seed == t.Seed},
			})
		case r.end == nil:
			return false, true, nil
		}
		return true, true, one.lacks(subject, anchored)
	case *chain.DecisionStatement:
		switch {
		case s.RunID != r.proof.RunID:
			return false, false, nil
		case r.end == nil:
			return false, true, nil
		}
		return true, true, one.against(fmt.Sprintf("the decision after throw %d", s.Throws), anchored, r.decided(s))
	}
	return false, false, nil
}

// decided returns the facts of a decision in a run that has ended.
func (r *parsedRun) decided(s *chain.DecisionStatement) []fact {
	made, cleared := int64(len(r.throws)), r.start.tx.Data.(*chain.RunStart).FirstTier
	for i, t := range r.throws {
		if int64(i) < s.Throws && t.Outcome == game.Win {
			cleared++
		}
	}
	// A run that was continued may have been abandoned before its next throw, or lost it.
	throws, decision := s.Throws == made, r.proof.Status == map[chain.Decision]string{
		chain.DecideClaim: "claimed", chain.DecideAbandon: "abandoned"}[s.Decision]
	if s.Decision == chain.DecideContinue {
		throws = s.Throws >= 1 && s.Throws <= made && r.throws[s.Throws-1].Outcome == game.Win
		decision = s.Throws < made || r.proof.Status == "abandoned"
	}
	return []fact{{"account", s.Account.String() == r.proof.Account}, {"throws", throws}, {"cleared", s.Cleared == cleared},
		{"decision", decision}}
}

// compare compares a receipt with a duel, like parsedRun.compare.
func (d *parsedDuel) compare(one receipt) (compared, ofThis bool, err error) {
	s, ok := one.statement.(*chain.RoundStatement)
	if !ok || s.DuelID != d.proof.DuelID {
		return false, false, nil
	}
	anchored, subject := d.settle != nil && d.settle.Height != nil, fmt.Sprintf("round %d", s.N)
	if s.N >= 1 && s.N <= int64(len(d.transcript.Rounds)) {
		hands := d.transcript.Rounds[s.N-1].Hands
		return true, true, one.against(subject, anchored, []fact{
			{"a", s.A == d.transcript.A},
			{"b", s.B == d.transcript.B},
			{"commitment_a", hands[0].Committed && s.CommitmentA == hands[0].Commitment},
			{"commitment_b", hands[1].Committed && s.CommitmentB == hands[1].Commitment},
		})
	}
	if d.settle == nil {
		return false, true, nil
	}
	return true, true, one.lacks(subject, anchored)
}
