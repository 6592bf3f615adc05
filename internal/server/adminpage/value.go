package adminpage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/internal/platform/names"
)

// value is a JSON value as the page shows it: a list of members, a list of items, or a text. Its texts have an escape
// for each character that is not visible.
type value struct {
	Text    string
	Account string   // the address, if the text is one
	Members []member // of an object, in its order
	Items   []value  // of a list
}

// member is a named value.
type member struct {
	Name  string
	Value value
}

// valueOf returns what the page shows of a value for encoding/json; nil for nil. A value without JSON, as from a
// damaged row, is shown as the error.
func valueOf(of any) *value {
	if of == nil {
		return nil
	}
	text, err := json.Marshal(of)
	if err != nil {
		return &value{Text: names.Printable(err.Error())}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v := decode(d)
	return &v
}

// decode reads the next value of JSON that this program has written.
func decode(d *json.Decoder) (v value) {
	switch t := next(d).(type) {
	case json.Delim:
		for d.More() {
			if t == '[' {
				v.Items = append(v.Items, decode(d))
				continue
			}
			name, _ := next(d).(string)
			v.Members = append(v.Members, member{names.Printable(strings.ReplaceAll(name, "_", " ")), decode(d)})
		}
		next(d) // the end
		if v.Items == nil && v.Members == nil {
			v.Text = "none"
		}
	case nil:
		v.Text = "–"
	case bool:
		v.Text = map[bool]string{true: "yes", false: "no"}[t]
	case json.Number:
		v.Text = t.String()
	case string:
		v.Text = names.Printable(t)
		if _, err := chain.ParseAddress(t); err == nil {
			v.Account = t
		}
	}
	return v
}

// next reads the next token.
func next(d *json.Decoder) json.Token {
	t, err := d.Token()
	if err != nil { // json.Marshal has written it
		panic(fmt.Sprintf("adminpage: JSON of this program: %v", err))
	}
	return t
}

// Columns returns the names of a table with the items as rows, in the order of their first items; none if an item is
// no object.
func (v value) Columns() (columns []string) {
	for _, item := range v.Items {
		if item.Members == nil {
			return nil
		}
		for _, m := range item.Members {
			if !slices.Contains(columns, m.Name) {
				columns = append(columns, m.Name)
			}
		}
	}
	return columns
}

// Row returns the cells of an object in the order of columns; an empty one where it has no such member.
func (v value) Row(columns []string) []value {
	row := make([]value, len(columns))
	for _, m := range v.Members {
		row[slices.Index(columns, m.Name)] = m.Value
	}
	return row
}
