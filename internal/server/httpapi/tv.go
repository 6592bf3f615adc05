package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/platform/limit"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// TV is one channel for all spectators: a duel of people while there is one, otherwise a replay of a
// duel between bots, at a pace that people can follow. A replay fills a slot of the clock, so all
// spectators of a node see the same step.

const (
	// tvSlot is the length of a replay.
	tvSlot = 30 * time.Second
	// tvFresh is how long an answer is reused, so that the database does not notice the number of
	// spectators.
	tvFresh = time.Second
	// tvPause is how long the live duels of a network are off the channel once they have had its share.
	tvPause = time.Hour
	// tvShown is how many past replays are not repeated.
	tvShown = 8
	// viewerSpan is how long after a call its caller counts as a viewer: the page calls once per replay, or
	// some seconds later.
	viewerSpan = time.Minute
	// maxViewers bounds the memory of the count. Beyond it, the count stays.
	maxViewers = 20_000
	// maxSharedViewers bounds the messages between nodes. Beyond it, a node counts its own viewers.
	maxSharedViewers = 1_000
)

// tvShare is how many seconds of live duels a network has on the channel.
var tvShare = fairshare.Share{Network: 60, Wide: 900}

// tvOperations registers the operation of TV.
func (a *API) tvOperations() {
	contract.Add(a.contract, contract.Operation{
		ID: "getTV", Method: "GET", Path: "/api/tv", Tag: "Duels",
		Summary: "The duel that spectators watch now: live between people, or a replay between bots",
		Description: fmt.Sprintf("A replay runs from starts_at to ends_at; then another one starts. A live duel is followed "+
			"as any other, by GET /api/duels/{code}; those that one public network address begins have at most 60 seconds, "+
			"then none for an hour. With watching=true the caller counts as a viewer for %d seconds.",
			viewerSpan/time.Second),
		Security: anyScheme, Anonymous: true, Errors: may("unauthenticated"),
	}, a.getTV)
}

// tvIn says whether the caller watches.
type tvIn struct {
	Watching bool `query:"watching" default:"false" doc:"Count the caller as a viewer: an account, or a network address without one."`
}

// TVOut is the answer to GET /api/tv.
type TVOut struct {
	Duel     *Duel `json:"duel" doc:"As spectators see it; null until there was a ranked duel."`
	Live     bool  `json:"live" doc:"The duel is in progress; otherwise it is a replay."`
	StartsAt *Time `json:"starts_at" doc:"Of the replay."`
	EndsAt   *Time `json:"ends_at" doc:"Of the replay."`
	Viewers  int64 `json:"viewers" doc:"Callers who watched within the last 60 seconds."`
}

// getTV returns the featured duel and counts the caller.
func (a *API) getTV(ctx context.Context, in *tvIn) (*TVOut, error) {
	now := a.Now()
	if in.Watching {
		if key := a.viewerKey(ctx); a.viewers.add(key, now) <= maxSharedViewers && a.PublishViewer != nil {
			a.PublishViewer(key)
		}
	}
	out, err := a.tv.get(ctx, a, now)
	if err != nil {
		return nil, err
	}
	out.Viewers = int64(a.viewers.count(now))
	return &out, nil
}

// viewerKey returns a short hash of the caller's account or network address: nodes share it, and
// it tells them nothing else.
func (a *API) viewerKey(ctx context.Context) string {
	e := stateOf(ctx)
	name := ""
	if e.caller != nil {
		name = e.caller.address.String()
	} else if levels := limit.AppendLevels(nil, a.clients.address(e.r), 1); len(levels) > 0 {
		name = levels[0].Prefix.String()
	}
	digest := sha256.Sum256([]byte("roshambo/viewer/" + name))
	return hex.EncodeToString(digest[:8])
}

// NoteViewer counts a viewer of another node, by the key that it published.
func (a *API) NoteViewer(key string) { a.viewers.add(key, a.Now()) }

// tv is the state of the channel on this node. The zero value has shown nothing.
type tv struct {
	stale atomic.Bool // out may show a name that was withdrawn

	mu     sync.Mutex // guards the fields below; held while the duel is read, so that one call reads it
	until  time.Time  // when out is read again
	out    TVOut
	slot   time.Time     // the start of the current replay
	replay string        // the code of the replay of slot; "" for none
	shown  []string      // the codes of the last replays, the newest last
	onAir  fairshare.Tag // the network of a live duel
	since  time.Time     // when onAir was charged last
	aired  map[string]airtime
}

// airtime is what a network has had of the channel.
type airtime struct {
	spent time.Duration
	last  time.Time
}

// charge adds the time since the last call to the network that is on the air, as far as spectators saw it: a
// channel that is not read shows nothing. It forgets networks whose pause is over.
func (t *tv) charge(now time.Time) {
	for network, a := range t.aired {
		if now.Sub(a.last) >= tvPause {
			delete(t.aired, network)
		}
	}
	for _, network := range t.onAir.Levels() {
		if t.aired == nil {
			t.aired = map[string]airtime{}
		}
		t.aired[network] = airtime{t.aired[network].spent + min(now.Sub(t.since), tvSlot), now}
	}
	t.since = now
}

// had reports whether a network has had its share of the channel.
func (t *tv) had(network fairshare.Tag) bool {
	for i, level := range network.Levels() {
		if t.aired[level].spent >= time.Duration([...]int{tvShare.Network, tvShare.Wide}[i])*time.Second {
			return true
		}
	}
	return false
}

// get returns what is on now.
func (t *tv) get(ctx context.Context, a *API, now time.Time) (TVOut, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stale.Swap(false) && now.Before(t.until) && !now.Before(t.until.Add(-tvFresh)) {
		return t.out, nil
	}
	current := ""
	if t.out.Live {
		current = t.out.Duel.ID
	}
	var (
		live, replay *duel.Duel
		voided       *Voided // of replay
	)
	slot := now.Truncate(tvSlot)
	t.charge(now)
	err := a.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		replay, voided = nil, nil // the closure may be retried
		if live, err = a.Duels.Live(ctx, tx, current, t.had); err != nil || live != nil {
			return err
		}
		if t.replay != "" && slot.Equal(t.slot) {
			replay, _, err = a.Duels.Get(ctx, tx, t.replay) // the names of its players may have changed
		} else {
			replay, err = a.Duels.Replay(ctx, tx, t.shown)
		}
		if err != nil || replay == nil {
			return err
		}
		voided, err = voidOf(ctx, tx, chain.DuelGameID(replay.Code))
		return err
	})
	if err != nil {
		t.until = time.Time{}
		return TVOut{}, err
	}
	t.onAir = nil
	switch {
	case live != nil:
		t.onAir = live.Network
		d := wireDuel(live, chain.Address{})
		d.withoutSalts()
		t.out = TVOut{Duel: &d, Live: true}
	case replay != nil:
		d := wireDuel(replay, chain.Address{})
		d.withoutSalts()
		d.Voided = voided
		if d.ID != t.replay || !slot.Equal(t.slot) {
			t.slot, t.replay = slot, d.ID
			t.shown = append(t.shown[max(0, len(t.shown)+1-tvShown):], d.ID)
		}
		t.out = TVOut{Duel: &d, StartsAt: &Time{t.slot}, EndsAt: &Time{t.slot.Add(tvSlot)}}
	default:
		t.out = TVOut{}
	}
	t.until = now.Add(tvFresh)
	return t.out, nil
}

// viewers counts the distinct callers who watch. The zero value counts none.
type viewers struct {
	mu     sync.Mutex           // guards the fields below
	seen   map[string]time.Time // when each viewer called last
	pruned time.Time
}

// add counts a viewer and returns the number of viewers.
func (v *viewers) add(key string, now time.Time) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.prune(now)
	if _, known := v.seen[key]; known || len(v.seen) < maxViewers {
		if v.seen == nil {
			v.seen = map[string]time.Time{}
		}
		v.seen[key] = now
	}
	return len(v.seen)
}

// count returns the number of viewers.
func (v *viewers) count(now time.Time) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.prune(now)
	return len(v.seen)
}

// prune drops those who called viewerSpan ago, at most once a second.
func (v *viewers) prune(now time.Time) {
	if since := now.Sub(v.pruned); since >= 0 && since < time.Second {
		return
	}
	v.pruned = now
	for key, at := range v.seen {
		if now.Sub(at) >= viewerSpan {
			delete(v.seen, key)
		}
	}
}
