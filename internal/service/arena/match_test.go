package arena

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/service/arena/glicko"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// bot returns a waiter. Owner 0 is the house; waited is in milliseconds.
func bot(n, owner byte, rating, waited int64) *waiter {
	w := &waiter{
		address: chain.Address{n}, rating: rating * glicko.Point,
		since: noon.Add(-time.Duration(waited) * time.Millisecond),
	}
	if owner != 0 {
		w.owner = &chain.Address{0xff, owner}
	}
	return w
}

// after sets a bot's last opponent.
func (w *waiter) after(n byte) *waiter {
	w.last = &chain.Address{n}
	return w
}

func TestPairs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		waiting []*waiter
		house   bool // may play itself
		want    string
	}{
		"empty":                {nil, true, ""},
		"one":                  {[]*waiter{bot(1, 1, 1500, 9000)}, true, ""},
		"two at once":          {[]*waiter{bot(1, 1, 1500, 0), bot(2, 2, 1600, 0)}, false, "1-2"},
		"outside the window":   {[]*waiter{bot(1, 1, 1500, 0), bot(2, 2, 1601, 0)}, false, ""},
		"the window has grown": {[]*waiter{bot(1, 1, 1500, 3000), bot(2, 2, 1900, 0)}, false, "1-2"},
		"it grows at once":     {[]*waiter{bot(1, 1, 1500, 50), bot(2, 2, 1605, 0)}, false, "1-2"},
		"not yet enough":       {[]*waiter{bot(1, 1, 1500, 2990), bot(2, 2, 1900, 0)}, false, ""},
		"of one owner":         {[]*waiter{bot(1, 1, 1500, 60_000), bot(2, 1, 1500, 60_000)}, false, ""},
		"the nearest":          {[]*waiter{bot(1, 1, 1500, 50), bot(2, 2, 1560, 0), bot(3, 3, 1450, 0)}, false, "1-3"},
		"the longest wait chooses": {
			[]*waiter{bot(1, 1, 1500, 0), bot(2, 2, 1510, 0), bot(3, 3, 1540, 500)}, false, "3-2",
		},
		"of two equally near, the longer waiting": {
			[]*waiter{bot(1, 1, 1500, 90), bot(2, 2, 1510, 10), bot(3, 3, 1490, 20)}, false, "1-3",
		},
		"the house after 5 s":  {[]*waiter{bot(1, 1, 1500, 5000).after(9), bot(2, 0, 2500, 0)}, false, "1-2"},
		"not before":           {[]*waiter{bot(1, 1, 1500, 4999).after(9), bot(2, 0, 1500, 90_000)}, true, ""},
		"but for a first duel": {[]*waiter{bot(1, 1, 1500, 0), bot(2, 0, 2500, 0)}, false, "1-2"},
		"rather outside, also for a first duel": {[]*waiter{bot(1, 1, 1500, 0), bot(2, 0, 1500, 0), bot(3, 2, 1550, 0)},
			false, "1-3"},
		"rather outside than house": {[]*waiter{bot(1, 1, 1500, 6000), bot(2, 0, 1500, 0), bot(3, 2, 1550, 0)}, false,
			"1-3"},
		"the house rather than again": {[]*waiter{bot(1, 1, 1500, 6000).after(3), bot(2, 0, 900, 0),
			bot(3, 2, 1550, 0)}, false, "1-2"},
		"again while the house is not due": {[]*waiter{bot(1, 1, 1500, 4999).after(3), bot(2, 0, 1500, 0),
			bot(3, 2, 1550, 0)}, false, "1-3"},
		"another of the house": {[]*waiter{bot(1, 1, 1500, 6000).after(2), bot(2, 0, 1500, 0),
			bot(3, 0, 900, 0)}, false, "1-3"},
		"again when there is no other": {[]*waiter{bot(1, 1, 1500, 200).after(2), bot(2, 2, 1500, 200).after(1)}, false,
			"1-2"},
		"again after 100 ms":     {[]*waiter{bot(1, 1, 1500, 100).after(2), bot(2, 2, 1500, 0).after(1)}, false, "1-2"},
		"again, but not at once": {[]*waiter{bot(1, 1, 1500, 50).after(2), bot(2, 2, 1500, 50).after(1)}, false, ""},
		"again with the house":   {[]*waiter{bot(1, 1, 1500, 6000).after(2), bot(2, 0, 1500, 0)}, false, "1-2"},
		"the house with itself":  {[]*waiter{bot(1, 0, 1500, 9000), bot(2, 0, 2500, 0)}, true, "1-2"},
		"not with the last opponent": {[]*waiter{bot(1, 0, 1500, 9000).after(3), bot(2, 0, 2500, 0),
			bot(3, 0, 1600, 90)}, true, "1-2"},
		"not so often": {[]*waiter{bot(1, 0, 1500, 9000), bot(2, 0, 1500, 9000)}, false, ""},
		"one pair of the house": {[]*waiter{bot(1, 0, 1, 4), bot(2, 0, 1, 3), bot(3, 0, 1, 2), bot(4, 0, 1, 1)},
			true, "1-2"},
		"not while an outsider needs one of them": {
			[]*waiter{bot(1, 1, 1500, 50).after(9), bot(2, 0, 1500, 9000), bot(3, 0, 1500, 9000)}, true, "",
		},
		"while enough are left for outsiders": {
			[]*waiter{bot(1, 1, 1500, 50).after(9), bot(2, 0, 1500, 9000), bot(3, 0, 1500, 9000), bot(4, 0, 1500, 8000)},
			true, "2-3",
		},
		"while others from outside play": {
			[]*waiter{bot(1, 1, 1500, 6000), bot(2, 0, 1500, 9000), bot(3, 0, 1700, 9000),
				bot(4, 0, 1800, 9000)}, true, "1-2 3-4",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := text(pairs(c.waiting, noon, c.house)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// text returns the first bytes of the addresses of pairs, as 1-2 3-4.
func text(list []pair) string {
	var words []string
	for _, p := range list {
		words = append(words, fmt.Sprintf("%d-%d", p.a.address[0], p.b.address[0]))
	}
	return strings.Join(words, " ")
}

// TestRandomPairs checks for random queues that every pair is allowed, and that no two of the
// remaining bots should have been matched.
func TestRandomPairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "bots")
		owned := map[byte]int{}
		waiting := make([]*waiter, n)
		for i := range waiting {
			owner := byte(rapid.IntRange(0, 30).Draw(t, "owner"))
			if owned[owner]++; owned[owner] > 3 { // account.MaxBots
				owner = 0
			}
			waiting[i] = bot(byte(i+1), owner, rapid.Int64Range(800, 2400).Draw(t, "rating"),
				rapid.Int64Range(0, 9000).Draw(t, "waited"))
			if rapid.Bool().Draw(t, "has played") {
				waiting[i].after(byte(rapid.IntRange(1, n).Draw(t, "last")))
			}
		}
		for _, w := range waiting { // whoever was an opponent has played
			if w.last != nil && waiting[w.last[0]-1].last == nil {
				waiting[w.last[0]-1].after(w.address[0])
			}
		}
		house := rapid.Bool().Draw(t, "house may play itself")
		list := pairs(waiting, noon, house)
		seen, houseDuels := map[*waiter]bool{}, 0
		for _, p := range list {
			if seen[p.a] || seen[p.b] || p.a == p.b || related(p.a, p.b) {
				t.Fatalf("%v plays %v: matched twice, with itself or with a bot of its owner", p.a.address[0], p.b.address[0])
			}
			seen[p.a], seen[p.b] = true, true
			switch {
			case p.a.owner == nil && p.b.owner == nil:
				houseDuels++
			case p.a.owner != nil && p.b.owner != nil && !p.a.reaches(p.b, noon) && !p.b.reaches(p.a, noon):
				t.Fatalf("%v and %v are outside of each other's window", p.a.address[0], p.b.address[0])
			}
		}
		if houseDuels > 1 || houseDuels == 1 && !house {
			t.Fatalf("%d duels between house bots, allowed: %v", houseDuels, house)
		}
		checkLeft(t, waiting, list, seen, houseDuels)
	})
}

// checkLeft checks that no two unmatched bots should have been matched.
func checkLeft(t *rapid.T, waiting []*waiter, list []pair, seen map[*waiter]bool, houseDuels int) {
	var outside, house []*waiter
	for _, w := range waiting {
		switch {
		case seen[w]:
		case w.owner == nil:
			house = append(house, w)
		default:
			outside = append(outside, w)
		}
	}
	if houseDuels > 0 && len(house) < len(outside) {
		t.Fatalf("house bots were paired: %d are left for %d outside bots", len(house), len(outside))
	}
	for i, w := range outside {
		late := noon.Sub(w.since) >= repeatDelay
		if w.houseDue(noon) && len(house) > 0 {
			t.Fatalf("%v and house bot %v both wait", w.address[0], house[0].address[0])
		}
		for _, c := range outside[i+1:] {
			inReach := w.reaches(c, noon) || c.reaches(w, noon)
			if inReach && !related(w, c) && (!again(w, c) || late) {
				t.Fatalf("%v and %v both wait and may play", w.address[0], c.address[0])
			}
		}
	}
	for _, p := range list {
		for _, h := range house {
			due := p.a.owner != nil && p.a.houseDue(noon)
			if due && again(p.a, p.b) && !again(p.a, h) {
				t.Fatalf("%v plays %v again while house bot %v waits", p.a.address[0], p.b.address[0], h.address[0])
			}
		}
	}
}

// TestHousePairsVary checks that over time a house bot meets all others.
func TestHousePairsVary(t *testing.T) {
	t.Parallel()
	met := map[byte]bool{}
	for ms := range 8 {
		waiting := []*waiter{bot(1, 0, 1500, 9000), bot(2, 0, 1500, 0), bot(3, 0, 2500, 0), bot(4, 0, 500, 0)}
		for _, p := range pairs(waiting, noon.Add(time.Duration(ms)*time.Millisecond), true) {
			met[p.b.address[0]] = true
		}
	}
	if len(met) != 3 {
		t.Errorf("met %v, want three opponents", met)
	}
}

func TestHouseInterval(t *testing.T) {
	t.Parallel()
	for pairings, want := range map[int64]time.Duration{
		0: HouseStartInterval, HouseStart - 1: HouseStartInterval, HouseStart: HouseInterval, 1 << 40: HouseInterval,
	} {
		if got := houseInterval(pairings); got != want {
			t.Errorf("after %d: %v, want %v", pairings, got, want)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]int64{
		-time.Second: 100, 0: 100, 999 * time.Millisecond: 199, time.Second: 200, 10 * time.Second: 1100,
	} {
		if got := window(waited); got != want {
			t.Errorf("after %v: %d points, want %d", waited, got, want)
		}
	}
}

// BenchmarkPairs measures a pass over 2,000 bots that may not play one another.
func BenchmarkPairs(b *testing.B) {
	for b.Loop() {
		waiting := make([]*waiter, 2000)
		for i := range waiting {
			waiting[i] = bot(0, 1, int64(i), 5000)
			waiting[i].address[1], waiting[i].address[2] = byte(i), byte(i>>8)
		}
		if len(pairs(waiting, noon, true)) != 0 {
			b.Fatal("bots of one owner were matched")
		}
	}
}

// TestNeighbours checks that only a bounded number of the bots on each side is considered, the nearest.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	var waiting []*waiter
	for n := range byte(4 * neighbourCount) {
		waiting = append(waiting, bot(n, n+1, 1500+int64(n), 0))
	}
	newTable(waiting)
	const at = 2 * neighbourCount
	got := map[byte]bool{}
	for _, c := range waiting[at].neighbours() {
		got[c.address[0]] = true
	}
	for n := range waiting {
		if want := n != at && n >= at-neighbourCount && n <= at+neighbourCount; got[byte(n)] != want {
			t.Errorf("bot %d is a neighbour of bot %d: %v, want %v", n, at, got[byte(n)], want)
		}
	}
}

// TestAgain checks that either side's last opponent counts.
func TestAgain(t *testing.T) {
	t.Parallel()
	ann, bob, cyd := chain.Address{1}, chain.Address{2}, chain.Address{3}
	for _, tt := range []struct {
		a, b *chain.Address // the last opponents of ann and of bob
		want bool
	}{{nil, nil, false}, {&bob, nil, true}, {nil, &ann, true}, {&cyd, &cyd, false}, {&cyd, &ann, true}, {&bob, &cyd,
		true}} {
		a, b := &waiter{address: ann, last: tt.a}, &waiter{address: bob, last: tt.b}
		if got := again(a, b); got != tt.want {
			t.Errorf("last opponents %v and %v: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
