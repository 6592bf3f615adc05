package chain

import (
	"crypto/sha256"

	"roshambo/game"
)

// DuelTranscript is the record of a duel as it is hashed (docs/protocol.md, section 6):
//
//	{"a":address,"b":address,"duel_id":text,"rounds":[round…],"stake":n,"winner":"a"|"b"|null}
//
// b is null when no opponent joined and the stake went back; such a duel has no proof.
type DuelTranscript struct {
	A, B   Address
	DuelID string
	Rounds []DuelRound // decided ones only, so that no secret move is in them
	Stake  int64       // of each side in coins, 0 for none
	Winner game.Side   // A, B, or NoSide for a draw and while the duel goes on
}

// DuelRound is one decided round:
//
//	{"commitment_a":hash|null,"commitment_b":…,"forfeited_by":null|"a"|"b"|"both","move_a":move|null,"move_b":…,
//	 "n":1,"outcome":"a"|"b"|"tie"|"void","salt_a":text|null,"salt_b":…}
//
// An action that a side did not take in time is null: its commitment, or its move and salt
// after both had committed. Equal commitments make a round void before any reveal: its moves and salts
// are null, and neither side forfeits it.
type DuelRound struct {
	N       int         // 1, 2, …
	Hands   [2]DuelHand // of A and B
	Forfeit game.Side   // the side that missed a deadline: NoSide, A, B or Both
	Outcome game.Side   // A, B, Tied or Void
}

// DuelHand records one side's actions in a round, each optional.
type DuelHand struct {
	Committed  bool
	Commitment Hash // valid when Committed; see HashHand
	HasMove    bool
	Move       game.Move // valid when HasMove
	HasSalt    bool
	Salt       string // valid when HasSalt
}

// MaxSalt is the longest salt, in bytes.
const MaxSalt = 512

// HashHand returns the commitment to a move: SHA-256(move || ":" || salt). Without a salt of
// enough randomness the opponent could try the three moves.
func HashHand(move game.Move, salt string) Hash {
	return Hash(sha256.Sum256([]byte(move.String() + ":" + salt)))
}

// Hand returns h in the form that game.Judge takes.
func (h *DuelHand) Hand() game.Hand {
	return game.Hand{Committed: h.Committed, Revealed: h.HasMove, Move: h.Move}
}

// Resigned returns the side that resigned in the round, or NoSide. Such a round has no hands and
// one forfeiter; without a resignation a round without hands is void.
func (r *DuelRound) Resigned() game.Side {
	if r.Hands == [2]DuelHand{} && (r.Forfeit == game.A || r.Forfeit == game.B) {
		return r.Forfeit
	}
	return game.NoSide
}

// Equal reports whether both sides have committed to the same hash, which makes the round void: one of
// them may have copied it, to copy the reveal too.
func (r *DuelRound) Equal() bool {
	return r.Hands[0].Committed && r.Hands[1].Committed && r.Hands[0].Commitment == r.Hands[1].Commitment
}

// Absent returns which of a and b have missed a whole duel that is over: each of its rounds ended
// without a commitment of the side, one at least by its deadline. Rounds that a side resigned say
// nothing about the other one, which may not have had the time to commit.
func Absent(rounds []DuelRound) (absent [2]bool) {
	for i, side := range []game.Side{game.A, game.B} {
		missed, present := false, false
		for _, r := range rounds {
			switch {
			case r.Hands[i].Committed || r.Resigned() == side:
				present = true
			case r.Resigned() == game.NoSide:
				missed = true
			}
		}
		absent[i] = missed && !present
	}
	return absent
}

// Judge returns the outcome of the round and the side that forfeits it, as they follow from the hands
// or from a resignation. The round itself states both, too: a verifier compares them.
func (r *DuelRound) Judge() (outcome, forfeit game.Side) {
	if side := r.Resigned(); side != game.NoSide {
		return side.Other(), side
	}
	if r.Equal() {
		return game.Void, game.NoSide
	}
	return game.Judge(r.Hands[0].Hand(), r.Hands[1].Hand())
}

// Revealed reports whether both sides revealed in the round: the moves alone decided it.
func (r DuelRound) Revealed() bool { return r.Hands[0].HasMove && r.Hands[1].HasMove }

// minWon is the number of rounds that the winner of a duel must have won by two reveals to gain by it:
// accounts that only forfeit raise no rating.
const minWon = 2

// Earned reports whether the winner of a duel has won minWon rounds by two reveals: only then it gains rating and
// points. A draw has no winner.
func Earned(rounds []DuelRound, winner game.Side) bool {
	won := 0
	for i := range rounds {
		if rounds[i].Outcome == winner && rounds[i].Revealed() {
			won++
		}
	}
	return winner != game.NoSide && won >= minWon
}

// Raw returns the canonical text of the transcript, which HashTranscript hashes.
func (d *DuelTranscript) Raw() []byte { return write(0, d) }

// ParseDuelTranscript reads the transcript raw of a duel with two sides. It accepts only texts
// that Raw writes. It does not check the rounds: package verify does.
func ParseDuelTranscript(raw []byte) (DuelTranscript, error) {
	return parse("duel transcript", raw, (*DuelTranscript).members)
}

// AppendDuelRounds appends the rounds as the canonical value of the member rounds.
func AppendDuelRounds(b []byte, rounds []DuelRound) []byte {
	f := form{out: b}
	list(&f, `[`, &rounds, (*DuelRound).members)
	return f.out
}

// ParseDuelRounds reads the texts that AppendDuelRounds writes, and no others.
func ParseDuelRounds(raw []byte) ([]DuelRound, error) {
	return parse("rounds of a duel", raw, func(rounds *[]DuelRound, f *form) {
		list(f, `[`, rounds, (*DuelRound).members)
	})
}

func (d *DuelTranscript) members(f *form) {
	f.account(`{"a":`, &d.A)
	if f.reading { // a duel with two sides
		f.account(`,"b":`, &d.B)
	} else {
		f.address(`,"b":`, &d.B)
	}
	f.text(`,"duel_id":`, &d.DuelID)
	list(f, `,"rounds":[`, &d.Rounds, (*DuelRound).members)
	f.count(`,"stake":`, &d.Stake)
	f.side(`,"winner":`, &d.Winner, game.A, game.B)
	f.literal(`}`)
}

// members gives the members of both sides in turn, because members are sorted by name.
func (r *DuelRound) members(f *form, _ int) {
	for i, name := range [...]string{`{"commitment_a":`, `,"commitment_b":`} {
		if h := &r.Hands[i]; f.known(name, &h.Committed) {
			f.hash("", &h.Commitment)
		}
	}
	f.side(`,"forfeited_by":`, &r.Forfeit, game.A, game.B, game.Both)
	for i, name := range [...]string{`,"move_a":`, `,"move_b":`} {
		if h := &r.Hands[i]; f.known(name, &h.HasMove) {
			f.move("", &h.Move)
		}
	}
	f.number(`,"n":`, &r.N)
	word(f, `,"outcome":`, &r.Outcome, game.Side.String, game.A, game.B, game.Tied, game.Void)
	for i, name := range [...]string{`,"salt_a":`, `,"salt_b":`} {
		if h := &r.Hands[i]; f.known(name, &h.HasSalt) {
			f.text("", &h.Salt)
		}
	}
	f.literal(`}`)
}
