package store

import (
	"context"
	"io/fs"
	"log/slog"
	"time"
)

// Config names the database and sets the limits of its use. Each engine's Open takes it.
type Config struct {
	// URL of the PostgreSQL database, postgres://user:password@host:5432/database, or with
	// several hosts, one of which is the primary at any time. When it is "", Path applies.
	URL string

	// Path of the SQLite file. Open creates its folder (mode 0700) and the file (0600) when
	// they are missing; Path-wal, Path-shm, Path-ballast and Path.lock lie beside it.
	Path string

	// ReadOnly opens an existing database for reading, even while a server has it open. Update
	// then fails with ErrReadOnly, and Open applies no migration.
	ReadOnly bool

	// Alone makes Open refuse with ErrLocked a SQLite file that another process serves, and keeps all others
	// away until Close, with ReadOnly too. Without ReadOnly every Open does.
	Alone bool

	// Application names the connections on a PostgreSQL server. When it is "", the URL does, or they are named
	// roshambo.
	Application string

	// Batch is the largest number of Updates that share one commit on SQLite; 64 when 0.
	Batch int

	// Readers is the largest number of concurrent Views; further ones wait. When 0, twice the
	// number of processors, between 4 and 16.
	Readers int

	// Writers is the largest number of concurrent Updates on PostgreSQL; further ones wait.
	// When 0, eight times the number of processors, between 16 and 32.
	Writers int

	// Logger receives what no error reports: migrations applied, commits retried, closures that
	// delay all others. Nil discards.
	Logger *slog.Logger

	// Trace, when set, is called with the caller's context when a View or an Update begins; the
	// function that it returns is called with the error when the call ends. Call is "view" or
	// "update".
	Trace func(ctx context.Context, call string) (end func(error))

	// Now replaces the database's clock where a program makes up the time: tests, and the history of
	// a demo. Nil otherwise.
	Now func() time.Time

	// Faults injects failing commits and statements and extra runs of closures; nil outside
	// tests.
	Faults *Faults

	// HostClock replaces this node's clock, and the time since some start that does not jump with it,
	// in tests; nil otherwise.
	HostClock func() (wall time.Time, elapsed time.Duration)

	// Migrations replaces the program's migrations of the engine, in tests; nil otherwise.
	Migrations fs.FS
}
