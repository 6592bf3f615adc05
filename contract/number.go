package contract

import (
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

// setIntNode stores a JSON number in an integer field. Numbers with an integral
// value are integers: 5, 5.0 and 5e0.
func (r *rule) setIntNode(literal []byte, k kind, dst reflect.Value) fault {
	switch k {
	case kindInt:
		return r.setInt(string(literal), dst)
	case kindFloat:
		f, _ := strconv.ParseFloat(string(literal), 64) // ±Inf out of range
		switch {
		case math.IsInf(f, 0):
			return faultFinite
		case f != math.Trunc(f):
			return faultFraction
		case f <= math.MinInt64 || f >= math.MaxInt64: // as float64s: ±2^63
			return faultIntSize
		}
		return r.setInt64(int64(f), dst)
	}
	return faultIntType
}

// setInt stores an integer of any length, written in decimal digits. The bounds
// of the field are checked first: a value that fits neither the bounds nor the
// Go type is reported with its bound, which is part of the contract.
func (r *rule) setInt(digits string, dst reflect.Value) fault {
	v, err := strconv.ParseInt(digits, 10, 64)
	if err == nil {
		return r.setInt64(v, dst)
	}
	x, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return faultIntParsing
	}
	i := &r.bounds
	if i.multiple != nil && new(big.Int).Rem(x, big.NewInt(*i.multiple)).Sign() != 0 {
		return relMultiple.fault(*i.multiple)
	}
	switch {
	case x.Sign() > 0 && i.le != nil:
		return relLe.fault(*i.le)
	case x.Sign() > 0 && i.lt != nil:
		return relLt.fault(*i.lt)
	case x.Sign() < 0 && i.ge != nil:
		return relGe.fault(*i.ge)
	case x.Sign() < 0 && i.gt != nil:
		return relGt.fault(*i.gt)
	}
	if x.IsUint64() && dst.CanUint() && !dst.OverflowUint(x.Uint64()) {
		dst.SetUint(x.Uint64())
		return fault{}
	}
	return faultIntSize
}

// setInt64 stores an integer that fits into an int64, after its bounds are
// checked.
func (r *rule) setInt64(v int64, dst reflect.Value) fault {
	if f := r.bounds.fault(v); f.typ != "" {
		return f
	}
	switch {
	case dst.CanInt() && !dst.OverflowInt(v):
		dst.SetInt(v)
	case dst.CanUint() && v >= 0 && !dst.OverflowUint(uint64(v)):
		dst.SetUint(uint64(v))
	default:
		return faultIntSize
	}
	return fault{}
}

// fault returns the fault of the first bound that v violates, in pydantic's
// order: multiple, upper bounds, lower bounds. A value has one error even if it
// violates several.
func (b *bounds) fault(v int64) fault {
	switch {
	case b.multiple != nil && v%*b.multiple != 0:
		return relMultiple.fault(*b.multiple)
	case b.le != nil && v > *b.le:
		return relLe.fault(*b.le)
	case b.lt != nil && v >= *b.lt:
		return relLt.fault(*b.lt)
	case b.ge != nil && v < *b.ge:
		return relGe.fault(*b.ge)
	case b.gt != nil && v <= *b.gt:
		return relGt.fault(*b.gt)
	}
	return fault{}
}

// intText reads an integer from a path, query or header as pydantic does in lax
// mode: surrounding white space, a sign, leading zeros, single underscores
// between digits, and a fraction of zeros are accepted. It returns the plain
// digits.
func intText(s string) (string, bool) {
	s = strings.TrimSpace(s)
	sign := ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = strings.TrimPrefix(s[:1], "+"), s[1:]
	}
	s, zeros, point := strings.Cut(s, ".")
	if point && (zeros == "" || strings.Trim(zeros, "0") != "") {
		return "", false
	}
	if s = joinDigits(s); s == "" {
		return "", false
	}
	if s = strings.TrimLeft(s, "0"); s == "" {
		s = "0"
	}
	return sign + s, true
}

// joinDigits returns digits without their underscores, or "" if s contains
// anything else or an underscore that is not between two digits.
func joinDigits(s string) string {
	for i := range len(s) {
		if s[i] == '_' {
			if i == 0 || i == len(s)-1 || s[i-1] == '_' {
				return ""
			}
		} else if !isDigit(s[i]) {
			return ""
		}
	}
	return strings.ReplaceAll(s, "_", "")
}

// boolText reads a boolean from a path, query or header in any case. It does
// not trim white space, as pydantic does not.
func boolText(s string) (v, ok bool) {
	switch strings.ToLower(s) {
	case "0", "f", "n", "no", "off", "false":
		return false, true
	case "1", "t", "y", "yes", "on", "true":
		return true, true
	}
	return false, false
}
