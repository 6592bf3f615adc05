//go:build nightly

package app

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/internal/ledger/audit"
)

// TestDamagedValues changes bits of values in the file of a used service. Doctor names the table of each, by the
// checksum of the page. Where the checksum fits the changed value, as one that a faulty program has stored, doctor names
// every change in the tables that docs/operations.md lists as covered in full, and misses some in those listed as not
// covered.
func TestDamagedValues(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	c.HouseBots, c.RateLimit = true, DefaultRateLimit
	ready := make(chan string, 1)
	c.Ready = func(address string) { ready <- address }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, c) }()
	outside, err := client.New(client.Options{URL: "http://" + <-ready})
	if err != nil {
		t.Fatal(err)
	}
	awaitHouse(t, outside, true)
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(c.Data, databaseFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size, _ := rootPages(t, path)
	looked, seen := map[string]int{}, map[string]int{}
	for _, v := range storedValues(t, path, whole) {
		if looked[v.table] == 12 {
			continue
		}
		looked[v.table]++
		text := bytes.Clone(whole)
		text[v.at] ^= 1
		if n, said := examine(t, c, text); n == 0 || !strings.Contains(said, "table "+v.table+": ") {
			t.Errorf("%s: byte %d of page %d: %d differences, and the table is not named:\n%s", v.table, v.at, v.page, n, said)
		}
		page := text[v.at/size*size:][:size]
		copy(page[size-8:], checksum(page[:size-8]))
		if n, _ := examine(t, c, text); n > 0 {
			seen[v.table]++
		} else if slices.Contains(audit.Tables(), v.table) {
			t.Errorf("%s: byte %d of page %d is not named", v.table, v.at, v.page)
		}
	}
	hidden := 0 // changes in tables that doctor does not cover
	for table := range original {
		hidden += looked[table] - seen[table]
	}
	if hidden == 0 {
		t.Error("doctor names every changed value: docs/operations.md says that it does not")
	}
	if len(looked) < 20 {
		t.Errorf("only %d tables have rows: %v", len(looked), looked)
	}
	t.Logf("changed: %v\nnamed: %v", looked, seen)
}

// examine lets doctor look at a file, and returns the number of differences, at least 1 for an error, and what it says.
func examine(t *testing.T, c Config, file []byte) (found int, said string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.Data, databaseFile), file, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	found, err := Doctor(t.Context(), c.store(), time.Now, &out)
	if err != nil {
		return found + 1, out.String() + err.Error()
	}
	return found, out.String()
}

// checksum returns the checksum of a page without its last 8 bytes, by https://www.sqlite.org/cksumvfs.html.
func checksum(text []byte) []byte {
	var a, b uint32
	for i := 0; i < len(text); i += 8 {
		a += binary.LittleEndian.Uint32(text[i:]) + b
		b += binary.LittleEndian.Uint32(text[i+4:]) + a
	}
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, a), b)
}

// storedValue is a byte of a value in a row.
type storedValue struct {
	table    string
	page, at int
}

// storedValues returns the byte in the middle of each row of each table whose values are on one
// page. The format is described at https://www.sqlite.org/fileformat.html, section 1.6.
func storedValues(t *testing.T, path string, file []byte) (list []storedValue) {
	t.Helper()
	size, _ := rootPages(t, path)
	raw, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := raw.Close(); err != nil {
			t.Error(err)
		}
	}()
	rows, err := raw.QueryContext(t.Context(), `SELECT d.name, d.pageno
		FROM dbstat d JOIN sqlite_schema s ON s.name = d.name
		WHERE s.type = 'table' AND d.pagetype = 'leaf' AND d.name NOT LIKE 'sqlite_%'
		AND d.name <> 'goose_db_version' AND d.pageno > 1 ORDER BY d.pageno`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var table string
		var page int
		if err := rows.Scan(&table, &page); err != nil {
			t.Fatal(err)
		}
		text := file[(page-1)*size : page*size]
		for cell := range int(binary.BigEndian.Uint16(text[3:])) {
			at := int(binary.BigEndian.Uint16(text[8+2*cell:]))
			length, n := varint(text[at:])
			at += n
			if text[0] == 0x0D { // the row begins with its own number
				_, n = varint(text[at:])
				at += n
			}
			header, _ := varint(text[at:])
			if length == header || at+length > size || length > size/8 {
				continue
			}
			list = append(list, storedValue{table, page, (page-1)*size + at + (header+length)/2})
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// varint decodes a SQLite varint, and returns its length in bytes.
func varint(text []byte) (value, n int) {
	for n < 8 {
		value = value<<7 | int(text[n]&0x7f)
		n++
		if text[n-1] < 0x80 {
			return value, n
		}
	}
	return value<<8 | int(text[8]), 9
}
