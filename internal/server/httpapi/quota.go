package httpapi

import (
	"errors"
	"sync"
)

// Limits on open streams: of one account, of one network address, and of a node. Each open
// stream costs memory, which no limit on requests bounds.
const (
	streamsPerAccount = 20
	streamsPerClient  = 100
	streamsPerNode    = 20_000
)

// errStreams reports that a stream quota is used up.
var errStreams = errors.New("httpapi: too many streams")

// streamQuota counts the open streams of a node. The zero value is empty.
type streamQuota struct {
	mu    sync.Mutex     // guards the fields below
	total int            // open streams
	open  map[string]int // open streams by the name of their quotaSlot
}

// quotaSlot names a holder of streams, an account or a network, and its limit.
type quotaSlot struct {
	name string
	max  int
}

// count returns the number of open streams.
func (q *streamQuota) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total
}

// acquire counts one stream against every slot, or against none and returns errStreams. The
// caller calls release exactly once.
func (q *streamQuota) acquire(slots ...quotaSlot) (release func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.total >= streamsPerNode {
		return nil, errStreams
	}
	for _, slot := range slots {
		if q.open[slot.name] >= slot.max {
			return nil, errStreams
		}
	}
	if q.open == nil {
		q.open = map[string]int{}
	}
	q.total++
	for _, slot := range slots {
		q.open[slot.name]++
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.total--
		for _, slot := range slots {
			if q.open[slot.name]--; q.open[slot.name] == 0 {
				delete(q.open, slot.name)
			}
		}
	}, nil
}
