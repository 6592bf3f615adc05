package contract

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An omap is an object whose members keep their order: the document must be
// the same bytes every time, and reads best in the order it was written.
type omap []pairing

type pairing struct {
	key   string
	value any // omap, []any, string, bool, int, int64, float64 or nil
}

// set adds a member.
func (m *omap) set(key string, value any) { *m = append(*m, pairing{key, value}) }

// setText adds a member unless it is empty.
func (m *omap) setText(key, value string) {
	if value != "" {
		m.set(key, value)
	}
}

// append writes the members in their order.
func (m omap) append(b []byte) ([]byte, error) {
	b = append(b, '{')
	for i, p := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, p.key), ':')
		var err error
		if b, err = appendValue(b, p.value); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendYAML writes v as block YAML 1.2. The caller has written what stands
// before it on its line; indent is the column that v's own lines begin at.
func appendYAML(b []byte, v any, indent int) ([]byte, error) {
	margin := strings.Repeat(" ", indent)
	switch v := v.(type) {
	case omap:
		if len(v) == 0 {
			return append(b, " {}\n"...), nil
		}
		for i, p := range v {
			if i > 0 || len(b) > 0 && b[len(b)-1] != '-' {
				b = startLine(b, margin)
			} else if len(b) > 0 {
				b = append(b, ' ')
			}
			b = append(append(b, yamlScalar(p.key)...), ':')
			var err error
			if b, err = appendYAML(b, p.value, indent+2); err != nil {
				return nil, err
			}
		}
		return b, nil
	case []any:
		if len(v) == 0 {
			return append(b, " []\n"...), nil
		}
		for _, item := range v {
			b = append(startLine(b, margin), '-')
			var err error
			if b, err = appendYAML(b, item, indent+2); err != nil {
				return nil, err
			}
		}
		return b, nil
	case string:
		if strings.Contains(v, "\n") {
			return appendBlock(b, v, margin), nil
		}
		return append(b, " "+yamlScalar(v)+"\n"...), nil
	}
	b, err := appendValue(append(b, ' '), v)
	return append(b, '\n'), err
}

// startLine begins a line at margin, ending the one before if need be.
func startLine(b []byte, margin string) []byte {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	return append(b, margin...)
}

// appendBlock writes a text of several lines as a literal block, or quoted
// where a block would change it.
func appendBlock(b []byte, s, margin string) []byte {
	if strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\n") || strings.HasSuffix(s, "\n") ||
		strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }) {
		return append(strconv.AppendQuote(append(b, ' '), s), '\n')
	}
	b = append(b, " |-\n"...)
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" {
			b = append(b, margin...)
		}
		b = append(append(b, line...), '\n')
	}
	return b
}

// yamlWords are read as something else than a text, by one version or another.
var yamlWords = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|y|n|null|none)$`)

// yamlScalar returns a text of one line, in quotes where it could be read as
// anything else: what Go escapes in a string, YAML reads back.
func yamlScalar(s string) string {
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case !strings.ContainsRune("/$_", first) && !unicode.IsLetter(first),
		strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }),
		strings.Contains(s, ": "), strings.HasSuffix(s, ":"), strings.Contains(s, " #"),
		strings.HasSuffix(s, " "), yamlWords.MatchString(s):
		return strconv.Quote(s)
	}
	return s
}
