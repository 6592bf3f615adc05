package contract

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The document needs only a small part of YAML, so this file writes it without a
// library: a YAML encoder would be the only dependency of the package, and its
// line breaks would change with its version. The tests parse the result with a
// YAML library and compare it with the JSON form.

// appendYAML appends v as block YAML 1.2. The caller has written the text that
// precedes v on its line; indent is the column of v's own lines. Numbers,
// booleans and null are written as JSON, which YAML 1.2 contains.
func appendYAML(b []byte, v any, indent int) ([]byte, error) {
	margin := strings.Repeat(" ", indent)
	switch v := v.(type) {
	case orderedMap:
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

// startLine begins a line at margin, and ends the previous line if it is open.
func startLine(b []byte, margin string) []byte {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	return append(b, margin...)
}

// appendBlock appends a text of several lines as a literal block (|-), or
// quoted if a block would change it: leading blanks, leading or trailing line
// breaks, unprintable characters.
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

// yamlWords matches plain scalars that YAML 1.1 or 1.2 resolves to a boolean or
// null.
var yamlWords = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|y|n|null|none)$`)

// yamlScalar returns a text of one line. It is quoted if a YAML parser could
// read it as anything but this text. Go's escapes are valid in YAML.
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
