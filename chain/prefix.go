package chain

import "strings"

// minAddressPrefix is the smallest number of characters after rps1 in a search by prefix. 4
// characters of 5 bits divide the addresses into a million ranges.
const minAddressPrefix = 4

// AddressRange returns the first and the last address, in the order of their bytes, whose text
// can begin with text. It reports false when no address can, and when text has fewer than 4
// characters after rps1. When text is so long that it includes part of the checksum, some
// addresses in the range do not begin with it.
func AddressRange(text string) (first, last Address, ok bool) {
	symbols, ok := strings.CutPrefix(text, addressPrefix+"1")
	if !ok || len(symbols) < minAddressPrefix || len(text) > addressLength {
		return Address{}, Address{}, false
	}
	for i := range last {
		last[i] = 255
	}
	// Each symbol fixes 5 bits: they are set in first and cleared in last where they are 0.
	for i := range symbols {
		v := symbolValue[symbols[i]]
		if v > 31 {
			return Address{}, Address{}, false
		}
		for b := range 5 {
			at := 5*i + b
			if at >= 8*len(first) {
				break // bits of the checksum are not part of the address
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
