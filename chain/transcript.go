package chain

import (
	"roshambo/fair"
	"roshambo/game"
)

// Throw is one throw of a run, as the run's transcript records it (docs/protocol.md, section 1).
//
//	{"entropy_hash":hash,"house":move,"move":move,"n":n,"outcome":"win"|"loss"|"tie","seed":hash}
type Throw struct {
	N           int       // 1, 2, …; ties count
	Move        game.Move // the player's
	EntropyHash Hash      // HashText of the text sent with the throw, "" for none
	House       game.Move
	Outcome     game.Outcome // the player's
	Seed        fair.Seed    // seed N of the run, revealed by the throw
}

// HashText returns SHA-256 of a text of a player: a client seed, or the entropy of a throw. Both
// stand on the chain and in transcripts as this hash.
func HashText(text string) Hash { return fair.HashText(text) }

// EmptyTranscript is the transcript raw of a run without a throw.
const EmptyTranscript = "[]"

// AppendThrow returns the transcript raw with one more throw at its end, as a new slice. raw
// must be EmptyTranscript or a result of AppendThrow; it is not changed.
func AppendThrow(raw []byte, t Throw) []byte {
	b := make([]byte, 0, len(raw)+256)
	b = append(b, raw[:len(raw)-1]...)
	if len(raw) > len(EmptyTranscript) {
		b = append(b, ',')
	}
	f := form{out: b}
	t.members(&f)
	return append(f.out, ']')
}

// ParseTranscript reads a transcript raw of at most MaxThrows throws, and accepts only texts
// that AppendThrow writes. It does not check seeds, moves and outcomes: package verify does.
func ParseTranscript(raw []byte) ([]Throw, error) {
	return parse("transcript", raw, func(throws *[]Throw, f *form) {
		list(f, `[`, throws, func(t *Throw, f *form, i int) {
			if i == MaxThrows {
				f.fail("more throws than a run has seeds")
			}
			t.members(f)
		})
	})
}

func (t *Throw) members(f *form) {
	f.hash(`{"entropy_hash":`, &t.EntropyHash)
	f.move(`,"house":`, &t.House)
	f.move(`,"move":`, &t.Move)
	f.number(`,"n":`, &t.N)
	f.outcome(`,"outcome":`, &t.Outcome)
	f.hash(`,"seed":`, (*Hash)(&t.Seed))
	f.literal(`}`)
}
