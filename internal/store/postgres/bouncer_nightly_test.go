//go:build nightly && unix

package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/postgres"
	"roshambo/internal/store/storetest"
)

// bouncer starts a PgBouncer for a server, and returns the URL of a database behind it.
func bouncer(t *testing.T, server *pgtest.Cluster, settings string) string {
	t.Helper()
	folder := server.Path("")
	config := fmt.Sprintf(`[databases]
* = host=%s user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = %s
listen_port = 6432
auth_type = any
default_pool_size = 60
max_client_conn = 200
pidfile = %s/bouncer.pid
logfile = %s/bouncer.log
%s
`, folder, folder, folder, folder, settings)
	server.Shell(t, "cat >bouncer.ini <<'END'\n"+config+"END\n"+
		"\"$(command -v pgbouncer || echo /usr/sbin/pgbouncer)\" -d bouncer.ini")
	t.Cleanup(func() {
		text, err := os.ReadFile(server.Path("bouncer.pid"))
		pid := 0
		if _, scanned := fmt.Sscan(string(text), &pid); err != nil || scanned != nil {
			t.Errorf("PgBouncer's pid file contains %q: %v", text, err)
			return
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	})
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
		if _, err := os.Stat(server.Path(".s.PGSQL.6432")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("PgBouncer does not listen")
		}
	}
	return pgtest.URL("postgres", server) + "&port=6432"
}

// TestPgBouncerSession checks that a PgBouncer with session pooling keeps all settings,
// including settings in the URL.
func TestPgBouncerSession(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", "ignore_startup_parameters = jit, lock_timeout, default_transaction_isolation"} {
		t.Run(more, func(t *testing.T) {
			t.Parallel()
			server := pgtest.Start(t, map[string]string{"fsync": "off"})
			url := bouncer(t, server, "pool_mode = session\n"+more) + "&deadlock_timeout=700ms"
			d := storetest.Open(t, store.Config{URL: url})
			ask := func(ctx context.Context, tx *store.Tx, want map[string]string) error {
				for name, value := range want {
					var got string
					if err := tx.QueryRowContext(ctx, "SELECT current_setting($1)", name).Scan(&got); err != nil {
						return err
					}
					if got != value {
						t.Errorf("%s is %s, want %s", name, got, value)
					}
				}
				return nil
			}
			view := map[string]string{
				"jit": "off", "enable_seqscan": "off", "default_transaction_read_only": "on",
				"default_transaction_isolation": "repeatable read", "deadlock_timeout": "700ms",
			}
			update := map[string]string{
				"jit": "off", "enable_seqscan": "off", "lock_timeout": "4s", "idle_in_transaction_session_timeout": "30s",
				"transaction_isolation": "serializable", "synchronous_commit": "on",
			}
			askView := func(ctx context.Context, tx *store.Tx) error { return ask(ctx, tx, view) }
			askUpdate := func(ctx context.Context, tx *store.Tx) error { return ask(ctx, tx, update) }
			for range 3 {
				if err := d.View(t.Context(), askView); err != nil {
					t.Error(err)
				}
				if err := d.Update(t.Context(), askUpdate); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestPgBouncerTransaction checks that transaction and statement pooling are refused, with one
// server session or with several in rotation.
func TestPgBouncerTransaction(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{
		"pool_mode = transaction", "pool_mode = transaction\nserver_round_robin = 1\nmin_pool_size = 5",
		"pool_mode = transaction\ndefault_pool_size = 1", "pool_mode = statement",
	} {
		t.Run(strings.ReplaceAll(settings, "\n", ", "), func(t *testing.T) {
			t.Parallel()
			server := pgtest.Start(t, map[string]string{"fsync": "off"})
			d, err := postgres.Open(t.Context(), store.Config{URL: bouncer(t, server, settings)})
			if err == nil {
				t.Error(d.Close())
			}
			if err == nil || !strings.Contains(err.Error(), "pool_mode = session") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestAsynchronousStandby checks that Open warns about a standby that no commit waits for, and
// not when commits wait.
func TestAsynchronousStandby(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, map[string]string{"fsync": "off"})
	standby := server.Standby(t)
	openLog := func(url string) string {
		var log bytes.Buffer
		d, err := postgres.Open(t.Context(), store.Config{URL: url, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		return log.String()
	}
	const warning = "no standby is synchronous: a failover loses the latest commits"
	server.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = ''")
	server.Reload(t)
	for _, url := range []string{pgtest.URL("postgres", server), pgtest.URL("postgres", server, standby)} {
		if log := openLog(url); !strings.Contains(log, warning) {
			t.Errorf("log with the warning expected:\n%s", log)
		}
	}
	server.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
	server.Reload(t)
	log := openLog(pgtest.URL("postgres", server, standby))
	if strings.Contains(log, warning) || !strings.Contains(log, "commits wait for a standby") {
		t.Errorf("log without the warning expected:\n%s", log)
	}
}
