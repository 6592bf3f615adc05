package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"roshambo/internal/app"
)

// backupCommand copies a data folder while a server uses it.
type backupCommand struct {
	Data     string `help:"Folder of the database and the keys." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Database string `help:"The option of serve: a PostgreSQL database is backed up by its own tools." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
	Keys     bool   `help:"Copy the keys, too. With them and the database it is possible to sign for the chain and to read hidden seeds."`
	Target   string `arg:"" help:"The folder to create; it must not exist."`
}

// errPostgres names the commands for PostgreSQL.
var errPostgres = errors.New(
	"a PostgreSQL database is backed up with pg_dump, or with pg_basebackup and its write-ahead log: " +
		"docs/operations.md has both; the keys are in " + app.KeysEnv + " or in the data folders of the nodes")

// Run makes the copy and prints its contents. The exit status is 2 if the copy cannot begin:
// there is no database, or the target exists.
func (c *backupCommand) Run(ctx context.Context, code *int) error {
	if c.Database != "" {
		*code = 2
		if strings.HasPrefix(c.Database, "postgres://") || strings.HasPrefix(c.Database, "postgresql://") {
			return errPostgres
		}
		return errors.New("--database must be postgres://…; use --data for SQLite")
	}
	err := app.Backup(ctx, c.Data, c.Target, c.Keys)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		*code = 2
	}
	if err != nil {
		return err
	}
	what := "the database without its keys: back those up separately, since no server starts without them (--keys copies them, too)"
	if c.Keys {
		what = "the database and its keys: a secret"
	}
	_, err = fmt.Fprintf(os.Stdout, "%s contains %s.\nAudit it with roshambo doctor --data %s.\n", c.Target, what,
		c.Target)
	return err
}

// restoreCommand copies a backup into a data folder.
type restoreCommand struct {
	Data     string `help:"The target folder; it must not contain a database." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Identity string `help:"File with the private key of age for an encrypted backup." placeholder:"FILE" type:"existingfile"`
	Backup   string `arg:"" help:"The folder of a backup; or a place of scheduled backups, a folder or s3://bucket/prefix, of which the newest is taken; or the .tar or .tar.age of one there."`
}

// Run copies the backup and leaves it unchanged. The exit status is 2 if it cannot begin.
func (c *restoreCommand) Run(ctx context.Context, code *int) error {
	r, err := app.Restore(ctx, app.RestoreConfig{Backup: c.Backup, Data: c.Data, Identity: c.Identity,
		Keys: os.Getenv(app.KeysEnv)})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		*code = 2
	}
	if err != nil {
		return err
	}
	more := ""
	if r.Name != "" {
		more = "It is from " + r.Name + ".\n"
	}
	if r.Unproven {
		more += "There were no keys to compare with, so nothing shows which service made the backup.\n"
	}
	// A backup has no keys unless it was made with --keys.
	if !r.Keys {
		more += "Its keys are missing: put keys.json there, or set " + app.KeysEnv + ".\n"
	}
	_, err = fmt.Fprintf(os.Stdout, "%s contains the database.\n%s%s%s\n", c.Data, more, onLog(r), nextStart)
	return err
}

// onLog describes the effect of a restore on the log, which the next start enforces: a log must
// not lose entries that were signed.
func onLog(r app.Restored) string {
	switch {
	case r.Behind != nil:
		return fmt.Sprintf("The next start is refused: %v.\n", r.Behind)
	case r.Remembers:
		return fmt.Sprintf("It has %d blocks, and so all of the signed log in this folder's record: the log continues.\n",
			r.Blocks)
	}
	return fmt.Sprintf("It has %d blocks. This folder has no record of entries signed after the backup: "+
		"if there are any, the next block forks the log.\n"+
		"Declare that before the next start, with the newest checkpoint that can be found: "+
		"roshambo accept-rollback --checkpoint FILE --size BLOCKS\n", r.Blocks)
}

// markRestoredCommand marks a database that was restored without restoreCommand.
type markRestoredCommand struct {
	Data     string `help:"Folder of the database, unless --database is set." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Database string `help:"PostgreSQL database, as for serve." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
	reasonFlag
}

// reasonFlag is the public reason of a recovery.
type reasonFlag struct {
	Reason string `help:"The reason of the recovery, in one line of at most 500 bytes. It is public: the chain holds its hash, the log the text." placeholder:"TEXT"`
}

// check returns an error and sets the exit status of wrong usage when the reason does not fit.
func (f *reasonFlag) check(code *int) error {
	if len(f.Reason) > app.MaxReason || strings.ContainsAny(f.Reason, "\r\n") || !utf8.ValidString(f.Reason) {
		*code = 2
		return fmt.Errorf("--reason: the reason is one line of at most %d bytes of UTF-8", app.MaxReason)
	}
	return nil
}

// Run sets the mark. The exit status is 2 without a database.
func (c *markRestoredCommand) Run(ctx context.Context, code *int) error {
	if err := c.check(code); err != nil {
		return err
	}
	err := app.MarkRestored(ctx, app.Store{Data: c.Data, Database: c.Database}, c.Reason)
	if errors.Is(err, fs.ErrNotExist) {
		*code = 2
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(os.Stdout, nextStart)
	return err
}

// nextStart describes the effect of the mark of a restored database.
const nextStart = "The next start ends the runs in play, claims what they had won and gives back the entries of the " +
	"others, and replaces the seeds of all runs."

// acceptRollbackCommand lets a service continue from a database that is behind the signed log.
type acceptRollbackCommand struct {
	Data       string `help:"Folder with the record of the signed log, and the database unless --database is set." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Database   string `help:"PostgreSQL database, as for serve." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
	Size       int64  `help:"Number of blocks of the newest signed tree that is given up, as in the error of the refused start; if the folder has no record of it, the number of blocks in the database." required:"" placeholder:"BLOCKS"`
	Checkpoint string `help:"A file with a signed checkpoint that the folder has no record of, for example from a witness." placeholder:"FILE" type:"existingfile"`
	reasonFlag
}

// Run declares the rollback. The exit status is 2 if there is none, or one of another size.
func (c *acceptRollbackCommand) Run(ctx context.Context, code *int) error {
	if err := c.check(code); err != nil {
		return err
	}
	var checkpoint []byte
	if c.Checkpoint != "" {
		var err error
		if checkpoint, err = os.ReadFile(c.Checkpoint); err != nil {
			*code = 2
			return err
		}
	}
	a, err := app.AcceptRollback(ctx, app.Store{Data: c.Data, Database: c.Database}, c.Size, checkpoint,
		c.Reason)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, app.ErrNothingToAccept) {
		*code = 2
	}
	if err != nil {
		return err
	}
	// The database has the whole signed log: only the folder's record of it was missing.
	if a.Line == "" {
		_, err = fmt.Fprintf(os.Stdout, "Nothing is given up. %s now records the state of the database.\n", a.File)
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "From now on each checkpoint contains the line\n\n    %s\n\n"+
		"Publish it with the reason, where followers of the log look. "+
		"Witnesses will not cosign the following checkpoints.\n", a.Line)
	return err
}

// acceptPagesCommand gives the pages of a SQLite file new checksums.
type acceptPagesCommand struct {
	Data string `help:"Folder of the database." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
}

// Run accepts the pages. The exit status is 2 without a database.
func (c *acceptPagesCommand) Run(code *int) error {
	accepted, pages, err := app.AcceptPages(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		*code = 2
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "%d of %d pages did not fit their checksums, and are accepted as they are. "+
		"Audit them with roshambo doctor --data %s.\n", accepted, pages, c.Data)
	return err
}
