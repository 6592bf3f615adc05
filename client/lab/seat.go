package lab

import (
	"errors"
	"fmt"
	"strconv"

	"roshambo/client/program"
	"roshambo/client/strategy"
	"roshambo/game"
)

// maxFailed is how many duels in succession a program may fail before it loses the rest of its match unasked: each
// late move costs its time limit.
const maxFailed = 3

// seat is one side of a match: a strategy or a program, with the rounds that it has seen.
type seat struct {
	strategy strategy.Strategy
	player   *program.Player // nil for a strategy
	opponent string
	duel     int
	history  []strategy.Round // of all duels
	before   int              // how many rounds of history belong to earlier duels; a program sees the others alone
	// failure is the error of the program in this duel. failed counts the duels with one in succession.
	failure error
	failed  int
}

// newSeat returns the seat of an entrant in a match against the opponent of that name.
func newSeat(e Entrant, opponent string, seed strategy.Seed) *seat {
	s := &seat{opponent: opponent}
	if e.program != nil {
		s.player = e.program.Player(seed)
	} else {
		s.strategy = e.New(seed)
	}
	return s
}

// close ends the program.
func (s *seat) close() {
	if s.player != nil {
		s.player.Close()
	}
}

// begin starts another duel: a program that has failed gets another chance.
func (s *seat) begin() {
	s.duel++
	s.before = len(s.history)
	if s.failure == nil {
		s.failed = 0
	}
	if s.failed < maxFailed {
		s.failure = nil
	}
}

// next returns the hand for a round. A program that has failed reveals no hand until the end of the duel, as a bot
// that has left the service.
func (s *seat) next(round int) game.Hand {
	if s.player == nil {
		return revealed(s.strategy.Next(s.history))
	}
	if s.failure != nil {
		return game.Hand{}
	}
	move, err := s.player.Move(program.Turn{
		Opponent: s.opponent, Duel: strconv.Itoa(s.duel), Round: round, Rounds: s.history[s.before:],
	})
	if err == nil {
		return revealed(move)
	}
	s.failure = err
	if s.failed++; s.failed == maxFailed {
		s.failure = fmt.Errorf("%w (it is not asked again in this match)", err)
	}
	return game.Hand{}
}

// revealed returns a hand with that move.
func revealed(move game.Move) game.Hand {
	return game.Hand{Committed: true, Revealed: true, Move: move}
}

// pairing is the two sides of a match.
type pairing struct{ a, b *seat }

// duel plays rounds until the duel is decided.
func (t *pairing) duel(replay *Replay) game.BestOfFive {
	t.a.begin()
	t.b.begin()
	// By the rules of the service, of which a missed deadline is a side that has not revealed: two rounds that both
	// sides miss in succession end the duel without a winner.
	var d game.BestOfFive
	for !d.Decided() {
		a, b := t.a.next(d.Rounds+1), t.b.next(d.Rounds+1)
		winner, forfeit := game.Judge(a, b)
		d.Add(winner, forfeit)
		shown := ReplayRound{Round: d.Rounds, MoveA: shown(a), MoveB: shown(b), Outcome: winner.String()}
		if forfeit != game.NoSide {
			// Neither side learns a move: the committed moves stay hidden, as in the service.
			shown.ForfeitedBy = forfeit.String()
		} else {
			t.a.history = append(t.a.history, strategy.Round{Mine: a.Move, Theirs: b.Move})
			t.b.history = append(t.b.history, strategy.Round{Mine: b.Move, Theirs: a.Move})
		}
		replay.Rounds = append(replay.Rounds, shown)
	}
	replay.Failures = t.failures()
	return d
}

// shown returns the move of a revealed hand, "" for others.
func shown(h game.Hand) string {
	if !h.Revealed {
		return ""
	}
	return h.Move.String()
}

// failures returns the reasons of the current duel by side; nil for none.
func (t *pairing) failures() map[string]string {
	if errors.Join(t.a.failure, t.b.failure) == nil {
		return nil
	}
	reasons := map[string]string{}
	for side, s := range map[game.Side]*seat{game.A: t.a, game.B: t.b} {
		if s.failure != nil {
			reasons[side.String()] = s.failure.Error()
		}
	}
	return reasons
}
