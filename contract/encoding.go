package contract

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// decodeText returns a body as UTF-8 without byte order mark. As Python's
// json.loads it accepts UTF-8, UTF-16 and UTF-32, recognized by the byte order
// mark or by the position of zero bytes, since a JSON text begins with an ASCII
// character. Half a surrogate pair becomes the three bytes of appendRune: each
// use decides whether it accepts them. The result may share body's memory.
// Errors wrap ErrBadBody.
func decodeText(body []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(body, []byte{0, 0, 0xFE, 0xFF}):
		return decodeUTF32(body[4:], binary.BigEndian)
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE, 0, 0}):
		return decodeUTF32(body[4:], binary.LittleEndian)
	case bytes.HasPrefix(body, []byte{0xFE, 0xFF}):
		return decodeUTF16(body[2:], binary.BigEndian)
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}):
		return decodeUTF16(body[2:], binary.LittleEndian)
	case bytes.HasPrefix(body, []byte{0xEF, 0xBB, 0xBF}):
		return decodeUTF8(body[3:])
	case len(body) >= 4 && body[0] == 0 && body[1] == 0:
		return decodeUTF32(body, binary.BigEndian)
	case len(body) >= 4 && body[1] == 0 && body[2] == 0 && body[3] == 0:
		return decodeUTF32(body, binary.LittleEndian)
	case len(body) >= 4 || len(body) == 2:
		if body[0] == 0 {
			return decodeUTF16(body, binary.BigEndian)
		}
		if body[1] == 0 {
			return decodeUTF16(body, binary.LittleEndian)
		}
	}
	return decodeUTF8(body)
}

// decodeUTF8 returns body unchanged if it is valid UTF-8, except that encoded
// surrogates are allowed (Python's surrogatepass), the form of appendRune.
func decodeUTF8(body []byte) ([]byte, error) {
	if utf8.Valid(body) {
		return body, nil
	}
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			if i+2 >= len(body) || body[i] != 0xED || body[i+1]&0xE0 != 0xA0 || body[i+2]&0xC0 != 0x80 {
				return nil, fmt.Errorf("%w: invalid UTF-8 at byte %d", ErrBadBody, i)
			}
			size = 3 // half a surrogate pair
		}
		i += size
	}
	return body, nil
}

// decodeUTF16 converts UTF-16 to UTF-8. It joins surrogate pairs and keeps
// unpaired halves in the form of appendRune.
func decodeUTF16(body []byte, order binary.ByteOrder) ([]byte, error) {
	if len(body)%2 != 0 {
		return nil, fmt.Errorf("%w: truncated UTF-16", ErrBadBody)
	}
	text := make([]byte, 0, len(body))
	for i := 0; i < len(body); i += 2 {
		r := rune(order.Uint16(body[i:]))
		if surrogateMin <= r && r < surrogateLow && i+2 < len(body) {
			if low := rune(order.Uint16(body[i+2:])); surrogateLow <= low && low <= surrogateMax {
				r = (r-surrogateMin)<<10 | (low - surrogateLow) + 0x10000
				i += 2
			}
		}
		text = appendRune(text, r)
	}
	return text, nil
}

// decodeUTF32 converts UTF-32 to UTF-8 and keeps surrogates in the form of
// appendRune.
func decodeUTF32(body []byte, order binary.ByteOrder) ([]byte, error) {
	if len(body)%4 != 0 {
		return nil, fmt.Errorf("%w: truncated UTF-32", ErrBadBody)
	}
	text := make([]byte, 0, len(body))
	for i := 0; i < len(body); i += 4 {
		r := order.Uint32(body[i:])
		if r > utf8.MaxRune {
			return nil, fmt.Errorf("%w: %#x is not a code point", ErrBadBody, r)
		}
		text = appendRune(text, rune(r))
	}
	return text, nil
}
