package contract

import (
	"slices"
	"strings"
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
func (t *tree) shown(i int, secrets []string) raw {
	return t.appendShown(nil, i, secrets)
}

// appendShown appends value i. Without secrets it still redacts members whose
// names sound like secrets.
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
			if isSecret(m.name, secrets) {
				b = appendString(b, redacted)
			} else {
				b = t.appendShown(b, m.value, secrets)
			}
		}
		return append(b, '}')
	}
	return append(b, t.text[n.start:n.end]...)
}

// isSecret reports whether errors must not show the value of a member. It
// decides by name alone, wherever the member is, since the mistake in a request
// may be a secret in the wrong place, and ignores case, since a client that
// misspells Password has sent a password all the same. Secret are the names of
// the operation's secret fields and all names that sound like a secret.
func isSecret(name string, secrets []string) bool {
	if slices.ContainsFunc(secrets, func(s string) bool { return strings.EqualFold(s, name) }) {
		return true
	}
	name = strings.TrimRight(strings.ToLower(name), "0123456789_-")
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	name = strings.TrimSuffix(name, "s")
	return slices.ContainsFunc(secretEndings, func(end string) bool { return strings.HasSuffix(name, end) })
}

// A name is secret that contains one of secretWords or ends with one of
// secretEndings: new_password, apiKey, csrf_token; but not token_id.
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
	contains := func(word string) bool { return strings.Contains(text, word) }
	return slices.ContainsFunc(secretWords, contains) || slices.ContainsFunc(secretEndings, contains)
}
