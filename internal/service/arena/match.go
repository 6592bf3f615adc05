package arena

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/arena/glicko"
)

// The rules of matching: pure functions on who waits.
//
// An outside bot gets, in this order:
//
//  1. at once, the nearest outside bot within its window, or in whose window it is;
//  2. once it has waited for a moment, a bot of the house, however far its rating: the
//     house is there so that nobody waits;
//  3. then too, and when there is nobody else, the opponent that it has just had.
//
// It never gets a bot of its own owner. The moment lets outside bots meet one another
// even if the house is always free; it is short enough for a pairing to count as at once.
//
// Bots of the house get whom the outside leaves them. They are paired with one another
// only while no outside bot waits, and rarely (HousePace): enough to rate them, too few
// to fill the chain.
const (
	// Lapse is how long a bot waits after it has last asked.
	Lapse = 10 * time.Second
	// HousePace is the least time between two duels of the house with itself, over all
	// nodes.
	HousePace = 30 * time.Second

	moment       = 100 * time.Millisecond
	windowStart  = 100 // points
	windowGrowth = 100 // points in a second of waiting
	reach        = 8   // how many neighbours on either side are looked at
)

// waiter is a bot that waits.
type waiter struct {
	address chain.Address
	owner   *chain.Address // nil for the house
	rating  int64          // in millionths of a point
	last    *chain.Address // whom it has played last
	since   time.Time
	version int64

	// While they are matched: whether somebody has it, and the outside bots next to it by
	// rating that nobody has.
	taken        bool
	below, above *waiter
}

// window returns how far the rating of an opponent may be, in points, after a wait.
func window(waited time.Duration) int64 {
	return windowStart + windowGrowth*max(0, waited.Milliseconds())/1000
}

// reaches says whether c is in w's window.
func (w *waiter) reaches(c *waiter, now time.Time) bool {
	return distance(w, c) <= window(now.Sub(w.since))*glicko.Point
}

func distance(a, b *waiter) int64 { return max(a.rating-b.rating, b.rating-a.rating) }

// related says whether two bots must not play each other.
func related(a, b *waiter) bool {
	return a.address == b.address || a.owner != nil && b.owner != nil && *a.owner == *b.owner
}

// again says whether two bots have just played each other.
func again(a, b *waiter) bool {
	return a.last != nil && *a.last == b.address || b.last != nil && *b.last == a.address
}

// nearest returns the candidate with the nearest rating that passes, or nil; of two as
// near the one that waits longer.
func nearest(w *waiter, candidates []*waiter, passes func(*waiter) bool) *waiter {
	var best *waiter
	for _, c := range candidates {
		if !passes(c) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(distance(w, c), distance(w, best)), byWait(c, best)) < 0 {
			best = c
		}
	}
	return best
}

// byWait orders by who has waited longest.
func byWait(a, b *waiter) int {
	return cmp.Or(a.since.Compare(b.since), bytes.Compare(a.address[:], b.address[:]))
}

// atOnce returns whom an outside bot that arrives is matched with, of its neighbours
// outside the house, or nil.
func atOnce(w *waiter, neighbours []*waiter, now time.Time) *waiter {
	return nearest(w, neighbours, func(c *waiter) bool {
		return !related(w, c) && !again(w, c) && (w.reaches(c, now) || c.reaches(w, now))
	})
}

// pair is two bots that are to play.
type pair struct{ a, b *waiter }

// pairs matches those who wait. It looks at the neighbours of each alone, so its cost
// grows with their number and no faster than sorting them.
func pairs(waiting []*waiter, now time.Time, houseMayPlayItself bool) []pair {
	t := newTable(waiting)
	left := false // an outside bot without an opponent
	for _, w := range t.outside {
		if w.taken {
			continue
		}
		if c := t.opponent(w, now); c != nil {
			t.take(w, c)
		} else {
			left = true
		}
	}
	if houseMayPlayItself && !left {
		t.pairHouse()
	}
	return t.pairs
}

// table is who waits while they are matched.
type table struct {
	outside []*waiter // the longest waiting first
	house   []*waiter // likewise
	pairs   []pair
}

func newTable(waiting []*waiter) *table {
	t := &table{}
	for _, w := range slices.SortedFunc(slices.Values(waiting), byWait) {
		if w.owner == nil {
			t.house = append(t.house, w)
		} else {
			t.outside = append(t.outside, w)
		}
	}
	var below *waiter
	for _, w := range slices.SortedFunc(slices.Values(t.outside), func(a, b *waiter) int {
		return cmp.Or(cmp.Compare(a.rating, b.rating), byWait(a, b))
	}) {
		w.below = below
		if below != nil {
			below.above = w
		}
		below = w
	}
	return t
}

func (t *table) take(a, b *waiter) {
	for _, w := range []*waiter{a, b} {
		w.taken = true
		if w.below != nil {
			w.below.above = w.above
		}
		if w.above != nil {
			w.above.below = w.below
		}
	}
	t.pairs = append(t.pairs, pair{a, b})
}

// opponent returns whom an outside bot gets, or nil while it has to wait.
func (t *table) opponent(w *waiter, now time.Time) *waiter {
	neighbours := w.neighbours()
	if c := atOnce(w, neighbours, now); c != nil {
		return c
	}
	if now.Sub(w.since) < moment {
		return nil
	}
	if c := nearest(w, t.house, func(c *waiter) bool { return !c.taken && !again(w, c) }); c != nil {
		return c
	}
	c := nearest(w, neighbours, func(c *waiter) bool {
		return !related(w, c) && (w.reaches(c, now) || c.reaches(w, now))
	})
	if c == nil {
		c = nearest(w, t.house, func(c *waiter) bool { return !c.taken })
	}
	return c
}

// neighbours returns the outside bots next to w that nobody has: up to reach below and
// above. An owner has few bots, so among them is one that w may play if there is any.
func (w *waiter) neighbours() []*waiter {
	var list []*waiter
	for c := w.below; c != nil && len(list) < reach; c = c.below {
		list = append(list, c)
	}
	n := len(list) + reach
	for c := w.above; c != nil && len(list) < n; c = c.above {
		list = append(list, c)
	}
	return list
}

// pairHouse matches the bot of the house that has waited longest with another one.
func (t *table) pairHouse() {
	for _, w := range t.house {
		if w.taken {
			continue
		}
		free := func(c *waiter) bool { return c != w && !c.taken }
		c := nearest(w, t.house, func(c *waiter) bool { return free(c) && !again(w, c) })
		if c == nil {
			c = nearest(w, t.house, free)
		}
		if c != nil {
			t.take(w, c)
			return
		}
	}
}
