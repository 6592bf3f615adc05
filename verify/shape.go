package verify

import (
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
)

// table defines the shapes of the documents around the raws; package chain parses the raws
// themselves. It is the first part of the table in section 7 of docs/protocol.md, and the twins hold
// the same text. An object has exactly the members of its shape. All verifiers check them in this
// order and stop at the first fault, so that their reports agree.
//
// The kind of a member is a scalar (see scalars), "=" and the words that it may be separated by |, or
// another shape. "*" after a kind makes a list of it, "?" allows null.
const table = `
run_proof      format:text run_id:id account:address status:=active|deciding|claimed|lost|abandoned|void cleared:whole
               transcript:document texts:texts? commit:anchored start:anchored end:anchored? recovery:anchored?
               kept:text? checkpoint:text? verifier_key:text
duel_proof     format:text duel_id:id a:address b:address status:=active|finished|void wins:score winner:=a|b?
               transcript:document stake_a:anchored? stake_b:anchored? settle:anchored? recovery:anchored?
               kept:text? checkpoint:text? verifier_key:text
document       raw:text
texts          client_seed:text entropy:text*
score          a:whole b:whole
anchored       raw:text hash:hash height:whole? index:whole? header:text? tx_proof:hash*? block_proof:hash*?
`

// member is a member of a shape with its kind.
type member struct{ name, kind string }

// shapes is the parsed table: the members of each shape in order.
var shapes = func() map[string][]member {
	shapes := map[string][]member{}
	for row := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(table), "\n  ", " "), "\n") {
		words := strings.Fields(row)
		for _, word := range words[1:] {
			name, kind, _ := strings.Cut(word, ":")
			shapes[words[0]] = append(shapes[words[0]], member{name, kind})
		}
	}
	return shapes
}()

// scalars reports for each scalar kind whether a value is of that kind.
var scalars = map[string]func(v any) bool{
	"text":    func(v any) bool { _, ok := v.(string); return ok },
	"whole":   func(v any) bool { n, ok := v.(int64); return ok && n >= 0 },
	"hash":    func(v any) bool { s, ok := v.(string); return ok && isHash(s) },
	"id":      func(v any) bool { s, ok := v.(string); return ok && isID(s) },
	"address": func(v any) bool { s, ok := v.(string); return ok && isAddress(s) },
}

// conform returns an error unless v is of the kind. path is the position of v in the proof, such as
// "start.tx_proof[2]", and "" for the whole proof. The recursion is as deep as the table, not the
// input.
func conform(v any, kind, path string) error {
	kind, nullable := strings.CutSuffix(kind, "?")
	if nullable && v == nil {
		return nil
	}
	list, isList := v.([]any)
	if item, ok := strings.CutSuffix(kind, "*"); ok && isList {
		for i, one := range list {
			if err := conform(one, item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		return nil
	}
	if o, ok := v.(object); ok && shapes[kind] != nil {
		return conformMembers(o, shapes[kind], path)
	}
	// A value that matches no case is malformed, a list or object in place of a scalar included.
	s, isText := v.(string)
	words, isWords := strings.CutPrefix(kind, "=")
	switch {
	case isWords && isText && slices.Contains(strings.Split(words, "|"), s):
		return nil
	case scalars[kind] != nil && scalars[kind](v):
		return nil
	}
	return fmt.Errorf("%s is malformed", displayPath(path))
}

// conformMembers returns an error unless o has exactly the members of shape, each of its kind. A
// missing member is reported before an unknown one, an unknown one before a malformed one.
func conformMembers(o object, shape []member, path string) error {
	for _, m := range shape {
		if _, ok := o[m.name]; !ok {
			return fmt.Errorf("%s lacks %s", displayPath(path), m.name)
		}
	}
	// All members of the shape are present, so a larger object has an unknown one.
	if len(o) != len(shape) {
		return fmt.Errorf("%s has an unknown member", displayPath(path))
	}
	for _, m := range shape {
		inner := m.name
		if path != "" {
			inner = path + "." + m.name
		}
		if err := conform(o[m.name], m.kind, inner); err != nil {
			return err
		}
	}
	return nil
}

// displayPath returns the path for a message.
func displayPath(path string) string {
	if path == "" {
		return "the proof"
	}
	return path
}

// isHash reports whether s is 64 lowercase hex digits.
func isHash(s string) bool {
	_, err := chain.ParseHash(s)
	return err == nil
}

// isAddress reports whether s is an address other than the address of 20 zero bytes, which stands for null.
func isAddress(s string) bool {
	a, err := chain.ParseAddress(s)
	return err == nil && a != chain.Address{}
}

// isID reports whether s is the id of a run or a duel: 1 to 64 letters, digits and hyphens, which
// any terminal can print.
func isID(s string) bool {
	odd := func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-'
	}
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, odd)
}
