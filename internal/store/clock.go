package store

import (
	"context"
	"fmt"
	"time"
)

// Clock returns the time of the database server, the clock that all nodes share. Where no other
// process can open the database it returns the process's own time. An error means that the
// server did not answer.
func (d *DB) Clock(ctx context.Context) (time.Time, error) {
	if d.Exclusive() {
		return time.Now(), nil
	}
	ms := int64(0)
	err := d.ViewOnce(ctx, func(ctx context.Context, tx *Tx) error {
		return tx.QueryRowContext(ctx, "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)").Scan(&ms)
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("store: the server's clock: %w", err)
	}
	return time.UnixMilli(ms), nil
}
