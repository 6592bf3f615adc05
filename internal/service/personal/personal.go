// Package personal lists everything that the database keeps about one account, for its owner.
//
// The list of sections is the record of personal data: a test compares it with the schema
// and fails for a column that names accounts and is in no section. docs/privacy.md says the
// same for people. Secrets and their hashes are in no section.
package personal

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
)

// column is a column of a section and how it is shown.
type column struct {
	name string
	show func(r store.Row, i int) any
}

// The kinds of columns. A NULL is null.
func text(name string) column {
	return column{name, func(r store.Row, i int) any { return string(r.Bytes(i)) }}
}

// number is an integer.
func number(name string) column {
	return column{name, func(r store.Row, i int) any { return r.Int(i) }}
}

// hash is a public hash, in hex.
func hash(name string) column {
	return column{name, func(r store.Row, i int) any { return hex.EncodeToString(r.Bytes(i)) }}
}

// at is a time in Unix milliseconds.
func at(name string) column {
	return column{name, func(r store.Row, i int) any { return stamp(time.UnixMilli(r.Int(i))) }}
}

// addr is the address of an account or, on boards, of a team.
func addr(name string) column {
	return column{name, func(r store.Row, i int) any {
		var a chain.Address
		if b := r.Bytes(i); len(b) != len(a) {
			return hex.EncodeToString(b)
		}
		copy(a[:], r.Bytes(i))
		return a.String()
	}}
}

// document is a text that holds JSON.
func document(name string) column {
	return column{name, func(r store.Row, i int) any { return json.RawMessage(string(r.Bytes(i))) }}
}

// stamp returns the text of a time, as in the API.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// section is one kind of record: the rows of a table that belong to an account.
type section struct {
	name    string
	table   string
	where   string // with $1 for the address
	order   string // a unique expression
	columns []column
}

// query returns the text that reads the rows.
func (s *section) query() string {
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.name
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s", strings.Join(names, ", "), s.table, s.where, s.order)
}

// write writes the rows of the section, separated by commas, one at a time: an account may have more than
// memory should hold.
func (s *section) write(tx *store.Tx, account chain.Address, w io.Writer) error {
	var errRow error
	separator := ""
	err := tx.Scan(s.query(), []any{account[:]}, func(r store.Row) {
		if errRow != nil {
			return
		}
		row, err := s.encode(r)
		if err == nil {
			_, err = io.WriteString(w, separator)
		}
		if err == nil {
			_, err = w.Write(row)
		}
		separator, errRow = ",", err
	})
	if err = cmp.Or(err, errRow); err != nil {
		return fmt.Errorf("personal: %s of %v: %w", s.name, account, err)
	}
	return nil
}

// encode returns a row as a JSON object, its members in the order of the columns.
func (s *section) encode(r store.Row) ([]byte, error) {
	row := []byte{'{'}
	for i, c := range s.columns {
		var value any
		if !r.Null(i) {
			value = c.show(r, i)
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
		if i > 0 {
			row = append(row, ',')
		}
		row = fmt.Appendf(row, "%q:%s", c.name, encoded)
	}
	return append(row, '}'), nil
}

// Write writes all sections of an account, also those without rows, as a JSON array: objects with a name and
// rows, which are objects as well.
func Write(tx *store.Tx, account chain.Address, w io.Writer) error {
	for i := range sections {
		before := `]},{"name":`
		if i == 0 {
			before = `[{"name":`
		}
		if _, err := fmt.Fprintf(w, `%s%q,"rows":[`, before, sections[i].name); err != nil {
			return err
		}
		if err := sections[i].write(tx, account, w); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "]}]")
	return err
}
