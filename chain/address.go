package chain

import (
	"crypto/sha256"
	"encoding/binary"
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
	return string(a.appendText(make([]byte, 0, addressLength)))
}

func (a Address) appendText(b []byte) []byte {
	b = append(b, addressPrefix+"1"...)
	check := emptyChecksum
	for group := range groups {
		bits := uint64(a[5*group])<<32 | uint64(binary.BigEndian.Uint32(a[5*group+1:]))
		for k := range 8 {
			v := bits >> (35 - 5*k) & 31
			check ^= checksumOf[8*group+k][v]
			b = append(b, bech32Symbols[v])
		}
	}
	check ^= bech32mConst
	for k := range 6 {
		b = append(b, bech32Symbols[check>>(25-5*k)&31])
	}
	return b
}

// Short returns the address as people read it: its first 8 characters, an
// ellipsis, and its last 4.
func (a Address) Short() string {
	s := a.String()
	return s[:8] + "…" + s[len(s)-4:]
}

// ParseAddress reads an address. BIP 350 allows all upper case too; the chain
// writes lower case only, so that an address has one text.
func ParseAddress(s string) (Address, error) { return parseAddress(s) }

func parseAddress[T string | []byte](s T) (Address, error) {
	if len(s) != addressLength || string(s[:4]) != addressPrefix+"1" {
		return Address{}, errAddressForm
	}
	var a Address
	var wrong byte // gathers the bits that no value of a symbol has
	check := emptyChecksum
	text := s[4:]
	for group := range groups {
		var bits uint64
		for k := range 8 {
			v := symbolValue[text[8*group+k]]
			wrong |= v
			check ^= checksumOf[8*group+k][v&31]
			bits = bits<<5 | uint64(v&31)
		}
		a[5*group] = byte(bits >> 32)
		binary.BigEndian.PutUint32(a[5*group+1:], uint32(bits))
	}
	for k := range 6 {
		v := symbolValue[text[32+k]]
		wrong |= v
		check ^= checksumOf[32+k][v&31]
	}
	if wrong > 31 {
		return Address{}, errAddressSymbol
	}
	if check != bech32mConst {
		return Address{}, errAddressChecksum
	}
	return a, nil
}

var (
	errAddressForm     = fmt.Errorf("chain: an address has %d characters and starts with %s1", addressLength, addressPrefix)
	errAddressSymbol   = errors.New("chain: an address holds lower-case bech32 characters only")
	errAddressChecksum = errors.New("chain: the checksum of the address is wrong")
)

// groups is how often 5 bytes, which are 8 symbols of 5 bits, go into an address.
const groups = len(Address{}) / 5

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

// The checksum is linear: that of a text is that of the text with every symbol 0,
// plus (xor) what each symbol adds by itself, which depends on where it stands.
// So it needs one look-up per symbol, none waiting for another.
var (
	emptyChecksum = zeroChecksum(checksumStart())
	checksumOf    = func() (table [38][32]uint32) {
		for i := range table {
			for v := range table[i] {
				sum := polymodStep(0, byte(v))
				for range len(table) - 1 - i {
					sum = polymodStep(sum, 0)
				}
				table[i][v] = sum
			}
		}
		return table
	}()
)

// checksumStart is the checksum after the prefix, expanded as BIP 173 says.
func checksumStart() uint32 {
	check := uint32(1)
	for _, c := range addressPrefix {
		check = polymodStep(check, byte(c)>>5)
	}
	check = polymodStep(check, 0)
	for _, c := range addressPrefix {
		check = polymodStep(check, byte(c)&31)
	}
	return check
}

// zeroChecksum takes 38 symbols of value 0 into the checksum.
func zeroChecksum(check uint32) uint32 {
	for range 38 {
		check = polymodStep(check, 0)
	}
	return check
}

// polymodStep takes one symbol into the BCH checksum of BIP 173.
func polymodStep(check uint32, v byte) uint32 {
	generators := [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3}
	top := check >> 25
	check = (check&0x1ffffff)<<5 ^ uint32(v)
	for i, g := range generators {
		if top>>i&1 == 1 {
			check ^= g
		}
	}
	return check
}
