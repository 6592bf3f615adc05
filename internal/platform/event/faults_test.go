package event

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"roshambo/internal/platform/testseed"
	"roshambo/internal/store"
)

// TestEventsThroughFaults posts and numbers events while commits fail, with and without being
// stored, and closures run twice. Every event of a successful post is delivered once and in order,
// one of a rolled back post never, and one with an unknown result at most once.
func TestEventsThroughFaults(t *testing.T) {
	t.Parallel()
	var wrong atomic.Bool
	random := testseed.Rand(t) // faults are drawn sequentially
	b := openWith(t, &store.Faults{
		Commit: func() store.Fault {
			if !wrong.Load() {
				return store.NoFault
			}
			return []store.Fault{store.NoFault, store.NoFault, store.NotStored, store.Stored}[random.IntN(4)]
		},
		Twice: func() bool { return wrong.Load() && random.IntN(3) == 0 },
	})
	tails := []*Tail{b.tail(t, true), b.tail(t, true)}
	wrong.Store(true)
	const posts = 150
	known := map[string]bool{} // whether the post is known to be stored
	var order []string
	answered := map[bool]int{} // by whether the result was known
	for i := range posts {
		fail := error(nil)
		if i%7 == 6 {
			fail = errors.New("failed on purpose")
		}
		name := fmt.Sprint("feed ", i)
		err := b.post(t.Context(), fail, Event{"a", FeedItem, i})
		if err == nil || errors.Is(err, store.ErrUnavailable) {
			known[name] = err == nil
			answered[err == nil]++
			order = append(order, name)
		}
	}
	wrong.Store(false)
	if answered[true] == 0 || answered[false] == 0 {
		t.Fatalf(
			"%d posts were stored and %d have an unknown result: the test shows nothing",
			answered[true],
			answered[false],
		)
	}
	if err := b.post(t.Context(), nil, Event{"a", BlockSealed, 0}); err != nil {
		t.Fatal(err)
	}
	for _, tail := range tails {
		got := map[string]int{}
		f, last := follower{tail: tail, topics: []string{"a"}}, -1
		for got["block 0"] == 0 {
			for _, e := range f.next(t) {
				got[e]++
				var i int
				if _, err := fmt.Sscanf(e, "feed %d", &i); err == nil && i <= last {
					t.Errorf("%s comes after %d", e, last)
				}
				last = max(last, i)
			}
		}
		for _, name := range order {
			if got[name] > 1 || got[name] == 0 && known[name] {
				t.Errorf("%s was delivered %d times; known to be stored: %v", name, got[name], known[name])
			}
			delete(got, name)
		}
		if delete(got, "block 0"); len(got) > 0 {
			t.Errorf("delivered events of rolled back posts: %v", got)
		}
	}
}
