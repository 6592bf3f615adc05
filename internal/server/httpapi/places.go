package httpapi

import (
	"errors"
	"sync"
)

// How many streams may be open: of one account, of one network address, and on a node.
// Each costs memory as long as it is open, which no limit on requests would bound.
const (
	streamsPerAccount = 20
	streamsPerClient  = 100
	streamsPerNode    = 20_000
)

// errStreams says that as many streams are open as may be.
var errStreams = errors.New("httpapi: too many streams")

// places counts what is open. The zero value is empty.
type places struct {
	mu    sync.Mutex     // guards what follows
	all   int            // streams
	taken map[string]int // by who has them
}

// place is what a stream is counted under, and how many of these there may be.
type place struct {
	name string
	max  int
}

// count returns how many streams are open.
func (p *places) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

// take takes a place under each name, or none. Who has taken calls leave, once.
func (p *places) take(list ...place) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= streamsPerNode {
		return nil, errStreams
	}
	for _, at := range list {
		if p.taken[at.name] >= at.max {
			return nil, errStreams
		}
	}
	if p.taken == nil {
		p.taken = map[string]int{}
	}
	p.all++
	for _, at := range list {
		p.taken[at.name]++
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		for _, at := range list {
			if p.taken[at.name]--; p.taken[at.name] == 0 {
				delete(p.taken, at.name)
			}
		}
	}, nil
}
