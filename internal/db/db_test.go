package db

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
)

func TestSmoke(t *testing.T) {
	ctx := t.Context()
	d, err := Open(ctx, Config{Path: filepath.Join(t.TempDir(), "x", "a b?c#d%41.db")})
	if err != nil {
		t.Fatal(err)
	}
	ex := func(q string, args ...any) error {
		return d.Update(ctx, func(ctx context.Context, tx *Tx) error {
			_, err := tx.ExecContext(ctx, q, args...)
			return err
		})
	}
	if err := ex("CREATE TABLE n (id INTEGER PRIMARY KEY, v INTEGER NOT NULL) STRICT"); err != nil {
		t.Fatal(err)
	}
	if err := ex("INSERT INTO n (id, v) VALUES ($1, $2)", 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := ex("INSERT INTO n (id, v) VALUES ($1, $2)", 1, 0); !IsUnique(err) {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for i := range 100 {
				err := d.Update(ctx, func(ctx context.Context, tx *Tx) error {
					var v int64
					if err := tx.QueryRowContext(ctx, "SELECT v FROM n WHERE id = $1", 1).Scan(&v); err != nil {
						return err
					}
					if _, err := tx.ExecContext(ctx, "UPDATE n SET v = $2 WHERE id = $1", 1, v+1); err != nil {
						return err
					}
					if i%10 == 9 {
						return boom
					}
					return nil
				})
				if err != nil && err != boom {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var v int64
	err = d.View(ctx, func(ctx context.Context, tx *Tx) error {
		return tx.QueryRowContext(ctx, "SELECT v FROM n").Scan(&v)
	})
	if err != nil || v != 32*90 {
		t.Fatal(err, v)
	}
	t.Logf("%+v", d.Stats())
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}
