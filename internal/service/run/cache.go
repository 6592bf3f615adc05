package run

import (
	"roshambo/fair"
	"roshambo/internal/store/recent"
)

// liveRun is a run in play as it was last stored, with one of its next seeds. It holds
// unrevealed seeds, so it must never be logged.
type liveRun struct {
	run Run
	// seed has the index seedIndex, and the seeds before it follow from it by hashing;
	// seedIndex is 0 while there is no seed. One seed of every stride is enough: caching
	// more of the chain would cost more memory than the few hashes are worth.
	seed      fair.Seed
	seedIndex int
}

// stride is the number of throws that one cached seed serves.
const stride = 16

// seedOf returns the seed of throw n. If it does not follow from the cached seed, seedOf
// decrypts the stored seeds, for n above stride derives the run's seed chain, and caches the next
// seed that serves n.
func (live *liveRun) seedOf(seeds *Seeds, n int) (fair.Seed, error) {
	switch {
	case n <= live.seedIndex && n > live.seedIndex-stride:
	case 0 < n && n <= stride:
		early, err := seeds.openEarly(live.run.Commitment, live.run.sealed)
		if err != nil {
			return fair.Seed{}, err
		}
		live.seed, live.seedIndex = early, stride
	default:
		c, err := seeds.open(live.run.Commitment, live.run.sealed)
		if err != nil {
			return fair.Seed{}, err
		}
		live.seedIndex = (n + stride - 1) / stride * stride
		live.seed = c.Seed(live.seedIndex)
	}
	s := live.seed
	for i := live.seedIndex; i > n; i-- {
		s = fair.Previous(i, s)
	}
	return s, nil
}

// runCache caches the runs in play, so that a throw need not read its run. An entry may be
// outdated: another node may have changed the run, or a commit may have failed. Therefore a
// result that is based on an entry counts only if the compare-and-swap on the run's version
// succeeds; in every other case Service.change decides again on the stored run. A run takes about
// 1 KB.
type runCache struct{ runs recent.Map[string, *liveRun] }

// get returns a copy of the cached run, which the caller may change, or nil.
func (c *runCache) get(id string) *liveRun {
	entry, ok := c.runs.Get(id)
	if !ok {
		return nil
	}
	live := *entry
	return &live
}

// put caches a stored run, or drops it if it has ended. Calls may arrive in another order
// than the commits: the highest version wins.
func (c *runCache) put(live *liveRun) {
	entry := *live // the caller goes on using its run
	c.runs.Update(live.run.ID, func(kept *liveRun, ok bool) (*liveRun, bool) {
		if ok && kept.run.version > entry.run.version {
			return kept, true
		}
		return &entry, !entry.run.Status.Over()
	})
}
