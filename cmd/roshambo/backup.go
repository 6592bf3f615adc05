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
	_, err = fmt.Fprintf(os.Stdout, "%s holds the database.\n%s%s", c.Data, more, onLog(r))
	return err
}

// onLog says what a restore means for the log, before the next start.
func onLog(r app.Restored) string {
	switch {
	case r.Behind != nil:
		return fmt.Sprintf("The next start refuses: %v.\n", r.Behind)
	case r.Remembers:
		return fmt.Sprintf("It has %d blocks, and so all that this folder remembers to have signed: the log goes on.\n", r.Blocks)
	}
	return fmt.Sprintf("It has %d blocks. This folder does not know what was signed after the backup: if anything was, the next block forks the log.\n"+
		"Declare that before the next start, with the newest checkpoint that anybody has: roshambo accept-rollback --checkpoint FILE --size BLOCKS\n", r.Blocks)
}

// acceptRollbackCommand has a service go on from a database that is behind what was signed.
type acceptRollbackCommand struct {
	Data       string `help:"Folder that remembers what was signed, and of the database unless --database says where." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Database   string `help:"PostgreSQL database, as for serve." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
	Size       int64  `help:"How many blocks the newest tree has that was signed and is given up, as the refused start says; when the folder has forgotten it, how many the database has." required:"" placeholder:"BLOCKS"`
	Checkpoint string `help:"A file with a checkpoint that was signed and that the folder does not know, such as from a witness." placeholder:"FILE" type:"existingfile"`
}

// Run declares the rollback. The exit status is 2 when there is none, or another one.
func (c *acceptRollbackCommand) Run(ctx context.Context, code *int) error {
	var checkpoint []byte
	if c.Checkpoint != "" {
		var err error
		if checkpoint, err = os.ReadFile(c.Checkpoint); err != nil {
			*code = 2
			return err
		}
	}
	a, err := app.AcceptRollback(ctx, app.Store{Data: c.Data, Database: c.Database}, c.Size, checkpoint)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, app.ErrNothingToAccept) {
		*code = 2
	}
	if err != nil {
		return err
	}
	if a.Line == "" {
		_, err = fmt.Fprintf(os.Stdout, "Nothing is given up. %s remembers what the database has.\n", a.File)
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "From now on each checkpoint has the line\n\n    %s\n\nPublish it, with the reason, where those look who follow the log. Witnesses will not cosign what comes now.\n", a.Line)
	return err
}
