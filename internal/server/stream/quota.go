package stream

import (
	"errors"
	"sync"
)

// Limits on open streams: of one account, of one network address, and of a node. Each open
// stream costs memory, which no limit on requests bounds.
const (
	PerAccount = 20
	PerClient  = 100
	perNode    = 20_000
)

// ErrQuota reports that a quota of streams is used up.
var ErrQuota = errors.New("stream: too many streams")

// quota counts the open streams of a node. The zero value is empty.
type quota struct {
	mu    sync.Mutex     // guards the fields below
	total int            // open streams
	open  map[string]int // open streams by the name of their Slot
}

// Slot names a holder of streams, an account or a network, and its limit.
type Slot struct {
	Name string
	Max  int
}

// count returns the number of open streams.
func (q *quota) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total
}

// Acquire counts one stream, or another request that waits as long, against every slot, or against none and
// returns ErrQuota. The caller calls release exactly once.
func (q *quota) Acquire(slots ...Slot) (release func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.total >= perNode {
		return nil, ErrQuota
	}
	for _, slot := range slots {
		if q.open[slot.Name] >= slot.Max {
			return nil, ErrQuota
		}
	}
	if q.open == nil {
		q.open = map[string]int{}
	}
	q.total++
	for _, slot := range slots {
		q.open[slot.Name]++
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.total--
		for _, slot := range slots {
			if q.open[slot.Name]--; q.open[slot.Name] == 0 {
				delete(q.open, slot.Name)
			}
		}
	}, nil
}
