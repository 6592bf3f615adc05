package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"roshambo/internal/app/move"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	"roshambo/internal/store/filelock"
	"roshambo/internal/store/postgres"
	"roshambo/internal/store/sqlite"
)

// databaseFile is the SQLite file in the data folder.
const databaseFile = "roshambo.db"

// Store names the tables of a service.
type Store struct {
	Data     string // folder of the SQLite file, when Database is ""
	Database string // URL of a PostgreSQL database
}

// location returns the database in the form that openDatabase takes.
func (s Store) location() store.Config {
	if s.Database != "" {
		return store.Config{URL: s.Database}
	}
	return store.Config{Path: filepath.Join(s.Data, databaseFile)}
}

// openDatabase opens the database at c on the engine that c names, unless it is the target of an unfinished move, or
// was moved away.
func openDatabase(ctx context.Context, c store.Config) (*store.DB, error) {
	d, err := openAny(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := move.Usable(ctx, d); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// openAny is openDatabase for any database.
func openAny(ctx context.Context, c store.Config) (*store.DB, error) {
	if c.URL != "" {
		return postgres.Open(ctx, c)
	}
	return sqlite.Open(ctx, c)
}

// read opens the database read-only, possibly beside running servers.
func (s Store) read(ctx context.Context) (*store.DB, error) {
	c := s.location()
	c.ReadOnly = true
	if c.Path != "" {
		if _, err := os.Stat(c.Path); err != nil {
			return nil, fmt.Errorf("data folder: %w", err)
		}
	}
	return openDatabase(ctx, c)
}

// store returns the service's tables.
func (c *Config) store() Store { return Store{Data: c.Data, Database: c.Database} }

// openStore opens the database, and reads or creates the keys. It creates keys before a chain
// begins and never for an existing one: the operator has to restore missing keys.
func (c *Config) openStore(ctx context.Context, o store.Config) (d *store.DB, k keys, err error) {
	at := c.store().location()
	o.Path, o.URL = at.Path, at.URL
	if c.Database == "" {
		if k, err = c.keys(func() error { return begun(c.Data) }); err != nil {
			return nil, k, err
		}
		d, err = openDatabase(ctx, o)
		return d, k, err
	}
	if d, err = openDatabase(ctx, o); err != nil {
		return nil, k, err
	}
	k, err = c.keys(func() error {
		switch there, err := ledger.Exists(ctx, d); {
		case err != nil:
			return err
		case there:
			return fmt.Errorf("the chain in %s belongs to other keys; put them there, or into %s", postgres.MaskURL(c.Database),
				KeysEnv)
		}
		return nil
	})
	if err != nil {
		return nil, k, errors.Join(err, d.Close())
	}
	return d, k, nil
}

// folderLock is the file in the data folder that a service locks, on either engine.
const folderLock = "node.lock"

// lockFolder keeps a second service out of the data folder: its record of the signed log is what one node has seen,
// and two that write it would lose what the other one has. A crash releases the lock.
func (s *Service) lockFolder() (err error) {
	s.folder, err = lockData(s.config.Data)
	return err
}

// lockData locks a data folder.
func lockData(data string) (*filelock.Lock, error) {
	lock, err := filelock.Acquire(filepath.Join(data, folderLock))
	if errors.Is(err, filelock.ErrLocked) {
		return nil, fmt.Errorf("data folder: another node uses %s: give each node a folder of its own, with the same keys.json",
			data)
	}
	return lock, err
}

// unlockFolder releases the data folder.
func (s *Service) unlockFolder() error {
	if s.folder == nil {
		return nil
	}
	return s.folder.Release()
}

// MaskDatabase returns the URL of a database with its password masked, for display.
func MaskDatabase(url string) string { return postgres.MaskURL(url) }
