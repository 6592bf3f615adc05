package contract

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Encode returns v as responses contain it: compact JSON. It differs from
// encoding/json in three ways:
//
//   - Characters that matter in HTML, and U+2028 and U+2029, are not escaped.
//   - A nil slice is [] and a nil map is {}: a list that may be null is one
//     more case for every client.
//   - Embedded pointers, and members that share a name, are errors instead of
//     being left out.
//
// Everything else follows encoding/json: names, omitempty and omitzero of json
// tags, json.Marshaler and encoding.TextMarshaler, base64 for []byte, sorted
// keys. Encode returns an error for types without JSON (functions, channels,
// complex numbers), for NaN and infinities, and for errors of marshalers.
func Encode(v any) ([]byte, error) {
	return appendValue(nil, v)
}

// raw is JSON text that is written unchanged.
type raw []byte

// appendValue appends the JSON of v. The cases are the types that documents and
// errors hold, which need no reflection.
func appendValue(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case raw:
		return append(b, v...), nil
	case orderedMap:
		return v.append(b)
	}
	rv := reflect.ValueOf(v)
	return encoderOf(rv.Type())(b, rv)
}

// An encoder appends the JSON of a value of its type to b.
type encoder func(b []byte, v reflect.Value) ([]byte, error)

// encoders caches the encoder of each reflect.Type.
var encoders sync.Map

// encoderOf returns the encoder of a type and caches it. Encoders of pointers,
// slices and maps look up the encoder of their elements at each call, so that a
// type may contain itself.
func encoderOf(t reflect.Type) encoder {
	if e, ok := encoders.Load(t); ok {
		return e.(encoder)
	}
	e, _ := encoders.LoadOrStore(t, newEncoder(t))
	return e.(encoder)
}

// Types and interfaces that newEncoder looks for. rawType and orderedMapType are
// the package's own, for documents and errors.
var (
	jsonMarshaler  = reflect.TypeFor[json.Marshaler]()
	textMarshaler  = reflect.TypeFor[encoding.TextMarshaler]()
	rawType        = reflect.TypeFor[raw]()
	orderedMapType = reflect.TypeFor[orderedMap]()
)

// newEncoder chooses an encoder by the methods of a type first, then by its
// kind, as encoding/json does.
func newEncoder(t reflect.Type) encoder {
	switch {
	case t == rawType:
		return func(b []byte, v reflect.Value) ([]byte, error) { return append(b, v.Bytes()...), nil }
	case t == orderedMapType:
		return func(b []byte, v reflect.Value) ([]byte, error) { return v.Interface().(orderedMap).append(b) }
	case t.Implements(encodedJSONType):
		return encodeEncoded
	case t.Implements(jsonMarshaler):
		return encodeMarshaler
	case t.Implements(textMarshaler):
		return encodeText
	case t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(jsonMarshaler):
		return addressed(encodeMarshaler, t)
	case t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(textMarshaler):
		return addressed(encodeText, t)
	}
	return kindEncoder(t)
}

// addressed encodes values of t by a method of *t: it copies a value that has
// no address.
func addressed(e encoder, t reflect.Type) encoder {
	return func(b []byte, v reflect.Value) ([]byte, error) {
		if !v.CanAddr() {
			p := reflect.New(t)
			p.Elem().Set(v)
			v = p.Elem()
		}
		return e(b, v.Addr())
	}
}

// kindEncoder chooses an encoder by the kind of a type. For kinds without JSON
// it returns an encoder that fails.
func kindEncoder(t reflect.Type) encoder {
	switch t.Kind() {
	case reflect.Bool:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(b, v.Bool()), nil }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(b, v.Int(), 10), nil }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendUint(b, v.Uint(), 10), nil }
	case reflect.Float32, reflect.Float64:
		return encodeFloat
	case reflect.String:
		return func(b []byte, v reflect.Value) ([]byte, error) { return appendString(b, v.String()), nil }
	case reflect.Pointer, reflect.Interface:
		return encodeElem
	case reflect.Struct:
		return structEncoder(t)
	case reflect.Map:
		return encodeMap
	case reflect.Slice, reflect.Array:
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			return encodeBytes
		}
		return encodeList
	}
	return func([]byte, reflect.Value) ([]byte, error) {
		return nil, fmt.Errorf("contract: a %s has no JSON", t)
	}
}

// encodeMarshaler writes the result of MarshalJSON, compacted and checked.
func encodeMarshaler(b []byte, v reflect.Value) ([]byte, error) {
	if isNil(v) {
		return append(b, "null"...), nil
	}
	text, err := v.Interface().(json.Marshaler).MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("contract: encode %s: %w", v.Type(), err)
	}
	buf := bytes.NewBuffer(b)
	if err := json.Compact(buf, text); err != nil {
		return nil, fmt.Errorf("contract: encode %s: %w", v.Type(), err)
	}
	return buf.Bytes(), nil
}

// encodeText writes the result of MarshalText as a string.
func encodeText(b []byte, v reflect.Value) ([]byte, error) {
	if isNil(v) {
		return append(b, "null"...), nil
	}
	text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
	if err != nil {
		return nil, fmt.Errorf("contract: encode %s: %w", v.Type(), err)
	}
	return appendString(b, string(text)), nil
}

// isNil reports whether v is a nil pointer or interface, whose methods would
// panic.
func isNil(v reflect.Value) bool {
	return (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil()
}

// encodeElem writes the value that a pointer or interface holds, or null.
func encodeElem(b []byte, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return append(b, "null"...), nil
	}
	v = v.Elem()
	return encoderOf(v.Type())(b, v)
}

// encodeBytes writes bytes as standard base64 with padding.
func encodeBytes(b []byte, v reflect.Value) ([]byte, error) {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, v.Bytes())
	return append(b, '"'), nil
}

// encodeFloat writes a float in the shortest form that reads back the same,
// with an exponent below 1e-6 and from 1e21 on, as encoding/json and ECMAScript
// do.
func encodeFloat(b []byte, v reflect.Value) ([]byte, error) {
	f := v.Float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("contract: %v has no JSON", f)
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	n := len(b)
	b = strconv.AppendFloat(b, f, format, -1, v.Type().Bits())
	if format == 'e' { // e-09 becomes e-9
		if i := len(b) - 2; i > n && b[i-1] == '-' && b[i] == '0' {
			b = append(b[:i], b[i+1])
		}
	}
	return b, nil
}

// encodeList writes a slice or array; a nil slice is [].
func encodeList(b []byte, v reflect.Value) ([]byte, error) {
	item := encoderOf(v.Type().Elem())
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = item(b, v.Index(i)); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// encodeMap writes a map's members sorted by key, so that equal values have
// equal bytes.
func encodeMap(b []byte, v reflect.Value) ([]byte, error) {
	type member struct {
		key   string
		value reflect.Value
	}
	members := make([]member, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		key, err := keyText(iter.Key())
		if err != nil {
			return nil, err
		}
		members = append(members, member{key, iter.Value()})
	}
	slices.SortFunc(members, func(x, y member) int { return strings.Compare(x.key, y.key) })
	value := encoderOf(v.Type().Elem())
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, m.key), ':')
		var err error
		if b, err = value(b, m.value); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// keyText returns a map key as a member name: MarshalText before the kind, as
// in encoding/json.
func keyText(k reflect.Value) (string, error) {
	if m, ok := reflect.TypeAssert[encoding.TextMarshaler](k); ok && k.Kind() != reflect.String {
		text, err := m.MarshalText()
		return string(text), err
	}
	switch {
	case k.Kind() == reflect.String:
		return k.String(), nil
	case k.CanInt():
		return strconv.FormatInt(k.Int(), 10), nil
	case k.CanUint():
		return strconv.FormatUint(k.Uint(), 10), nil
	}
	return "", fmt.Errorf("contract: a %s cannot be the key of an object", k.Type())
}

// structEncoder returns the encoder of a struct. It finds the members once, by
// membersOf, and prepares the text before each value.
func structEncoder(t reflect.Type) encoder {
	type part struct {
		member
		prefix string // ,"name":
		encode encoder
	}
	members, err := membersOf(t)
	if err != nil {
		return func([]byte, reflect.Value) ([]byte, error) { return nil, err }
	}
	parts := make([]part, len(members))
	for i, m := range members {
		parts[i] = part{m, "," + string(appendString(nil, m.name)) + ":", encoderOf(m.field.Type)}
	}
	return func(b []byte, v reflect.Value) ([]byte, error) {
		open := len(b)
		for i := range parts {
			p := &parts[i]
			f := v.FieldByIndex(p.index)
			if p.omits(f) {
				continue
			}
			var err error
			b = append(b, p.prefix...)
			if b, err = p.encode(b, f); err != nil {
				return nil, err
			}
		}
		if len(b) == open {
			return append(b, "{}"...), nil
		}
		b[open] = '{' // in place of the first comma
		return append(b, '}'), nil
	}
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string as Python's json.dumps with
// ensure_ascii=False writes it: only quotes, backslashes and control characters
// are escaped. Half a surrogate pair (see appendRune) is written as \ud800, any
// other invalid UTF-8 as U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0 // s[:done] is written
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(b, s[done:i]...)
				b, size = appendInvalid(b, s[i:])
				done = i + size
			}
			i += size
			continue
		}
		b = append(b, s[done:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
		}
		i++
		done = i
	}
	return append(append(b, s[done:]...), '"')
}

// appendInvalid appends the replacement for the invalid UTF-8 at the start of s
// and returns the number of bytes that it replaces.
func appendInvalid(b []byte, s string) ([]byte, int) {
	if len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80 {
		return append(b, '\\', 'u', 'd', hexDigits[s[1]>>2&0xF], hexDigits[s[1]<<2&0xC|s[2]>>4&3], hexDigits[s[2]&0xF]), 3
	}
	return append(b, "\uFFFD"...), 1
}

// Encoded holds the JSON of a value of type T, encoded in advance. Encode
// writes it unchanged, and the document describes it as a T. Use it for a
// response that many callers receive.
type Encoded[T any] struct{ text [2][]byte }

// NewEncoded returns an Encoded whose JSON is text followed by rest. It takes
// two parts so that a cached prefix of a list needs no copy to be closed. The
// JSON must be what Encode returns for a T: it is not checked. The caller must
// not change text or rest afterwards.
func NewEncoded[T any](text, rest []byte) Encoded[T] { return Encoded[T]{[2][]byte{text, rest}} }

// encodedJSON is implemented by Encoded of every type.
type encodedJSON interface {
	json() [2][]byte
	documentedAs() reflect.Type
}

// encodedJSONType is compared with types that Encode and the document meet.
var encodedJSONType = reflect.TypeFor[encodedJSON]()

// json returns the two parts; both are nil for the zero Encoded.
func (e Encoded[T]) json() [2][]byte { return e.text }

// documentedAs returns the type that the document describes.
func (e Encoded[T]) documentedAs() reflect.Type { return reflect.TypeFor[T]() }

// encodeEncoded writes an Encoded. The zero Encoded is written as the zero T.
func encodeEncoded(b []byte, v reflect.Value) ([]byte, error) {
	e := v.Interface().(encodedJSON)
	if text := e.json(); text[0] != nil {
		return append(append(b, text[0]...), text[1]...), nil
	}
	zero := reflect.Zero(e.documentedAs())
	return encoderOf(zero.Type())(b, zero)
}
