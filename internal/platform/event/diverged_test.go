package event

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// failOver resets the log to an earlier number, like a failover to a standby that was behind.
func (b *book) failOver(t *testing.T, last int64) {
	t.Helper()
	err := b.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, errEvents := tx.ExecContext(ctx, "DELETE FROM event WHERE seq > $1", last)
		_, errHead := tx.ExecContext(ctx, "UPDATE event_head SET seq = $1", last)
		return errors.Join(errEvents, errHead)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTailAfterFailover checks that a node which has read lost events then sends the events of the
// log, and that no position of the lost history is accepted, on this node or another.
func TestTailAfterFailover(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]int{"the log is shorter": 2, "as long": 3, "longer": 5, "as it was": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			for i := range 10 {
				b.fillWith(t, i)
			}
			tail := b.tail(t, false)
			var before []Position // after each number
			for seq := range tail.Last().Seq + 1 {
				before = append(before, b.at(t, seq))
			}
			if got := readAll(t, tail, Position{}, []string{"a"}); len(got) != 10 {
				t.Fatalf("before the failover %v", got)
			}
			watch, other := tail.Watch("a"), b.Hub.Watch("b")
			b.failOver(t, 7)
			for i := range more {
				b.fillWith(t, 100+i)
			}
			if err := tail.round(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			if len(watch.C()) != 1 || len(other.C()) != 1 {
				t.Error("the failover did not wake all followers and watchers")
			}
			for _, node := range []*Tail{tail, b.tail(t, false)} {
				if last := node.Last().Seq; last != int64(7+more) {
					t.Errorf("the log ends at %d, want %d", last, 7+more)
				}
				alike := 0
				for seq, at := range before {
					_, _, err := node.Read(t.Context(), at, []string{"a"})
					// A position keeps 12 random bits of its batch, and may equal that of another event.
					same := seq > 7 && at == b.at(t, int64(seq))
					if same {
						alike++
					}
					lost := seq > 7 && !same
					if gone := errors.Is(err, ErrGone); gone != lost || !gone && err != nil {
						t.Errorf("after %d of the old history: %v", seq, err)
					}
				}
				if alike == 3 { // by chance once in 2³⁶
					t.Error("all events have the positions of those whose numbers they took")
				}
				want := []string{"6"}
				for i := range more {
					want = append(want, fmt.Sprint(100+i))
				}
				list, _, err := node.Read(t.Context(), before[6], []string{"a"})
				var got []string
				for _, e := range list {
					got = append(got, e.Body)
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("after 6: %v, %v, want %v", got, err, want)
				}
			}
		})
	}
}

// fillWith posts one event with a body, and numbers it.
func (b *book) fillWith(t *testing.T, body int) {
	t.Helper()
	if err := b.post(t.Context(), nil, Event{"a", FeedItem, body}); err != nil {
		t.Fatal(err)
	}
	if err := b.number(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestEachStatementAfterFailover fails over again and again, with each statement of the next round failing
// once: the round reports it, and the one after it reads what the log has now.
func TestEachStatementAfterFailover(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	b := openAt(t, storetest.At(storetest.New(t), store.Config{Faults: each.Faults()}))
	for i := range 3 {
		b.fillWith(t, i)
	}
	tail := b.tail(t, false)
	n := 3
	each.Run(t, []storetest.Case{{Name: "round", Before: func() {
		b.failOver(t, 2)
		b.fillWith(t, n)
		n++
	}, Steps: storetest.Do(tail.round, true), After: func() {
		list, upto, err := tail.Read(t.Context(), b.at(t, 2), []string{"a"})
		if err != nil || upto.Seq != 3 || len(list) != 1 || list[0].Body != fmt.Sprint(n-1) {
			t.Errorf("after the failover: %d events up to %d, error %v, want that of %d", len(list), upto.Seq, err, n-1)
		}
	}}})
}

// TestTailOfLongLogAfterFailover checks positions that are no longer in memory.
func TestTailOfLongLogAfterFailover(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.fill(t, ringSize+100, "a")
	tail, err := NewTail(t.Context(), b.Log, time.Hour, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	old := b.at(t, 50)
	b.failOver(t, 20)
	b.fill(t, ringSize+100, "a")
	_, _, err = tail.Read(t.Context(), old, []string{"a"})
	if lost := old != b.at(t, 50); errors.Is(err, ErrGone) != lost { // may be equal, see above
		t.Errorf("after an event that is lost: %v, want %v", err, ErrGone)
	}
	if err := tail.round(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if got, want := tail.Last().ID(), b.tail(t, false).Last().ID(); got != want {
		t.Errorf("the node knows the log up to %d, want %d", got, want)
	}
}
