package verify

import (
	"fmt"

	"roshambo/canon"
	"roshambo/chain"
	"roshambo/game"
)

// Side is a side of a duel, or None.
type Side byte

// The sides. As forfeiter, Both means that both missed the deadline; as outcome,
// Tie and Void are rounds that nobody won.
const (
	None Side = iota
	A
	B
	Both
	Tie
	Void
)

// sideNames are the wire names; that of None is null.
var sideNames = [...]string{A: "a", B: "b", Both: "both", Tie: "tie", Void: "void"}

// String returns "a", "b", "both", "tie", "void", or "nobody" for None.
func (s Side) String() string {
	if s == None || int(s) >= len(sideNames) {
		return "nobody"
	}
	return sideNames[s]
}

// DuelTranscript is what happened in a duel, as it is hashed:
//
//	{"a":address,"b":address,"duel_id":text,"rounds":[round…],"stake":n,"winner":"a"|"b"|null}
type DuelTranscript struct {
	A, B   chain.Address
	DuelID string
	Rounds []Round
	Stake  int64 // coins of each side, 0 for none
	Winner Side  // A, B, or None: a draw, or not decided yet
}

// Round is one decided round:
//
//	{"commitment_a":hash|null,"commitment_b":…,"forfeited_by":null|"a"|"b"|"both","move_a":move|null,"move_b":…,
//	 "n":1,"outcome":"a"|"b"|"tie"|"void","salt_a":text|null,"salt_b":…}
//
// What a side did not do in time is null: its commitment, or, once both had
// committed, its move and salt.
type Round struct {
	N       int // 1, 2, …
	Hands   [2]Hand
	Forfeit Side // who missed a deadline: None, A, B or Both
	Outcome Side // A, B, Tie or Void
}

// Hand is what one side did in a round.
type Hand struct {
	Committed  bool
	Commitment chain.Hash // SHA-256 of "move:salt"
	HasMove    bool
	Move       game.Move
	HasSalt    bool
	Salt       string
}

// Raw returns the text that is hashed.
func (d *DuelTranscript) Raw() []byte {
	b := canon.AppendString([]byte(`{"a":`), d.A.String())
	b = canon.AppendString(append(b, `,"b":`...), d.B.String())
	b = canon.AppendString(append(b, `,"duel_id":`...), d.DuelID)
	b = append(b, `,"rounds":[`...)
	for i, r := range d.Rounds {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.appendRaw(b)
	}
	b = canon.AppendInt(append(b, `],"stake":`...), d.Stake)
	return append(appendSide(append(b, `,"winner":`...), d.Winner), '}')
}

func (r *Round) appendRaw(b []byte) []byte {
	b = append(b, '{')
	for i, h := range r.Hands {
		b = appendNullable(append(b, [...]string{`"commitment_a":`, `,"commitment_b":`}[i]...), h.Committed, h.Commitment.String())
	}
	b = appendSide(append(b, `,"forfeited_by":`...), r.Forfeit)
	for i, h := range r.Hands {
		b = appendNullable(append(b, [...]string{`,"move_a":`, `,"move_b":`}[i]...), h.HasMove, h.Move.String())
	}
	b = canon.AppendInt(append(b, `,"n":`...), int64(r.N))
	b = appendSide(append(b, `,"outcome":`...), r.Outcome)
	for i, h := range r.Hands {
		b = appendNullable(append(b, [...]string{`,"salt_a":`, `,"salt_b":`}[i]...), h.HasSalt, h.Salt)
	}
	return append(b, '}')
}

func appendNullable(b []byte, there bool, s string) []byte {
	if !there {
		return append(b, "null"...)
	}
	return canon.AppendString(b, s)
}

func appendSide(b []byte, s Side) []byte {
	return appendNullable(b, s != None, s.String())
}

// ParseDuelTranscript reads a transcript raw, and accepts only what Raw writes.
// Whether the rounds are true is not looked at.
func ParseDuelTranscript(raw []byte) (DuelTranscript, error) {
	var d DuelTranscript
	r := canon.NewReader(raw)
	r.Literal(`{"a":`)
	d.A = readAddress(&r)
	r.Literal(`,"b":`)
	d.B = readAddress(&r)
	r.Literal(`,"duel_id":`)
	d.DuelID = r.String()
	r.Literal(`,"rounds":[`)
	for more := !r.Try(`]`); more && r.Err() == nil; more = !r.Try(`]`) {
		if len(d.Rounds) > 0 {
			r.Literal(`,`)
		}
		d.Rounds = append(d.Rounds, readRound(&r))
	}
	r.Literal(`,"stake":`)
	d.Stake = readNatural(&r)
	r.Literal(`,"winner":`)
	d.Winner = readSide(&r, None, A, B)
	r.Literal(`}`)
	if err := r.End(); err != nil {
		return DuelTranscript{}, fmt.Errorf("verify: duel transcript: %w", err)
	}
	return d, nil
}

func readRound(r *canon.Reader) Round {
	var d Round
	for i, name := range [...]string{`{"commitment_a":`, `,"commitment_b":`} {
		r.Literal(name)
		if h := &d.Hands[i]; !r.Try("null") {
			h.Committed, h.Commitment = true, readHash(r)
		}
	}
	r.Literal(`,"forfeited_by":`)
	d.Forfeit = readSide(r, None, A, B, Both)
	for i, name := range [...]string{`,"move_a":`, `,"move_b":`} {
		r.Literal(name)
		if h := &d.Hands[i]; !r.Try("null") {
			h.HasMove, h.Move = true, readMove(r)
		}
	}
	r.Literal(`,"n":`)
	d.N = int(readNatural(r))
	r.Literal(`,"outcome":`)
	d.Outcome = readSide(r, A, B, Tie, Void)
	for i, name := range [...]string{`,"salt_a":`, `,"salt_b":`} {
		r.Literal(name)
		if h := &d.Hands[i]; !r.Try("null") {
			h.HasSalt, h.Salt = true, r.String()
		}
	}
	r.Literal(`}`)
	return d
}

// readSide reads one of the sides; None is null.
func readSide(r *canon.Reader, sides ...Side) Side {
	for _, s := range sides {
		if r.Try(string(appendSide(nil, s))) {
			return s
		}
	}
	r.Fail("a word that may not stand here")
	return None
}

func readNatural(r *canon.Reader) int64 {
	n := r.Int()
	if n < 0 {
		r.Fail("a negative number where none may be")
	}
	return n
}

func readMove(r *canon.Reader) game.Move {
	m, err := game.ParseMove(r.String())
	if err != nil {
		r.Fail(err.Error())
	}
	return m
}

func readHash(r *canon.Reader) chain.Hash {
	h, err := chain.ParseHash(r.String())
	if err != nil {
		r.Fail(err.Error())
	}
	return h
}

func readAddress(r *canon.Reader) chain.Address {
	a, err := chain.ParseAddress(r.String())
	if err != nil || a == (chain.Address{}) {
		r.Fail("an address that is none")
	}
	return a
}
