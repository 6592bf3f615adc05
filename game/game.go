// Package game holds the rules of Rock-Paper-Scissors: the three moves, the outcome of one
// move against another, and the rules of a best-of-five duel.
//
// The package is pure: no clock, no randomness, no storage. The server, the verifiers and
// the bots use this one table.
//
//	Rock.Against(Scissors) == Win    // rock beats scissors
//	Rock.Against(Paper)    == Loss   // paper beats rock
//	Rock.Against(Rock)     == Tie
package game

import "fmt"

// Move is Rock, Paper or Scissors. The numbers are part of the protocol (a house move is a
// byte modulo 3, docs/protocol.md section 1), so they must never change.
type Move uint8

// The moves. Each beats the one before it, and Rock beats Scissors.
const (
	Rock Move = iota
	Paper
	Scissors
)

// moveNames are the wire names, indexed by Move.
var moveNames = [...]string{"rock", "paper", "scissors"}

// String returns "rock", "paper" or "scissors", and "Move(n)" for a value out of range.
func (m Move) String() string {
	if int(m) >= len(moveNames) {
		return fmt.Sprintf("Move(%d)", uint8(m))
	}
	return moveNames[m]
}

// ParseMove reads a full move name and returns an error for anything else. The API accepts
// short forms; ParseMove refuses them, because transcripts hold full names only.
func ParseMove(s string) (Move, error) {
	for i, name := range moveNames {
		if s == name {
			return Move(i), nil
		}
	}
	return 0, fmt.Errorf("game: %q is not a move", s)
}

// Outcome is the result of a throw from the point of view of one side.
type Outcome uint8

// The outcomes. The numbers follow from the arithmetic in Against.
const (
	Tie Outcome = iota
	Win
	Loss
)

// outcomeNames are the wire names, indexed by Outcome.
var outcomeNames = [...]string{"tie", "win", "loss"}

// String returns "win", "loss" or "tie", and "Outcome(n)" for a value out of range.
func (o Outcome) String() string {
	if int(o) >= len(outcomeNames) {
		return fmt.Sprintf("Outcome(%d)", uint8(o))
	}
	return outcomeNames[o]
}

// Against returns the outcome for the side that plays m when the other side plays other.
// Each move beats its predecessor in the cycle, so the difference modulo 3 is the outcome:
// 0 tie, 1 win, 2 loss. Both moves must be valid.
func (m Move) Against(other Move) Outcome {
	return Outcome((m + 3 - other) % 3)
}
