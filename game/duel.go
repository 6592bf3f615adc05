package game

// Side is a side of a duel, or one of the values that appear in place of one: as the
// forfeiter or the outcome of a round. The wire names are the names in
// docs/protocol.md, section 6.
type Side uint8

// The sides. NoSide is the null of the wire: no forfeiter, no winner. As a forfeiter,
// Both means that both sides missed the deadline. As an outcome, Tied and Void are
// rounds without a winner; both are replayed.
const (
	NoSide Side = iota
	A
	B
	Both
	Tied
	Void
)

// sideNames are the wire names, indexed by Side. The wire writes NoSide as null; its name
// here is for reports only.
var sideNames = [...]string{NoSide: "none", A: "a", B: "b", Both: "both", Tied: "tie", Void: "void"}

// String returns "a", "b", "both", "tie", "void", or "none", which also stands for a
// value out of range.
func (s Side) String() string {
	if int(s) >= len(sideNames) {
		return sideNames[NoSide]
	}
	return sideNames[s]
}

// Other returns the opponent of s, which must be A or B.
func (s Side) Other() Side { return A + B - s }

// Index returns 0 for A and 1 for B: the position in arrays of two. s must be A or B.
func (s Side) Index() int { return int(s - A) }

// Hand records one side's actions in a round: commit to a move, then reveal it.
type Hand struct {
	Committed bool
	Revealed  bool // possible only after both sides committed
	Move      Move // valid only when Revealed
}

// Judge returns the outcome of a round whose deadlines have passed, and the side that
// forfeited it. A side forfeits when it did not commit, or when it did not reveal after
// both had committed. The other side then wins; when both forfeit, the round is void.
//
// outcome is A, B, Tied or Void; forfeit is NoSide, A, B or Both.
func Judge(a, b Hand) (outcome, forfeit Side) {
	// inA and inB report whether a side met the deadline that decides the round: the
	// reveal when both committed, the commitment otherwise.
	inA, inB := a.Committed, b.Committed
	if inA && inB {
		inA, inB = a.Revealed, b.Revealed
	}
	switch {
	case !inA && !inB:
		return Void, Both
	case !inB:
		return A, B
	case !inA:
		return B, A
	}
	switch a.Move.Against(b.Move) {
	case Win:
		return A, NoSide
	case Loss:
		return B, NoSide
	default:
		return Tied, NoSide
	}
}

// The limits of a duel: best of five, with ties and void rounds replayed. A duel that
// reaches MaxRounds or MaxVoids ends without a winner, so that it always ends.
const (
	WinsToDecide = 3
	MaxRounds    = 60 // rounds of any outcome
	MaxVoids     = 2  // consecutive rounds that both sides forfeited
)

// BestOfFive is the score of a duel. The zero value is a duel before its first round.
type BestOfFive struct {
	Rounds int
	WinsA  int
	WinsB  int
	voids  int // consecutive rounds that both sides forfeited, up to now
}

// Add counts one more round, with the side that forfeited it. outcome is A, B, Tied or Void; Add panics
// on any other value, and when the duel is already decided, because no round follows. A void round that
// neither side forfeited is replayed like a tie.
func (d *BestOfFive) Add(outcome, forfeit Side) {
	if d.Decided() {
		panic("game: a round after the duel was decided")
	}
	d.Rounds++
	d.voids++
	if outcome != Void || forfeit != Both {
		d.voids = 0
	}
	switch outcome {
	case A:
		d.WinsA++
	case B:
		d.WinsB++
	case Tied, Void:
	default:
		panic("game: " + outcome.String() + " is not an outcome of a round")
	}
}

// Decided reports whether the duel is over: a side has three wins, or a limit is reached.
func (d BestOfFive) Decided() bool {
	return d.Winner() != NoSide || d.voids == MaxVoids || d.Rounds == MaxRounds
}

// Winner returns the side that has won three rounds, or NoSide while the duel goes on and
// after a draw.
func (d BestOfFive) Winner() Side {
	switch WinsToDecide {
	case d.WinsA:
		return A
	case d.WinsB:
		return B
	}
	return NoSide
}
