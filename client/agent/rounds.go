package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/game"
)

// A round that has begun is played in the background, to its end: the deadline of its reveal may pass before the model
// calls again. The state of a hand is one file for each duel, so that several duels go on at once.

// played is a round in play.
type played struct {
	number int64
	move   game.Move
	done   chan struct{}
	// After done: the duel after the round, and the error that ended it before.
	duel *api.Duel
	err  error

	began   time.Time // by the clock of this machine
	thought *int64    // milliseconds from the answer that showed the round to the call with the move; nil if unknown
	left    *int64    // seconds until the deadline when the move came; nil if unknown
}

// errNoKey reports a tool that needs a key, errClosed a round that would begin after Close.
var (
	errNoKey  = errors.New("agent: no key")
	errClosed = errors.New("agent: closed")
)

// handsFolder is the folder of the hands of rounds in play.
func (a *Agent) handsFolder() string { return filepath.Join(a.Folder, "hands") }

// receiptsFile is the file of the receipts of all duels and runs.
func (a *Agent) receiptsFile() string { return filepath.Join(a.Folder, "receipts.jsonl") }

// duelCode matches the codes of duels. A code is part of a file's name.
var duelCode = regexp.MustCompile(`^[0-9A-Za-z]{1,16}$`)

// bot returns what plays the rounds of a duel, with the hand of its file.
func (a *Agent) bot(code string) (*client.Bot, error) {
	if !duelCode.MatchString(code) {
		return nil, errors.New("agent: the service names a duel by a malformed code")
	}
	return client.NewBot(client.BotOptions{
		Client: a.steps, State: filepath.Join(a.handsFolder(), code+".json"), Receipts: a.receiptsFile(),
		VerifierKey: a.VerifierKey,
	})
}

// begin plays the current round of a duel in the background, or returns the one in play. A hand that is stored for
// the round takes precedence over the move.
func (a *Agent) begin(d *api.Duel, move game.Move) (*played, error) {
	a.playing.Lock()
	defer a.playing.Unlock()
	if p := a.rounds[d.ID]; p != nil {
		return p, nil
	}
	if a.closed {
		return nil, errClosed
	}
	b := a.bots[d.ID] // it knows the key of the log since the first round
	if b == nil {
		var err error
		if b, err = a.bot(d.ID); err != nil {
			return nil, err
		}
		a.bots[d.ID] = b
	}
	r := lastRound(d)
	if r == nil {
		return nil, fmt.Errorf("agent: duel %s has no round", d.ID)
	}
	if s, ok := b.Sealed(); ok && s.Duel == d.ID && s.Round == r.Round {
		move = s.Move
	}
	p := &played{number: r.Round, move: move, done: make(chan struct{}), began: localTime()}
	if s, ok := a.shown[d.ID]; ok && s.number == r.Round {
		p.thought = new(p.began.Sub(s.at).Milliseconds())
		delete(a.shown, d.ID) // a round that is begun again has no such time
	}
	if r.Deadline != nil {
		p.left = a.secondsUntil(*r.Deadline)
	}
	a.rounds[d.ID] = p
	a.ending.Go(func() { a.playOn(b, d, p) })
	return p, nil
}

// playOn plays a round to its end. A crash leaves its hand in the folder, from which resume continues.
func (a *Agent) playOn(b *client.Bot, d *api.Duel, p *played) {
	defer close(p.done)
	p.duel, p.err = b.PlayRound(a.life, d, p.move)
	if p.err != nil {
		a.Log.Warn("a round ended early", "duel", d.ID, "round", p.number, "error", p.err)
	} else {
		a.measureRound(p)
		if p.duel.Status != api.DuelStatusActive {
			a.forget(d.ID)
		}
	}
	a.playing.Lock()
	defer a.playing.Unlock()
	delete(a.rounds, d.ID)
}

// forget deletes the hand of a duel that is over.
func (a *Agent) forget(code string) {
	a.playing.Lock()
	delete(a.bots, code)
	delete(a.shown, code)
	a.playing.Unlock()
	if err := os.Remove(filepath.Join(a.handsFolder(), code+".json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.Log.Warn("an old hand stays", "duel", code, "error", err)
	}
}

// inPlay returns the round of a duel that is in play; nil for none.
func (a *Agent) inPlay(code string) *played {
	a.playing.Lock()
	defer a.playing.Unlock()
	return a.rounds[code]
}

// sealed returns the move of the current round that the caller has chosen, and whether it is in play or stored here.
func (a *Agent) sealed(d *api.Duel) (move game.Move, ok bool) {
	r := lastRound(d)
	if r == nil || a.hosted != nil {
		return 0, false
	}
	if p := a.inPlay(d.ID); p != nil && p.number == r.Round {
		return p.move, true
	}
	b, err := a.bot(d.ID)
	if err != nil {
		return 0, false
	}
	s, ok := b.Sealed()
	return s.Move, ok && s.Duel == d.ID && s.Round == r.Round
}

// resume continues the rounds of a process that ended before them. A duel that cannot be read now stays for the tool
// wait_turn.
func (a *Agent) resume() {
	files, err := filepath.Glob(filepath.Join(a.handsFolder(), "*.json"))
	if err != nil {
		a.Log.Warn("the hands of the last process are not read", "error", err)
		return
	}
	for _, file := range files {
		code := strings.TrimSuffix(filepath.Base(file), ".json")
		if _, err := a.readAndResume(a.life, code); err != nil {
			a.Log.Warn("a duel of the last process is not read", "duel", code, "error", err)
		}
	}
}

// readAndResume reads a duel, and continues its round if the hand of it is stored here.
func (a *Agent) readAndResume(ctx context.Context, code string) (*api.Duel, error) {
	out, err := client.Read[api.GetDuelOut](a.calls.API.GetDuel(client.AsSteps(ctx, nil), code, withoutSalts))
	if err != nil {
		return nil, err
	}
	return &out.Duel, a.resumeRound(&out.Duel)
}

// resumeRound continues the current round of a duel if the hand of it is stored here.
func (a *Agent) resumeRound(d *api.Duel) error {
	switch {
	case d.Status != api.DuelStatusActive && d.Status != api.DuelStatusOpen:
		if a.inPlay(d.ID) == nil && duelCode.MatchString(d.ID) {
			a.forget(d.ID)
		}
		return nil
	case sideOf(d) == "" || a.inPlay(d.ID) != nil:
		return nil
	}
	if move, ok := a.sealed(d); ok {
		_, err := a.begin(d, move)
		return err
	}
	return nil
}

// withoutSalts asks for a duel without the salts of its rounds: an answer that never holds them cannot show them.
var withoutSalts = &api.GetDuelParams{Salts: new(bool)}
