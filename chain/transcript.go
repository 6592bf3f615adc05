package chain

import (
	"fmt"

	"roshambo/canon"
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
	b = appendHash(append(b, `{"entropy_hash":`...), t.EntropyHash)
	b = canon.AppendString(append(b, `,"house":`...), t.House.String())
	b = canon.AppendString(append(b, `,"move":`...), t.Move.String())
	b = canon.AppendInt(append(b, `,"n":`...), int64(t.N))
	b = canon.AppendString(append(b, `,"outcome":`...), t.Outcome.String())
	b = appendHash(append(b, `,"seed":`...), Hash(t.Seed))
	return append(b, "}]"...)
}

// ParseTranscript reads a transcript raw of at most MaxThrows throws, and accepts only texts
// that AppendThrow writes. It does not check seeds, moves and outcomes: package verify does.
func ParseTranscript(raw []byte) ([]Throw, error) {
	var throws []Throw
	r := canon.NewReader(raw)
	r.Literal(`[`)
	for more := !r.Try(`]`); more && r.Err() == nil; more = !r.Try(`]`) {
		if len(throws) == MaxThrows {
			r.Fail("more throws than a run has seeds")
		}
		if len(throws) > 0 {
			r.Literal(`,`)
		}
		r.Literal(`{"entropy_hash":`)
		throws = append(throws, readThrow(&r))
	}
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("chain: transcript: %w", err)
	}
	return throws, nil
}

// readThrow reads a throw after the name of its first member.
func readThrow(r *canon.Reader) Throw {
	t := Throw{EntropyHash: readHash(r)}
	r.Literal(`,"house":`)
	t.House = readMove(r)
	r.Literal(`,"move":`)
	t.Move = readMove(r)
	r.Literal(`,"n":`)
	t.N = int(readCount(r))
	r.Literal(`,"outcome":`)
	t.Outcome = readOutcome(r)
	r.Literal(`,"seed":`)
	t.Seed = fair.Seed(readHash(r))
	r.Literal(`}`)
	return t
}

// readMove reads a full move name.
func readMove(r *canon.Reader) game.Move {
	m, err := game.ParseMove(r.String())
	if err != nil {
		r.Fail(err.Error())
	}
	return m
}
