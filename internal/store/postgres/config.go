package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"roshambo/internal/store"
)

// applicationName identifies the connections on the server, unless the URL sets one.
const applicationName = "roshambo"

// sessionSettings apply to every connection, unless the URL sets them. See
// https://www.postgresql.org/docs/current/runtime-config-client.html.
var sessionSettings = settings{
	"jit": "off", // compiling takes longer than any query of the service
	// A sequential scan conflicts with every concurrent insert into the table: of two
	// serializable transactions that scan a small table and insert, one fails. And a statement
	// prepared while a table is empty would scan it until the server next counts its rows: in the
	// first minute of a service that read a session in 160 to 200 µs in place of 21.
	"enable_seqscan": "off",
	// Release the locks of a node whose machine has stopped.
	"tcp_keepalives_idle":     "10", // seconds
	"tcp_keepalives_interval": "5",
	"tcp_keepalives_count":    "3",
	"tcp_user_timeout":        "20000", // milliseconds
}

// updateSettings apply in addition to connections that write.
var updateSettings = settings{
	// Bound a transaction whose node has stopped, and waits for its locks.
	"idle_in_transaction_session_timeout": "30000",
	"lock_timeout":                        "4000", // less than store.RoundTrip: a wait for a lock is a conflict
}

// CheckURL returns an error if raw is not the URL of a PostgreSQL database. The error omits the
// URL, which contains a password.
func CheckURL(raw string) error {
	_, err := parseURL(raw)
	return err
}

// errURL is wrapped by the errors of a malformed database URL.
var errURL = errors.New("not like postgres://user:password@host:5432/database")

// parseURL parses the URL of a database. Errors wrap errURL and omit the URL.
func parseURL(raw string) (*pgx.ConnConfig, error) {
	if !strings.HasPrefix(raw, "postgres://") && !strings.HasPrefix(raw, "postgresql://") {
		return nil, errURL
	}
	c, err := pgx.ParseConfig(raw)
	if err == nil {
		return c, nil
	}
	if _, what, ok := strings.Cut(err.Error(), "`: "); ok {
		return nil, fmt.Errorf("%w: %s", errURL, what)
	}
	return nil, errURL
}

// userinfo matches the credentials before the host, and secretKeys the parameters that contain
// passwords.
var (
	// As in libpq, only a slash ends the search for the @.
	userinfo   = regexp.MustCompile(`^(postgres(?:ql)?://[^:@/]*):[^/]*@`)
	secretKeys = regexp.MustCompile(`(?i)([?&](?:ssl)?password=)[^&]*`)
)

// MaskURL returns the URL with xxxxx for each password, for display. It returns "" when raw is
// not a database URL, or when its password could not be located.
func MaskURL(raw string) string {
	c, err := parseURL(raw)
	if err != nil {
		return ""
	}
	masked := userinfo.ReplaceAllString(raw, "${1}:xxxxx@")
	masked = secretKeys.ReplaceAllString(masked, "${1}xxxxx")
	plain, err := url.PathUnescape(masked)
	if err != nil || strings.Contains(c.Database, "@") || c.Password != "" && strings.Contains(plain, c.Password) {
		return ""
	}
	return masked
}

// tripBound returns the usual bound of a round trip. Commands that read the database may wait longer, and
// so do nodes with a larger connect_timeout: its database is far away, or on a busy machine.
func tripBound(c store.Config, config *pgx.ConnConfig) time.Duration {
	if c.ReadOnly {
		return store.CommandTrip
	}
	return max(store.RoundTrip, config.ConnectTimeout)
}

// connConfigs returns the connection configurations of maintenance (checks and migrations),
// Views and Updates.
func connConfigs(c store.Config) (other, views, updates *pgx.ConnConfig, err error) {
	if other, err = parseURL(c.URL); err != nil {
		return nil, nil, nil, err
	}
	other.ConnectTimeout = cmp.Or(other.ConnectTimeout, connectTimeout)
	dialer := &net.Dialer{
		Timeout:         other.ConnectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control:         boundUnacknowledged,
	}
	other.DialFunc, other.AfterNetConnect = dialer.DialContext, bounded(tripBound(c, other))
	other.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{
			Conn: conn, CancelRequestDelay: cancelDelay, DeadlineDelay: cancelTimeout,
		}
	}
	other.RuntimeParams["application_name"] = cmp.Or(c.Application, other.RuntimeParams["application_name"],
		applicationName)
	asked := takeSettings(other.RuntimeParams)
	check := other.ValidateConnect // set by the URL's target_session_attrs
	updates, views = other.Copy(), other.Copy()
	common := sessionSettings.with(asked)
	reading := common.with(settings{
		"default_transaction_isolation": "repeatable read", // for viewOnce
		"default_transaction_read_only": "on",
	})
	if c.ReadOnly {
		common = common.with(settings{"default_transaction_read_only": "on"})
	}
	other.ValidateConnect = common.establish(check, !c.ReadOnly)
	views.ValidateConnect = reading.establish(check, !c.ReadOnly)
	updates.ValidateConnect = sessionSettings.with(updateSettings).with(asked).establish(check, !c.ReadOnly)
	return other, views, updates, nil
}
