package chain

import (
	"fmt"

	"roshambo/canon"
	"roshambo/fair"
	"roshambo/game"
)

// A receipt is what the house states about a game at the moment it states it, signed with the key
// of the log (docs/protocol.md, section 11). A game whose proof states something else is evidence
// against the house. The house signs
//
//	"roshambo/receipt/v1\n" || raw
//
// where raw is one of the statements below in canonical JSON.

// Statement is the content of a receipt: one of the pointer types below.
type Statement interface {
	// appendRaw appends the canonical form.
	appendRaw(b []byte) []byte
}

// StartStatement states the start of a run.
//
//	{"account":address,"client_seed_hash":hash,"commitment":hash,"entry":entry,"first_tier":n,
//	 "kind":"start","next_commitment":hash,"run_id":text,"time":n}
type StartStatement struct {
	Account        Address // the player
	ClientSeedHash Hash    // HashText of the client seed: what a player typed is signed, and published, only by its hash
	Commitment     Hash    // that the run uses
	Entry          Entry
	FirstTier      int64 // the burnt token's tier, otherwise 0
	NextCommitment Hash  // of the account's next run
	RunID          string
	Time           int64 // of the statement, in Unix milliseconds, as in all statements
}

// ThrowStatement states the result of a throw.
//
//	{"account":address,"entropy_hash":hash,"house":move,"kind":"throw","move":move,"n":n,
//	 "outcome":outcome,"run_id":text,"seed":hash,"time":n}
type ThrowStatement struct {
	Account     Address
	EntropyHash Hash // HashText of the entropy
	House       game.Move
	Move        game.Move // the player's
	N           int64     // 1, 2, …
	Outcome     game.Outcome
	RunID       string
	Seed        fair.Seed
	Time        int64
}

// Decision is what the player decided after a win; a run that is active can be abandoned too.
type Decision string

// The decisions.
const (
	DecideClaim    Decision = "claim"
	DecideContinue Decision = "continue"
	DecideAbandon  Decision = "abandon"
)

// DecisionStatement states that the house has carried out a decision of the player.
//
//	{"account":address,"cleared":n,"decision":"claim"|"continue"|"abandon","kind":"decision",
//	 "run_id":text,"throws":n,"time":n}
type DecisionStatement struct {
	Account  Address
	Cleared  int64 // the tier reached
	Decision Decision
	RunID    string
	Throws   int64 // made before the decision
	Time     int64
}

// RoundStatement states both commitments of a round of a duel. The house signs it as soon as both
// are in, before any reveal.
//
//	{"a":address,"b":address,"commitment_a":hash,"commitment_b":hash,"duel_id":text,"kind":"round",
//	 "n":n,"time":n}
type RoundStatement struct {
	A, B                     Address
	CommitmentA, CommitmentB Hash
	DuelID                   string
	N                        int64 // 1, 2, …
	Time                     int64
}

// The members of each form are sorted, as canonical JSON requires; so a form is a template, written
// and read from front to back.

func (s *StartStatement) appendRaw(b []byte) []byte {
	b = appendAddress(append(b, `{"account":`...), s.Account)
	b = appendHash(append(b, `,"client_seed_hash":`...), s.ClientSeedHash)
	b = appendHash(append(b, `,"commitment":`...), s.Commitment)
	b = canon.AppendString(append(b, `,"entry":`...), string(s.Entry))
	b = canon.AppendInt(append(b, `,"first_tier":`...), s.FirstTier)
	b = appendHash(append(b, `,"kind":"start","next_commitment":`...), s.NextCommitment)
	b = canon.AppendString(append(b, `,"run_id":`...), s.RunID)
	b = canon.AppendInt(append(b, `,"time":`...), s.Time)
	return append(b, '}')
}

func (s *ThrowStatement) appendRaw(b []byte) []byte {
	b = appendAddress(append(b, `{"account":`...), s.Account)
	b = appendHash(append(b, `,"entropy_hash":`...), s.EntropyHash)
	b = canon.AppendString(append(b, `,"house":`...), s.House.String())
	b = canon.AppendString(append(b, `,"kind":"throw","move":`...), s.Move.String())
	b = canon.AppendInt(append(b, `,"n":`...), s.N)
	b = canon.AppendString(append(b, `,"outcome":`...), s.Outcome.String())
	b = canon.AppendString(append(b, `,"run_id":`...), s.RunID)
	b = appendHash(append(b, `,"seed":`...), Hash(s.Seed))
	b = canon.AppendInt(append(b, `,"time":`...), s.Time)
	return append(b, '}')
}

func (s *DecisionStatement) appendRaw(b []byte) []byte {
	b = appendAddress(append(b, `{"account":`...), s.Account)
	b = canon.AppendInt(append(b, `,"cleared":`...), s.Cleared)
	b = canon.AppendString(append(b, `,"decision":`...), string(s.Decision))
	b = canon.AppendString(append(b, `,"kind":"decision","run_id":`...), s.RunID)
	b = canon.AppendInt(append(b, `,"throws":`...), s.Throws)
	b = canon.AppendInt(append(b, `,"time":`...), s.Time)
	return append(b, '}')
}

func (s *RoundStatement) appendRaw(b []byte) []byte {
	b = appendAddress(append(b, `{"a":`...), s.A)
	b = appendAddress(append(b, `,"b":`...), s.B)
	b = appendHash(append(b, `,"commitment_a":`...), s.CommitmentA)
	b = appendHash(append(b, `,"commitment_b":`...), s.CommitmentB)
	b = canon.AppendString(append(b, `,"duel_id":`...), s.DuelID)
	b = canon.AppendInt(append(b, `,"kind":"round","n":`...), s.N)
	b = canon.AppendInt(append(b, `,"time":`...), s.Time)
	return append(b, '}')
}

// StatementTime returns when the house made a statement, in Unix milliseconds. The house signs the time
// with the rest, so it cannot later claim to have made the statement earlier or later than it did.
func StatementTime(s Statement) int64 {
	switch s := s.(type) {
	case *StartStatement:
		return s.Time
	case *ThrowStatement:
		return s.Time
	case *DecisionStatement:
		return s.Time
	case *RoundStatement:
		return s.Time
	}
	return 0
}

// StatementRaw returns the canonical form of a statement, at most some 500 bytes. Every text in it
// must be valid UTF-8, and every number from 0 to canon.MaxInt; otherwise it panics.
func StatementRaw(s Statement) []byte { return s.appendRaw(nil) }

// ReceiptMessage returns the text that the house signs for a statement's raw. Its first line keeps it
// apart from the texts of checkpoints, whose second line is a number.
func ReceiptMessage(raw string) []byte { return []byte("roshambo/receipt/v1\n" + raw) }

// ParseStatement reads a statement's raw. It accepts only texts that StatementRaw writes. The error
// names the first fault and its byte offset.
func ParseStatement(raw []byte) (Statement, error) {
	r := canon.NewReader(raw)
	var s Statement
	// The kind stands in the middle, but the first members already differ: a round names two sides,
	// the others one account and then a member of their own.
	if r.Try(`{"a":`) {
		s = readRoundStatement(&r)
	} else {
		r.Literal(`{"account":`)
		account := readAddress(&r)
		switch {
		case r.Try(`,"client_seed_hash":`):
			s = readStart(&r, account)
		case r.Try(`,"cleared":`):
			s = readDecision(&r, account)
		default:
			r.Literal(`,"entropy_hash":`)
			s = readThrowStatement(&r, account)
		}
	}
	r.Literal(`}`)
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("chain: statement: %w", err)
	}
	return s, nil
}

// readStart reads a start after the name of its second member; the account has been read. The other
// readers do the same, each up to the closing brace.
func readStart(r *canon.Reader, account Address) *StartStatement {
	s := &StartStatement{Account: account, ClientSeedHash: readHash(r)}
	r.Literal(`,"commitment":`)
	s.Commitment = readHash(r)
	r.Literal(`,"entry":`)
	s.Entry = readWord(r, EntryFee, EntryFree, EntryBurn, EntryDaily)
	r.Literal(`,"first_tier":`)
	s.FirstTier = readCount(r)
	r.Literal(`,"kind":"start","next_commitment":`)
	s.NextCommitment = readHash(r)
	r.Literal(`,"run_id":`)
	s.RunID = r.String()
	r.Literal(`,"time":`)
	s.Time = readCount(r)
	return s
}

func readThrowStatement(r *canon.Reader, account Address) *ThrowStatement {
	s := &ThrowStatement{Account: account, EntropyHash: readHash(r)}
	r.Literal(`,"house":`)
	s.House = readMove(r)
	r.Literal(`,"kind":"throw","move":`)
	s.Move = readMove(r)
	r.Literal(`,"n":`)
	s.N = readCount(r)
	r.Literal(`,"outcome":`)
	s.Outcome = readOutcome(r)
	r.Literal(`,"run_id":`)
	s.RunID = r.String()
	r.Literal(`,"seed":`)
	s.Seed = fair.Seed(readHash(r))
	r.Literal(`,"time":`)
	s.Time = readCount(r)
	return s
}

func readDecision(r *canon.Reader, account Address) *DecisionStatement {
	s := &DecisionStatement{Account: account, Cleared: readCount(r)}
	r.Literal(`,"decision":`)
	s.Decision = readWord(r, DecideClaim, DecideContinue, DecideAbandon)
	r.Literal(`,"kind":"decision","run_id":`)
	s.RunID = r.String()
	r.Literal(`,"throws":`)
	s.Throws = readCount(r)
	r.Literal(`,"time":`)
	s.Time = readCount(r)
	return s
}

func readRoundStatement(r *canon.Reader) *RoundStatement {
	s := &RoundStatement{A: readAddress(r)}
	r.Literal(`,"b":`)
	s.B = readAddress(r)
	r.Literal(`,"commitment_a":`)
	s.CommitmentA = readHash(r)
	r.Literal(`,"commitment_b":`)
	s.CommitmentB = readHash(r)
	r.Literal(`,"duel_id":`)
	s.DuelID = r.String()
	r.Literal(`,"kind":"round","n":`)
	s.N = readCount(r)
	r.Literal(`,"time":`)
	s.Time = readCount(r)
	return s
}

// readOutcome reads the player's outcome of a throw: one of the three words of a transcript. Any
// other text is an error of the reader.
func readOutcome(r *canon.Reader) game.Outcome {
	switch readWord(r, "win", "loss", "tie") {
	case "win":
		return game.Win
	case "loss":
		return game.Loss
	}
	return game.Tie
}
