package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"roshambo/bench/probe"
)

// rival is a server that is measured: a build of this service, or Nakama.
type rival struct {
	name, commit string
	column       int // of the table
	dialect
	binary string // its program; modules is the folder with Nakama's module
	// folder holds its data, database is the URL of its own database; "" for SQLite.
	folder, modules, database string
	server                    *probe.Server // nil while it does not run
	address                   string        // host:port

	crews    map[int][][]*caller // accounts of the first n connections, by n
	fans     []*caller           // accounts on the leaderboard that read it
	bots     []*duelist          // that play ranked duels
	investor *caller             // has a portfolio with many entries
}

// ours reports whether the server is a build of this service.
func (r *rival) ours() bool { return r.modules == "" }

// startAll starts the servers, each on a folder and a database of its own.
func (b *bench) startAll(ctx context.Context) error {
	var list []rival
	for i := range b.Build {
		name, binary := b.build(i)
		list = append(list, rival{name: name, commit: commitOf(binary), dialect: roshambo{}, binary: binary})
	}
	if b.Nakama != "" {
		list = append(list, rival{name: "Nakama", commit: "3.40", dialect: nakama{}, binary: b.Nakama, modules: b.NakamaModules})
	}
	if n := len(b.Database); n != len(list) && (n > 0 || b.Nakama != "") {
		return fmt.Errorf("bench: %d servers and %d databases", len(list), n)
	}
	for i, given := range list {
		r := &given
		r.column, r.crews, r.folder = i, map[int][][]*caller{}, filepath.Join(b.folder, fmt.Sprint("rival-", i))
		if len(b.Database) > 0 {
			r.database = b.Database[i]
		}
		if err := os.Mkdir(r.folder, 0o700); err != nil {
			return err
		}
		b.say("starting %s …", r.name)
		if err := r.start(ctx); err != nil {
			return err
		}
		b.rivals = append(b.rivals, r)
	}
	return b.findCluster(ctx)
}

// start starts the server.
func (r *rival) start(ctx context.Context) (err error) {
	if !r.ours() {
		return r.startNakama(ctx)
	}
	r.server, err = r.node(ctx)
	if err == nil {
		r.address = r.server.Address()
	}
	return err
}

// node starts a process of a build on the data of the rival: the server, or another node beside it.
func (r *rival) node(ctx context.Context) (*probe.Server, error) {
	flags := []string{"serve", "--house-bots=false", "--log", "json", "--listen", "127.0.0.1:0", "--rate-limit", "0",
		"--trusted-proxies", "127.0.0.1", "--admin-listen", "127.0.0.1:0", "--data", r.folder}
	if r.database != "" {
		flags = append(flags, "--database", r.database)
	}
	return probe.Start(ctx, r.binary, flags...)
}

// ask makes a single call on a connection of its own.
func (r *rival) ask(by *caller, method, path string, in, out any) error {
	w, err := dial(r.address)
	if err != nil {
		return err
	}
	defer w.close()
	return w.ask(by, method, path, in, out)
}

// stop stops the server, if it runs.
func (r *rival) stop() {
	if r.server != nil {
		r.server.Stop()
		r.server = nil
	}
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
	cmd := exec.CommandContext(ctx, r.binary, "--database.address", address, "--runtime.path", r.modules, "--data_dir",
		r.folder, "--logger.level", "ERROR", "--session.token_expiry_sec", "86400", "--socket.address", "127.0.0.1",
		"--console.address", "127.0.0.1",
		// The crowd takes longer than the usual ten seconds on a busy machine.
		"--socket.read_timeout_ms", "600000", "--socket.write_timeout_ms", "600000")
	cmd.Env = append(os.Environ(), "NAKAMA_TELEMETRY=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	r.server, r.address = &probe.Server{Cmd: cmd}, "127.0.0.1:7350"
	for range 600 {
		if w, err := dial(r.address); err == nil {
			w.close()
			return nil
		}
		<-time.After(100 * time.Millisecond)
	}
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
