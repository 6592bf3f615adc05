package contract

import "reflect"

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
