package sqlite

import (
	"context"
	"database/sql"

	"roshambo/internal/store/engine"
)

// session is one connection in two views: sql for closures and conn for the engine, which
// uses conn only while no closure runs.
type session struct {
	sql     *sql.Conn
	conn    *conn
	scanner *scanner // on the same snapshot; nil except within Views
	leaked  bool     // rows were left open, for which sql.Close would wait for ever
}

// openSession opens a session on a new connection of the pool.
func openSession(ctx context.Context, pool *sql.DB) (*session, error) {
	c, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{sql: c}
	err = c.Raw(func(dc any) error {
		s.conn = dc.(*conn)
		return nil
	})
	return s, err
}

// closeLeakedRows closes result sets that a closure left open, and returns ErrRowsOpen if there
// were any.
func (s *session) closeLeakedRows() error {
	if s.conn.closeRows() == 0 {
		return nil
	}
	s.leaked = true
	return engine.ErrRowsOpen
}

// begin begins a deferred transaction, whose first read fixes the snapshot.
func (s *session) begin() error {
	if s.scanner != nil {
		if err := s.scanner.do("BEGIN"); err != nil {
			return err
		}
	}
	return s.conn.do("BEGIN")
}

// pinSnapshot fixes the snapshot of the connection and then of the scanner.
func (s *session) pinSnapshot() error {
	const read = "SELECT count(*) FROM sqlite_schema"
	err := s.conn.do(read)
	if err != nil || s.scanner == nil {
		return err
	}
	return s.scanner.do(read)
}

// dropScanner closes the scanner, which ends its transaction.
func (s *session) dropScanner() error {
	if s.scanner == nil {
		return nil
	}
	err := s.scanner.close()
	s.scanner = nil
	return err
}

// close closes the connection, directly if database/sql would wait for leaked rows.
func (s *session) close() error {
	if s.leaked {
		return s.conn.Close()
	}
	return s.sql.Close()
}
