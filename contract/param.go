package contract

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// params checks all parameters of a request. Values holds the decoded path
// parameters in the order of the path; a param's position is an index into it.
func (c *call) params(p *plan, r *http.Request, values []string, in reflect.Value) {
	if p.query {
		c.pairs = appendPairs(c.pairs, r.URL.RawQuery)
	}
	for i := range p.params {
		f := &p.params[i]
		c.enter(f.in)
		c.enter(f.name)
		dst := in.FieldByIndex(f.index)
		if f.shape == list {
			c.queryList(f, dst)
		} else if s, ok := c.param(f, r, values); ok {
			c.fromText(&f.rule, s, dst)
		} else {
			c.absent(f, dst)
		}
		c.leave()
		c.leave()
	}
}

// param returns the value of a parameter and whether the request has one. Of
// several values the last one counts in a query, the first one in headers.
func (c *call) param(f *param, r *http.Request, values []string) (string, bool) {
	switch f.in {
	case "path":
		return values[f.position], true
	case "query":
		for _, p := range slices.Backward(c.pairs) {
			if p.name == f.name {
				return p.value, true
			}
		}
		return "", false
	}
	v := r.Header[f.header]
	if len(v) == 0 {
		return "", false
	}
	return latin(v[0]), true
}

// absent handles a parameter that the request does not have. ?limit= is
// present, with an empty text.
func (c *call) absent(f *param, dst reflect.Value) {
	if f.required {
		c.report(faultMissing, nil)
		return
	}
	f.fill(dst)
}

// queryList checks all values of a query parameter that may be repeated, such
// as ?id=1&id=2.
func (c *call) queryList(f *param, dst reflect.Value) {
	var all []string
	for _, p := range c.pairs {
		if p.name == f.name {
			all = append(all, p.value)
		}
	}
	if all == nil {
		c.absent(f, dst)
		return
	}
	if f.length.max >= 0 && len(all) > f.length.max {
		c.report(tooLong(f.length.max, len(all)), f.shownInput(all))
		return
	}
	before := len(c.detail)
	dst.Set(reflect.MakeSlice(f.typ, len(all), len(all)))
	for i, s := range all {
		c.loc = append(c.loc, step{index: i})
		c.fromText(f.item, s, dst.Index(i))
		c.leave()
	}
	if len(all) < f.length.min && len(c.detail) == before {
		c.report(tooShort(f.length.min, len(all)), f.shownInput(all))
	}
}

// fromText checks the text of a path, query or header parameter against rule r
// and stores it in dst.
func (b *binding) fromText(r *rule, s string, dst reflect.Value) {
	if r.nullable {
		dst.Set(reflect.New(r.typ))
		dst = dst.Elem()
	}
	if f := r.setLax(s, dst); f.typ != "" {
		b.report(f, r.shownInput(s))
	}
}

// shownInput returns the input of an error about a parameter.
func (r *rule) shownInput(input any) any {
	if r.secret {
		return redacted
	}
	return input
}

// setLax converts a text to the type of the rule, checks and stores it.
func (r *rule) setLax(s string, dst reflect.Value) fault {
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

// setText checks and stores a text or a choice, of a body or a parameter.
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
	if f := r.textFault(s); f.typ != "" {
		return f
	}
	dst.SetString(s)
	return fault{}
}

// A pair is one name=value of a query.
type pair struct{ name, value string }

// appendPairs splits a query as Python's parse_qsl: at &, keeping blank values,
// and leaving invalid escapes unchanged.
func appendPairs(pairs []pair, query string) []pair {
	for query != "" {
		var one string
		one, query, _ = strings.Cut(query, "&")
		if one == "" {
			continue
		}
		name, value, _ := strings.Cut(one, "=")
		pairs = append(pairs, pair{unescape(name), unescape(value)})
	}
	return pairs
}

// unescape decodes + and percent-escapes of a query and replaces invalid UTF-8.
func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return replaceInvalid(s)
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b = append(b, ' ')
		case s[i] == '%' && i+2 < len(s):
			high, ok := unhex(s[i+1])
			low, both := unhex(s[i+2])
			if !ok || !both {
				b = append(b, '%')
				continue
			}
			b = append(b, high<<4|low)
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return replaceInvalid(string(b))
}

// replaceInvalid replaces invalid UTF-8 by U+FFFD: one for each maximal subpart
// of a character, as Unicode recommends and Python does.
func replaceInvalid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			size = brokenLen(s)
		}
		b.WriteRune(r)
		s = s[size:]
	}
	return b.String()
}

// brokenLen returns the length of the maximal subpart at the start of s, which
// is not a character: the bytes that could begin one (table 3-7 of the Unicode
// standard).
func brokenLen(s string) int {
	low, high, size := byte(0x80), byte(0xBF), 1
	switch c := s[0]; {
	case 0xC2 <= c && c <= 0xDF:
		size = 2
	case 0xE0 <= c && c <= 0xEF:
		size = 3
	case 0xF0 <= c && c <= 0xF4:
		size = 4
	}
	switch s[0] {
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for n < min(size, len(s)) && low <= s[n] && s[n] <= high {
		n, low, high = n+1, 0x80, 0xBF
	}
	return n
}

// latin decodes a header value as Latin-1 if it is not valid UTF-8.
func latin(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}
