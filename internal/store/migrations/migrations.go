// Package migrations holds the schema of each engine, and brings databases up to date.
package migrations

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"roshambo/internal/store"
)

// Files holds the migrations, one folder for each engine.
//
//go:embed sqlite postgres
var Files embed.FS

// Dialect is the SQL in which an engine creates its tables. The statements of the services are the same
// for all engines.
type Dialect struct {
	goose  database.Dialect
	folder string
}

// The dialects.
var (
	SQLite   = Dialect{database.DialectSQLite3, "sqlite"}
	Postgres = Dialect{database.DialectPostgres, "postgres"}
)

// VersionTable is the table in which goose records the applied migrations.
const VersionTable = goose.DefaultTablename

// versions is goose's record of the applied migrations, with a digest of each one's text: before the
// first release migrations change in place, so their numbers alone do not tell two schemas apart.
type versions struct {
	database.StoreExtender
	digests map[int64]string // of this program's migrations, by version
}

// CreateVersionTable creates the table.
func (v versions) CreateVersionTable(ctx context.Context, tx database.DBTxConn) error {
	if err := v.StoreExtender.CreateVersionTable(ctx, tx); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "ALTER TABLE "+goose.DefaultTablename+" ADD COLUMN digest TEXT")
	return err
}

// Insert records a migration in the transaction that applies it.
func (v versions) Insert(ctx context.Context, tx database.DBTxConn, r database.InsertRequest) error {
	if err := v.StoreExtender.Insert(ctx, tx, r); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE "+goose.DefaultTablename+" SET digest = $1 WHERE version_id = $2",
		v.digests[r.Version], r.Version)
	return err
}

// applied returns the digests of the applied migrations, by version; none when an earlier build, which
// kept none, made the database.
func (v versions) applied(ctx context.Context, pool *sql.DB) (map[int64]string, error) {
	rows, err := pool.QueryContext(ctx, "SELECT * FROM "+goose.DefaultTablename)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil || !slices.Contains(columns, "digest") {
		return nil, err
	}
	applied := map[int64]string{}
	for rows.Next() {
		var version int64
		var digest sql.NullString // null for what a program without digests has applied
		into := make([]any, len(columns))
		for i, name := range columns {
			switch name {
			case "version_id":
				into[i] = &version
			case "digest":
				into[i] = &digest
			default:
				into[i] = new(any)
			}
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		applied[version] = digest.String
	}
	return applied, rows.Err()
}

// schema compares and applies the migrations of this program to one database.
type schema struct {
	pool     *sql.DB
	versions versions
	provider *goose.Provider
}

// newSchema reads c.Migrations, or this program's migrations. Without any it returns goose.ErrNoMigrations.
func newSchema(dialect Dialect, pool *sql.DB, c store.Config) (*schema, error) {
	migrations := c.Migrations
	if migrations == nil {
		var err error
		if migrations, err = fs.Sub(Files, dialect.folder); err != nil {
			return nil, err
		}
	}
	record, err := database.NewStore(dialect.goose, goose.DefaultTablename)
	if err != nil {
		return nil, err
	}
	extended, ok := record.(database.StoreExtender)
	if !ok {
		return nil, fmt.Errorf("migrations: %T cannot tell whether its table is there", record)
	}
	s := &schema{pool: pool, versions: versions{extended, map[int64]string{}}}
	s.provider, err = goose.NewProvider(goose.DialectCustom, pool, migrations, goose.WithStore(s.versions),
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	for _, source := range s.provider.ListSources() {
		text, err := fs.ReadFile(migrations, source.Path)
		if err != nil {
			return nil, err
		}
		// A checkout may end lines in another way.
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		s.versions.digests[source.Version] = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	return s, nil
}

// Apply brings the schema up to date. Each migration runs in a transaction that also records
// its number and digest: a crash leaves the database at the last complete migration, and the next
// start continues from there. It changes nothing and returns ErrNewer when the schema has a
// migration that this program lacks, ErrOther when one had another text.
func Apply(ctx context.Context, dialect Dialect, pool *sql.DB, c store.Config) error {
	s, err := newSchema(dialect, pool, c)
	if errors.Is(err, goose.ErrNoMigrations) {
		return nil
	}
	if err != nil {
		return err
	}
	have, err := s.provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if err := s.check(ctx, have); err != nil {
		return err
	}
	done, err := s.provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	for _, r := range done {
		c.Logger.Info("migrated", "migration", r.Source.Path, "duration", r.Duration)
	}
	return nil
}

// Check checks that this program can read the schema, and changes nothing. It returns
// ErrOlder, ErrNewer or ErrOther otherwise.
func Check(ctx context.Context, dialect Dialect, pool *sql.DB, c store.Config) error {
	s, err := newSchema(dialect, pool, c)
	if errors.Is(err, goose.ErrNoMigrations) {
		return nil
	}
	if err != nil {
		return err
	}
	have, err := s.versions.GetLatestVersion(ctx, pool)
	if err != nil {
		return fmt.Errorf("reading the schema's version: %w", err)
	}
	if err := s.check(ctx, have); err != nil {
		return err
	}
	if want := newest(s.provider); have < want {
		return fmt.Errorf("%w: schema version %d, this one needs %d: start the server once, which migrates it",
			store.ErrOlder, have, want)
	}
	return nil
}

// check returns ErrNewer when the schema's version exceeds the newest migration's, and
// ErrOther when an applied migration had another text than in this program.
func (s *schema) check(ctx context.Context, have int64) error {
	if known := newest(s.provider); have > known {
		return fmt.Errorf("%w: schema version %d, this one knows %d", store.ErrNewer, have, known)
	}
	applied, err := s.versions.applied(ctx, s.pool)
	if err != nil {
		return fmt.Errorf("reading the digests of the schema: %w", err)
	}
	for _, source := range s.provider.ListSources() {
		if source.Version <= have && applied[source.Version] != s.versions.digests[source.Version] {
			return fmt.Errorf("%w (migration %s differs): run the program that made it, or start with a new database",
				store.ErrOther, source.Path)
		}
	}
	return nil
}

// newest returns the version of the newest migration of this program.
func newest(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
}
