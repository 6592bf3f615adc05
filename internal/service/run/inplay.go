package run

import (
	"sync"

	"roshambo/fair"
)

// hand is a run in play: as it was last stored, and the next of its seeds. It holds
// seeds that nobody has seen yet: it must not be logged.
type hand struct {
	run Run
	// ahead is the seed with index upTo, from which those before it follow; upTo is 0
	// while no seed is at hand. One seed of every stride is enough: keeping more of a
	// chain would cost more memory than its few hashes are worth.
	ahead fair.Seed
	upTo  int
}

// stride is how many throws one seed at hand lasts for.
const stride = 16

// seed returns the seed of throw n, which it takes from the chain behind the run's
// commitment when it is not among those at hand.
func (h *hand) seed(seeds *Seeds, n int) (fair.Seed, error) {
	if n > h.upTo || n <= h.upTo-stride {
		c, err := seeds.open(h.run.Commitment, h.run.sealed)
		if err != nil {
			return fair.Seed{}, err
		}
		h.upTo = (n + stride - 1) / stride * stride
		h.ahead = c.Seed(h.upTo)
	}
	s := h.ahead
	for i := h.upTo; i > n; i-- {
		s = fair.Previous(i, s)
	}
	return s, nil
}

// inPlay remembers the runs that are being played, so that a throw need not read its
// run. What it holds may be out of date: another node may have changed the run, or a
// commit may have failed. So it is believed only as far as a compare-and-swap on the
// run's version confirms it, and whatever else comes of it is decided anew on what the
// database says (Service.change).
//
// It has two generations: when the young one is full it becomes the old one, and the
// old one is forgotten.
type inPlay struct {
	mu         sync.Mutex // guards what follows
	young, old map[string]*hand
}

// generation is how many runs one generation holds. A run takes about a kilobyte.
const generation = 8192

// get returns the run as it was last put, for the caller to change, or nil.
func (p *inPlay) get(id string) *hand {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.young[id]
	if h == nil {
		if h = p.old[id]; h == nil {
			return nil
		}
		delete(p.old, id)
		p.add(h)
	}
	c := *h
	return &c
}

// put keeps a run as it was stored just now, and forgets one that is over. Those who
// stored it one after the other may come here in another order: the last version stays.
func (p *inPlay) put(h *hand) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := h.run.ID
	for _, g := range []map[string]*hand{p.young, p.old} {
		if known := g[id]; known != nil {
			if known.run.version > h.run.version {
				return
			}
			delete(g, id)
		}
	}
	if !h.run.Status.Over() {
		c := *h // the caller goes on to show its run
		p.add(&c)
	}
}

// clear forgets all runs.
func (p *inPlay) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.young, p.old = nil, nil
}

func (p *inPlay) add(h *hand) {
	if p.young == nil || len(p.young) >= generation {
		p.old, p.young = p.young, make(map[string]*hand)
	}
	p.young[h.run.ID] = h
}
