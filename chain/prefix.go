package chain

import "strings"

// minAddressPrefix is how many characters after rps1 an address must at least be given
// by: with 4 there are a million groups of addresses.
const minAddressPrefix = 4

// AddressRange returns the first and the last address that can begin with a text, and
// whether the text can begin one at all. Some in between may not: those whose checksum
// differs when the text reaches into that.
func AddressRange(text string) (first, last Address, ok bool) {
	symbols, ok := strings.CutPrefix(text, addressPrefix+"1")
	if !ok || len(symbols) < minAddressPrefix || len(text) > addressLength {
		return Address{}, Address{}, false
	}
	for i := range last {
		last[i] = 255
	}
	for i := range symbols {
		v := symbolValue[symbols[i]]
		if v > 31 {
			return Address{}, Address{}, false
		}
		for b := range 5 {
			at := 5*i + b
			if at >= 8*len(first) {
				break // the checksum
			}
			bit := byte(128) >> (at % 8)
			if v>>(4-b)&1 == 1 {
				first[at/8] |= bit
			} else {
				last[at/8] &^= bit
			}
		}
	}
	return first, last, true
}
