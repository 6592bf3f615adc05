package arena

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/arena/glicko"
)

// The rules of matching are pure functions on the waiting bots.
//
// An outside bot is matched with the first of these that is available:
//
//  1. at once: the outside bot with the nearest rating, if either is within the other's
//     window;
//  2. after repeatDelay, unless a house bot is due: its last opponent again;
//  3. after houseDelay, for its first duel at once: the house bot with the nearest rating,
//     however far that is, because the house guarantees every bot an opponent.
//
// It is never matched with a bot of its own owner. houseDelay lets outside bots meet one
// another even if house bots are always free; the author of a new bot waits for its first result.
//
// House bots are paired with one another slowly (houseInterval), and only while enough of
// them remain for the outside bots that wait.
const (
	// QueueTimeout is how long a bot stays in the queue after its last request.
	QueueTimeout = 10 * time.Second
	// HouseInterval is the minimum time between two duels of house bots with each other,
	// over all nodes, once they have played HouseStart duels.
	HouseInterval = 15 * time.Second
	// HouseStart is how many duels of house bots with each other follow HouseStartInterval,
	// so that a new service soon has ratings and results to show.
	HouseStart         = 24
	HouseStartInterval = time.Second

	houseDelay     = 5 * time.Second
	repeatDelay    = 100 * time.Millisecond
	windowStart    = 100 // points
	windowGrowth   = 100 // points per second of waiting
	neighbourCount = 8   // neighbours considered on each side
)

// houseInterval returns the minimum time before the next duel of house bots with each other,
// after a number of them.
func houseInterval(pairings int64) time.Duration {
	if pairings < HouseStart {
		return HouseStartInterval
	}
	return HouseInterval
}

// waiter is a waiting bot.
type waiter struct {
	address chain.Address
	owner   *chain.Address // nil for house bots
	network string         // of its network address; "" for an exempt one
	charged fairshare.Tag  // with a duel that it waited for longer than its opponent; nil for none
	rating  int64          // in millionths of a point
	last    *chain.Address // the last opponent; nil for none
	since   time.Time      // when it entered the queue
	version int64          // of its row

	// The fields below are used while pairs runs: whether w is matched, and the unmatched
	// outside bots with the next lower and the next higher rating.
	matched      bool
	below, above *waiter
}

// houseDue reports whether an outside bot may play a house bot.
func (w *waiter) houseDue(now time.Time) bool { return w.last == nil || now.Sub(w.since) >= houseDelay }

// window returns the maximum rating distance of an opponent, in points, after a wait.
func window(waited time.Duration) int64 {
	return windowStart + windowGrowth*max(0, waited.Milliseconds())/1000
}

// reaches reports whether c is in w's window.
func (w *waiter) reaches(c *waiter, now time.Time) bool {
	return distance(w, c) <= window(now.Sub(w.since))*glicko.Point
}

// distance returns the rating distance of two bots in millionths of a point.
func distance(a, b *waiter) int64 { return max(a.rating-b.rating, b.rating-a.rating) }

// related reports whether two players must not play each other: they are the same one, have the
// same owner, or ask from the same network address.
func related(a, b *waiter) bool {
	return a.address == b.address || a.network != "" && a.network == b.network || a.owner != nil && b.owner != nil &&
		*a.owner == *b.owner
}

// again reports whether either bot was the other's last opponent.
func again(a, b *waiter) bool {
	return a.last != nil && *a.last == b.address || b.last != nil && *b.last == a.address
}

// nearest returns the accepted candidate with the nearest rating, or nil; of two equally near
// ones the longer waiting.
func nearest(w *waiter, candidates []*waiter, accept func(*waiter) bool) *waiter {
	var best *waiter
	for _, c := range candidates {
		if !accept(c) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(distance(w, c), distance(w, best)), byWait(c, best)) < 0 {
			best = c
		}
	}
	return best
}

// byWait orders waiters by their waiting time, longest first.
func byWait(a, b *waiter) int {
	return cmp.Or(a.since.Compare(b.since), bytes.Compare(a.address[:], b.address[:]))
}

// immediate returns the neighbour that an outside bot is matched with without a delay, or
// nil. neighbours are outside bots.
func immediate(w *waiter, neighbours []*waiter, now time.Time) *waiter {
	return nearest(w, neighbours, func(c *waiter) bool {
		return !related(w, c) && !again(w, c) && (w.reaches(c, now) || c.reaches(w, now))
	})
}

// pair is two bots that are matched with each other. Its duel is charged to the first one: of an outside and a house
// bot the outside one, of two the one that has waited longer, since it began.
type pair struct{ a, b *waiter }

// pairs matches waiting bots. It considers only a few neighbours of each bot, so its cost
// is the cost of sorting them. housePairing allows one pair of house bots.
func pairs(waiting []*waiter, now time.Time, housePairing bool) []pair {
	t := newTable(waiting)
	left := 0 // outside bots without an opponent
	for _, w := range t.outside {
		if w.matched {
			continue
		}
		if c := t.opponent(w, now); c != nil {
			t.match(w, c)
		} else {
			left++
		}
	}
	if housePairing {
		t.pairHouse(left, now)
	}
	return t.pairs
}

// table is the state of pairs.
type table struct {
	outside []*waiter // longest waiting first
	house   []*waiter // longest waiting first
	pairs   []pair
}

// newTable sorts waiting bots and links the outside bots by rating.
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

// match records a pair and unlinks both bots.
func (t *table) match(a, b *waiter) {
	for _, w := range []*waiter{a, b} {
		w.matched = true
		if w.below != nil {
			w.below.above = w.above
		}
		if w.above != nil {
			w.above.below = w.below
		}
	}
	t.pairs = append(t.pairs, pair{a, b})
}

// opponent returns the opponent of an outside bot, or nil if it has to wait.
func (t *table) opponent(w *waiter, now time.Time) *waiter {
	neighbours := w.neighbours()
	if c := immediate(w, neighbours, now); c != nil {
		return c
	}
	house := t.house
	if !w.houseDue(now) {
		house = nil
	}
	if c := nearest(w, house, func(c *waiter) bool { return !c.matched && !again(w, c) }); c != nil {
		return c
	}
	if now.Sub(w.since) < repeatDelay {
		return nil
	}
	c := nearest(w, neighbours, func(c *waiter) bool {
		return !related(w, c) && (w.reaches(c, now) || c.reaches(w, now))
	})
	if c == nil {
		c = nearest(w, house, func(c *waiter) bool { return !c.matched })
	}
	return c
}

// neighbours returns the unmatched outside bots next to w by rating: up to neighbourCount
// below and above. An owner has fewer bots than that, so if w may play any bot on a side, the
// list contains one.
func (w *waiter) neighbours() []*waiter {
	var list []*waiter
	for c := w.below; c != nil && len(list) < neighbourCount; c = c.below {
		list = append(list, c)
	}
	n := len(list) + neighbourCount
	for c := w.above; c != nil && len(list) < n; c = c.above {
		list = append(list, c)
	}
	return list
}

// pairHouse matches the longest waiting house bot that is unmatched with another one, if at
// least reserve house bots remain unmatched. The time picks the opponent, so that all pairs
// meet.
func (t *table) pairHouse(reserve int, now time.Time) {
	free := slices.DeleteFunc(slices.Clone(t.house), func(c *waiter) bool { return c.matched })
	if len(free) < 2+reserve {
		return
	}
	w := free[0]
	others := slices.DeleteFunc(slices.Clone(free[1:]), func(c *waiter) bool { return again(w, c) })
	if len(others) == 0 {
		others = free[1:]
	}
	t.match(w, others[now.UnixMilli()%int64(len(others))])
}
