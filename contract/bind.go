package contract

import (
	"reflect"
	"slices"
)

// A binding checks the values of one request and fills the operation's input
// with them. Bindings are pooled: their buffers keep their size from request to
// request.
type binding struct {
	// tree is the parsed body.
	tree tree
	// loc is the location of the value that is being checked.
	loc []step
	// detail are the errors so far.
	detail []Detail
	// secrets are the names of the operation's secret fields.
	secrets []string
}

// A step of an error's loc: a name, or the index in a list.
type step struct {
	name string
	// index is -1 for a name.
	index int
}

// redacted replaces secret values in responses.
const redacted = "[redacted]"

// enter appends a name to the current loc.
func (b *binding) enter(name string) { b.loc = append(b.loc, step{name, -1}) }

// leave removes the last step of the loc.
func (b *binding) leave() { b.loc = b.loc[:len(b.loc)-1] }

// report adds an error about the value at the current loc. Input becomes part
// of the response, so the caller redacts secrets first.
func (b *binding) report(f fault, input any) {
	loc := make([]any, len(b.loc))
	for i, s := range b.loc {
		if s.index < 0 {
			loc[i] = s.name
		} else {
			loc[i] = s.index
		}
	}
	b.detail = append(b.detail, Detail{f.typ, loc, f.msg, input, f.ctx})
}

// node checks value i of the tree against rule r and stores it in dst. It
// reports every error in the value and below it. For a nullable rule dst is a
// pointer: null sets it to nil, any other value allocates.
func (b *binding) node(r *rule, i int, dst reflect.Value) {
	n := &b.tree.nodes[i]
	if n.kind == kindNull && r.nullable {
		dst.SetZero()
		return
	}
	if r.nullable {
		dst.Set(reflect.New(r.typ))
		dst = dst.Elem()
	}
	if f := b.value(r, i, dst); f.typ != "" {
		b.report(f, b.shown(r, i))
	}
}

// value checks a value that is not null, or where null is an error. It returns
// the fault of the value itself, which node reports, and reports the faults of
// values below it. It stores nothing in dst before the value has passed.
func (b *binding) value(r *rule, i int, dst reflect.Value) fault {
	n := &b.tree.nodes[i]
	switch r.shape {
	case text, choice:
		return b.textNode(r, n, dst)
	case integer:
		return r.setIntNode(b.tree.text[n.start:n.end], n.kind, dst)
	case boolean:
		if n.kind != kindTrue && n.kind != kindFalse {
			return faultBoolType
		}
		dst.SetBool(n.kind == kindTrue)
	case list:
		return b.listNode(r, i, dst)
	case object:
		if n.kind != kindObject {
			return faultObject
		}
		b.objectNode(r, i, dst)
	}
	return fault{}
}

// textNode checks a text or a choice. The order of the checks is pydantic's: a
// choice reports its list of values for every wrong type, and string_unicode
// only for a string with half a surrogate pair.
func (b *binding) textNode(r *rule, n *node, dst reflect.Value) fault {
	switch {
	case n.kind != kindString && r.shape == choice:
		return r.wrongChoice()
	case n.kind != kindString:
		return faultStringType
	case n.lone:
		return faultUnicode
	case r.shape == choice && !n.escaped: // the usual case, without a copy
		for _, c := range r.choices {
			if b.tree.is(n, c) {
				dst.SetString(c)
				return fault{}
			}
		}
		return r.wrongChoice()
	}
	return r.setText(b.tree.unquote(n), dst)
}

// listNode checks a list and its items. A list above maxItems is reported
// without looking at its items; a list below minItems only if all its items are
// valid, as pydantic counts valid items.
func (b *binding) listNode(r *rule, i int, dst reflect.Value) fault {
	n := b.tree.nodes[i]
	if n.kind != kindList {
		return faultListType
	}
	size := int(n.size)
	if r.length.max >= 0 && size > r.length.max {
		return tooLong(r.length.max, size)
	}
	before := len(b.detail)
	dst.Set(reflect.MakeSlice(r.typ, size, size))
	for k, at := 0, i+1; k < size; k++ {
		b.loc = append(b.loc, step{index: k})
		b.node(r.item, at, dst.Index(k))
		b.leave()
		at = int(b.tree.nodes[at].next)
	}
	if size < r.length.min && len(b.detail) == before {
		return tooShort(r.length.min, size)
	}
	return fault{}
}

// objectNode checks an object member by member in the order of declaration,
// which is the order of the errors, whatever the order in the body. Absent
// members become their default.
func (b *binding) objectNode(r *rule, i int, dst reflect.Value) {
	var whole any // the object as errors show it, encoded once
	before := len(b.detail)
	for k := range r.fields {
		f := &r.fields[k]
		at := b.tree.member(i, f.name)
		if at < 0 && f.required && whole == nil {
			whole = b.shown(r, i)
		}
		b.enter(f.name)
		switch {
		case at >= 0:
			b.node(&f.rule, at, dst.FieldByIndex(f.index))
		case f.required:
			b.report(faultMissing, whole)
		default:
			f.fill(dst.FieldByIndex(f.index))
		}
		b.leave()
	}
	if r.closed {
		b.extra(r, i)
	}
	if r.between != nil && len(b.detail) == before { // as pydantic validates a model after its fields
		for _, name := range r.between.missing(&b.tree, i) {
			b.enter(name)
			b.report(faultMissing, b.shown(r, i))
			b.leave()
		}
	}
	if r.ruled && len(b.detail) == before {
		if reason := dst.Addr().Interface().(Ruled).Broken(); reason != "" {
			b.report(valueError(reason), b.shown(r, i))
		}
	}
}

// extra reports the members of object i that rule r does not declare. It runs
// only for structs with extra:"forbid".
func (b *binding) extra(r *rule, i int) {
	for _, m := range b.tree.members(i) {
		if slices.ContainsFunc(r.fields, func(f field) bool { return f.name == m.name }) {
			continue
		}
		extra := rule{secret: r.secret || b.tree.hides(m, b.secrets)}
		b.enter(m.name)
		b.report(faultExtra, b.shown(&extra, m.value))
		b.leave()
	}
}

// shown returns the input of an error about value i: its JSON, or redacted.
func (b *binding) shown(r *rule, i int) any {
	if r.secret {
		return redacted
	}
	return b.tree.shown(i, b.secrets)
}
