package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// listen implements notifier, on a connection of its own.
func (e *postgresEngine) listen(ctx context.Context, channel string, ready func(), receive func(message string)) error {
	config := e.reads.config.Config.Copy()
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { receive(n.Payload) }
	pg, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return unavailable(err)
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonDelay)
		defer cancel()
		_ = pg.Close(ending) // there is nothing to lose
	}()
	if _, err := pg.Exec(ctx, `LISTEN "`+strings.ReplaceAll(channel, `"`, `""`)+`"`).ReadAll(); err != nil {
		return fmt.Errorf("db: listen: %w", err)
	}
	ready()
	for {
		if err := pg.WaitForNotification(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return unavailable(err)
		}
	}
}

// notify implements notifier: all messages in one round trip.
func (e *postgresEngine) notify(ctx context.Context, channel string, messages []string) (err error) {
	pool := e.writes
	if pool == nil {
		return ErrReadOnly
	}
	if err := pool.slots.wait(ctx); err != nil {
		return err
	}
	defer pool.slots.give(1)
	s, err := pool.take(ctx, new(patience))
	if err != nil {
		return err
	}
	defer pool.put(s)
	pg := s.conn.pg
	var b pgconn.Batch
	for _, m := range messages {
		b.ExecParams("SELECT pg_notify($1, $2)", [][]byte{[]byte(channel), []byte(m)}, nil, nil, nil)
	}
	e.trips.Add(1)
	if _, err := pg.ExecBatch(ctx, &b).ReadAll(); err != nil {
		return fmt.Errorf("db: notify: %w", err)
	}
	return nil
}
