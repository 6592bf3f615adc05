package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"roshambo/internal/store/engine"
)

// settings are session parameters by name. They are set by statements rather than in the
// startup message: a pooler such as PgBouncer rejects startup messages with parameters that it
// does not know, or silently drops these.
type settings map[string]string

// startupOnly are parameters that belong in the startup message. PgBouncer knows all of them
// except options and replication, which are not settings.
var startupOnly = []string{"application_name", "client_encoding", "datestyle", "timezone", "options", "replication"}

// takeSettings removes the parameters that statements can set from the parameters of a startup
// message, and returns them.
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

// with returns the union of both; others takes precedence.
func (s settings) with(others settings) settings {
	all := maps.Clone(s)
	maps.Copy(all, others)
	return all
}

// sessionKey is the key in a driver connection's custom data of its session.
const sessionKey = "roshambo session"

// applied records the settings of a connection.
type applied struct {
	names, values []string // values in the server's notation
}

// establish returns a function that prepares a new connection: it applies the settings and,
// with primary, rejects a server that is read-only, unless the URL has its own check. The check
// travels in the same round trip before the settings, since one of them would change its
// result.
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
		set := applied{names: names}
		for _, value := range results[1].Rows[0] {
			set.values = append(set.values, string(value))
		}
		pg.CustomData()[sessionKey] = set
		return nil
	}
}

// statements returns a query that applies the settings and returns each one in the server's
// notation.
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

// errPooling is the error of a pooler that spreads a session over several server sessions.
var errPooling = errors.New("the pooler assigns a server connection to each transaction or statement, " +
	"so that settings, locks and notifications of a session are lost: use session pooling " +
	"(PgBouncer: pool_mode = session), or connect the nodes to the server itself")

// checkSettingsKept checks that the settings of a connection persist into its next transaction.
// It returns an error that wraps errPooling otherwise.
func checkSettingsKept(ctx context.Context, pg *pgconn.PgConn) error {
	set, _ := pg.CustomData()[sessionKey].(applied)
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
			return fmt.Errorf("the setting %s does not persist: set to %s, read %s: %w", name, set.values[i], got, errPooling)
		}
	}
	return nil
}

// checkPooling detects a pooler that shares one server session among clients. The process id
// that a pooler reports for a connection differs from the process id of the server session; in
// that case a second connection begins a transaction. If the pooler assigns it the session of
// the first one, the connections share sessions. The check changes no setting, since that
// would affect other clients. checked is false when no connection could be made.
func checkPooling(ctx context.Context, config *pgx.ConnConfig) (checked bool, err error) {
	bare := config.Copy()
	bare.ValidateConnect = nil
	first, err := pgconn.ConnectConfig(ctx, &bare.Config)
	if err != nil {
		return false, nil // the next connection reports the error
	}
	defer func() { err = engine.Join(err, first.Close(ctx)) }()
	was, err := backend(ctx, first)
	if err != nil || was == fmt.Sprint(first.PID()) {
		return err == nil, nil
	}
	other, err := pgconn.ConnectConfig(ctx, &bare.Config)
	if err != nil {
		return true, fmt.Errorf("a second connection of the pooler: %w", err)
	}
	defer func() { err = engine.Join(err, other.Close(ctx)) }()
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

// sharesSession begins a transaction on a second connection, and reports whether that took over
// the server session of the first one, or the first one has moved to another.
func sharesSession(ctx context.Context, first, other *pgconn.PgConn, was string) (bool, error) {
	_, err := other.Exec(ctx, "BEGIN").ReadAll()
	if codeOf(err) == codeProtocol {
		return true, nil // statement pooling has no transactions
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
	// poolingTries is the number of checks for a shared session: a pooler may assign sessions
	// in rotation.
	poolingTries = 20
	// codeProtocol is the code of PgBouncer's own errors.
	codeProtocol = "08P01"
)

// backend returns the process id of the server session.
func backend(ctx context.Context, pg *pgconn.PgConn) (string, error) {
	results, err := pg.Exec(ctx, "SELECT pg_backend_pid()").ReadAll()
	if err != nil {
		return "", err
	}
	return string(results[0].Rows[0][0]), nil
}

// countHosts returns the number of servers in a configuration.
func countHosts(config *pgx.ConnConfig) int {
	all := map[string]bool{fmt.Sprint(config.Host, " ", config.Port): true}
	for _, f := range config.Fallbacks { // a host may occur twice, with TLS and without
		all[fmt.Sprint(f.Host, " ", f.Port)] = true
	}
	return len(all)
}
