package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// pool lends connections, the most recently used first: its statements are prepared and
// its memory is warm. The connections are kept by database/sql, which asks each one whether it
// is still valid (conn.IsValid, ResetSession).
type pool struct {
	config *pgx.ConnConfig
	slots  engine.Slots
	trip   time.Duration // the usual bound of a round trip
	begin  time.Duration // the bound of the begin of a session: of a round trip, or of an attempt to connect to each host
	idle   time.Duration // without a response after which a connection may be lost
	trips  *atomic.Int64
	sql    *sql.DB
	log    *slog.Logger
	down   atomic.Bool // the last attempt to connect failed, or a round trip has timed out since

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

// newPool returns a pool without connections. The number of slots bounds its sessions, and trip each
// round trip.
func newPool(
	config *pgx.ConnConfig, slots engine.Slots, trip time.Duration, trips *atomic.Int64, log *slog.Logger,
) *pool {
	p := &pool{config: config, slots: slots, trip: trip, trips: trips, log: log, generation: new(atomic.Uint64)}
	p.begin = max(trip, time.Duration(countHosts(config))*config.ConnectTimeout+connectRoom)
	p.slots.GiveUp = p.giveUp
	p.config.AfterNetConnect = bounded(trip)
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
		link: link{trips: p.trips, stmts: map[statement]*stmt{}}, generation: p.generation.Load(), latest: p.generation,
		idle: p.idle, trip: p.trip, suspect: p.suspect,
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

// errNoAnswer is the error of a View or an Update that waits for others, which the server does not answer.
var errNoAnswer = errors.New("store: the database does not answer")

// giveUp ends the wait for a slot while the server does not answer: the holders of the slots wait for it,
// one after the other.
func (p *pool) giveUp(waited time.Duration) error {
	if waited < p.trip || !p.down.Load() {
		return nil
	}
	return notStored(errNoAnswer)
}

// acquire returns a session with an established connection. It retries within the budget, except after a
// server that did not answer: another attempt would take as long.
func (p *pool) acquire(ctx context.Context, budget *retryBudget) (*session, error) {
	for {
		s := new(session)
		var err error
		if s.sql, err = p.connect(ctx); err == nil {
			return s, s.sql.Raw(func(dc any) error {
				s.conn = dc.(*conn)
				s.conn.bound(store.TripBound(ctx, p.trip))
				return nil
			})
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case final(err):
			return nil, notStored(explainConnectError(err))
		case timedOut(err), !budget.backOff(ctx):
			return nil, notStored(err)
		}
	}
}

// connect returns an idle connection or a new one, within p.begin.
func (p *pool) connect(ctx context.Context) (*sql.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.begin)
	defer cancel()
	return p.sql.Conn(ctx)
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

// discard closes a lost connection.
func (p *pool) discard(c *conn) {
	p.suspect(c, c.failed)
	_ = c.Close() // the connection is lost in any case
}

// suspect marks the connections of the generation of c, which was lost by err, as suspect: they were lost with
// it, or lead to a server that does not answer or is no longer the primary.
func (p *pool) suspect(c *conn, err error) {
	// Of an older generation it says nothing about the server of now, and no attempt to connect may follow.
	latest := p.generation.CompareAndSwap(c.generation, c.generation+1)
	if latest && timedOut(err) && !p.down.Swap(true) {
		p.log.Warn("the database does not answer", "error", err)
	}
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
