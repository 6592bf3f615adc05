package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

const (
	// listenPing is the idle time after which a listener pings the server, and listenAnswer the
	// time allowed for the response.
	listenPing   = 3 * time.Second
	listenAnswer = 2 * time.Second

	// dedicatedTimeout bounds the begin of a dedicated connection, on all hosts.
	dedicatedTimeout = 10 * time.Second
)

// dedicatedConn opens a connection outside the pools.
func (d *serverDB) dedicatedConn(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dedicatedTimeout)
	defer cancel()
	c := d.reads.config.Copy()
	c.AfterNetConnect = nil // a notification may take any time
	// A context that ends interrupts the wait for a notification locally: the server has
	// nothing to cancel.
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()}
	}
	// A message reports an effect that is already durable, and arrives sooner when its own
	// commit waits neither for a disk nor for a standby.
	c.AfterConnect = func(ctx context.Context, pg *pgconn.PgConn) error {
		return pg.Exec(ctx, "SET synchronous_commit = off").Close()
	}
	return pgx.ConnectConfig(ctx, c)
}

// errSuspect ends a listener once another connection was lost: its server may no longer be the primary, and
// answer pings although no other node sends to it.
var errSuspect = errors.New("store: listen: another connection to the server was lost")

// Listen implements store.DB.Listen.
func (d *serverDB) Listen(ctx context.Context, channel string, ready func(), receive func(string)) (err error) {
	generation := d.reads.generation.Load()
	conn, err := d.dedicatedConn(ctx)
	if err != nil {
		return fmt.Errorf("store: listen: %w", err)
	}
	defer func() { err = engine.Join(err, closeDedicated(conn)) }()
	if err := execBounded(ctx, conn, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return fmt.Errorf("store: listen: %w", err)
	}
	ready()
	for {
		n, err := waitForNotification(ctx, conn)
		if err != nil {
			return fmt.Errorf("store: listen: %w", err)
		}
		if n != nil {
			receive(n.Payload)
		}
		if d.reads.generation.Load() != generation {
			return errSuspect
		}
	}
}

// execBounded executes a statement of a dedicated connection.
func execBounded(ctx context.Context, conn *pgx.Conn, query string) error {
	ctx, cancel := context.WithTimeout(ctx, dedicatedTimeout)
	defer cancel()
	_, err := conn.Exec(ctx, query)
	return err
}

// waitForNotification returns the next notification, or nil when the server answered a ping
// after an idle period.
func waitForNotification(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	wait, cancel := context.WithTimeout(ctx, listenPing)
	defer cancel()
	n, err := conn.WaitForNotification(wait)
	if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) && !pgconn.Timeout(err) {
		return n, err
	}
	answer, cancel := context.WithTimeout(ctx, listenAnswer)
	defer cancel()
	return nil, conn.Ping(answer)
}

// notifier is a Notifier on its own connection.
type notifier struct {
	conn    *pgx.Conn
	channel string
}

// Notifier implements store.DB.Notifier.
func (d *serverDB) Notifier(ctx context.Context, channel string) (store.Notifier, error) {
	conn, err := d.dedicatedConn(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: notifier: %w", err)
	}
	return &notifier{conn, channel}, nil
}

// Send implements Notifier, in one round trip.
func (n *notifier) Send(ctx context.Context, messages []string) error {
	const query = "SELECT pg_notify($1, m) FROM unnest($2::text[]) AS m"
	if _, err := n.conn.Exec(ctx, query, n.channel, messages); err != nil {
		return fmt.Errorf("store: notify: %w", err)
	}
	return nil
}

// Close implements Notifier.
func (n *notifier) Close() error { return closeDedicated(n.conn) }

// closeDedicated closes a connection, unless it is closed already.
func closeDedicated(conn *pgx.Conn) error {
	if conn.IsClosed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return conn.Close(ctx)
}
