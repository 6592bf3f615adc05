package stream

import (
	"context"
	"sync"
	"sync/atomic"

	"roshambo/contract"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// duelCache holds the duels that streams of this node watch. A step wakes all watchers of its
// duel at once, possibly thousands; the first of them reads the duel from the database, and the
// others use what it has read.
type duelCache struct {
	db      *store.DB
	service *duel.Service
	steps   *event.Hub           // wakes for each step of a duel
	event   func(*duel.Duel) any // see Config.DuelEvent
	woken   event.Hub            // wakes streams: for a step of a duel that they watch, or to check their session

	mu    sync.Mutex // guards duels, and users of every entry
	duels map[string]*cachedDuel
}

// cachedDuel is the newest known version of one duel.
type cachedDuel struct {
	code  string
	users int // streams that have acquired it
	step  *event.Watch
	stale atomic.Bool // the duel has made a step since the last read

	mu      sync.Mutex // guards the fields below; held during a read
	version int64
	body    string    // JSON of the duel's event
	sides   duel.Duel // its code and its players
}

// acquire returns the cache entry of a duel; the caller calls release. From then on each step of the duel,
// and the coming and going of a side, wakes event.Duel(code) of c.woken.
func (c *duelCache) acquire(code string) *cachedDuel {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.duels[code]
	if d == nil {
		d = &cachedDuel{code: code}
		d.stale.Store(true)
		d.step = c.steps.OnWake(func() {
			d.stale.Store(true) // before the wake-up: a woken stream must not load the old version
			c.woken.Wake(event.Duel(code))
		}, event.Duel(code), event.Presence(code))
		if c.duels == nil {
			c.duels = map[string]*cachedDuel{}
		}
		c.duels[code] = d
	}
	d.users++
	return d
}

// release drops the entry when its last user releases it.
func (c *duelCache) release(d *cachedDuel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.users--; d.users == 0 {
		d.step.Close()
		delete(c.duels, d.code)
	}
}

// load returns the duel's version and the body of its event. They are not older than the last
// step that the caller can know of.
func (d *cachedDuel) load(ctx context.Context, c *duelCache) (version int64, body string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.stale.Swap(false) {
		return d.version, d.body, nil
	}
	// Other streams wait for this read, so it outlives the stream that started it.
	err = c.db.View(context.WithoutCancel(ctx), func(ctx context.Context, tx *store.Tx) error {
		found, _, err := c.service.Get(ctx, tx, d.code)
		if err != nil {
			return err
		}
		text, err := contract.Encode(c.event(found))
		d.version, d.body = found.Version, string(text)
		d.sides = duel.Duel{Code: found.Code, A: found.A, B: found.B}
		return err
	})
	if err != nil {
		d.stale.Store(true)
	}
	return d.version, d.body, err
}

// players returns the duel's code and its players, as of the last load.
func (d *cachedDuel) players() *duel.Duel {
	d.mu.Lock()
	defer d.mu.Unlock()
	sides := d.sides
	return &sides
}
