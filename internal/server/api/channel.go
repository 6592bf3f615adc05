package api

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

const (
	// tvSlot is the length of a replay.
	tvSlot = 30 * time.Second
	// tvFresh is how long an answer is reused, so that the database does not notice the number of
	// spectators.
	tvFresh = time.Second
	// tvPause is how long the duels of a network are off the channel once they have had its share.
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

// tvShare is how many seconds of an hour a duel of a network is on the channel of a node: one, however soon it ends.
var tvShare = fairshare.Share{Network: 60, Wide: 240}

// TVOut is the answer to GET /api/tv.
type TVOut struct {
	Duel     *Duel `json:"duel" doc:"As spectators see it; null until there was a ranked duel."`
	Live     bool  `json:"live" doc:"The duel is in progress; otherwise it is a replay."`
	StartsAt *Time `json:"starts_at" doc:"Of the replay."`
	EndsAt   *Time `json:"ends_at" doc:"Of the replay."`
	Viewers  int64 `json:"viewers" doc:"Callers who watched within the last 60 seconds."`
}

// tv is the state of the channel on this node. The zero value has shown nothing.
type tv struct {
	stale atomic.Bool // out may show a name that was withdrawn

	mu     sync.Mutex // guards the fields below; held while the duel is read, so that one call reads it
	until  time.Time  // when out is read again
	out    TVOut
	slot   time.Time     // the start of the current replay
	replay string        // the code of the replay of slot; "" for none
	shown  []string      // the codes of the last replays, the newest last
	code   string        // of the duel in out; "" for none
	onAir  fairshare.Tag // the network of the duel
	since  time.Time     // when onAir was charged last
	rest   time.Duration // of the share of onAir: charged when another duel follows
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
	if t.aired == nil {
		t.aired = map[string]airtime{}
	}
	spent := max(0, min(now.Sub(t.since), tvSlot))
	t.add(spent, now)
	t.since, t.rest = now, max(0, t.rest-spent)
}

// add adds to what the network that is on the air has had.
func (t *tv) add(spent time.Duration, now time.Time) {
	for _, level := range t.onAir.Levels() {
		sum := t.aired[level[0]].spent + spent
		t.aired[level[0]] = airtime{sum, now}
		t.aired[level[1]] = airtime{max(sum, t.aired[level[1]].spent), now}
	}
}

// had reports whether a network has had its share of the channel.
func (t *tv) had(network fairshare.Tag) bool {
	for i, level := range network.Levels() {
		if t.aired[level[0]].spent >= time.Duration([...]int{tvShare.Network, tvShare.Wide}[i])*time.Second {
			return true
		}
	}
	return false
}

// get returns the present state of the channel.
func (t *tv) get(ctx context.Context, db *store.DB, duels *duel.Service, now time.Time) (TVOut, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stale.Swap(false) && now.Before(t.until) && !now.Before(t.until.Add(-tvFresh)) {
		return t.out, nil
	}
	slot := now.Truncate(tvSlot)
	t.charge(now)
	next, err := t.choose(ctx, db, duels, slot)
	if err == nil && next.code() != t.code && t.rest > 0 {
		t.add(t.rest, now)
		t.rest = 0
		next, err = t.choose(ctx, db, duels, slot)
	}
	if err != nil {
		t.until = time.Time{}
		return TVOut{}, err
	}
	t.show(&next, slot)
	t.until = now.Add(tvFresh)
	return t.out, nil
}

// choice is a duel for the channel: a live one, a replay, or none.
type choice struct {
	live, replay *duel.Duel
	voided       *Voided // of replay
}

// code returns the code of the duel; "" for none.
func (c *choice) code() string {
	if d := cmp.Or(c.live, c.replay); d != nil {
		return d.Code
	}
	return ""
}

// choose reads which duel is on now: the one in out, while it goes on and its network has not had its share.
func (t *tv) choose(ctx context.Context, db *store.DB, duels *duel.Service, slot time.Time) (c choice, err error) {
	current := ""
	if t.out.Live {
		current = t.out.Duel.ID
	}
	err = db.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		c = choice{} // the closure may be retried
		if c.live, err = duels.Live(ctx, tx, current, t.had); err != nil || c.live != nil {
			return err
		}
		if t.replay != "" && slot.Equal(t.slot) {
			c.replay, _, err = duels.Get(ctx, tx, t.replay) // the names of its players may have changed
		} else {
			c.replay, err = duels.Replay(ctx, tx, t.shown, t.had)
		}
		if err != nil || c.replay == nil {
			return err
		}
		c.voided, err = voidOf(ctx, tx, chain.DuelGameID(c.replay.Code))
		return err
	})
	return c, err
}

// show puts a duel on the air.
func (t *tv) show(next *choice, slot time.Time) {
	live, replay := next.live, next.replay
	t.onAir = nil
	switch {
	case live != nil:
		t.onAir = live.Network
		d := wireDuel(live, chain.Address{})
		d.withoutSalts()
		t.out = TVOut{Duel: &d, Live: true}
	case replay != nil:
		if !t.had(replay.Network) { // otherwise there is no other, and its pause goes on
			t.onAir = replay.Network
		}
		d := wireDuel(replay, chain.Address{})
		d.withoutSalts()
		d.Voided = next.voided
		if d.ID != t.replay || !slot.Equal(t.slot) {
			t.slot, t.replay = slot, d.ID
			t.shown = append(t.shown[max(0, len(t.shown)+1-tvShown):], d.ID)
		}
		t.out = TVOut{Duel: &d, StartsAt: &Time{t.slot}, EndsAt: &Time{t.slot.Add(tvSlot)}}
	default:
		t.out = TVOut{}
	}
	if next.code() == t.code {
		return
	}
	t.code, t.rest = next.code(), 0
	if t.onAir != nil {
		t.rest = time.Duration(tvShare.Network) * time.Second
	}
}

// viewers counts the distinct callers that watch. The zero value counts none.
type viewers struct {
	mu     sync.Mutex           // guards the fields below
	seen   map[string]time.Time // when each viewer called last
	pruned time.Time
}

// note counts a viewer and returns the number of viewers.
func (v *viewers) note(key string, now time.Time) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.prune(now)
	if _, seen := v.seen[key]; seen || len(v.seen) < maxViewers {
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

// prune drops viewers whose last call is viewerSpan ago, at most once a second.
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
