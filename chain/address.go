package chain

import (
	"crypto/sha256"
	"errors"
	"fmt"
)

// Address names an account or a duel's escrow: 20 bytes, in text bech32m
// (BIP 350) with the prefix "rps". The prefix makes it impossible to mistake
// one for an address where real money lives.
type Address [20]byte

const (
	addressPrefix = "rps"
	// addressLength is prefix, separator, 32 symbols of 5 bits, 6 of checksum.
	addressLength = len(addressPrefix) + 1 + 32 + 6
	bech32mConst  = 0x2bc830a3
	bech32Symbols = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
)

// Escrow returns the address that holds the stakes of a duel.
func Escrow(duelID string) Address {
	sum := sha256.Sum256([]byte(escrowDomain + duelID))
	return Address(sum[:20])
}

// String returns the address in bech32m.
func (a Address) String() string {
	symbols := toSymbols(a)
	text := make([]byte, 0, addressLength)
	text = append(text, addressPrefix+"1"...)
	for _, v := range symbols {
		text = append(text, bech32Symbols[v])
	}
	check := checksumStart
	for _, v := range symbols {
		check = polymodStep(check, v)
	}
	for range 6 {
		check = polymodStep(check, 0)
	}
	check ^= bech32mConst
	for i := range 6 {
		text = append(text, bech32Symbols[check>>(5*(5-i))&31])
	}
	return string(text)
}

// Short returns the address as people read it: its first 8 characters, an
// ellipsis, and its last 4.
func (a Address) Short() string {
	s := a.String()
	return s[:8] + "…" + s[len(s)-4:]
}

// ParseAddress reads an address. BIP 350 allows all upper case too; the chain
// writes lower case only, so that an address has one text.
func ParseAddress(s string) (Address, error) {
	if len(s) != addressLength || s[:4] != addressPrefix+"1" {
		return Address{}, fmt.Errorf("chain: an address has %d characters and starts with %s1", addressLength, addressPrefix)
	}
	var symbols [38]byte
	check := checksumStart
	for i := range symbols {
		v := symbolValue[s[4+i]]
		if v > 31 {
			return Address{}, errors.New("chain: an address holds lower-case bech32 characters only")
		}
		symbols[i] = v
		check = polymodStep(check, v)
	}
	if check != bech32mConst {
		return Address{}, errors.New("chain: the checksum of the address is wrong")
	}
	return fromSymbols([32]byte(symbols[:32])), nil
}

// toSymbols splits 160 bits into 32 groups of 5; nothing is left over.
func toSymbols(a Address) (symbols [32]byte) {
	var acc, bits uint32
	n := 0
	for _, b := range a {
		acc, bits = acc<<8|uint32(b), bits+8
		for bits >= 5 {
			bits -= 5
			symbols[n] = byte(acc >> bits & 31)
			n++
		}
	}
	return symbols
}

// fromSymbols is the inverse of toSymbols.
func fromSymbols(symbols [32]byte) (a Address) {
	var acc, bits uint32
	n := 0
	for _, v := range symbols {
		acc, bits = acc<<5|uint32(v), bits+5
		if bits >= 8 {
			bits -= 8
			a[n] = byte(acc >> bits)
			n++
		}
	}
	return a
}

// symbolValue maps a bech32 character to its value and all else to 255.
var symbolValue = func() (v [256]byte) {
	for i := range v {
		v[i] = 255
	}
	for i, c := range bech32Symbols {
		v[c] = byte(i)
	}
	return v
}()

// polymodStep takes one symbol into the BCH checksum of BIP 173.
func polymodStep(check uint32, v byte) uint32 {
	top := check >> 25
	return (check&0x1ffffff)<<5 ^ uint32(v) ^ polymodTable[top]
}

// polymodTable holds the sum of the generators for each value of the top bits.
var polymodTable = func() (table [32]uint32) {
	generators := [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3}
	for top := range table {
		for i, g := range generators {
			if top>>i&1 == 1 {
				table[top] ^= g
			}
		}
	}
	return table
}()

// checksumStart is the checksum after the prefix, expanded as BIP 173 says.
var checksumStart = func() uint32 {
	check := uint32(1)
	for _, c := range addressPrefix {
		check = polymodStep(check, byte(c)>>5)
	}
	check = polymodStep(check, 0)
	for _, c := range addressPrefix {
		check = polymodStep(check, byte(c)&31)
	}
	return check
}()
