package contract

import "reflect"

// Encoded is JSON that was made before, by Encode, of a value of type T: it is written as
// it stands, and described as a T. What many are answered alike needs encoding only once.
type Encoded[T any] struct{ text [2][]byte }

// EncodedAs says that text and, behind it, rest are what Encode makes of a T: two, so that
// the start of a list that is kept need not be copied to be ended. They are not looked at
// again, and not to be changed by their maker.
func EncodedAs[T any](text, rest []byte) Encoded[T] { return Encoded[T]{[2][]byte{text, rest}} }

// preEncoded is any Encoded.
type preEncoded interface {
	json() [2][]byte
	stands() reflect.Type
}

var preEncodedType = reflect.TypeFor[preEncoded]()

func (e Encoded[T]) json() [2][]byte { return e.text }

// stands returns the type that it is described as.
func (e Encoded[T]) stands() reflect.Type { return reflect.TypeFor[T]() }

// encodeEncoded writes an Encoded. The zero one is what Encode makes of the zero T.
func encodeEncoded(b []byte, v reflect.Value) ([]byte, error) {
	e := v.Interface().(preEncoded)
	if text := e.json(); text[0] != nil {
		return append(append(b, text[0]...), text[1]...), nil
	}
	zero := reflect.Zero(e.stands())
	return encoderOf(zero.Type())(b, zero)
}
