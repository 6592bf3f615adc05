package duel

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"roshambo/chain"
	"roshambo/game"
)

var (
	ann = Player{Address: chain.Address{1}, Username: "ann", Kind: chain.Full}
	bob = Player{Address: chain.Address{2}, Username: "bob", Kind: chain.Full}
	cyd = Player{Address: chain.Address{3}, Username: "cyd", Kind: chain.Guest}

	rock     = Hand{game.Rock, "salt of ann"}
	scissors = Hand{game.Scissors, "salt of bob"}
)

func (h Hand) commitment() chain.Hash { return chain.HashHand(h.Move, h.Salt) }

// noon is the time of the events in the table. A phase in time began 10 s before; the
// deadline of a late one was 5 s before.
var noon = time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)

func in() time.Time   { return noon.Add(-10 * time.Second) }
func late() time.Time { return noon.Add(-5*time.Second - HumanStepTimeout) }

// opened returns an open duel that was created at a time.
func opened(at time.Time) *Duel {
	return &Duel{Code: "ABCDEFGH", Kind: ByCode, Status: Open, A: ann, CreatedAt: at, Deadline: at.Add(JoinTimeout)}
}

// challenging returns a challenge of bob by ann, of a day, that was created at a time.
func challenging(at time.Time) *Duel {
	return open("ABCDEFGH", ann, Terms{Unlisted: true, Day: true, Invited: bob}, at)
}

// joinedLate returns a duel that bob joined 10 s ago, long after its creation. did is as in playing.
func joinedLate(did string) *Duel {
	d := playing(in(), did)
	d.CreatedAt = in().Add(-JoinTimeout - 1)
	d.Deadline = in().Add(d.stepTimeout())
	return d
}

// playing returns a duel whose current round began at a time, after rounds with the outcomes
// before. did has a character for each side: c has committed, v has revealed, - neither.
func playing(at time.Time, did string, before ...game.Side) *Duel {
	d := opened(at)
	d.start(bob, false, at)
	for i, outcome := range before {
		r := chain.DuelRound{N: i + 1, Outcome: outcome, Forfeit: game.Both}
		if outcome != game.Void {
			r.Forfeit = game.NoSide
			r.Hands[0] = chain.DuelHand{Committed: true, Commitment: chain.Hash{byte(i + 1)}}
		}
		d.Rounds = append(d.Rounds, r)
	}
	for i, h := range []Hand{rock, scissors} {
		if did[i] == '-' {
			continue
		}
		d.Hands[i] = chain.DuelHand{Committed: true, Commitment: h.commitment()}
		if did[i] == 'v' {
			d.Hands[i].HasMove, d.Hands[i].Move, d.Hands[i].HasSalt, d.Hands[i].Salt = true, h.Move, true, h.Salt
		}
	}
	return d
}

func ended(s Status) *Duel {
	d := opened(in())
	if s == Finished {
		d = playing(in(), "--", game.A, game.A, game.A)
		d.Winner = game.A
	}
	d.end(s, in())
	return d
}

// states are the states of a duel before an event.
var states = []struct {
	name string
	make func() *Duel
}{
	{"open", func() *Duel { return opened(in()) }},
	{"open late", func() *Duel { return opened(noon.Add(-5*time.Second - JoinTimeout)) }},
	{"for bob", func() *Duel { return challenging(in()) }},
	{"for bob late", func() *Duel { return challenging(noon.Add(-5*time.Second - DayTimeout)) }},
	{"joined late", func() *Duel { return joinedLate("--") }},
	{"joined late c-", func() *Duel { return joinedLate("c-") }},
	{"--", func() *Duel { return playing(in(), "--") }},
	{"c-", func() *Duel { return playing(in(), "c-") }},
	{"-c", func() *Duel { return playing(in(), "-c") }},
	{"cc", func() *Duel { return playing(in(), "cc") }},
	{"vc", func() *Duel { return playing(in(), "vc") }},
	{"cv", func() *Duel { return playing(in(), "cv") }},
	{"-- late", func() *Duel { return playing(late(), "--") }},
	{"c- late", func() *Duel { return playing(late(), "c-") }},
	{"-c late", func() *Duel { return playing(late(), "-c") }},
	{"cc late", func() *Duel { return playing(late(), "cc") }},
	{"vc late", func() *Duel { return playing(late(), "vc") }},
	{"cv late", func() *Duel { return playing(late(), "cv") }},
	{"2:0 cv", func() *Duel { return playing(in(), "cv", game.A, game.A) }},
	{"2:0 vc late", func() *Duel { return playing(late(), "vc", game.A, game.A) }},
	{"1:2 -c late", func() *Duel { return playing(late(), "-c", game.A, game.B, game.B) }},
	{"void cc late", func() *Duel { return playing(late(), "cc", game.Void) }},
	{"59 ties cc late", func() *Duel { return playing(late(), "vc", slices.Repeat([]game.Side{game.Tied}, 59)...) }},
	{"finished", func() *Duel { return ended(Finished) }},
	{"expired", func() *Duel { return ended(Expired) }},
	{"cancelled", func() *Duel { return ended(Cancelled) }},
	{"declined", func() *Duel { return ended(Declined) }},
}

// events are the possible events of a duel.
var events = []struct {
	name string
	do   func(d *Duel) error
}{
	{"nothing", func(*Duel) error { return nil }},
	{"cyd joins", func(d *Duel) error { return d.join(cyd, MaxUnfinished-1, noon) }},
	{"bob joins", func(d *Duel) error { return d.join(bob, 0, noon) }},
	{"ann joins", func(d *Duel) error { return d.join(ann, 0, noon) }},
	{"ann cancels", func(d *Duel) error { return d.cancel(ann.Address, noon) }},
	{"bob cancels", func(d *Duel) error { return d.cancel(bob.Address, noon) }},
	{"a commits", func(d *Duel) error { return d.commit(game.A, 0, rock.commitment(), noon) }},
	{"b commits", func(d *Duel) error { return d.commit(game.B, 0, scissors.commitment(), noon) }},
	{"b copies", func(d *Duel) error { return d.commit(game.B, 0, rock.commitment(), noon) }},
	{"b in round 1", func(d *Duel) error { return d.commit(game.B, 1, scissors.commitment(), noon) }},
	{"b in round 2", func(d *Duel) error { return d.commit(game.B, 2, scissors.commitment(), noon) }},
	{"cyd commits", func(d *Duel) error { return d.commit(d.Side(cyd.Address), 0, chain.Hash{9}, noon) }},
	{"a reveals", func(d *Duel) error { return d.reveal(game.A, 0, rock, noon) }},
	{"b reveals", func(d *Duel) error { return d.reveal(game.B, 0, scissors, noon) }},
	{"b lies", func(d *Duel) error { return d.reveal(game.B, 0, Hand{game.Paper, scissors.Salt}, noon) }},
	{"cyd reveals", func(d *Duel) error { return d.reveal(d.Side(cyd.Address), 0, rock, noon) }},
}

// errorNames are the names of errors in the table.
var errorNames = map[error]string{
	nil: "", ErrForbidden: "!forbidden", ErrOwn: "!own", ErrFull: "!full", ErrClosed: "!closed",
	ErrMovedOn: "!moved", ErrNotYet: "!early", ErrMismatch: "!mismatch",
}

// summary returns a duel's state in the form of the table: the current round and the sides'
// steps in it, the score, and the deadline in seconds after noon.
func (d *Duel) summary() string {
	at := func(t time.Time) float64 { return t.Sub(noon).Seconds() }
	switch {
	case d.Status == Open:
		return fmt.Sprintf("open @%v", at(d.Deadline))
	case d.Status != Active:
		return fmt.Sprintf("%s %v @%v", d.Status, d.Winner, at(*d.EndedAt))
	}
	did := []byte("--")
	for i, h := range d.Hands {
		if h.HasMove {
			did[i] = 'v'
		} else if h.Committed {
			did[i] = 'c'
		}
	}
	score := d.Score()
	return fmt.Sprintf("r%d %s %d:%d @%v", score.Rounds+1, did, score.WinsA, score.WinsB, at(d.Deadline))
}

// equal compares duels, including unexported fields.
var equal = cmp.Options{cmp.AllowUnexported(Duel{}), cmpopts.IgnoreFields(Duel{}, "drawHand"), cmpopts.EquateEmpty()}

// expectedTable lists the expected result of each event in each state.
//
//go:embed testdata/states.txt
var expectedTable string

// TestEveryStateAndEvent applies every event to every state.
func TestEveryStateAndEvent(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	got.WriteString("The state of a duel of ann (a) and bob (b), with 60 s for each step, after an event at\n" +
		"noon: round, steps of the sides (c committed, v revealed), score @deadline or end in\n" +
		"seconds after noon; or !error. \"late\": the deadline was 5 s ago.\n")
	for _, s := range states {
		fmt.Fprintf(&got, "\n%s\n", s.name)
		for _, h := range events {
			d, elapsed := s.make(), s.make()
			d.elapse(noon)
			elapsed.elapse(noon)
			err := h.do(d)
			name, ok := errorNames[err]
			if !ok {
				t.Errorf("%s, %s: error %v", s.name, h.name, err)
			}
			if diff := cmp.Diff(elapsed, d, equal); err != nil && diff != "" {
				t.Errorf("%s, %s: refused, but changed:\n%s", s.name, h.name, diff)
			}
			if err == nil {
				name = d.summary()
			}
			fmt.Fprintf(&got, "  %-12s %s\n", h.name, name)
		}
	}
	if diff := cmp.Diff(expectedTable, got.String()); diff != "" {
		t.Errorf("testdata/states.txt (-want +got):\n%s", diff)
	}
}

// TestLimits checks which players may create a duel, and join one, by their coins and number of
// unfinished duels.
func TestLimits(t *testing.T) {
	t.Parallel()
	coins := func(balance, bound int64) chain.Account { return chain.Account{Balance: balance, Bound: bound} }
	for name, c := range map[string]struct {
		creator creator
		terms   Terms
		short   *chain.InsufficientFundsError
		err     error
	}{
		"the last allowed":         {creator: creator{unfinished: MaxUnfinished - 1}},
		"one too many":             {creator: creator{unfinished: MaxUnfinished}, err: ErrUnfinished},
		"listed, paid by Post":     {terms: Terms{Stake: 50}},
		"unlisted, without stake":  {terms: Terms{Unlisted: true}},
		"unlisted, exactly enough": {creator: creator{account: coins(60, 10)}, terms: Terms{Stake: 50, Unlisted: true}},
		"unlisted, bound coins": {
			creator: creator{account: coins(60, 11)}, terms: Terms{Stake: 50, Unlisted: true},
			short: &chain.InsufficientFundsError{Balance: 60, Bound: 11, Needed: 50, Free: true},
		},
		"unlisted, too few coins": {
			creator: creator{account: coins(49, 0), unfinished: MaxUnfinished}, terms: Terms{Stake: 50, Unlisted: true},
			short: &chain.InsufficientFundsError{Balance: 49, Needed: 50},
		},
	} {
		err := c.creator.mayCreate(c.terms, noon)
		short, poor := errors.AsType[*chain.InsufficientFundsError](err)
		switch {
		case poor != (c.short != nil) || poor && *short != *c.short:
			t.Errorf("%s: %v, want %v", name, err, c.short)
		case !poor && !errors.Is(err, c.err):
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
	}
	d := opened(in())
	if err := d.join(cyd, MaxUnfinished, noon); !errors.Is(err, ErrUnfinished) || d.Status != Open {
		t.Errorf("joined with %d unfinished duels: %v, %+v", MaxUnfinished, err, d)
	}
}

// TestRevealed checks that each side has its own flag.
func TestRevealed(t *testing.T) {
	t.Parallel()
	for _, want := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		if got := revealed([2]chain.DuelHand{{HasMove: want[0]}, {HasMove: want[1]}}); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// TestEqualCommitments checks that equal commitments make a round void without a forfeit, that such rounds
// end the duel only at the limit of rounds, and that a side learns of commitments of its own alone.
func TestEqualCommitments(t *testing.T) {
	t.Parallel()
	d := playing(in(), "--")
	for n := 1; n <= game.MaxRounds; n++ {
		for _, side := range []game.Side{game.A, game.B} {
			if err := d.commit(side, n, rock.commitment(), noon); err != nil {
				t.Fatalf("round %d, %v: %v", n, side, err)
			}
			if got := d.Repeats(side, rock.commitment()); got != (n > 1) {
				t.Fatalf("round %d, %v repeats a commitment: %t", n, side, got)
			}
		}
		if r := d.Rounds[n-1]; r.Outcome != game.Void || r.Forfeit != game.NoSide || r.Hands[0].HasMove ||
			r.Hands[1].HasMove {
			t.Fatalf("round %d: %+v, want it void without moves and forfeits", n, r)
		}
	}
	if d.Status != Finished || d.Winner != game.NoSide {
		t.Errorf("after %d void rounds: %s, winner %v", game.MaxRounds, d.Status, d.Winner)
	}
}

// TestConstantSalt checks that a side that always uses one salt plays on, and is known to repeat it.
func TestConstantSalt(t *testing.T) {
	t.Parallel()
	d := playing(in(), "--")
	for n := 1; n <= 3; n++ {
		for _, err := range []error{
			d.commit(game.A, 0, rock.commitment(), noon), d.commit(game.B, 0, scissors.commitment(), noon),
			d.reveal(game.A, 0, rock, noon), d.reveal(game.B, 0, scissors, noon),
		} {
			if err != nil {
				t.Fatalf("round %d: %v", n, err)
			}
		}
		if got := d.RepeatsSalt(game.A, rock.Salt); got != (n > 1) {
			t.Errorf("after round %d a repeats the salt: %t", n, got)
		}
	}
	if d.Status != Finished || d.Winner != game.A {
		t.Errorf("the duel: %s, winner %v, want a to win", d.Status, d.Winner)
	}
}

// TestRevealNamesItsRound checks the hand of round 1 in round 2: a reveal that names round 2 cannot be a repetition
// of round 1, so it is refused for what it shows. A side that is told to read the duel again would show the same hand
// until its deadline has passed.
func TestRevealNamesItsRound(t *testing.T) {
	t.Parallel()
	other := Hand{game.Paper, rock.Salt}
	for name, c := range map[string]struct {
		did     string // as of playing
		round   int
		shown   Hand
		want    error
		unnamed error // of the same call without a round
	}{
		"another hand was committed": {"cc", 2, rock, ErrMismatch, ErrMovedOn},
		"a hand of no round":         {"cc", 2, Hand{game.Scissors, rock.Salt}, ErrMismatch, ErrMismatch},
		"the opponent is due":        {"c-", 2, rock, ErrNotYet, ErrMovedOn},
		"nothing is committed":       {"-c", 2, rock, ErrNotYet, ErrMovedOn},
		"it was revealed before":     {"vc", 2, other, ErrMovedOn, ErrMovedOn},
		"it names round 1":           {"cc", 1, rock, ErrMovedOn, ErrMovedOn},
		"it names round 3":           {"cc", 3, rock, ErrNotYet, ErrMovedOn},
		"the committed hand":         {"cc", 2, other, nil, nil},
	} {
		for _, n := range []int{c.round, 0} {
			d := playing(in(), c.did, game.Tied)
			d.Rounds[0].Hands[0].Commitment = rock.commitment()
			if d.Hands[0].Committed {
				d.Hands[0].Commitment = other.commitment()
			}
			want := c.want
			if n == 0 {
				want = c.unnamed
			}
			if err := d.reveal(game.A, n, c.shown, noon); !errors.Is(err, want) {
				t.Errorf("%s, round %d: %v, want %v", name, n, err, want)
			}
		}
	}
}
