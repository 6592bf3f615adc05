package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"roshambo/contract"
	"roshambo/internal/platform/limit"
)

// TV is one channel for all spectators: a duel of people while there is one, otherwise a replay of a
// duel between bots, at a pace that people can follow. A replay fills a slot of the clock, so all
// spectators of a node see the same step.

// tvOperations registers the operation of TV.
func (a *API) tvOperations() {
	add(a, contract.Operation{
		ID: "getTV", Method: "GET", Path: "/api/tv", Tag: "Duels",
		Summary: "The duel that spectators watch now: live between people, or a replay between bots",
		Description: fmt.Sprintf("A replay runs from starts_at to ends_at; then another one starts. A live duel is followed "+
			"as any other, by GET /api/duels/{code}; those that one public network address begins have at most 60 seconds, "+
			"then none for an hour. With watching=true the caller counts as a viewer for %d seconds.",
			viewerSpan/time.Second),
		Security: anyScheme, Anonymous: true, Errors: may("unauthenticated"),
	}, (*call).getTV)
}

// tvIn says whether the caller watches.
type tvIn struct {
	Watching bool `query:"watching" default:"false" doc:"Count the caller as a viewer: an account, or a network address without one."`
}

// getTV returns the featured duel and counts the caller.
func (a *call) getTV(ctx context.Context, in *tvIn) (*TVOut, error) {
	now := a.Now()
	if in.Watching {
		if key := a.viewerKey(); a.viewers.note(key, now) <= maxSharedViewers && a.PublishViewer != nil {
			a.PublishViewer(key)
		}
	}
	out, err := a.tv.get(ctx, a.DB, a.Duels, now)
	if err != nil {
		return nil, err
	}
	out.Viewers = int64(a.viewers.count(now))
	return &out, nil
}

// viewerKey returns a short hash of the caller's account or network address: nodes share it, and
// it tells them nothing else.
func (a *call) viewerKey() string {
	name := ""
	if a.caller != nil {
		name = a.caller.address.String()
	} else if levels := limit.AppendLevels(nil, a.w.Client.Address, 1); len(levels) > 0 {
		name = levels[0].Prefix.String()
	}
	digest := sha256.Sum256([]byte("roshambo/viewer/" + name))
	return hex.EncodeToString(digest[:8])
}

// NoteViewer counts a viewer of another node, by the key that it published.
func (a *API) NoteViewer(key string) { a.viewers.note(key, a.Now()) }
