package api

import (
	"context"
	"fmt"
	"time"

	"roshambo/contract"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/arena"
	"roshambo/internal/store"
)

// quickOperations registers the operations of quick matches.
func (a *API) quickOperations() {
	quick := contract.Operation{
		ID: "quickMatch", Method: "POST", Path: "/api/duels/quick", Tag: "Duels",
		Summary: "Be paired with a stranger, or get the duel that was found", Security: anyScheme, OptionalBody: true,
		Description: fmt.Sprintf("For people: a duel without a stake against another person who asks, with a similar "+
			"rating, in a window that widens with the wait. It is rated if both are registered. A waiting player keeps "+
			"asking: the place in the queue lapses %d seconds after the last call. With Prefer: wait=N the answer is delayed "+
			"until an opponent is found. Two people are never paired if they have used one public network within 24 hours, "+
			"nor once they have had three rated duels on a UTC day.", arena.QueueTimeout/time.Second),
		Errors: may("unauthenticated", "csrf_failed", "conflict", "forbidden"),
	}
	add(a, quick, (*call).quickMatch)
	add(a, contract.Operation{
		ID: "leaveQuickMatch", Method: "POST", Path: "/api/duels/quick/leave", Tag: "Duels",
		Summary: "Stop waiting for a stranger, and get the duel that was found before: it continues", Security: anyScheme, OptionalBody: true,
		Errors: may("unauthenticated", "csrf_failed", "conflict"),
	}, (*call).leaveQuickMatch)
}

// quickMatch enters the caller into the queue and, with Prefer: wait, waits for a stranger. As in
// the arena, only the first poll enters.
func (a *call) quickMatch(ctx context.Context, _ *none) (*QueueOut, error) {
	c, ask := a.caller, a.Arena.JoinQuick
	topics := []string{event.Account(c.address)}
	return longPoll(ctx, a, topics, func(ctx context.Context) (s stream.Poll[QueueOut], err error) {
		s.Out, err = write(ctx, a, func(ctx context.Context, tx *store.Tx) (*QueueOut, error) {
			p := c.player()
			me := arena.QuickPlayer{Address: p.Address, Kind: p.Kind, Username: p.Username}
			place, err := ask(ctx, tx, me)
			if err != nil {
				return nil, err
			}
			s.Changed, s.RetryAt = !place.Waiting, place.ExpiresAt
			return a.wirePlace(ctx, tx, place, me.Address)
		})
		ask = a.Arena.StayQuick
		return s, err
	})
}

// leaveQuickMatch removes the caller from the queue.
func (a *call) leaveQuickMatch(ctx context.Context, _ *none) (*LeaveOut, error) {
	me := a.caller.address
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*LeaveOut, error) {
		left, err := a.Arena.LeaveQuick(ctx, tx, me)
		if err != nil {
			return nil, err
		}
		place, err := a.Arena.StayQuick(ctx, tx, arena.QuickPlayer{Address: me})
		if err != nil {
			return nil, err
		}
		return a.leaveOut(ctx, tx, left, place, me)
	})
}
