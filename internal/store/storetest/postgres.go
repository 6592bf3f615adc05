package storetest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"roshambo/internal/store"
	"roshambo/internal/store/migrations"
	"roshambo/internal/store/postgres"
)

// URLVariable is the environment variable that makes all tests use PostgreSQL. It contains the
// URL of a superuser on a scratch cluster, which tools/with-postgres starts.
const URLVariable = "ROSHAMBO_TEST_POSTGRES"

// Postgres reports whether the tests use PostgreSQL.
func Postgres() bool { return os.Getenv(URLVariable) != "" }

// cluster is the server on which this process creates databases.
type cluster struct {
	url  *url.URL // of the superuser, with any database
	copy string   // options with which CREATE DATABASE copies a template

	mu   sync.Mutex // guards conn
	conn *pgx.Conn
}

// scratch connects to the cluster once per process.
var scratch = sync.OnceValues(func() (*cluster, error) {
	u, err := url.Parse(os.Getenv(URLVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", URLVariable, err)
	}
	conn, err := pgx.Connect(context.Background(), u.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", URLVariable, err)
	}
	c := &cluster{url: u, conn: conn}
	// Copying files is five times as fast as copying through the write-ahead log, which is the
	// default of versions that offer the choice.
	if major, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), "."); major >= "15" {
		c.copy = " STRATEGY FILE_COPY"
	}
	return c, nil
})

// inUse is the error code for a database with connections. The server itself waits five seconds
// for closing connections, which may not suffice under load.
const inUse = "55006"

// exec runs a statement under the lock.
func (c *cluster) exec(text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.locked(text)
}

// locked runs a statement while c.mu is held, and retries for a minute while closing
// connections still use its database.
func (c *cluster) locked(text string) error {
	// Retry rather than sleep: each attempt waits in the server.
	for began := time.Now(); ; {
		_, err := c.conn.Exec(context.Background(), text)
		refused, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || refused.Code != inUse || time.Since(began) > time.Minute {
			return err
		}
	}
}

// database returns the URL of a database of the cluster.
func (c *cluster) database(name string) string {
	u := *c.url
	u.Path = "/" + name
	return u.String()
}

// postgresURL creates a database as a copy of template, which is dropped when t ends, and
// returns its URL.
func postgresURL(t testing.TB, template string) string {
	t.Helper()
	c, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	name := "test_" + strings.ToLower(rand.Text()[:16])
	if err := c.exec("CREATE DATABASE " + name + " TEMPLATE " + template + c.copy); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return c.database(name)
}

// migratedTemplate returns the name of an empty migrated database. All processes on the cluster
// share it: the first one creates it. Its name is a hash of the migrations.
var migratedTemplate = sync.OnceValues(func() (name string, err error) {
	c, err := scratch()
	if err != nil {
		return "", err
	}
	if name, err = templateName(); err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx := context.Background()
	// Test binaries of several packages run at the same time; one of them makes the template.
	if _, err := c.conn.Exec(ctx, "SELECT pg_advisory_lock(1)"); err != nil {
		return "", err
	}
	defer func() {
		_, unlock := c.conn.Exec(ctx, "SELECT pg_advisory_unlock(1)")
		err = errors.Join(err, unlock)
	}()
	var there bool
	row := c.conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name)
	if err := row.Scan(&there); err != nil || there {
		return name, err
	}
	// A crash here leaves the database "making"; a later run on a new cluster starts without
	// it. The rename at the end publishes a complete template only.
	if err := c.locked("CREATE DATABASE making"); err != nil {
		return "", err
	}
	d, err := postgres.Open(ctx, store.Config{URL: c.database("making")})
	if err != nil {
		return "", err
	}
	if err := d.Close(); err != nil {
		return "", err
	}
	return name, c.locked("ALTER DATABASE making RENAME TO " + name)
})

// templateName returns the name of the template for the embedded migrations.
func templateName() (string, error) {
	h := sha256.New()
	// Names and lengths separate the files in the hash.
	err := fs.WalkDir(migrations.Files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.Files, path)
		fmt.Fprintln(h, path, len(text))
		h.Write(text)
		return err
	})
	return "template_" + hex.EncodeToString(h.Sum(nil)[:8]), err
}

// AwaitDisconnect waits until the PostgreSQL database at place has no connections: a killed
// process may have sent statements that the server has yet to execute.
func AwaitDisconnect(t testing.TB, place store.Config) {
	t.Helper()
	if place.URL == "" {
		return
	}
	u, err := url.Parse(place.URL)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n > 0; {
		c.mu.Lock()
		const query = "SELECT count(*) FROM pg_stat_activity WHERE datname = $1"
		err := c.conn.QueryRow(t.Context(), query, strings.TrimPrefix(u.Path, "/")).Scan(&n)
		c.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
	}
}
