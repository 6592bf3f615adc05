package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"roshambo/internal/store"
)

// rival is a server under comparison: a build of this service, or Nakama.
type rival struct {
	name string
	dialect
	// binary is its program; modules is the folder with Nakama's module.
	binary, modules string
	// folder holds its data, database is the URL of its own database; "" for SQLite.
	folder, database string
	child            *child
	admin            bool   // it serves profiles
	address          string // host:port
	// fans are accounts on the leaderboard that read it.
	fans []*caller
}

// newRival prepares the folder and the database of a rival.
func (c *comparison) newRival(ctx context.Context, r rival) (*rival, error) {
	r.folder = filepath.Join(c.folder, fmt.Sprint("rival-", len(c.rivals)))
	if err := os.Mkdir(r.folder, 0o700); err != nil {
		return nil, err
	}
	if c.Database == "" {
		return &r, nil
	}
	// The database's own program: pgx is not at home here.
	name := fmt.Sprint("compare_", len(c.rivals))
	output, err := exec.CommandContext(ctx, "psql", c.Database, "-qc", "CREATE DATABASE "+name).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("bench: %w: %s", err, output)
	}
	u, err := url.Parse(c.Database)
	if err != nil {
		return nil, err
	}
	u.Path = "/" + name
	r.database = u.String()
	return &r, nil
}

// start starts the server.
func (r *rival) start(ctx context.Context) (err error) {
	if _, ours := r.dialect.(roshambo); !ours {
		return r.startNakama(ctx)
	}
	flags := []string{"serve", "--house-bots=false", "--log", "json", "--listen", "127.0.0.1:0", "--rate-limit", "0",
		"--data", r.folder}
	if r.database != "" {
		flags = append(flags, "--database", r.database)
	}
	if r.admin {
		flags = append(flags, "--admin-listen", "127.0.0.1:0")
	}
	if r.child, err = start(ctx, r.binary, flags...); err != nil {
		return err
	}
	r.address = strings.TrimPrefix(r.child.url, "http://")
	return nil
}

// startNakama migrates the database of Nakama, starts it, and waits until it listens.
func (r *rival) startNakama(ctx context.Context) error {
	address, err := nakamaDatabase(r.database)
	if err != nil {
		return err
	}
	migration := exec.CommandContext(ctx, r.binary, "migrate", "up", "--database.address", address)
	if output, err := migration.CombinedOutput(); err != nil {
		return fmt.Errorf("bench: nakama migrate: %w: %s", err, output)
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	console, err := freePort()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, r.binary, "--database.address", address, "--runtime.path", r.modules, "--data_dir",
		r.folder, "--logger.level", "ERROR", "--session.token_expiry_sec", "86400", "--socket.address", "127.0.0.1",
		"--socket.port", strconv.Itoa(port), "--console.address", "127.0.0.1", "--console.port", strconv.Itoa(console),
		// The crowd takes longer than the usual ten seconds on a busy machine.
		"--socket.read_timeout_ms", "600000", "--socket.write_timeout_ms", "600000")
	cmd.Env = append(os.Environ(), "NAKAMA_TELEMETRY=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	r.child, r.address = &child{cmd: cmd}, net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	for range 600 {
		if w, err := dial(r.address); err == nil {
			w.close()
			return nil
		}
		timer := time.NewTimer(100 * time.Millisecond)
		<-timer.C
	}
	r.child.stop()
	return errors.New("bench: nakama does not listen within a minute")
}

// nakamaDatabase returns a URL in the form in which Nakama takes it: without a scheme, with the
// user before the host.
func nakamaDatabase(database string) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return "", err
	}
	query := u.Query()
	if user := query.Get("user"); user != "" && u.User == nil {
		u.User = url.User(user)
		query.Del("user")
		u.RawQuery = query.Encode()
	}
	return strings.TrimPrefix(u.String(), u.Scheme+"://"), nil
}

// freePort returns a port that is free, as is the one below it: Nakama uses both.
func freePort() (int, error) {
	for range 100 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := listener.Addr().(*net.TCPAddr).Port
		below, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port-1)))
		if err := listener.Close(); err != nil {
			return 0, err
		}
		if err == nil {
			return port, below.Close()
		}
	}
	return 0, errors.New("bench: no two free ports")
}

// crowd restarts the server with n more accounts on its leaderboard.
func (r *rival) crowd(ctx context.Context, n int) error {
	if _, ours := r.dialect.(roshambo); !ours {
		w, err := dial(r.address)
		if err != nil {
			return err
		}
		defer w.close()
		by, err := r.guest(w)
		if err != nil {
			return err
		}
		for from := 0; from < n; from += 10_000 { // as many as the module adds at once
			status, body, err := w.call("POST", "/v2/rpc/crowd?unwrap", by.header, strconv.AppendInt(nil, int64(from), 10))
			if err != nil {
				return err
			}
			if err := decode(status, body, nil); err != nil {
				return err
			}
		}
		r.child.stop()
		return r.start(ctx)
	}
	r.child.stop()
	at := store.Config{URL: r.database}
	if r.database == "" {
		at = store.Config{Path: filepath.Join(r.folder, "roshambo.db")}
	}
	if err := seedBoard(ctx, at, n, nil); err != nil {
		return err
	}
	return r.start(ctx)
}
