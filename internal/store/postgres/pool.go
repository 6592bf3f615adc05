package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"roshambo/internal/store/engine"
)

// pool lends connections, the most recently used first: its statements are prepared and
// its memory is warm. The connections are kept by database/sql, which asks each one whether it
// is still valid (conn.IsValid, ResetSession).
type pool struct {
	config *pgx.ConnConfig
	slots  engine.Slots
	idle   time.Duration // without a response after which a connection may be lost
	trips  *atomic.Int64
	sql    *sql.DB
	log    *slog.Logger
	down   atomic.Bool // the last attempt to connect failed

	// generation increases when a connection is lost: connections of an older generation are
	// suspect. The pools of an engine share it, since they use the same server.
	generation *atomic.Uint64
}

// session is one connection in two views: sql for closures and conn for the engine,
// which uses conn only while no closure runs.
type session struct {
	sql  *sql.Conn
	conn *conn
}

// newPool returns a pool without connections. The number of slots bounds its sessions;
// limit bounds each read from the server, 0 does not.
func newPool(
	config *pgx.ConnConfig, slots engine.Slots, limit time.Duration, trips *atomic.Int64, log *slog.Logger,
) *pool {
	p := &pool{config: config, slots: slots, trips: trips, log: log, generation: new(atomic.Uint64)}
	p.config.AfterNetConnect = func(_ context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		return &deadlineConn{Conn: conn, limit: limit}, nil
	}
	// conn keeps prepared statements itself, beside pgx's caches.
	p.config.DefaultQueryExecMode = pgx.QueryExecModeExec
	p.config.StatementCacheCapacity, p.config.DescriptionCacheCapacity = 0, 0
	p.sql = sql.OpenDB(p)
	n, _ := slots.Count()
	p.sql.SetMaxIdleConns(n)
	return p
}

// Connect implements driver.Connector. It logs when the server becomes unreachable or reachable.
func (p *pool) Connect(ctx context.Context) (driver.Conn, error) {
	c := &conn{
		link: link{trips: p.trips, stmts: map[statement]*stmt{}},
		idle: p.idle, latest: p.generation, generation: p.generation.Load(),
	}
	p.trips.Add(1)
	var err error
	c.pg, err = pgx.ConnectConfig(ctx, p.config)
	was := p.down.Swap(err != nil)
	if err != nil {
		if !was {
			p.log.Warn("the database is unreachable", "error", err)
		}
		return nil, err
	}
	if was {
		p.log.Info("the database is reachable again")
	}
	c.pg.PgConn().CustomData()[connKey] = c
	c.lastHeard = time.Now()
	return c, nil
}

// Driver implements driver.Connector. It is unused.
func (p *pool) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// connKey is the key in a connection's custom data of its conn.
const connKey = "roshambo"

// onWarning records warnings of the server; see conn.commit.
func onWarning(pg *pgconn.PgConn, n *pgconn.Notice) {
	if c, ok := pg.CustomData()[connKey].(*conn); ok && n.SeverityUnlocalized == "WARNING" {
		c.warn = true
	}
}

// acquire returns a session with an established connection. It retries within the budget.
func (p *pool) acquire(ctx context.Context, budget *retryBudget) (*session, error) {
	for {
		s := new(session)
		var err error
		if s.sql, err = p.sql.Conn(ctx); err == nil {
			return s, s.sql.Raw(func(dc any) error {
				s.conn = dc.(*conn)
				return nil
			})
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case final(err):
			return nil, notStored(explainConnectError(err))
		case !budget.backOff(ctx):
			return nil, notStored(err)
		}
	}
}

// release returns a session to the pool.
func (p *pool) release(s *session) {
	s.conn.ctx = nil
	s.conn.lastHeard = time.Now()
	if s.conn.leaked {
		_ = s.conn.Close() // the session is forgotten
		return
	}
	_ = s.sql.Close() // a connection that is not valid any more
}

// discard closes a lost connection and marks all others of its generation as suspect: they were
// lost with it, or lead to a server that is no longer the primary.
func (p *pool) discard(c *conn) {
	p.generation.CompareAndSwap(c.generation, c.generation+1)
	_ = c.Close() // the connection is lost in any case
}

// close closes all connections. None is in use.
func (p *pool) close() error { return p.sql.Close() }

// retryBudget limits how long an operation is retried. It starts with the first failure.
type retryBudget struct {
	deadline time.Time
	tries    int
}

// retryTimeout is how long a View or an Update retries to connect, and an Update retries after
// conflicts.
const retryTimeout = 10 * time.Second

const (
	minBackoff = time.Millisecond
	maxBackoff = 250 * time.Millisecond
)

// exhausted reports whether the budget is used up, and starts it at the first call.
func (p *retryBudget) exhausted() bool {
	if p.deadline.IsZero() {
		p.deadline = time.Now().Add(retryTimeout)
	}
	return time.Now().After(p.deadline)
}

// backOff sleeps for an exponentially growing, randomized time, so that operations that failed
// together do not collide again. It returns false when the budget is exhausted or ctx has
// ended.
func (p *retryBudget) backOff(ctx context.Context) bool {
	if p.exhausted() {
		return false
	}
	longest := min(minBackoff<<min(p.tries, 10), maxBackoff)
	p.tries++
	timer := time.NewTimer(longest/2 + rand.N(longest)) //nolint:forbidigo // jitter; no result depends on it
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
