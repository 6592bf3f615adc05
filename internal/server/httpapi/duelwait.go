package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/duel"
)

// stepDuel is changeDuelWarning for a commit or a reveal. With Prefer: wait it answers once the other side
// has moved, so that a round costs two calls. The step and its answer for repetitions are stored before the
// wait: a crash during it loses nothing, and a repetition waits anew.
func (a *API) stepDuel(ctx context.Context, warning func(*duel.Duel, game.Side) string, step duelAction) (*DuelOut,
	error) {
	e := stateOf(ctx)
	e.w.Header().Add("Vary", "Prefer")
	out, err := a.changeDuelWarning(ctx, settlement, warning, step)
	wait := preferredWait(e.r.Header)
	if wait == 0 {
		return out, err
	}
	if again, ok := errors.AsType[*replayed](err); ok {
		out = &DuelOut{}
		if err = json.Unmarshal(again.body, out); err == nil {
			e.w.Header().Set(replayedHeader, "true")
		}
	}
	if err != nil {
		return nil, err
	}
	return a.awaitOther(ctx, out, wait)
}

// awaitOther returns the answer to a step once the other side has moved, for at most so long. After an error
// the step is stored all the same, and its repetition is answered. Errors: also those of a caller that was
// ended while it waited.
func (a *API) awaitOther(ctx context.Context, out *DuelOut, wait time.Duration) (*DuelOut, error) {
	if !out.Duel.waitsForOther() {
		return out, nil
	}
	e := stateOf(ctx)
	release, err := a.acquireStream(e)
	if err != nil {
		return out, nil // too many calls wait: this one does not
	}
	defer release()
	defer a.countLongPoll(e.w)()
	// The watch begins before the first read, so that no change falls in between.
	watch := a.Hub.Watch(event.Duel(out.Duel.ID))
	defer watch.Close()
	over := time.NewTimer(wait)
	defer over.Stop()
	for more := true; more && out.Duel.waitsForOther(); {
		d, err := a.current(ctx, out.Duel.ID)
		if err != nil {
			return nil, err
		}
		if d.Version == out.Duel.Version {
			more, err = a.awaitPoll(ctx, watch.C(), over.C, a.nextPoll(d.Deadline))
		} else {
			out, err = a.afterStep(ctx, d, out.Warning)
		}
		if err != nil {
			return nil, err
		}
	}
	e.w.Header().Set("Preference-Applied", "wait="+seconds(wait))
	return out, nil
}

// afterStep returns a step's answer with the duel as it is now.
func (a *API) afterStep(ctx context.Context, d *duel.Duel, warning string) (*DuelOut, error) {
	c := callerOf(ctx)
	if err := a.authoriseAlone(ctx, c); err != nil {
		return nil, err
	}
	receipts, err := a.receipts(ctx, roundStatements(d, a.Now())...)
	return &DuelOut{Duel: wireDuel(d, c.address), TxHash: optionalHash(d.SettleTx), Warning: warning,
		Receipts: receipts}, err
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
