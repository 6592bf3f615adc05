package chain

import (
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
type Statement interface{ document }

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

func (s *StartStatement) members(f *form) {
	f.account(`{"account":`, &s.Account)
	f.hash(`,"client_seed_hash":`, &s.ClientSeedHash)
	f.hash(`,"commitment":`, &s.Commitment)
	word(f, `,"entry":`, &s.Entry, plain, EntryFee, EntryFree, EntryBurn, EntryDaily)
	f.count(`,"first_tier":`, &s.FirstTier)
	f.hash(`,"kind":"start","next_commitment":`, &s.NextCommitment)
	f.text(`,"run_id":`, &s.RunID)
	f.count(`,"time":`, &s.Time)
	f.literal(`}`)
}

func (s *ThrowStatement) members(f *form) {
	f.account(`{"account":`, &s.Account)
	f.hash(`,"entropy_hash":`, &s.EntropyHash)
	f.move(`,"house":`, &s.House)
	f.move(`,"kind":"throw","move":`, &s.Move)
	f.count(`,"n":`, &s.N)
	f.outcome(`,"outcome":`, &s.Outcome)
	f.text(`,"run_id":`, &s.RunID)
	f.hash(`,"seed":`, (*Hash)(&s.Seed))
	f.count(`,"time":`, &s.Time)
	f.literal(`}`)
}

func (s *DecisionStatement) members(f *form) {
	f.account(`{"account":`, &s.Account)
	f.count(`,"cleared":`, &s.Cleared)
	word(f, `,"decision":`, &s.Decision, plain, DecideClaim, DecideContinue, DecideAbandon)
	f.text(`,"kind":"decision","run_id":`, &s.RunID)
	f.count(`,"throws":`, &s.Throws)
	f.count(`,"time":`, &s.Time)
	f.literal(`}`)
}

func (s *RoundStatement) members(f *form) {
	f.account(`{"a":`, &s.A)
	f.account(`,"b":`, &s.B)
	f.hash(`,"commitment_a":`, &s.CommitmentA)
	f.hash(`,"commitment_b":`, &s.CommitmentB)
	f.text(`,"duel_id":`, &s.DuelID)
	f.count(`,"kind":"round","n":`, &s.N)
	f.count(`,"time":`, &s.Time)
	f.literal(`}`)
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
func StatementRaw(s Statement) []byte { return write(0, s) }

// ReceiptMessage returns the text that the house signs for a statement's raw. Its first line keeps it
// apart from the texts of checkpoints, whose second line is a number.
func ReceiptMessage(raw string) []byte { return []byte("roshambo/receipt/v1\n" + raw) }

// ParseStatement reads a statement's raw. It accepts only texts that StatementRaw writes. The error
// names the first fault and its byte offset.
func ParseStatement(raw []byte) (Statement, error) {
	return parse("statement", raw, func(s *Statement, f *form) {
		// The kind stands in the middle, but the first members already differ: a round names two sides,
		// the others one account and then a member of their own.
		ahead := f.in
		if ahead.Try(`{"a":`) {
			*s = &RoundStatement{}
		} else if ahead.Literal(`{"account":`); ahead.Chars(addressLength) != nil {
			switch {
			case ahead.Try(`,"client_seed_hash":`):
				*s = &StartStatement{}
			case ahead.Try(`,"cleared":`):
				*s = &DecisionStatement{}
			}
		}
		if *s == nil {
			*s = &ThrowStatement{}
		}
		(*s).members(f)
	})
}
