package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
	"roshambo/internal/store/migrations"
)

// prepare waits for the server, checks that commits are durable and that session settings
// persist, and brings the schema up to date; a read-only engine checks the schema version
// instead.
func (d *serverDB) prepare(ctx context.Context, c store.Config, config *pgx.ConnConfig) error {
	checked, err := checkPooling(ctx, config) // before any setting is sent
	if err != nil {
		return err
	}
	if err := d.checkReading(ctx, c, config, checked); err != nil {
		return err
	}
	if c.ReadOnly {
		return checkVersion(ctx, config, c)
	}
	if err := d.checkWriting(ctx); err != nil {
		return err
	}
	return migrate(ctx, config, c)
}

// checkReading checks the server and the settings by a connection that reads, and the pooling unless
// that was checked.
func (d *serverDB) checkReading(ctx context.Context, c store.Config, config *pgx.ConnConfig, pooling bool) error {
	s, err := d.reads.acquire(ctx, new(retryBudget))
	if err != nil {
		return err
	}
	defer d.reads.release(s)
	if !pooling {
		if _, err := checkPooling(ctx, config); err != nil {
			return err
		}
	}
	if err := d.checkServer(ctx, s.conn.pg.PgConn(), c); err != nil {
		return err
	}
	if err := checkSettingsKept(ctx, s.conn.pg.PgConn()); err != nil || c.ReadOnly {
		return err
	}
	return d.checkStandbys(ctx, s.conn.pg.PgConn(), countHosts(config))
}

// checkWriting checks that the settings of connections that write persist.
func (d *serverDB) checkWriting(ctx context.Context) error {
	s, err := d.writes.acquire(ctx, new(retryBudget))
	if err != nil {
		return err
	}
	defer d.writes.release(s)
	return checkSettingsKept(ctx, s.conn.pg.PgConn())
}

// checkServer checks the server settings that the operator chooses: encoding,
// synchronous_commit, fsync and checksums of pages.
func (d *serverDB) checkServer(ctx context.Context, pg *pgconn.PgConn, c store.Config) error {
	r := pg.ExecParams(ctx, `SELECT current_setting('synchronous_commit'), current_setting('fsync'),
		current_setting('server_encoding'), current_setting('data_checksums')`, nil, nil, nil, nil).Read()
	if r.Err != nil {
		return r.Err
	}
	commit, fsync, encoding := string(r.Rows[0][0]), string(r.Rows[0][1]), string(r.Rows[0][2])
	if string(r.Rows[0][3]) == "off" && !c.ReadOnly { // commands that read are doctor and the like, which says so itself
		d.log.Warn("the server keeps no checksums of its pages: a bit that its disk flips can pass for a value; " +
			"stop it and run pg_checksums --enable")
	}
	switch {
	case encoding != "UTF8":
		return fmt.Errorf("the database's encoding is %s: create it with the encoding UTF8", encoding)
	case commit == "off" && !c.ReadOnly:
		return errors.New("synchronous_commit is off: acknowledged commits could be lost; turn it on for this database")
	case fsync == "off" && !c.ReadOnly:
		d.log.Warn("the server runs with fsync = off: a power cut can destroy the database")
	}
	return nil
}

// checkStandbys warns when a failover can lose acknowledged commits: when there are standbys,
// or further hosts, and commits wait for none of them.
func (d *serverDB) checkStandbys(ctx context.Context, pg *pgconn.PgConn, hosts int) error {
	// A role without the right to see replication state reads NULL.
	r := pg.ExecParams(ctx, `SELECT current_setting('synchronous_standby_names'),
		current_setting('synchronous_commit'), count(pid),
		count(pid) FILTER (WHERE sync_state IN ('sync', 'quorum')), count(sync_state)
		FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'`, nil, nil, nil, nil).Read()
	if r.Err != nil {
		return r.Err
	}
	row := r.Rows[0]
	names, commit, standbys := string(row[0]), string(row[1]), string(row[2])
	synchronous, visible := string(row[3]), string(row[4])
	const advice = "set synchronous_standby_names (Patroni: synchronous_mode)"
	switch {
	case names == "" && (standbys != "0" || hosts > 1):
		d.log.Warn("no standby is synchronous: a failover loses the latest commits, "+
			"and the block log then refuses to continue; "+advice,
			"standbys", standbys, "hosts", hosts)
	case names != "" && commit == "local":
		d.log.Warn("synchronous_commit is local: no commit waits for a standby, " +
			"and a failover loses the latest commits; set it to on")
	case names != "" && standbys != "0" && visible != "0" && synchronous == "0":
		d.log.Warn("no connected standby is in synchronous_standby_names: "+
			"commits wait for one that is, or a failover loses the latest commits",
			"synchronous_standby_names", names, "standbys", standbys)
	case names != "":
		d.log.Info("commits wait for a standby: they survive a failover to a synchronous one",
			"synchronous_standby_names", names)
	}
	return nil
}

// migrationLock is the key of the advisory lock that guards migrations: of several nodes that
// start together, one migrates and the others wait.
const migrationLock = 0x726f7368616d626f // roshambo

// migrate brings the schema up to date while it holds migrationLock.
func migrate(ctx context.Context, config *pgx.ConnConfig, c store.Config) (err error) {
	pool := migrationPool(config)
	defer func() { err = engine.Join(err, pool.Close()) }()
	locked, err := pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	// The server releases the lock with the connection, even a killed node's connection.
	defer func() { err = engine.Join(err, locked.Close()) }()
	if _, err := locked.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if err := migrations.Apply(ctx, migrations.Postgres, pool, c); err != nil {
		return err
	}
	if _, err := locked.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", int64(migrationLock)); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	return nil
}

// checkVersion checks that this program can read the schema, without changing it.
func checkVersion(ctx context.Context, config *pgx.ConnConfig, c store.Config) error {
	pool := migrationPool(config)
	return engine.Join(migrations.Check(ctx, migrations.Postgres, pool, c), pool.Close())
}

// migrationPool returns a pool for migrations: plain connections, whose statements may end
// transactions.
func migrationPool(config *pgx.ConnConfig) *sql.DB {
	plain := config.Copy()
	plain.OnNotice, plain.AfterNetConnect = nil, bounded(store.MigrationTrip)
	return stdlib.OpenDB(*plain)
}
