package recent_test

import (
	"testing"

	"roshambo/internal/store/recent"
)

// TestBounds checks that the last entries and those in use are kept, and not more than two generations.
func TestBounds(t *testing.T) {
	t.Parallel()
	var m recent.Map[int, string]
	if _, ok := m.Get(0); ok || m.Len() != 0 {
		t.Error("an empty map has an entry")
	}
	m.Put(-1, "in use")
	const n = 3*recent.Size + 5
	for i := range n {
		m.Put(i, "")
		if v, ok := m.Get(-1); !ok || v != "in use" {
			t.Fatalf("after %d entries the one in use is %q, %v", i, v, ok)
		}
		if kept, least := m.Len(), min(i+2, recent.Size); kept < least || kept > 2*recent.Size {
			t.Fatalf("after %d entries %d are kept, want %d to %d", i+1, kept, least, 2*recent.Size)
		}
	}
	for i := n - recent.Size + 2; i < n; i++ {
		if _, ok := m.Get(i); !ok {
			t.Fatalf("entry %d of %d is not kept", i, n)
		}
	}
	if _, ok := m.Get(0); ok {
		t.Error("the first entry is still kept")
	}
	m.Clear()
	if _, ok := m.Get(-1); ok || m.Len() != 0 {
		t.Error("Clear leaves an entry")
	}
}

// TestUpdate checks what replaces what, also across generations, and what removes an entry.
func TestUpdate(t *testing.T) {
	t.Parallel()
	var m recent.Map[int, int]
	const key = -1
	next := 0
	for _, step := range []struct{ put, want int }{{5, 5}, {4, 5}, {6, 6}, {6, 6}, {1, 6}} {
		m.Update(key, func(kept int, ok bool) (int, bool) {
			if ok && kept > step.put {
				return kept, true
			}
			return step.put, true
		})
		if got, ok := m.Get(key); !ok || got != step.want {
			t.Errorf("after %d: %d, %v, want %d", step.put, got, ok, step.want)
		}
		for range recent.Size - 1 { // the entry is in the old generation from now on
			m.Put(next, 0)
			next++
		}
	}
	if m.Put(key, 1); m.Len() > 2*recent.Size {
		t.Errorf("%d entries", m.Len())
	}
	if got, ok := m.Get(key); !ok || got != 1 {
		t.Errorf("replaced: %d, %v, want 1", got, ok)
	}
	m.Remove(key)
	if _, ok := m.Get(key); ok {
		t.Error("Remove leaves the entry")
	}
}
