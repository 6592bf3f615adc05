package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

//go:embed migrations
var embedded embed.FS

// Migrations returns the embedded migrations, one folder for each engine.
func Migrations() fs.FS { return embedded }

// migrations returns the embedded migrations of one engine, "sqlite" or "postgres".
func migrations(engine string) (fs.FS, error) { return fs.Sub(embedded, "migrations/"+engine) }

// migrate brings the schema up to date. Each migration runs in a transaction that also records
// its number: a crash leaves the database at the last complete migration, and the next start
// continues from there. It returns ErrNewer when the schema has a migration that this program
// lacks.
func migrate(ctx context.Context, dialect goose.Dialect, pool *sql.DB, c Config) error {
	p, err := goose.NewProvider(dialect, pool, c.migrations, goose.WithDisableGlobalRegistry(true))
	if errors.Is(err, goose.ErrNoMigrations) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	have, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if err := notNewer(have, p); err != nil {
		return err
	}
	done, err := p.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	for _, r := range done {
		c.Logger.Info("migrated", "migration", r.Source.Path, "duration", r.Duration)
	}
	return nil
}

// checkVersion checks that this program can read the schema, and changes nothing. It returns
// ErrOlder or ErrNewer otherwise.
func checkVersion(ctx context.Context, dialect goose.Dialect, pool *sql.DB, migrations fs.FS) error {
	p, err := goose.NewProvider(dialect, pool, migrations, goose.WithDisableGlobalRegistry(true))
	if errors.Is(err, goose.ErrNoMigrations) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	store, err := database.NewStore(dialect, goose.DefaultTablename)
	if err != nil {
		return err
	}
	have, err := store.GetLatestVersion(ctx, pool)
	if err != nil {
		return fmt.Errorf("reading the schema's version: %w", err)
	}
	if want := newest(p); have < want {
		return fmt.Errorf("%w: schema version %d, this one needs %d: start the server once, which migrates it",
			ErrOlder, have, want)
	}
	return notNewer(have, p)
}

// notNewer returns ErrNewer when the schema version exceeds that of the newest migration.
func notNewer(have int64, p *goose.Provider) error {
	if known := newest(p); have > known {
		return fmt.Errorf("%w: schema version %d, this one knows %d", ErrNewer, have, known)
	}
	return nil
}

// newest returns the version of the newest migration of this program.
func newest(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
}
