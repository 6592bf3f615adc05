package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"roshambo/bench/probe"
)

// duelist is a bot that plays ranked duels.
type duelist struct {
	*caller
	key string
	// steps are the latencies of commits and reveals, waits the times in the queue, since the last row.
	steps, waits []time.Duration
}

// duelResponse has the members of a response with a duel that the bench reads.
type duelResponse struct {
	Duel *struct {
		ID      string
		Status  string
		You     string
		Winner  *string
		Version int64
		Rounds  []struct {
			Round       int64
			Committed   struct{ A, B bool }
			YouRevealed bool `json:"you_revealed"`
		}
	}
}

// duels measures bots that play ranked duels one after the other, each on its own connection: queue, best
// of five, queue again. They use long polls and never poll.
func duels(ctx context.Context, b *bench, r *rival) (result, error) {
	for len(r.bots) < usual {
		d, err := r.newDuelist()
		if err != nil {
			return result{}, err
		}
		r.bots = append(r.bots, d)
	}
	m, err := b.drive(ctx, r, usual, func(w *wire, i int) (int, error) { return r.bots[i].play(w) })
	if err != nil {
		return result{}, err
	}
	var steps, waits []time.Duration
	for _, d := range r.bots {
		steps, waits = append(steps, d.steps...), append(waits, d.waits...)
		d.steps, d.waits = nil, nil
	}
	m.Figures = []float64{m.Figures[1], probe.Millis(probe.Quantile(steps, 0.99)), probe.Millis(probe.Quantile(waits, 0.99))}
	return m, nil
}

// newDuelist creates an account and a bot that it owns.
func (r *rival) newDuelist() (*duelist, error) {
	w, err := dial(r.address)
	if err != nil {
		return nil, err
	}
	defer w.close()
	owner, err := r.guest(w)
	if err != nil {
		return nil, err
	}
	var out struct{ Secret string }
	name := fmt.Sprintf("bench-%d-%d", len(r.bots), time.Now().UnixNano()%1e9)
	err = w.ask(owner, "POST", "/api/bots", map[string]string{"name": name}, &out)
	return &duelist{caller: stranger.with("Authorization: Bearer " + out.Secret), key: out.Secret}, err
}

// play waits for an opponent and plays a duel. It returns 1 if the bot has won, so that the wins of all bots
// count each duel once; draws are not counted.
func (d *duelist) play(w *wire) (won int, err error) {
	began := time.Now()
	var out duelResponse
	if err := w.ask(d.with("Prefer: wait=2"), "POST", "/api/arena/queue", []byte(`{}`), &out); err != nil {
		return 0, err
	}
	if out.Duel == nil { // no opponent in time
		return 0, w.ask(d.caller, "POST", "/api/arena/leave", []byte(`{}`), nil)
	}
	d.waits = append(d.waits, time.Since(began))
	for out.Duel.Status == "active" {
		if err := d.step(w, &out); err != nil {
			return 0, err
		}
	}
	if winner := out.Duel.Winner; winner != nil && *winner == out.Duel.You {
		won = 1
	}
	return won, nil
}

// step commits or reveals, or waits for the other side. Waiting is not recorded as a step.
func (d *duelist) step(w *wire, out *duelResponse) error {
	duel := out.Duel
	if len(duel.Rounds) == 0 {
		return errors.New("an active duel without a round")
	}
	round, path := duel.Rounds[len(duel.Rounds)-1], "/api/duels/"+duel.ID
	salt := fmt.Sprintf("%s %d %s", d.key[:12], round.Round, duel.ID)
	sum := sha256.Sum256([]byte(salt))
	move := []string{"rock", "paper", "scissors"}[sum[0]%3]
	mine := round.Committed.A
	if duel.You == "b" {
		mine = round.Committed.B
	}
	var in map[string]any
	switch {
	case !mine:
		path += "/commit"
		in = map[string]any{"commitment": fmt.Sprintf("%x", sha256.Sum256([]byte(move+":"+salt))), "round": round.Round}
	case round.Committed.A && round.Committed.B && !round.YouRevealed:
		path += "/reveal"
		in = map[string]any{"move": move, "salt": salt, "round": round.Round}
	default:
		return w.ask(d.with("Prefer: wait=20"), "GET", fmt.Sprintf("%s?version=%d", path, duel.Version), nil, out)
	}
	began := time.Now()
	err := w.ask(d.caller, "POST", path, in, out)
	d.steps = append(d.steps, time.Since(began))
	return err
}
