package contract

import (
	"reflect"
	"slices"
)

// A binding checks the values of one request and fills the operation's input
// with them. It is pooled: buffers keep their size from request to request.
type binding struct {
	tree    tree
	loc     []step
	detail  []Detail
	secrets []string // names of the operation's secret fields
}

// A step of a loc: a name, or the index in a list.
type step struct {
	name  string
	index int // -1: a name
}

// redacted stands in answers where a secret was.
const redacted = "[redacted]"

func (b *binding) enter(name string) { b.loc = append(b.loc, step{name, -1}) }
func (b *binding) leave()            { b.loc = b.loc[:len(b.loc)-1] }

// report adds an error about the value at the current loc.
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

// node checks value i of the tree by rule r and stores it in dst, reporting
// what is wrong with it and with everything below it.
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

// value is node for a value that is not null, or must not be. Its own fault it
// returns, for node to report; those of values below it are reported already.
// Nothing is stored in dst before it has passed.
func (b *binding) value(r *rule, i int, dst reflect.Value) fault {
	n := &b.tree.nodes[i]
	switch r.shape {
	case text, choice:
		return b.textNode(r, n, dst)
	case integer:
		return r.setIntNode(b.tree.text[n.start:n.end], n.kind, dst)
	case number:
		return r.setFloatNode(b.tree.text[n.start:n.end], n.kind, dst)
	case boolean:
		if n.kind != kindTrue && n.kind != kindFalse {
			return faultBoolType
		}
		dst.SetBool(n.kind == kindTrue)
	case list:
		return b.listNode(r, i, dst)
	case dict:
		return b.dictNode(r, i, dst)
	case object:
		if n.kind != kindObject {
			return faultObject
		}
		b.objectNode(r, i, dst)
	case anything:
		// Without duplicate keys, so that whoever reads it next understands
		// the same as everybody else.
		dst.SetBytes(b.tree.appendShown(nil, i, nil))
	}
	return fault{}
}

// textNode checks texts and choices. A choice wants one of a few texts and says
// so whatever else it gets, except for text that is no Unicode: pydantic's order.
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

// listNode checks a list: too long a one is not looked into, too short a one is
// reported only when its items are right, as pydantic counts those.
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

// dictNode checks an object whose keys are data.
func (b *binding) dictNode(r *rule, i int, dst reflect.Value) fault {
	if b.tree.nodes[i].kind != kindObject {
		return faultDictType
	}
	keyType, itemType := r.typ.Key(), r.typ.Elem()
	dst.Set(reflect.MakeMap(r.typ))
	for _, m := range b.tree.members(i) {
		b.enter(m.name)
		if b.tree.nodes[m.key].lone {
			b.enter("[key]")
			b.report(faultUnicode, m.name)
			b.leave()
		} else {
			item := reflect.New(itemType).Elem()
			b.node(r.item, m.value, item)
			dst.SetMapIndex(reflect.ValueOf(m.name).Convert(keyType), item)
		}
		b.leave()
	}
	return fault{}
}

// objectNode checks an object member by member in the order of declaration,
// which is the order of the errors, whatever the order of the text.
func (b *binding) objectNode(r *rule, i int, dst reflect.Value) {
	var whole any // the object as an error shows it, made once
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
		b.surplus(r, i)
	}
}

// surplus reports the members of object i that rule r does not declare.
func (b *binding) surplus(r *rule, i int) {
	for _, m := range b.tree.members(i) {
		if slices.ContainsFunc(r.fields, func(f field) bool { return f.name == m.name }) {
			continue
		}
		extra := rule{secret: r.secret || isSecret(m.name, b.secrets)}
		b.enter(m.name)
		b.report(faultExtra, b.shown(&extra, m.value))
		b.leave()
	}
}

// shown is the input of an error about value i.
func (b *binding) shown(r *rule, i int) any {
	if r.secret {
		return redacted
	}
	return b.tree.shown(i, b.secrets)
}
