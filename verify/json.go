package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"roshambo/canon"
)

// errJSON reports every text that is not the strict JSON of a proof, without its position, so that
// verifiers with different parsers agree.
var errJSON = fmt.Errorf(
	"the proof is not UTF-8, or not JSON with unique members, whole numbers, %d levels", canon.MaxDepth)

// object is a JSON object. Other values are nil, bool, int64, string and []any.
type object map[string]any

// readJSON parses a text strictly: RFC 8259 in valid UTF-8 without a byte order mark, unique members
// in every object, integers with |n| < 2^53 without fraction, exponent or minus zero, no escape of a
// lone surrogate, at most canon.MaxDepth levels of nesting.
//
// encoding/json enforces no rule beyond JSON itself: it accepts duplicate members, matches names without
// regard to case and replaces invalid UTF-8.
func readJSON(text []byte) (any, error) {
	if !utf8.Valid(text) || !json.Valid(text) || loneSurrogate(text) {
		return nil, errJSON
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return readValue(d, 0)
}

// loneSurrogate reports whether a text that is known to be JSON escapes half of a surrogate pair.
func loneSurrogate(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return false
		}
		text = text[i:]
		length := 2 // of a backslash and what it escapes; the digits of a code unit hold no backslash
		if unit := escapedUnit(text); unit >= 0xd800 && unit <= 0xdfff {
			if low := escapedUnit(text[6:]); unit >= 0xdc00 || low < 0xdc00 || low > 0xdfff {
				return true
			}
			length = 12
		}
		text = text[length:]
	}
}

// escapedUnit returns the UTF-16 code unit that is escaped at the start of text, 0 for anything else.
func escapedUnit(text []byte) rune {
	if !bytes.HasPrefix(text, []byte(`\u`)) {
		return 0
	}
	n, _ := strconv.ParseUint(string(text[2:6]), 16, 16) // JSON has four hex digits there
	return rune(n)
}

// readValue reads a value, nested in depth objects and lists, of a text that is known to be JSON.
func readValue(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil || depth > canon.MaxDepth {
		return nil, errJSON
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := readValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		return readObject(d, depth)
	}
	if number, ok := token.(json.Number); ok {
		// The shortest form: formatting the value must give the text.
		n, err := number.Int64()
		if err != nil || strconv.FormatInt(n, 10) != number.String() || n > canon.MaxInt || n < -canon.MaxInt {
			return nil, errJSON
		}
		return n, nil
	}
	return token, nil
}

// readObject reads the members and the closing brace of an object that is nested in depth objects and
// lists. Names are compared after unescaping.
func readObject(d *json.Decoder, depth int) (any, error) {
	o := object{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, errJSON
		}
		name, _ := token.(string) // a text that is JSON has no other names
		if _, twice := o[name]; twice {
			return nil, errJSON
		}
		if o[name], err = readValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return o, err
}
