package fair

// stride is the distance between the seeds that a Chain keeps. 16 kept seeds of
// 256 make a seed cost at most 16 hashes (about 2 µs) and a Chain 512 bytes.
const stride = 16

// Chain is a whole seed chain, in the hands of the house. It holds every seed,
// revealed or not: it must not be logged, stored in the clear, or sent.
type Chain struct {
	kept       [Length / stride]Seed // kept[k] is the seed with index (k+1)*stride
	commitment Seed
}

// NewChain works out the chain that ends in last, the seed with index Length.
// It costs Length hashes.
func NewChain(last Seed) *Chain {
	c := new(Chain)
	s := last
	for i := Length; i > 0; i-- {
		if i%stride == 0 {
			c.kept[i/stride-1] = s
		}
		s = Previous(i, s)
	}
	c.commitment = s
	return c
}

// Commitment returns the seed with index 0, which is published beforehand.
func (c *Chain) Commitment() Seed { return c.commitment }

// Seed returns the seed of throw n, 1 <= n <= Length. It panics beyond that: a
// run is over when its seeds are used up, so asking for more is a fault of the
// caller and must not yield a guessable move.
func (c *Chain) Seed(n int) Seed {
	if n < 1 || n > Length {
		panic("fair: no seed with that number in a chain")
	}
	k := (n + stride - 1) / stride // the nearest kept seed at or after n
	s := c.kept[k-1]
	for i := k * stride; i > n; i-- {
		s = Previous(i, s)
	}
	return s
}
