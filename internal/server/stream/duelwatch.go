package stream

import (
	"context"
	"math"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// maxOwn bounds how many of the caller's own duels a stream watches, for each status.
const maxOwn = duel.MaxUnfinished + 1

// Attendance marks a caller as present at a duel until leave is called; there returns which sides are, and the
// event that says so. Both are nil if the caller does not play it as a person.
type Attendance func(d *duel.Duel) (leave func(), there func() (sides string, event any))

// duelWatch watches every step of some duels for a stream: those that the caller named, and the
// caller's own unfinished ones. Steps are not in the log of events. A stream sends the state of
// each duel at the beginning and whenever its version has changed: an interruption loses
// nothing, and no version is sent twice.
type duelWatch struct {
	cache       *duelCache
	named       []string                // codes that the caller named
	owner       *chain.Address          // whose own duels are watched; nil for none
	attend      Attendance              // see Follow
	extraTopics []string                // topics to watch beside the duels
	duels       map[string]*watchedDuel // by code
	woken       *event.Watch            // of all duels and extraTopics
}

// watchedDuel is a duel whose steps a stream sends.
type watchedDuel struct {
	cached *cachedDuel
	sent   int64  // the version that was sent last, or noVersion
	seen   string // the sides that were there when presence was sent last; "" if it was not
	leave  func() // ends the owner's presence; nil without it
	// there returns the sides that are there, and the event that says so; nil without the owner's presence.
	there func() (sides string, event any)
}

// noVersion is below the version of every duel.
const noVersion = -1

// name adds duels by their codes. Errors: duel.ErrNotFound.
func (w *duelWatch) name(ctx context.Context, codes []string) error {
	for _, text := range codes {
		code, ok := duel.ParseCode(text)
		if !ok {
			return duel.ErrNotFound
		}
		w.named = append(w.named, code)
	}
	if len(codes) == 0 {
		return nil
	}
	return w.cache.db.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, code := range w.named { // at most 8, the contract's maxItems
			if _, _, err := w.cache.service.Get(ctx, tx, code); err != nil {
				return err
			}
		}
		return nil
	})
}

// own returns the codes of the owner's unfinished duels.
func (w *duelWatch) own(ctx context.Context) ([]string, error) {
	if w.owner == nil {
		return nil, nil
	}
	return store.Read(ctx, w.cache.db, func(ctx context.Context, tx *store.Tx) (codes []string, err error) {
		for _, status := range []duel.Status{duel.Open, duel.Active} {
			list, err := w.cache.service.List(ctx, tx, duel.Filter{Of: *w.owner, Status: status, Before: math.MaxInt64,
				Count: maxOwn})
			if err != nil {
				return nil, err
			}
			for _, d := range list {
				codes = append(codes, d.Code)
			}
		}
		return codes, nil
	})
}

// watch starts to watch the duels, in place of the last call's duels. It returns their codes:
// the caller sends their states, which may have changed before the watch began.
func (w *duelWatch) watch(ctx context.Context) ([]string, error) {
	codes, err := w.own(ctx)
	if err != nil {
		return nil, err
	}
	codes = append(codes, w.named...)
	slices.Sort(codes)
	codes = slices.Compact(codes)
	duels, topics := make(map[string]*watchedDuel, len(codes)), slices.Clone(w.extraTopics)
	for _, code := range codes {
		duels[code] = &watchedDuel{cached: w.cache.acquire(code), sent: noVersion}
		if before, ok := w.duels[code]; ok {
			duels[code].sent, duels[code].seen = before.sent, before.seen
			duels[code].there, duels[code].leave, before.leave = before.there, before.leave, nil
		}
		topics = append(topics, event.Duel(code))
	}
	w.release()
	// Rewatch hands pending wake-ups on: one of them may mean that the stream has to end.
	w.duels, w.woken = duels, w.cache.woken.Rewatch(w.woken, topics...)
	return codes, nil
}

// close stops watching.
func (w *duelWatch) close() {
	w.release()
	if w.woken != nil {
		w.woken.Close()
	}
}

// release returns the duels to the cache, and ends the owner's presence at them.
func (w *duelWatch) release() {
	for _, d := range w.duels {
		if d.leave != nil {
			d.leave()
		}
		w.cache.release(d.cached)
	}
	w.duels = nil
}

// send writes the states of the duels whose version has not been sent yet, and which sides are there. It calls
// check before the first one that the owner plays, and returns its error.
func (w *duelWatch) send(ctx context.Context, out *writer, codes []string,
	check func(context.Context, *writer) error) error {
	checked := w.owner == nil
	for _, code := range codes {
		d := w.duels[code]
		version, body, err := d.cached.load(ctx, w.cache)
		if err != nil {
			return err
		}
		if !checked && d.cached.players().Side(*w.owner) != game.NoSide {
			if err := check(ctx, out); err != nil {
				return err
			}
			checked = true
		}
		if version != d.sent {
			d.sent = version
			out.event("duel", body)
		}
		if err := w.sendPresence(out, d); err != nil {
			return err
		}
	}
	return out.flush()
}

// sendPresence marks the owner as present at a named duel that it plays as a person, and writes which sides are
// there if that has changed.
func (w *duelWatch) sendPresence(out *writer, d *watchedDuel) error {
	if w.attend == nil || !slices.Contains(w.named, d.cached.code) {
		return nil
	}
	if d.leave == nil {
		if d.leave, d.there = w.attend(d.cached.players()); d.leave == nil {
			return nil
		}
	}
	sides, presence := d.there()
	if d.seen == sides {
		return nil
	}
	d.seen = sides
	return out.value("presence", presence)
}

// codesOf returns the codes of the duels among topics.
func codesOf(topics []string) []string {
	var codes []string
	for _, topic := range topics {
		if code, ok := strings.CutPrefix(topic, event.Duel("")); ok {
			codes = append(codes, code)
		}
	}
	return codes
}

// ofAccount reports whether an event is for the caller alone.
func ofAccount(e *event.Stored) bool { return strings.HasPrefix(e.Topic, "account:") }

// changesOwn reports whether an event may add or remove one of the caller's own duels.
func changesOwn(e *event.Stored) bool { return ofAccount(e) && strings.HasPrefix(e.Kind, "duel_") }
