package contract

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// between are the rules between the members of an object. A member that is absent or null has no value;
// for some, an empty text is none either.
type between struct {
	// needs lists members that need another one: a value of dependents[i] needs a value of target.
	target     string
	dependents []string
	// some lists members of which one has a value.
	some []string
	// both lists members of which all have a value, or none.
	both []string
}

// Ruled is a body, or a struct in one, with a rule between its members for which no tag has a word. Broken runs once
// all members are valid, and returns the reason of a refusal in a few words; an empty text is no refusal. The error
// has the form that pydantic gives to a validator of a model: its input is the enclosing object. The schema does not
// contain the rule, so the doc tags of the members state it.
type Ruled interface{ Broken() string }

// newBetween reads the tags of the field _ of a struct: one of needs:"move=then,entropy", some:"name,code" and
// both:"from,to". It panics on a name that is no member.
func newBetween(tag reflect.StructTag, r *rule) *between {
	b := &between{}
	if text, ok := tag.Lookup("needs"); ok {
		var dependents string
		b.target, dependents, _ = strings.Cut(text, "=")
		b.dependents = strings.Split(dependents, ",")
	}
	if text, ok := tag.Lookup("some"); ok {
		b.some = strings.Split(text, ",")
	}
	if text, ok := tag.Lookup("both"); ok {
		b.both = strings.Split(text, ",")
	}
	given := 0
	for _, has := range []bool{b.target != "", b.some != nil, b.both != nil} {
		if has {
			given++
		}
	}
	if given == 0 {
		return nil
	}
	if given > 1 {
		panic(fmt.Sprintf("contract: %s has more than one of needs, some and both", r.typ))
	}
	for _, name := range slices.Concat([]string{b.target}, b.dependents, b.some, b.both) {
		if name != "" && !slices.ContainsFunc(r.fields, func(f field) bool { return f.name == name && f.nullable }) {
			panic(fmt.Sprintf("contract: %s: %q is no member that may be null", r.typ, name))
		}
	}
	return b
}

// missing returns the members that object i lacks under the rules.
func (b *between) missing(t *tree, i int) []string {
	value := func(name string) int {
		if at := t.member(i, name); at >= 0 && t.nodes[at].kind != kindNull {
			return at
		}
		return -1
	}
	if slices.ContainsFunc(b.dependents, func(name string) bool { return value(name) >= 0 }) && value(b.target) < 0 {
		return []string{b.target}
	}
	if b.some != nil && !slices.ContainsFunc(b.some, func(name string) bool {
		at := value(name)
		return at >= 0 && (t.nodes[at].kind != kindString || t.unquote(&t.nodes[at]) != "")
	}) {
		return b.some
	}
	without := slices.DeleteFunc(slices.Clone(b.both), func(name string) bool { return value(name) >= 0 })
	if len(without) < len(b.both) {
		return without
	}
	return nil
}

// schema appends the rules to the schema of the object: anyOf, since null counts as absent, for which
// dependentRequired has no word. One choice says that the needed member has a value, the other that
// its dependents have none.
func (b *between) schema(s orderedMap) orderedMap {
	with := func(name string, schema orderedMap) orderedMap {
		return orderedMap{{"required", []any{name}}, {"properties", orderedMap{{name, schema}}}}
	}
	null := func(names []string) orderedMap {
		none := orderedMap{}
		for _, name := range names {
			none.set(name, orderedMap{{"type", "null"}})
		}
		return orderedMap{{"properties", none}}
	}
	var choices []any
	if b.both != nil {
		all := orderedMap{}
		var names []any
		for _, name := range b.both {
			names = append(names, name)
			all.set(name, orderedMap{{"type", "string"}})
		}
		choices = append(choices, orderedMap{{"required", names}, {"properties", all}}, null(b.both))
	}
	for _, name := range b.some {
		choices = append(choices, with(name, orderedMap{{"type", "string"}, {"minLength", 1}}))
	}
	if b.target != "" {
		choices = append(choices, with(b.target, orderedMap{{"type", "string"}}), null(b.dependents))
	}
	s.set("anyOf", choices)
	return s
}
