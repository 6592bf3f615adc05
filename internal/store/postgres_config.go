package store

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

const (
	// connectTimeout bounds an attempt to connect to one host, unless the URL says
	// otherwise (connect_timeout).
	connectTimeout = 3 * time.Second

	// readTimeout is how long an Update waits for a word of the server before it gives the
	// connection up: a commit that a standby is to confirm waits for ever otherwise.
	readTimeout = 30 * time.Second

	// cancelDelay is how long a statement may go on after its View's caller has gone,
	// and cancelTimeout how long the server may take to end it then.
	cancelDelay   = 20 * time.Millisecond
	cancelTimeout = 3 * time.Second
)

// applicationName is what the server calls the connections, unless the URL says otherwise.
const applicationName = "roshambo"

// sessionSettings are asked of every connection, unless the URL says otherwise. See
// https://www.postgresql.org/docs/current/runtime-config-client.html.
var sessionSettings = settings{
	"jit": "off", // takes longer than any query here
	// A node whose machine is gone shall not keep its locks for long.
	"tcp_keepalives_idle":     "10", // seconds
	"tcp_keepalives_interval": "5",
	"tcp_keepalives_count":    "3",
	"tcp_user_timeout":        "20000", // milliseconds
}

// updateSettings are asked of connections that write, besides.
var updateSettings = settings{
	// A scan of a table is a read of all its rows, also of those that are inserted
	// meanwhile: of two transactions that do so in a small table, one is refused.
	"enable_seqscan": "off",
	// Of a node that stopped in the middle, and of those that wait for it.
	"idle_in_transaction_session_timeout": "30000",
	"lock_timeout":                        "10000",
}

// CheckURL reports what is wrong with the URL of a PostgreSQL database. It never
// repeats the URL, which holds a password.
func CheckURL(raw string) error {
	_, err := parseURL(raw)
	return err
}

var errURL = errors.New("not like postgres://user:password@host:5432/database")

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

// userinfo is what stands between // and @, and secretKeys are the parameters that hold
// passwords.
var (
	// As libpq reads it, only a slash ends the search for the @.
	userinfo   = regexp.MustCompile(`^(postgres(?:ql)?://[^:@/]*):[^/]*@`)
	secretKeys = regexp.MustCompile(`(?i)([?&](?:ssl)?password=)[^&]*`)
)

// MaskURL returns the URL with xxxxx for each password, to be shown to people, and
// nothing when it is no such URL, or hides its password in a way of its own.
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

// postgresConfig returns how to connect for what is neither a View nor an Update, for Views,
// and for Updates.
func postgresConfig(c Config) (other, views, updates *pgx.ConnConfig, err error) {
	if other, err = parseURL(c.URL); err != nil {
		return nil, nil, nil, err
	}
	other.ConnectTimeout = cmp.Or(other.ConnectTimeout, connectTimeout)
	dialer := &net.Dialer{
		Timeout:         other.ConnectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control:         boundUnacknowledged,
	}
	other.DialFunc = dialer.DialContext
	other.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, CancelRequestDelay: cancelDelay, DeadlineDelay: cancelTimeout}
	}
	if other.RuntimeParams["application_name"] == "" {
		other.RuntimeParams["application_name"] = applicationName
	}
	asked := takeSettings(other.RuntimeParams)
	check := other.ValidateConnect // of the URL
	updates, views = other.Copy(), other.Copy()
	session := sessionSettings.with(asked)
	reading := session.with(settings{
		"default_transaction_isolation": "repeatable read", // of viewOnce
		"default_transaction_read_only": "on",
	})
	if c.ReadOnly {
		session = session.with(settings{"default_transaction_read_only": "on"})
	}
	other.ValidateConnect = session.establish(check, !c.ReadOnly)
	views.ValidateConnect = reading.establish(check, !c.ReadOnly)
	updates.ValidateConnect = sessionSettings.with(updateSettings).with(asked).establish(check, !c.ReadOnly)
	return other, views, updates, nil
}

// deadlineConn is a network connection on which no read waits longer than limit, and which
// counts what is sent on it.
type deadlineConn struct {
	net.Conn
	limit time.Duration // 0 is for ever
	sent  atomic.Int64  // bytes
}

// Read implements net.Conn.
func (c *deadlineConn) Read(p []byte) (int, error) {
	if c.limit > 0 {
		if err := c.SetReadDeadline(time.Now().Add(c.limit)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Read(p)
}

// Write implements net.Conn.
func (c *deadlineConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.sent.Add(int64(n))
	return n, err
}
