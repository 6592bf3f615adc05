package event

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"roshambo/internal/platform/testseed"
	"roshambo/internal/store"
)

// TestEventsThroughFaults posts while commits fail, of those who post and of those who
// number: some having stored nothing, some having stored all; and closures run twice.
// Whatever was answered is told once and in order, what was taken back never, and what
// nobody knew of at most once.
func TestEventsThroughFaults(t *testing.T) {
	t.Parallel()
	var wrong atomic.Bool
	random := testseed.Rand(t) // the faults are asked for one at a time
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
	known := map[string]bool{} // whether a post is sure to be there
	var order []string
	answered := map[bool]int{} // by whether it was known what had happened
	for i := range posts {
		fail := error(nil)
		if i%7 == 6 {
			fail = errors.New("failed on purpose")
		}
		name := fmt.Sprint("test ", i)
		err := b.post(t.Context(), fail, Event{"a", "test", i})
		if err == nil || errors.Is(err, store.ErrUnavailable) {
			known[name] = err == nil
			answered[err == nil]++
			order = append(order, name)
		}
	}
	wrong.Store(false)
	if answered[true] == 0 || answered[false] == 0 {
		t.Fatalf("%d posts were stored and of %d it is not known: nothing was shown", answered[true], answered[false])
	}
	if err := b.post(t.Context(), nil, Event{"a", "end", 0}); err != nil {
		t.Fatal(err)
	}
	for _, tail := range tails {
		got := map[string]int{}
		f, last := follower{tail: tail, topics: []string{"a"}}, -1
		for got["end 0"] == 0 {
			for _, e := range f.next(t) {
				got[e]++
				var i int
				if _, err := fmt.Sscanf(e, "test %d", &i); err == nil && i <= last {
					t.Errorf("%s comes after %d", e, last)
				}
				last = max(last, i)
			}
		}
		for _, name := range order {
			if got[name] > 1 || got[name] == 0 && known[name] {
				t.Errorf("%s was told %d times; answered: %v", name, got[name], known[name])
			}
			delete(got, name)
		}
		if delete(got, "end 0"); len(got) > 0 {
			t.Errorf("told what was taken back: %v", got)
		}
	}
}
