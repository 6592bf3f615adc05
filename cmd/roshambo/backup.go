package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"roshambo/internal/app"
)

// backupCommand copies a data folder while a server runs on it.
type backupCommand struct {
	Data     string `help:"Folder of the database and the keys." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Database string `help:"The option of serve: a PostgreSQL database is backed up by its own tools." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
	Keys     bool   `help:"Copy the keys, too. Who has them and the database can sign for the chain and see hidden seeds."`
	Target   string `arg:"" help:"The folder to make; it must not be there."`
}

// errPostgres says what to do instead.
var errPostgres = errors.New("a PostgreSQL database is backed up with pg_dump, or with pg_basebackup and its write-ahead log: " +
	"docs/operations.md has both; the keys are in " + app.KeysEnv + " or in the data folders of the nodes")

// Run makes the copy, and says what is in it. The exit status is 2 when it cannot begin.
func (c *backupCommand) Run(ctx context.Context, code *int) error {
	if c.Database != "" {
		*code = 2
		if strings.HasPrefix(c.Database, "postgres://") || strings.HasPrefix(c.Database, "postgresql://") {
			return errPostgres
		}
		return errors.New("--database is not like postgres://…; for SQLite there is --data")
	}
	err := app.Backup(ctx, c.Data, c.Target, c.Keys)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		*code = 2
	}
	if err != nil {
		return err
	}
	what := "the database, without its keys: keep those elsewhere, or no server starts on it (--keys copies them, too)"
	if c.Keys {
		what = "the database and its keys: a secret"
	}
	_, err = fmt.Fprintf(os.Stdout, "%s holds %s.\nroshambo doctor --data %s works all of it out again.\n", c.Target, what, c.Target)
	return err
}

// restoreCommand puts a backup into a data folder.
type restoreCommand struct {
	Data   string `help:"Folder to put it into; it must hold no database." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Backup string `arg:"" help:"The folder that backup has made."`
}

// Run copies the backup, which stays as it is. The exit status is 2 when it cannot begin.
func (c *restoreCommand) Run(ctx context.Context, code *int) error {
	r, err := app.Restore(ctx, c.Backup, c.Data)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		*code = 2
	}
	if err != nil {
		return err
	}
	more := ""
	if !r.Keys {
		more = "Its keys are missing: put keys.json there, or set " + app.KeysEnv + ".\n"
	}
	_, err = fmt.Fprintf(os.Stdout, "%s holds the database.\n%s", c.Data, more)
	return err
}
