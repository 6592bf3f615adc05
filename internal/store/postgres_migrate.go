package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3/database"
)

// migrationLock is the key of the advisory lock that guards migrations: of several nodes that
// start together, one migrates and the others wait.
const migrationLock = 0x726f7368616d626f // roshambo

// migratePostgres brings the schema up to date while it holds migrationLock.
func migratePostgres(ctx context.Context, config *pgx.ConnConfig, c Config) (err error) {
	pool := migrationPool(config)
	defer func() { err = joinErrors(err, pool.Close()) }()
	locked, err := pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	// The server releases the lock with the connection, even that of a killed node.
	defer func() { err = joinErrors(err, locked.Close()) }()
	if _, err := locked.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if err := migrate(ctx, database.DialectPostgres, pool, c); err != nil {
		return err
	}
	if _, err := locked.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", int64(migrationLock)); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	return nil
}

// checkPostgresVersion checks that this program can read the schema, without changing it.
func checkPostgresVersion(ctx context.Context, config *pgx.ConnConfig, c Config) error {
	pool := migrationPool(config)
	return joinErrors(checkVersion(ctx, database.DialectPostgres, pool, c.migrations), pool.Close())
}

// migrationPool returns a pool for migrations: plain connections, whose statements may end
// transactions.
func migrationPool(config *pgx.ConnConfig) *sql.DB {
	plain := config.Copy()
	plain.OnNotice = nil
	return stdlib.OpenDB(*plain)
}
