package contract

import (
	"reflect"
	"unicode/utf8"
)

// fromText checks a parameter of path, query or header, which is always text,
// by rule r, and stores it in dst.
func (b *binding) fromText(r *rule, s string, dst reflect.Value) {
	if r.nullable {
		dst.Set(reflect.New(r.typ))
		dst = dst.Elem()
	}
	if f := textValue(r, s, dst); f.typ != "" {
		var input any = s
		if r.secret {
			input = redacted
		}
		b.report(f, input)
	}
}

func textValue(r *rule, s string, dst reflect.Value) fault {
	switch r.shape {
	case integer:
		digits, ok := intText(s)
		switch {
		case !ok:
			return faultIntParsing
		case len(digits) > maxDigits:
			return faultIntSize
		}
		return r.setInt(digits, dst)
	case number:
		f, ok := floatText(s)
		if !ok {
			return faultFloatParse
		}
		return r.setFloat(f, dst)
	case boolean:
		v, ok := boolText(s)
		if !ok {
			return faultBoolParse
		}
		dst.SetBool(v)
		return fault{}
	}
	return r.setText(s, dst)
}

// setText stores a text or a choice, from wherever it came.
func (r *rule) setText(s string, dst reflect.Value) fault {
	if r.shape == choice {
		for _, c := range r.choices {
			if s == c {
				dst.SetString(c)
				return fault{}
			}
		}
		return r.wrongChoice()
	}
	if f := r.textFault(s, utf8.RuneCountInString(s)); f.typ != "" {
		return f
	}
	dst.SetString(s)
	return fault{}
}
