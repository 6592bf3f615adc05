package contract

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"
)

// A Deprecation announces that an operation, a parameter or a member will end. The zero Deprecation announces
// nothing. Times are sent to the second.
type Deprecation struct {
	// Since is the time of the announcement.
	Since time.Time
	// Sunset is the time after which it may be gone; the zero time while that is not decided.
	Sunset time.Time
}

// deprecatedTag is the tag of deprecated parameters and members: the date of the announcement and, after a comma, the
// date of the end, both as 2026-12-01 in UTC.
const deprecatedTag = "deprecated"

// announced reports whether d announces anything.
func (d Deprecation) announced() bool { return !d.Since.IsZero() }

// with returns the earliest times of two announcements: a caller that uses all deprecated parts must have changed by
// then.
func (d Deprecation) with(o Deprecation) Deprecation {
	return Deprecation{earliest(d.Since, o.Since), earliest(d.Sunset, o.Sunset)}
}

// earliest returns the earlier one of two times, of which a zero one does not count.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// write announces d in the headers of a response: Deprecation (RFC 9745), Sunset (RFC 8594) and, unless it is empty, a
// link to the page that explains deprecations.
func (d Deprecation) write(h http.Header, link string) {
	if !d.announced() {
		return
	}
	h.Set("Deprecation", fmt.Sprintf("@%d", d.Since.Unix()))
	if !d.Sunset.IsZero() {
		h.Set("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
	}
	if link != "" {
		h.Add("Link", "<"+link+`>; rel="deprecation"`)
	}
}

// deprecationOf returns the announcement in a field's tags. It panics on a malformed one.
func deprecationOf(where string, tag reflect.StructTag) (d Deprecation) {
	text, ok := tag.Lookup(deprecatedTag)
	if !ok {
		return d
	}
	since, sunset, ends := strings.Cut(text, ",")
	var err error
	if d.Since, err = time.Parse(time.DateOnly, since); err == nil && ends {
		d.Sunset, err = time.Parse(time.DateOnly, sunset)
	}
	if err != nil || ends && d.Sunset.Before(d.Since) {
		panic(where + ": deprecated is a date, or two dates in their order, as in 2026-12-01,2027-06-01")
	}
	return d
}

// setDeprecated marks a schema, a parameter or an operation if d announces its end. x-sunset is the day of the end, by
// which tools that compare contracts know whether a removal is due.
func (m *orderedMap) setDeprecated(d Deprecation) {
	if d.announced() {
		m.set("deprecated", true)
	}
	if !d.Sunset.IsZero() {
		m.set("x-sunset", d.Sunset.UTC().Format(time.DateOnly))
	}
}

// Announced returns what the responses of an operation announce: the deprecation of the operation, or of the
// parameters and members of its input, its output and its events. Of several, the earliest times count.
func (op *Operation) Announced() Deprecation { return op.announced }

// announce completes a registered operation with the deprecations in its types.
func (rt *route) announce() {
	d := rt.op.Deprecated
	if rt.plan != nil {
		for i := range rt.plan.params {
			d = d.with(rt.plan.params[i].deprecations())
		}
		if rt.plan.body != nil {
			d = d.with(rt.plan.body.deprecations())
		}
	}
	seen := map[reflect.Type]bool{}
	if rt.out != nil {
		d = d.with(deprecationsIn(rt.out, seen))
	}
	if rt.op.Events != nil {
		d = d.with(deprecationsIn(reflect.TypeOf(rt.op.Events), seen))
	}
	rt.op.announced = d
}

// deprecation returns the announcement in the tags of a field.
func (f *field) deprecation() Deprecation { return deprecationOf("contract: "+f.name, f.tag) }

// deprecations returns what a field and the fields below it announce.
func (f *field) deprecations() Deprecation { return f.deprecation().with(f.rule.deprecations()) }

// deprecations returns what the fields below a rule announce.
func (r *rule) deprecations() (d Deprecation) {
	if r.item != nil {
		d = r.item.deprecations()
	}
	for i := range r.fields {
		d = d.with(r.fields[i].deprecations())
	}
	return d
}

// deprecationsIn returns what the members of an output type announce. It knows the types that the document knows:
// those with a JSON or a schema of their own have no members. Seen has the types met so far, which may contain
// themselves.
func deprecationsIn(t reflect.Type, seen map[reflect.Type]bool) (d Deprecation) {
	if seen[t] {
		return d
	}
	seen[t] = true
	p := reflect.PointerTo(t)
	switch {
	case t.Kind() == reflect.Pointer:
		return deprecationsIn(t.Elem(), seen)
	case t.Implements(encodedJSONType):
		return deprecationsIn(reflect.Zero(t).Interface().(encodedJSON).documentedAs(), seen)
	case p.Implements(describerType), p.Implements(jsonMarshaler), p.Implements(textMarshaler):
		return d
	}
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array:
		return deprecationsIn(t.Elem(), seen)
	case reflect.Struct:
		members, err := membersOf(t)
		if err != nil {
			panic(err)
		}
		for i := range members {
			d = d.with(members[i].deprecation()).with(deprecationsIn(members[i].field.Type, seen))
		}
	}
	return d
}

// deprecation returns the announcement in the tags of a member.
func (m *member) deprecation() Deprecation { return deprecationOf("contract: "+m.name, m.field.Tag) }
