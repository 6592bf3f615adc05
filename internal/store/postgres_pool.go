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

// postgresPool lends connections, the one last used first: its statements are prepared
// and its pages warm.
type postgresPool struct {
	config *pgx.ConnConfig
	limit  time.Duration // of waiting for a word of the server; 0 for none
	slots  slots
	trips  *atomic.Int64
	sql    *sql.DB
	log    *slog.Logger

	// generation rises when a connection was lost: older ones are suspect. The pools of
	// an engine share it, as what one has found out of the server holds for the others.
	generation *atomic.Uint64

	mu   sync.Mutex // guards what follows
	idle []*postgresSession
	down bool // nobody could connect lately
}

// postgresSession is one connection, as database/sql sees it for closures and as it is
// for the engine. The engine uses conn only while no closure runs.
type postgresSession struct {
	sql    *sql.Conn
	conn   *postgresConn
	leaked bool // rows were left open: sql.Close would wait for them for ever
}

func newPostgresPool(config *pgx.ConnConfig, slots slots, limit time.Duration, trips *atomic.Int64, log *slog.Logger) *postgresPool {
	p := &postgresPool{config: config, limit: limit, slots: slots, trips: trips, log: log, generation: new(atomic.Uint64)}
	p.config.AfterNetConnect = func(_ context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		return &deadlineConn{Conn: conn, limit: limit}, nil
	}
	p.sql = sql.OpenDB(postgresConnector{p})
	p.sql.SetMaxIdleConns(-1) // what is idle is kept here
	return p
}

// postgresConnector makes connections that connect when they are used.
type postgresConnector struct{ pool *postgresPool }

// Connect implements driver.Connector.
func (k postgresConnector) Connect(context.Context) (driver.Conn, error) {
	return &postgresConn{pool: k.pool, trips: k.pool.trips, stmts: map[statement]*postgresStmt{}}, nil
}

// Driver implements driver.Connector.
func (k postgresConnector) Driver() driver.Driver { return k }

// Open implements driver.Driver.
func (k postgresConnector) Open(string) (driver.Conn, error) { return k.Connect(context.Background()) }

// take returns a session whose connection stands.
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

// put keeps a session for the next one.
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

// settle closes what a closure left open, and says so.
func (s *postgresSession) closeLeakedRows() error {
	if s.conn.closeRows() == 0 {
		return nil
	}
	s.leaked = true
	return errRowsOpen
}

func (s *postgresSession) close() error {
	if s.leaked {
		return s.conn.Close()
	}
	return s.sql.Close()
}

// lose gives a connection up that is of no use any more, and all others that are as old:
// what ended the one has ended them, or they lead to a server that is primary no longer.
func (p *postgresPool) discard(c *postgresConn) {
	p.generation.CompareAndSwap(c.generation, c.generation+1)
	c.closeConn()
}

// drop closes the connection; the next statement opens another.
func (c *postgresConn) closeConn() {
	if c.pg == nil {
		return
	}
	pg := c.pg
	c.reset()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_ = pg.Close(ctx) // it is gone either way
}

// connect sees to it that c is connected: it keeps the connection that stands, or opens
// one, and tries again while its patience lasts.
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

func (p *postgresPool) dial(ctx context.Context, c *postgresConn, generation uint64) error {
	p.trips.Add(1)
	pg, err := pgconn.ConnectConfig(ctx, &p.config.Config)
	p.mu.Lock()
	was := p.down
	p.down = err != nil
	p.mu.Unlock()
	if err != nil {
		if !was {
			p.log.Warn("the database cannot be reached", "error", err)
		}
		return err
	}
	if was {
		p.log.Info("the database can be reached again")
	}
	pg.CustomData()[connKey] = c
	c.pg, c.generation, c.lastHeard = pg, generation, time.Now()
	return nil
}

// connKey is where the connection of the driver finds that of the engine.
const connKey = "roshambo"

// onWarning notes warnings of the server; see postgresConn.commit.
func onWarning(pg *pgconn.PgConn, n *pgconn.Notice) {
	if c, ok := pg.CustomData()[connKey].(*postgresConn); ok && n.SeverityUnlocalized == "WARNING" {
		c.warn = true
	}
}

// close closes all connections. None is lent.
func (p *postgresPool) close() error {
	var errs []error
	for _, s := range p.idle {
		errs = append(errs, s.close())
	}
	return errors.Join(append(errs, p.sql.Close())...)
}

// patience bounds how long is tried what does not work yet. It begins with the first
// failure.
type retryBudget struct {
	deadline time.Time
	tries    int
}

// retryTimeout is how long an Update or a View tries to come by a connection, and an
// Update to get past conflicts with others.
const retryTimeout = 10 * time.Second

const (
	minBackoff = time.Millisecond
	maxBackoff = 250 * time.Millisecond
)

// over reports whether there has been enough trying.
func (p *retryBudget) exhausted() bool {
	if p.deadline.IsZero() {
		p.deadline = time.Now().Add(retryTimeout)
	}
	return time.Now().After(p.deadline)
}

// pause waits a moment, longer each time and by chance, so that those who failed
// together do not come back together. It returns false when patience is over, or ctx.
func (p *retryBudget) backOff(ctx context.Context) bool {
	if p.exhausted() {
		return false
	}
	longest := min(minBackoff<<min(p.tries, 10), maxBackoff)
	p.tries++
	timer := time.NewTimer(longest/2 + rand.N(longest)) //nolint:forbidigo // so that those who met do not meet again; nothing depends on it
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
