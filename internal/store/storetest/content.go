package storetest

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"roshambo/internal/store"
)

// Content returns everything that the database at place stores: the bytes of SQLite's files, or
// of all PostgreSQL tables. It is used to search for data that must not be stored.
func Content(t testing.TB, place store.Config) (all []byte) {
	t.Helper()
	if place.URL != "" {
		return tables(t, place.URL)
	}
	// The log contains the latest commits; -shm contains only its index.
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(place.Path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// tables returns a binary copy of all tables of a PostgreSQL database.
func tables(t testing.TB, url string) []byte {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, url)
	must(t, err)
	defer conn.Close(ctx) //nolint:errcheck // all was read
	// All tables are in the schema public.
	rows, err := conn.Query(ctx, "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'")
	must(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	var all bytes.Buffer
	for _, name := range names {
		// The binary format keeps bytes unchanged, where text would encode them as hexadecimal.
		_, err := conn.PgConn().CopyTo(ctx, &all, "COPY "+name+" TO STDOUT (FORMAT binary)")
		must(t, err)
	}
	return all.Bytes()
}
