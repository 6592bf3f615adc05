package contract

import (
	"net/http"
	"reflect"
	"slices"
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
