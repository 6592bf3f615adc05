package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/postgres"
	"roshambo/internal/store/sqlite"
)

// onDatabase appends the flag for the selected database.
func (b *bench) onDatabase(options []string) []string {
	if b.Database == "" {
		return options
	}
	return append(options, "--database", b.Database)
}

// dataFolder returns the data folder for another server, and a function that removes it. On
// PostgreSQL all servers share the database, and with it the folder that holds its keys.
func (b *bench) dataFolder(name string) (folder string, remove func() error, err error) {
	if b.Database != "" {
		return b.folder, func() error { return nil }, nil
	}
	folder, err = os.MkdirTemp("", "roshambo-bench-"+name+"-")
	return folder, func() error { return os.RemoveAll(folder) }, err
}

// databaseIn returns the store configuration of a server with that data folder.
func (b *bench) databaseIn(folder string) store.Config {
	if b.Database != "" {
		return store.Config{URL: b.Database}
	}
	return store.Config{Path: filepath.Join(folder, "roshambo.db")}
}

// openDatabase opens the database at c on the engine that c names.
func openDatabase(ctx context.Context, c store.Config) (*store.DB, error) {
	if c.URL != "" {
		return postgres.Open(ctx, c)
	}
	return sqlite.Open(ctx, c)
}

// engine returns the name of the database for the report.
func (b *bench) engine() string {
	if b.Database == "" {
		return "SQLite"
	}
	return "PostgreSQL"
}

// cluster is the process of a PostgreSQL server on this machine. A nil cluster uses no
// time.
type cluster struct{ pid int }

// findCluster sets b.cluster if the data folder of the database is on this machine, and
// reports the settings that decide on durability.
func (b *bench) findCluster(ctx context.Context) error {
	if b.Database == "" {
		return nil
	}
	d, err := postgres.Open(ctx, store.Config{URL: b.Database, ReadOnly: true})
	if err != nil {
		return err
	}
	var folder, fsync, commit string
	err = d.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx,
			"SELECT current_setting('data_directory'), current_setting('fsync'), current_setting('synchronous_commit')").
			Scan(&folder, &fsync, &commit)
	})
	if err := closing(d, err); err != nil {
		return fmt.Errorf("bench: the database's settings: %w", err)
	}
	b.report.row("settings of the database", "fsync %s, synchronous_commit %s", fsync, commit)
	text, err := os.ReadFile(filepath.Join(folder, "postmaster.pid"))
	if os.IsNotExist(err) {
		return nil // on another machine, whose processor time is unknown
	}
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return fmt.Errorf("bench: postmaster.pid: %w", err)
	}
	b.cluster = &cluster{pid}
	return nil
}

// closing closes d and returns err, or the error of closing.
func closing(d *store.DB, err error) error {
	if errClose := d.Close(); err == nil {
		err = errClose
	}
	return err
}

// cpu returns the processor time of the cluster: its main process and all children,
// including those that have ended.
func (c *cluster) cpu() (time.Duration, error) {
	if c == nil {
		return 0, nil
	}
	main, err := readStat(c.pid)
	if err != nil {
		return 0, err
	}
	sum := main.used + main.reaped
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, f := range folders {
		pid, err := strconv.Atoi(filepath.Base(f))
		if err != nil {
			return 0, err
		}
		if s, err := readStat(pid); err == nil && s.parent == c.pid { // processes end at any time
			sum += s.used
		}
	}
	return sum, nil
}
