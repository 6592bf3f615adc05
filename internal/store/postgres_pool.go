package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// postgresPool lends connections, the most recently used first: its statements are prepared and
// its memory is warm.
type postgresPool struct {
	config *pgx.ConnConfig
	limit  time.Duration // for one read from the server; 0 for none
	slots  slots
	trips  *atomic.Int64
	sql    *sql.DB
	log    *slog.Logger

	// generation increases when a connection is lost: connections of an older generation are
	// suspect. The pools of an engine share it, since they use the same server.
	generation *atomic.Uint64

	mu   sync.Mutex // guards the fields below
	idle []*postgresSession
	down bool // the last attempt to connect failed
}

// postgresSession is one connection in two views: sql for closures and conn for the engine,
// which uses conn only while no closure runs.
type postgresSession struct {
	sql    *sql.Conn
	conn   *postgresConn
	leaked bool // rows were left open, for which sql.Close would wait for ever
}

// newPostgresPool returns a pool without connections. The number of slots bounds its sessions.
func newPostgresPool(
	config *pgx.ConnConfig, slots slots, limit time.Duration, trips *atomic.Int64, log *slog.Logger,
) *postgresPool {
	p := &postgresPool{
		config: config, limit: limit, slots: slots, trips: trips, log: log, generation: new(atomic.Uint64),
	}
	p.config.AfterNetConnect = func(_ context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		return &deadlineConn{Conn: conn, limit: limit}, nil
	}
	p.sql = sql.OpenDB(postgresConnector{p})
	p.sql.SetMaxIdleConns(-1) // idle ones are kept in p.idle
	return p
}

// postgresConnector makes connections that connect on first use.
type postgresConnector struct{ pool *postgresPool }

// Connect implements driver.Connector.
func (k postgresConnector) Connect(context.Context) (driver.Conn, error) {
	return &postgresConn{pool: k.pool, trips: k.pool.trips, stmts: map[statement]*postgresStmt{}}, nil
}

// Driver implements driver.Connector.
func (k postgresConnector) Driver() driver.Driver { return k }

// Open implements driver.Driver.
func (k postgresConnector) Open(string) (driver.Conn, error) { return k.Connect(context.Background()) }

// acquire returns a session with an established connection.
func (p *postgresPool) acquire(ctx context.Context, budget *retryBudget) (*postgresSession, error) {
	s, err := p.session(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.connect(ctx, s.conn, budget); err != nil {
		return nil, joinErrors(err, s.close())
	}
	return s, nil
}

// session returns the most recently used idle session, or a new one.
func (p *postgresPool) session(ctx context.Context) (*postgresSession, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	c, err := p.sql.Conn(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	s := &postgresSession{sql: c}
	err = c.Raw(func(dc any) error {
		s.conn = dc.(*postgresConn)
		return nil
	})
	return s, err
}

// release returns a session to the pool.
func (p *postgresPool) release(s *postgresSession) {
	s.conn.ctx = nil
	s.conn.lastHeard = time.Now()
	if s.conn.outdated {
		s.conn.closeConn()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
}

// closeLeakedRows closes result sets that a closure left open, and returns errRowsOpen if there
// were any.
func (s *postgresSession) closeLeakedRows() error {
	if s.conn.closeRows() == 0 {
		return nil
	}
	s.leaked = true
	return errRowsOpen
}

// close closes the connection, directly if database/sql would wait for leaked rows.
func (s *postgresSession) close() error {
	if s.leaked {
		return s.conn.Close()
	}
	return s.sql.Close()
}

// discard closes a lost connection and marks all others of its generation as suspect: they were
// lost with it, or lead to a server that is no longer the primary.
func (p *postgresPool) discard(c *postgresConn) {
	p.generation.CompareAndSwap(c.generation, c.generation+1)
	c.closeConn()
}

// closeConn closes the connection; the next statement opens another one.
func (c *postgresConn) closeConn() {
	if c.pg == nil {
		return
	}
	pg := c.pg
	c.reset()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_ = pg.Close(ctx) // the connection is discarded in any case
}

// connect ensures that c is connected: it keeps an established connection, or opens one, and
// retries within the budget.
func (p *postgresPool) connect(ctx context.Context, c *postgresConn, budget *retryBudget) error {
	generation := p.generation.Load()
	if c.pg != nil {
		if c.generation == generation && !c.pg.IsClosed() && c.drainRollback(ctx) == nil {
			return nil
		}
		c.closeConn()
	}
	for {
		err := p.dial(ctx, c, generation)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case postgresFinal(err):
			return notStored(explainConnectError(err))
		case !budget.backOff(ctx):
			return notStored(err)
		}
	}
}

// dial opens a connection for c, and logs when the server becomes unreachable or reachable.
func (p *postgresPool) dial(ctx context.Context, c *postgresConn, generation uint64) error {
	p.trips.Add(1)
	pg, err := pgconn.ConnectConfig(ctx, &p.config.Config)
	p.mu.Lock()
	was := p.down
	p.down = err != nil
	p.mu.Unlock()
	if err != nil {
		if !was {
			p.log.Warn("the database is unreachable", "error", err)
		}
		return err
	}
	if was {
		p.log.Info("the database is reachable again")
	}
	pg.CustomData()[connKey] = c
	c.pg, c.generation, c.lastHeard = pg, generation, time.Now()
	return nil
}

// connKey is the key in a driver connection's custom data of its postgresConn.
const connKey = "roshambo"

// onWarning records warnings of the server; see postgresConn.commit.
func onWarning(pg *pgconn.PgConn, n *pgconn.Notice) {
	if c, ok := pg.CustomData()[connKey].(*postgresConn); ok && n.SeverityUnlocalized == "WARNING" {
		c.warn = true
	}
}

// close closes all connections. None is in use.
func (p *postgresPool) close() error {
	var errs []error
	for _, s := range p.idle {
		errs = append(errs, s.close())
	}
	return errors.Join(append(errs, p.sql.Close())...)
}

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
