package store

import (
	"context"
	"database/sql"
	"errors"
)

// errRowsOpen fails a closure that would keep a snapshot, or a statement, for ever.
var errRowsOpen = errors.New("store: the closure returned with rows open: close each Rows and scan each Row")

// sqliteSession is one connection, as database/sql sees it for closures and as it is
// for the engine. The engine uses conn only while no closure runs.
type sqliteSession struct {
	sql     *sql.Conn
	conn    *sqliteConn
	scanner *sqliteScanner // on the same snapshot; nil but within Views
	leaked  bool           // rows were left open: sql.Close would wait for them for ever
}

func openSession(ctx context.Context, pool *sql.DB) (*sqliteSession, error) {
	c, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &sqliteSession{sql: c}
	err = c.Raw(func(dc any) error {
		s.conn = dc.(*sqliteConn)
		return nil
	})
	return s, err
}

// settle closes what a closure left open, and says so.
func (s *sqliteSession) closeLeakedRows() error {
	if s.conn.closeRows() == 0 {
		return nil
	}
	s.leaked = true
	return errRowsOpen
}

// begin begins a deferred transaction: its first read fixes the snapshot.
func (s *sqliteSession) begin() error {
	if s.scanner != nil {
		if err := s.scanner.do("BEGIN"); err != nil {
			return err
		}
	}
	return s.conn.do("BEGIN")
}

// fix fixes the snapshot, the scanner's last.
func (s *sqliteSession) pinSnapshot() error {
	const read = "SELECT count(*) FROM sqlite_schema"
	err := s.conn.do(read)
	if err != nil || s.scanner == nil {
		return err
	}
	return s.scanner.do(read)
}

// dropScanner closes the scanner, and so ends its transaction.
func (s *sqliteSession) dropScanner() error {
	if s.scanner == nil {
		return nil
	}
	err := s.scanner.close()
	s.scanner = nil
	return err
}

func (s *sqliteSession) close() error {
	if s.leaked {
		return s.conn.Close()
	}
	return s.sql.Close()
}
