package game

// Side is a side of a duel, or what else may stand where one is named.
type Side uint8

// The sides. As forfeiter, Both means that both missed the deadline; as outcome,
// Tied and Void are rounds that nobody won.
const (
	NoSide Side = iota
	A
	B
	Both
	Tied
	Void
)

// sideNames are the wire names; that of NoSide is null.
var sideNames = [...]string{NoSide: "nobody", A: "a", B: "b", Both: "both", Tied: "tie", Void: "void"}

// String returns "a", "b", "both", "tie", "void", or "nobody".
func (s Side) String() string {
	if int(s) >= len(sideNames) {
		return sideNames[NoSide]
	}
	return sideNames[s]
}

// Other returns the side that s plays against. s is A or B.
func (s Side) Other() Side { return A + B - s }

// Index is 0 for A and 1 for B, for what there is two of.
func (s Side) Index() int { return int(s - A) }

// Hand is what one side did in a round before it was decided.
type Hand struct {
	Committed bool
	Revealed  bool // only after both had committed
	Move      Move // once revealed
}

// Judge returns the outcome of a round and who forfeited it: who did not commit, or,
// once both had committed, who did not reveal. The other side then wins; when both
// missed it, the round is void.
func Judge(a, b Hand) (outcome, forfeit Side) {
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

// A duel is best of five, ties and void rounds replayed.
const (
	WinsToDecide = 3
	MaxRounds    = 60 // then nobody wins
	MaxVoids     = 2  // void rounds running; then nobody wins, either
)

// BestOfFive counts the rounds of a duel. The zero value is one before its first.
type BestOfFive struct {
	Rounds int
	WinsA  int
	WinsB  int
	voids  int // void rounds running
}

// Add counts one more round. It panics when the duel is decided: no round follows.
func (d *BestOfFive) Add(outcome Side) {
	if d.Decided() {
		panic("game: a round after the duel was decided")
	}
	d.Rounds++
	d.voids++
	if outcome != Void {
		d.voids = 0
	}
	switch outcome {
	case A:
		d.WinsA++
	case B:
		d.WinsB++
	case Tied, Void:
	default:
		panic("game: " + outcome.String() + " is no outcome of a round")
	}
}

// Decided says whether no more round follows.
func (d BestOfFive) Decided() bool {
	return d.Winner() != NoSide || d.voids == MaxVoids || d.Rounds == MaxRounds
}

// Winner returns the side that has won three rounds, or NoSide.
func (d BestOfFive) Winner() Side {
	switch WinsToDecide {
	case d.WinsA:
		return A
	case d.WinsB:
		return B
	}
	return NoSide
}
