package store_test

import (
	"errors"
	"strings"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestMigrationDiffers checks on either engine that a database is refused and left as it is when the
// text of an applied migration differs, as after a change in place, or when its digests are missing.
func TestMigrationDiffers(t *testing.T) {
	t.Parallel()
	place := storetest.Blank(t)
	a, b := "CREATE TABLE a (\nid INTEGER)", "INSERT INTO a (id) VALUES (7)"
	open := func(readOnly bool, ups ...string) (*store.DB, error) {
		c := place
		c.Migrations, c.ReadOnly = storetest.Migrations(ups...), readOnly
		return storetest.TryOpen(t.Context(), c)
	}
	opened := func(readOnly bool, ups ...string) *store.DB {
		d, err := open(readOnly, ups...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		return d
	}
	refused := func(migration string, ups ...string) {
		t.Helper()
		for _, readOnly := range []bool{false, true} {
			d, err := open(readOnly, ups...)
			if err == nil {
				t.Errorf("%q, to read %v: opened, closed: %v", ups, readOnly, d.Close())
			} else if !errors.Is(err, store.ErrOther) || !strings.Contains(err.Error(), migration+" differs") {
				t.Errorf("%q, to read %v: error %v, want ErrOther and that %s differs", ups, readOnly, err, migration)
			}
		}
	}
	if err := opened(false, a).Close(); err != nil {
		t.Fatal(err)
	}
	opened(true, strings.ReplaceAll(a, "\n", "\r\n"))
	refused("0001_test.sql", a+"; SELECT 1")
	refused("0001_test.sql", a+"; SELECT 1", b)
	if n := storetest.Number(t, opened(true, a), "SELECT count(*) FROM a"); n != 0 {
		t.Errorf("the refused second migration left %d rows", n)
	}
	d := opened(false, a, b)
	if n := storetest.Number(t, d, "SELECT count(*) FROM a"); n != 1 {
		t.Errorf("%d rows after the second migration, want 1", n)
	}
	storetest.Exec(t, d, "ALTER TABLE goose_db_version DROP COLUMN digest")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	refused("0001_test.sql", a, b)
}
