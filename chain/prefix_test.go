package chain

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestAddressRange checks that every address is in the range of each of its prefixes, and that
// the ends of the range of a prefix without checksum characters begin with it.
func TestAddressRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		address := rapid.Custom(func(t *rapid.T) (a Address) {
			copy(a[:], rapid.SliceOfN(rapid.Byte(), len(a), len(a)).Draw(t, "bytes"))
			return a
		})
		a := address.Draw(t, "address")
		text := a.String()
		n := rapid.IntRange(8, len(text)).Draw(t, "length")
		first, last, ok := AddressRange(text[:n])
		if !ok || bytes.Compare(first[:], a[:]) > 0 || bytes.Compare(a[:], last[:]) > 0 {
			t.Fatalf("%s is not in %x to %x of %s", a, first, last, text[:n])
		}
		if n > 36 {
			return
		}
		for _, edge := range []Address{first, last} {
			if edge.String()[:n] != text[:n] {
				t.Errorf("%s does not begin with %s", edge, text[:n])
			}
		}
	})
	for _, wrong := range []string{"", "rps1", "rps1qqq", "rps1bbbb", "rps1QQQQ", "rps2qqqq", "xqqqqqqq"} {
		if _, _, ok := AddressRange(wrong); ok {
			t.Errorf("%q: accepted as the prefix of an address", wrong)
		}
	}
}
