package chain

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// Address identifies an account or a duel's escrow: 20 bytes, in text bech32m (BIP 350)
// with the prefix "rps". The prefix keeps it from being mistaken for an address of a chain
// that holds real money. The zero Address stands for null and is never an account.
type Address [20]byte

const (
	addressPrefix = "rps"
	// addressLength counts prefix, separator, 32 symbols of 5 bits and 6 of checksum: 42.
	addressLength = len(addressPrefix) + 1 + 32 + 6
	bech32mConst  = 0x2bc830a3 // the final checksum value of BIP 350
	bech32Symbols = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
)

// Escrow returns the address that holds the stakes of a duel: the first 20 bytes of
// SHA-256("roshambo/escrow/v1\n" || duelID).
func Escrow(duelID string) Address {
	sum := sha256.Sum256([]byte(escrowDomain + duelID))
	return Address(sum[:20])
}

// String returns the address in bech32m, 42 lower-case characters.
func (a Address) String() string {
	return string(a.appendText(make([]byte, 0, addressLength)))
}

// appendText appends the address in bech32m. It converts 5 bytes to 8 symbols at a time and
// updates the checksum by one table look-up per symbol.
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

// Short returns an abbreviation for display: the first 8 characters, an ellipsis and the
// last 4. Abbreviations are not unique.
func (a Address) Short() string {
	s := a.String()
	return s[:8] + "…" + s[len(s)-4:]
}

// ParseAddress reads an address and returns an error for any other text. BIP 350 also allows
// all upper case; the chain uses lower case only, so that an address has one text.
func ParseAddress(s string) (Address, error) { return parseAddress(s) }

// parseAddress is ParseAddress for strings and for slices of a document.
func parseAddress[T string | []byte](s T) (Address, error) {
	if len(s) != addressLength || string(s[:4]) != addressPrefix+"1" {
		return Address{}, errAddressForm
	}
	var a Address
	var wrong byte // the OR of all values: above 31 when a character is not a symbol
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
	errAddressForm = fmt.Errorf("chain: an address has %d characters and starts with %s1",
		addressLength, addressPrefix)
	errAddressSymbol   = errors.New("chain: an address has lower-case bech32 characters only")
	errAddressChecksum = errors.New("chain: the checksum of the address is wrong")
)

// groups is the number of groups of 5 bytes, 8 symbols of 5 bits each, in an address.
const groups = len(Address{}) / 5

// symbolValue maps a bech32 character to its value and every other byte to 255.
var symbolValue = func() (v [256]byte) {
	for i := range v {
		v[i] = 255
	}
	for i, c := range bech32Symbols {
		v[c] = byte(i)
	}
	return v
}()

// The BCH checksum is linear over xor: the checksum of a text is the checksum of as many
// symbols 0, xor a term for each symbol that depends on its value and position only.
// checksumOf[position][value] holds these terms, so the look-ups are independent.
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

// checksumStart returns the checksum after the prefix, expanded as BIP 173 requires: the
// high bits of each character, a zero, the low bits of each character.
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

// zeroChecksum adds 38 symbols of value 0 to the checksum.
func zeroChecksum(check uint32) uint32 {
	for range 38 {
		check = polymodStep(check, 0)
	}
	return check
}

// polymodStep adds the symbol v, 5 bits, to the BCH checksum of BIP 173 and returns it.
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
