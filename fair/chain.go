package fair

// stride is the distance between the seeds that a Chain keeps. With 16 of 256 seeds kept,
// Seed computes at most 15 hashes (about 2 µs) and a Chain takes 512 bytes.
const stride = 16

// Chain is a whole seed chain, as the house holds it. It derives every seed, revealed or
// not, so it is a secret: never log it, store it in the clear or send it.
type Chain struct {
	kept       [Length / stride]Seed // kept[k] is the seed with index (k+1)*stride
	commitment Seed
}

// NewChain derives the chain that ends in last, the seed with index Length. It computes
// Length hashes. last must be 32 bytes of cryptographic randomness.
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

// Commitment returns the seed with index 0, which the house publishes before the run.
func (c *Chain) Commitment() Seed { return c.commitment }

// Seed returns the seed of throw n, 1 <= n <= Length. It panics outside that range: a run
// ends when its seeds are used up, so a larger n is a bug of the caller, and must not yield
// a predictable move.
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
