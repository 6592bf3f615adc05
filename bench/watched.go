package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// watchedDuel measures the latency from the call of a duel's player until all spectators of
// the duel have received the step. Both sides play rock, so that the duel continues.
func (b *bench) watchedDuel(ctx context.Context) error {
	d := &watched{b: b, made: map[int64]time.Time{}}
	var err error
	for i := range d.sides {
		if d.sides[i], err = d.worker(ctx); err != nil {
			return err
		}
	}
	if err := d.call(ctx, 0, "", map[string]int{"stake": 0}); err != nil {
		return err
	}
	if err := d.call(ctx, 1, "/"+d.code+"/join", nil); err != nil {
		return err
	}
	streams, _, err := b.listeners(ctx, "/api/events?topics=duels&duel="+d.code)
	defer hangUp(streams)
	if err != nil {
		return err
	}
	return b.receive(ctx, "a duel's step until it is received", streams, publishing{d.play, d.when})
}

// watched is a duel with spectators.
type watched struct {
	b     *bench
	sides [2]watchedSide
	code  string

	// mu guards the fields below.
	mu sync.Mutex
	// version is the version of the duel after the last call.
	version int64
	// made is the start of the call that led to each version.
	made map[int64]time.Time
}

// watchedSide is one player with its connection.
type watchedSide struct {
	*worker
	*player
}

// worker returns a new guest with a connection.
func (d *watched) worker(ctx context.Context) (watchedSide, error) {
	w := newWorker()
	p, err := w.guest(ctx, d.b.server)
	return watchedSide{w, p}, err
}

// call makes a call for one side and records its start for the version that it leads to.
// Steps are sequential, so the next version is known in advance.
func (d *watched) call(ctx context.Context, side int, path string, in any) error {
	d.mu.Lock()
	d.version++
	d.made[d.version] = time.Now()
	d.mu.Unlock()
	var out duelResponse
	s := d.sides[side]
	err := s.worker.call(ctx, request{to: d.b.server, method: "POST", path: "/api/duels" + path, by: s.player, in: in},
		&out)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.code, d.version = out.Duel.ID, out.Duel.Version
	return nil
}

// play plays until end, four steps per second.
func (d *watched) play(ctx context.Context, end time.Time) error {
	d.mu.Lock()
	clear(d.made) // ignore the initial state that streams receive
	d.mu.Unlock()
	for round := 1; time.Now().Before(end); round++ {
		for step := range 4 {
			side := step % 2
			salt := fmt.Sprint("round ", round, " side ", side)
			path, in := "/commit", map[string]any{"commitment": fmt.Sprintf("%x", sha256.Sum256([]byte("rock:"+salt)))}
			if step >= 2 {
				path, in = "/reveal", map[string]any{"move": "rock", "salt": salt}
			}
			if err := d.call(ctx, side, "/"+d.code+path, in); err != nil {
				return err
			}
			timer := time.NewTimer(250 * time.Millisecond)
			<-timer.C
		}
	}
	return nil
}

// when returns the start of the call that an event is about.
func (d *watched) when(data string) (time.Time, bool) {
	var event struct {
		Code    string `json:"code"`
		Version int64  `json:"version"`
	}
	if json.Unmarshal([]byte(data), &event) != nil || event.Code != d.code {
		return time.Time{}, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	at, ok := d.made[event.Version]
	return at, ok
}
