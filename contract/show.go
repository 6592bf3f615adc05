package contract

import (
	"slices"
	"strings"
	"unicode"
)

// An entry is a member of an object after duplicate keys are removed.
type entry struct {
	name string
	// key is the node of the first key with that name.
	key int
	// value is the node of the last value with that name.
	value int
}

// members returns the members of object i as a Python dict holds them: each key
// once, at its first position, with its last value.
func (t *tree) members(i int) []entry {
	n := &t.nodes[i]
	list := make([]entry, 0, n.size)
	seen := make(map[string]int, n.size)
	for k := i + 1; k < int(n.next); k = int(t.nodes[k+1].next) {
		name := t.unquote(&t.nodes[k])
		if at, ok := seen[name]; ok {
			list[at].value = k + 1
			continue
		}
		seen[name] = len(list)
		list = append(list, entry{name, k, k + 1})
	}
	return list
}

// shown returns value i as errors show it: compact, numbers as received,
// secrets redacted. Secrets holds the names of the operation's secret fields.
// Without secrets it still redacts members whose names sound like secrets.
func (t *tree) shown(i int, secrets []string) raw {
	return t.appendShown(nil, i, secrets)
}

// appendShown appends value i as errors show it.
func (t *tree) appendShown(b []byte, i int, secrets []string) []byte {
	n := &t.nodes[i]
	switch n.kind {
	case kindString:
		return appendString(b, t.unquote(n))
	case kindList:
		b = append(b, '[')
		for k := i + 1; k < int(n.next); k = int(t.nodes[k].next) {
			if k > i+1 {
				b = append(b, ',')
			}
			b = t.appendShown(b, k, secrets)
		}
		return append(b, ']')
	case kindObject:
		b = append(b, '{')
		for k, m := range t.members(i) {
			if k > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, m.name), ':')
			if t.hides(m, secrets) {
				b = appendString(b, redacted)
			} else {
				b = t.appendShown(b, m.value, secrets)
			}
		}
		return append(b, '}')
	}
	return append(b, t.text[n.start:n.end]...)
}

// hides reports whether errors must not show the value of a member. It decides by the member's name,
// wherever it is, since the mistake in a request may be a secret in the wrong place, and by what a
// secret can be. The operation's secret fields and names with one of secretWords hide every value, as a
// password may be a number. Names with one of secretEndings hide texts and what holds some: keys
// with a list of numbers are shown.
func (t *tree) hides(m entry, secrets []string) bool {
	if slices.ContainsFunc(secrets, func(s string) bool { return strings.EqualFold(s, m.name) }) ||
		contains(m.name, secretWords) {
		return true
	}
	below := t.nodes[m.value:t.nodes[m.value].next]
	return endsSecret(m.name) && slices.ContainsFunc(below, func(n node) bool { return n.kind == kindString })
}

// contains reports whether a name contains one of words. It ignores case, since a client that misspells
// Password has sent a password all the same.
func contains(name string, words []string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// endsSecret reports whether a name ends with one of secretEndings, also in the plural or numbered.
func endsSecret(name string) bool {
	name = strings.TrimSuffix(strings.TrimRight(strings.ToLower(name), "0123456789_-"), "s")
	return slices.ContainsFunc(secretEndings, func(end string) bool { return strings.HasSuffix(name, end) })
}

// Names are of a secret that contain one of secretWords or end with one of secretEndings:
// new_password, apiKey, csrf_token; but not token_id.
var (
	secretWords   = []string{"password", "passwd", "passphrase", "secret", "salt"}
	secretEndings = []string{"token", "key"}
)

// mentionsSecret reports whether a text of unknown form may hold a secret next
// to its name: a form, or JSON that was encoded twice. Escapes that could hide
// a name count as a mention.
func mentionsSecret(text string) bool {
	text = strings.ToLower(strings.ReplaceAll(text, "\x00", "")) // UTF-16 has a zero byte in each ASCII character
	if strings.Contains(text, `\u`) {
		return true
	}
	for range 3 { // a form may be escaped more than once
		text = strings.ToLower(unescape(text))
	}
	if strings.Contains(text, "%") {
		return true
	}
	names := strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return contains(text, secretWords) || slices.ContainsFunc(names, endsSecret)
}
