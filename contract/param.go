package contract

import (
	"net/http"
	"reflect"
	"slices"
)

// params checks the parameters; values are those of the path, in the order of
// the plan.
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

// param returns the value of a parameter: of the query the last one, of the
// headers the first.
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

// absent deals with a parameter that was not sent. An empty one was: ?limit= is
// an empty text.
func (c *call) absent(f *param, dst reflect.Value) {
	if f.required {
		c.report(faultMissing, nil)
		return
	}
	f.fill(dst)
}

// queryList checks all values of a query parameter that may come repeatedly.
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
		c.report(tooLong(f.length.max, len(all)), f.seen(all))
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
		c.report(tooShort(f.length.min, len(all)), f.seen(all))
	}
}

// fromText checks a parameter of path, query or header, which is always text,
// by rule r, and stores it in dst.
func (b *binding) fromText(r *rule, s string, dst reflect.Value) {
	if r.nullable {
		dst.Set(reflect.New(r.typ))
		dst = dst.Elem()
	}
	if f := r.setLax(s, dst); f.typ != "" {
		b.report(f, r.seen(s))
	}
}

// seen is the input of an error about a parameter.
func (r *rule) seen(input any) any {
	if r.secret {
		return redacted
	}
	return input
}

// setLax stores a value that came as text, whatever it should be.
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
	if f := r.textFault(s); f.typ != "" {
		return f
	}
	dst.SetString(s)
	return fault{}
}
