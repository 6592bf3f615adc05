package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/durable"
	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
)

// restoredFile marks a data folder whose SQLite file is a copy of an older state. It is beside the
// database, so that Restore need not change the copy, which may have an older schema.
const restoredFile = "restored"

const restoredText = "The database in this folder is a copy of an older state. The next start performs a recovery:\n" +
	"it ends the runs in play and replaces all seeds and hidden hands (docs/operations.md), and removes this file.\n"

// MaxReason is the longest reason of a recovery, in bytes.
const MaxReason = ledger.MaxReason

// reasonWord begins the line of the mark that holds the public reason of the recovery.
const reasonWord = "reason: "

// markFolder marks a data folder. reason is the public reason, "" for the default one.
func markFolder(data, reason string) error {
	f, err := os.OpenFile(filepath.Join(data, restoredFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	text := restoredText
	if reason != "" {
		text += reasonWord + reason + "\n"
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close(), durable.SyncFolder(data))
}

// recoverRuns performs the recovery of a database that is marked as restored.
func (s *Service) recoverRuns(ctx context.Context) error {
	if s.config.Database == "" {
		if err := s.takeFolderMark(ctx); err != nil {
			return fmt.Errorf("the mark of a restored database: %w", err)
		}
	}
	s.Runs.Hands = s.dealAnew
	done, err := s.Runs.Recover(ctx)
	if err != nil {
		return err
	}
	if done.Recovered {
		s.log.Warn("recovered from an older state of the database: the seeds of all runs and the house's hands are new",
			"void_runs", done.Voided, "claimed_runs", done.Claimed, "rotated_commitments", done.Rotated)
	}
	return nil
}

// readFolderMark returns the public reason in the mark of a data folder, and whether there is a mark.
func readFolderMark(data string) (reason string, marked bool, err error) {
	text, err := os.ReadFile(filepath.Join(data, restoredFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	_, reason, _ = strings.Cut(string(text), "\n"+reasonWord)
	return strings.TrimSuffix(reason, "\n"), err == nil, err
}

// takeFolderMark moves the mark of the data folder into the database. A crash between the two steps
// leaves both marks, and the next start performs one recovery.
func (s *Service) takeFolderMark(ctx context.Context) error {
	reason, marked, err := readFolderMark(s.config.Data)
	if err != nil || !marked {
		return err
	}
	if err := ledger.MarkRestored(ctx, s.DB, reason); err != nil {
		return err
	}
	path := filepath.Join(s.config.Data, restoredFile)
	return errors.Join(os.Remove(path), durable.SyncFolder(s.config.Data))
}

// MarkRestored marks a database that was restored by other means than Restore. No node may run. reason is
// the public reason of the recovery, "" for the default one. Errors: fs.ErrNotExist without a database.
func MarkRestored(ctx context.Context, s Store, reason string) error {
	ctx = store.Within(ctx, store.CommandTrip)
	c := s.location()
	if c.Path != "" { // openDatabase would create a database
		if _, err := os.Stat(c.Path); err != nil {
			return err
		}
		if err := checkUser(s.Data); err != nil {
			return err
		}
		return markFolder(s.Data, reason)
	}
	d, err := openDatabase(ctx, c)
	if err != nil {
		return err
	}
	return errors.Join(ledger.MarkRestored(ctx, d, reason), d.Close())
}

// AcceptPages accepts the pages of a SQLite file as another program has left them (sqlite.AcceptPages). No service may
// run on the folder. Errors: fs.ErrNotExist without a database.
func AcceptPages(data string) (accepted, pages int64, err error) {
	if err := checkUser(data); err != nil {
		return 0, 0, err
	}
	return sqlite.AcceptPages(Store{Data: data}.location().Path)
}
