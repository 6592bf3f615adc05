package chain

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"roshambo/canon"
	"roshambo/game"
)

// genDuel generates any transcript, consistent or not.
func genDuel(t *rapid.T) DuelTranscript {
	side := func(name string, sides ...game.Side) game.Side { return rapid.SampledFrom(sides).Draw(t, name) }
	d := DuelTranscript{
		A: Address{1}, B: Address{2}, DuelID: rapid.String().Draw(t, "id"),
		Stake:  rapid.Int64Range(0, canon.MaxInt).Draw(t, "stake"),
		Winner: side("winner", game.NoSide, game.A, game.B),
	}
	for n := range rapid.IntRange(0, 4).Draw(t, "rounds") {
		r := DuelRound{
			N: n + 1, Forfeit: side("forfeit", game.NoSide, game.A, game.B, game.Both),
			Outcome: side("outcome", game.A, game.B, game.Tied, game.Void),
		}
		for i := range r.Hands {
			h := &r.Hands[i]
			if h.Committed = rapid.Bool().Draw(t, "committed"); h.Committed {
				h.Commitment = genHash(t, "commitment")
			}
			if h.HasMove = rapid.Bool().Draw(t, "has move"); h.HasMove {
				h.Move = game.Move(rapid.IntRange(0, 2).Draw(t, "move"))
			}
			if h.HasSalt = rapid.Bool().Draw(t, "has salt"); h.HasSalt {
				h.Salt = rapid.String().Draw(t, "salt")
			}
		}
		d.Rounds = append(d.Rounds, r)
	}
	return d
}

func TestDuelTranscriptRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := genDuel(t)
		raw := want.Raw()
		if got, err := ParseDuelTranscript(raw); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s:\ngot  %+v, %v\nwant %+v", raw, got, err, want)
		}
		rounds := AppendDuelRounds(nil, want.Rounds)
		if got, err := ParseDuelRounds(rounds); err != nil || !reflect.DeepEqual(got, want.Rounds) {
			t.Fatalf("%s: got %+v, %v", rounds, got, err)
		}
		if canonical, err := jcs.Transform(raw); err != nil || !bytes.Equal(raw, canonical) {
			t.Fatalf("not canonical: %s", raw)
		}
	})
}

func TestDuelTranscriptRefuses(t *testing.T) {
	t.Parallel()
	hand := DuelHand{Committed: true, HasMove: true, Move: game.Paper, HasSalt: true, Salt: "s"}
	d := DuelTranscript{A: Address{1}, B: Address{2}, DuelID: "ABCDEFGH", Rounds: []DuelRound{
		{N: 1, Hands: [2]DuelHand{hand, hand}, Outcome: game.Tied}, {N: 2, Outcome: game.Void, Forfeit: game.Both},
	}}
	good := string(d.Raw())
	if _, err := ParseDuelTranscript([]byte(good)); err != nil {
		t.Fatalf("%s: %v", good, err)
	}
	d.B = Address{} // no opponent joined: such a transcript is hashed, never parsed
	cases := []string{"", "{}", "null", good + " ", good[:len(good)-1], string(d.Raw())}
	for _, change := range [][2]string{
		{`"n":1`, `"n":-1`}, {`"n":1`, `"n":1.0`}, {`"tie"`, `"both"`}, {`"tie"`, `null`}, {`"forfeited_by":"both"`,
			`"forfeited_by":"tie"`},
		{`"paper"`, `"p"`}, {`"winner":null`, `"winner":"tie"`}, {`"winner":null`, `"winner":""`}, {`"stake":0`,
			`"stake":-1`}, {`},{`, `},,{`},
		{`"salt_a":"s"`, `"salt_a":"\u0073"`}, {`"duel_id":`, ` "duel_id":`}, {`"commitment_a":"00`, `"commitment_a":"0`},
	} {
		if !strings.Contains(good, change[0]) {
			t.Fatalf("nothing to change: %s", change[0])
		}
		cases = append(cases, strings.Replace(good, change[0], change[1], 1))
	}
	for _, raw := range cases {
		if got, err := ParseDuelTranscript([]byte(raw)); err == nil || got.DuelID != "" {
			t.Errorf("%s: accepted", raw)
		}
	}
	for _, raw := range []string{"", "[", "[]x", "null", "[null]", "[,]"} {
		if _, err := ParseDuelRounds([]byte(raw)); err == nil {
			t.Errorf("rounds %q: accepted", raw)
		}
	}
}

// FuzzParseDuelTranscript checks that every accepted text is canonical and the only one of its
// transcript.
func FuzzParseDuelTranscript(f *testing.F) {
	d := DuelTranscript{A: Address{1}, B: Address{2}, DuelID: "ABCDEFGH", Stake: 3, Winner: game.A}
	for n := range 3 {
		f.Add(d.Raw())
		d.Rounds = append(d.Rounds, DuelRound{N: n + 1, Outcome: game.A, Forfeit: game.B,
			Hands: [2]DuelHand{{Committed: true, HasMove: true, HasSalt: true, Salt: "é\n\""}}})
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		parsed, err := ParseDuelTranscript(raw)
		if err != nil {
			return
		}
		if back := parsed.Raw(); !bytes.Equal(back, raw) {
			t.Errorf("%s: accepted, but its canonical text is %s", raw, back)
		}
		if err := canon.Check(raw); err != nil {
			t.Errorf("%s: accepted, but is not canonical: %v", raw, err)
		}
	})
}
