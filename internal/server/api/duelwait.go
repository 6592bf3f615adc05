package api

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"roshambo/internal/platform/event"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/duel"
)

// stepDuel is changeDuelNoting for a commit or a reveal. With Prefer: wait it answers once the other side
// has moved, so that a round costs two calls. The step and its answer for repetitions are stored before the
// wait: a crash during it loses nothing, and a repetition waits anew.
func (a *call) stepDuel(ctx context.Context, note duelNote, step duelAction) (*DuelOut, error) {
	a.w.Header().Add("Vary", "Prefer")
	out, err := a.changeDuelNoting(ctx, settlement, note, step)
	wait := stream.PreferredWait(a.r.Header)
	if wait == 0 {
		return out, err
	}
	if again, ok := errors.AsType[*replayed](err); ok {
		out = &DuelOut{}
		if err = json.Unmarshal(again.body, out); err == nil {
			a.w.Header().Set(replayedHeader, "true")
		}
	}
	if err != nil {
		return nil, err
	}
	return a.awaitOther(ctx, out, wait)
}

// awaitOther returns the answer to a step once the other side has moved, for at most so long. After an error
// the step is stored all the same, and its repetition is answered. The wait needs no end before the caller's own next
// deadline, as that is set by the other side's step, which ends it. Errors: also the refusals of a caller that was
// ended while it waited.
func (a *call) awaitOther(ctx context.Context, out *DuelOut, wait time.Duration) (*DuelOut, error) {
	if !out.Duel.waitsForOther() {
		return out, nil
	}
	release, err := a.Streams.Acquire(a.slots()...)
	if err != nil {
		return out, nil // too many calls wait: this one does not
	}
	defer release()
	a.w.Waited = true
	topics := []string{event.Duel(out.Duel.ID)}
	out, err = stream.Await(ctx, a.Streams, wait, topics, func(ctx context.Context) (p stream.Poll[DuelOut], err error) {
		d, err := a.current(ctx, out.Duel.ID)
		if err == nil && d.Version != out.Duel.Version {
			out, err = a.afterStep(d, out)
		}
		if err != nil {
			return p, err
		}
		return stream.Poll[DuelOut]{Out: out, Changed: !out.Duel.waitsForOther(), RetryAt: d.Deadline}, nil
	})
	if err != nil {
		return nil, err
	}
	a.applied(wait)
	return out, nil
}

// afterStep returns a step's answer with the duel as it is now, and the note that it had at first.
func (a *call) afterStep(d *duel.Duel, at *DuelOut) (*DuelOut, error) {
	receipts, err := a.receipts(roundStatements(d, a.Now())...)
	return &DuelOut{Duel: wireDuel(d, a.caller.address), TxHash: optionalHash(d.SettleTx), Warning: at.Warning,
		SaltMaxBytes: at.SaltMaxBytes, Receipts: receipts}, err
}

// waitsForOther reports whether the caller's side has moved and the other has not.
func (d *Duel) waitsForOther() bool {
	if d.You == nil || d.Status != string(duel.Active) || len(d.Rounds) == 0 {
		return false
	}
	r := d.Rounds[len(d.Rounds)-1]
	moved := r.Committed
	if moved.A && moved.B {
		moved = r.Revealed
	}
	if *d.You == "b" {
		moved.A, moved.B = moved.B, moved.A
	}
	return moved.A && !moved.B
}
