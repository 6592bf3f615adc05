package storetest

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"roshambo/internal/store"
)

// Content returns all that the database at place holds, as it is stored: the bytes of
// SQLite's files, or those of every table of PostgreSQL.
func Content(t testing.TB, place store.Config) (all []byte) {
	t.Helper()
	if place.URL != "" {
		return tables(t, place.URL)
	}
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(place.Path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

func tables(t testing.TB, url string) []byte {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, url)
	must(t, err)
	defer conn.Close(ctx) //nolint:errcheck // all was read
	rows, err := conn.Query(ctx, "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'")
	must(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	var all bytes.Buffer
	for _, name := range names {
		// Binary: bytes as they are, where text would write them in hexadecimal.
		_, err := conn.PgConn().CopyTo(ctx, &all, "COPY "+name+" TO STDOUT (FORMAT binary)")
		must(t, err)
	}
	return all.Bytes()
}
