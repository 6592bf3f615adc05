package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// settings are parameters of a session by their names. They are set by statements and not
// along with the request to connect: a pooler such as PgBouncer refuses requests with
// parameters that it does not know, or drops these without a word.
type settings map[string]string

// startupOnly are parameters that can, or should, be asked for as the connection is made.
// PgBouncer knows them, but for options and replication, which are no settings.
var startupOnly = []string{"application_name", "client_encoding", "datestyle", "timezone", "options", "replication"}

// takeSettings takes out of the parameters of a request to connect those that can be set by
// statements.
func takeSettings(params map[string]string) settings {
	taken := settings{}
	for name, value := range params {
		if !slices.Contains(startupOnly, strings.ToLower(name)) {
			taken[name] = value
			delete(params, name)
		}
	}
	return taken
}

// with returns the settings with others, which win.
func (s settings) with(others settings) settings {
	all := maps.Clone(s)
	maps.Copy(all, others)
	return all
}

// sessionKey is where a connection keeps the session that was established on it.
const sessionKey = "roshambo session"

// session is what was set on a connection.
type session struct {
	names, values []string // values as the server writes them
}

// establish returns what makes a new connection ready: it has the settings, and leads, with
// primary, to the server that takes writes, unless the URL has a check of its own. The question
// whether it does goes out in the same trip and before the settings, of which one would answer
// it.
func (s settings) establish(check pgconn.ValidateConnectFunc, primary bool) pgconn.ValidateConnectFunc {
	names := slices.Sorted(maps.Keys(s))
	return func(ctx context.Context, pg *pgconn.PgConn) error {
		if check != nil {
			if err := check(ctx, pg); err != nil {
				return err
			}
		}
		statements, err := s.statements(pg, names)
		if err != nil {
			return err
		}
		results, err := pg.Exec(ctx, "SHOW transaction_read_only; "+statements).ReadAll()
		if err != nil {
			return err
		}
		if primary && check == nil && string(results[0].Rows[0][0]) == "on" {
			return pgconn.ErrReadOnlyConnection
		}
		set := session{names: names}
		for _, value := range results[1].Rows[0] {
			set.values = append(set.values, string(value))
		}
		pg.CustomData()[sessionKey] = set
		return nil
	}
}

// statements returns the query that sets them, and answers with each as the server writes it.
func (s settings) statements(pg *pgconn.PgConn, names []string) (string, error) {
	calls := make([]string, len(names))
	for i, name := range names {
		quoted, err := pg.EscapeString(name)
		if err != nil {
			return "", err
		}
		value, err := pg.EscapeString(s[name])
		if err != nil {
			return "", err
		}
		calls[i] = "set_config('" + quoted + "', '" + value + "', false)"
	}
	return "SELECT " + strings.Join(calls, ", "), nil
}

// errPooling says that statements of one session run in several of the server's.
var errPooling = errors.New("a pooler gives each transaction any of its connections (transaction or statement pooling), so that settings, " +
	"locks and notifications of a session go astray: give nodes session pooling (PgBouncer: pool_mode = session), or connect them to the server itself")

// checkSettingsKept makes sure that what was set on a connection is still there in its next
// transaction.
func checkSettingsKept(ctx context.Context, pg *pgconn.PgConn) error {
	set, _ := pg.CustomData()[sessionKey].(session)
	asked := make([]string, len(set.names))
	for i, name := range set.names {
		quoted, err := pg.EscapeString(name)
		if err != nil {
			return err
		}
		asked[i] = "current_setting('" + quoted + "')"
	}
	results, err := pg.Exec(ctx, "SELECT "+strings.Join(asked, ", ")).ReadAll()
	if err != nil {
		return err
	}
	for i, name := range set.names {
		if got := string(results[0].Rows[0][i]); got != set.values[i] {
			return fmt.Errorf("the setting %s does not hold: it was set to %s and is %s: %w", name, set.values[i], got, errPooling)
		}
	}
	return nil
}

// checkPooling finds out whether a pooler lends a session of the server to several of its
// clients. A connection of a pooler has another number than the server's session behind it;
// where it has, a second one begins a transaction. When the pooler gives that the session of
// the first, which does not look idle to the first, they share it. It sets nothing, as that
// would be left behind for others. Without a connection it cannot say.
func checkPooling(ctx context.Context, config *pgx.ConnConfig) (checked bool, err error) {
	bare := config.Copy()
	bare.ValidateConnect = nil
	first, err := pgconn.ConnectConfig(ctx, &bare.Config)
	if err != nil {
		return false, nil // who connects next says why there is none
	}
	defer func() { err = joinErrors(err, first.Close(ctx)) }()
	was, err := backend(ctx, first)
	if err != nil || was == fmt.Sprint(first.PID()) {
		return err == nil, nil
	}
	other, err := pgconn.ConnectConfig(ctx, &bare.Config)
	if err != nil {
		return true, fmt.Errorf("a second connection of the pooler: %w", err)
	}
	defer func() { err = joinErrors(err, other.Close(ctx)) }()
	for range poolingTries {
		shared, err := sharesSession(ctx, first, other, was)
		if err != nil {
			return true, err
		}
		if shared {
			return true, errPooling
		}
	}
	return true, nil
}

// share has a second connection of a pooler begin a transaction, and reports whether that got
// the session of the first, or the first has another one by now.
func sharesSession(ctx context.Context, first, other *pgconn.PgConn, was string) (bool, error) {
	_, err := other.Exec(ctx, "BEGIN").ReadAll()
	if postgresCode(err) == codeProtocol {
		return true, nil // of statements: it has no transactions
	}
	if err != nil {
		return false, err
	}
	taken, err := backend(ctx, other)
	if err != nil {
		return false, err
	}
	if _, err := other.Exec(ctx, "ROLLBACK").ReadAll(); err != nil {
		return false, err
	}
	now, err := backend(ctx, first)
	return taken == was || now != was, err
}

const (
	// poolingTries is how often is checked whether two connections share a session: a pooler
	// may give out its sessions in turn.
	poolingTries = 20
	// codeProtocol is that of PgBouncer's own errors.
	codeProtocol = "08P01"
)

// backend returns the number of the server's session.
func backend(ctx context.Context, pg *pgconn.PgConn) (string, error) {
	results, err := pg.Exec(ctx, "SELECT pg_backend_pid()").ReadAll()
	if err != nil {
		return "", err
	}
	return string(results[0].Rows[0][0]), nil
}

// hosts returns how many servers a connection may lead to.
func countHosts(config *pgx.ConnConfig) int {
	all := map[string]bool{fmt.Sprint(config.Host, " ", config.Port): true}
	for _, f := range config.Fallbacks { // one may stand there twice, with TLS and without
		all[fmt.Sprint(f.Host, " ", f.Port)] = true
	}
	return len(all)
}

// checkStandbys warns when a failover can lose what was answered: when there are standbys, or
// other hosts to go to, and no commit waits for any of them.
func (e *postgresEngine) checkStandbys(ctx context.Context, pg *pgconn.PgConn, hosts int) error {
	// Whoever has no right to see how a standby replicates sees NULL.
	r := pg.ExecParams(ctx, `SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit'), count(pid),
		count(pid) FILTER (WHERE sync_state IN ('sync', 'quorum')), count(sync_state)
		FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'`, nil, nil, nil, nil).Read()
	if r.Err != nil {
		return r.Err
	}
	row := r.Rows[0]
	names, commit, standbys, waited, seen := string(row[0]), string(row[1]), string(row[2]), string(row[3]), string(row[4])
	const advice = "set synchronous_standby_names (Patroni: synchronous_mode)"
	switch {
	case names == "" && (standbys != "0" || hosts > 1):
		e.log.Warn("no standby is synchronous: a failover loses what was answered last, and the log of blocks then refuses to go on; "+advice,
			"standbys", standbys, "hosts", hosts)
	case names != "" && commit == "local":
		e.log.Warn("synchronous_commit is local: no commit waits for a standby, and a failover loses what was answered last; set it to on")
	case names != "" && standbys != "0" && seen != "0" && waited == "0":
		e.log.Warn("none of the standbys is one of synchronous_standby_names: commits wait for one that is, or a failover loses what was answered last",
			"synchronous_standby_names", names, "standbys", standbys)
	case names != "":
		e.log.Info("commits wait for a standby: what was answered survives a failover to one that is synchronous", "synchronous_standby_names", names)
	}
	return nil
}
