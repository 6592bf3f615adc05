package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// Backup copies what a data folder holds into a new folder, while a server runs on it or
// not: the database as it was at one moment, and its keys, if they are wanted. The new
// folder is there whole or not at all; what a crash leaves is called target.*.part.
func Backup(ctx context.Context, data, target string, withKeys bool) error {
	if _, err := os.Lstat(target); err == nil {
		return fmt.Errorf("%s is there already: %w", target, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(filepath.Clean(target))
	part, err := os.MkdirTemp(parent, filepath.Base(target)+".*.part") // mode 0700
	if err != nil {
		return err
	}
	// What was signed comes first: the copy of the database has all of it, or what makes it.
	err = copyHeadFile(data, part)
	if err == nil {
		err = store.Backup(ctx, filepath.Join(data, databaseFile), filepath.Join(part, databaseFile))
	}
	if err == nil && withKeys {
		err = copyKeys(data, part)
	}
	if err == nil {
		// Over a folder that has come meanwhile only if that is empty.
		err = os.Rename(part, target)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return syncFolder(parent)
}

// copyHeadFile copies what is remembered of the log, if anything is, to a folder that
// remembers nothing.
func copyHeadFile(from, to string) error {
	f, err := openHeadFile(from)
	if err != nil {
		return err
	}
	if _, there := f.Size(); !there {
		return nil
	}
	return f.Copy(filepath.Join(to, headFile))
}

// copyKeys copies the keys from one folder to another that has none.
func copyKeys(from, to string) error {
	k, err := readKeys(filepath.Join(from, keysFile))
	if err != nil {
		return err
	}
	return writeSecret(filepath.Join(to, keysFile), k)
}

// Restored says what a data folder got from a backup.
type Restored struct {
	// Keys says that there are keys now, from the backup or from before. Without them no
	// server starts on the folder.
	Keys bool
	// Blocks is how many blocks the backup has; 0 when its schema is of another release, and
	// it could not be looked at.
	Blocks int64
	// Behind says how the backup is behind what the folder remembers, with what to do about
	// it: the next start refuses. Nil when it is not.
	Behind error
	// Remembers says that the folder remembered what was signed from before. Otherwise it
	// knows what the backup knew, and nothing of what was signed since.
	Remembers bool
}

// Restore puts a backup into a data folder that has no database. Keys that are there stay;
// they must be those of the backup, if it has any.
func Restore(ctx context.Context, backup, data string) (r Restored, err error) {
	// SQLite would play a log that was left behind into whatever lies beside it.
	for _, suffix := range []string{"", "-wal"} {
		path := filepath.Join(data, databaseFile+suffix)
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return r, fmt.Errorf("%s belongs to a database that is there already: %w", path, fs.ErrExist)
		}
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return r, err
	}
	theirs, errTheirs := readKeys(filepath.Join(backup, keysFile))
	ours, errOurs := readKeys(filepath.Join(data, keysFile))
	for _, err := range []error{errTheirs, errOurs} {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
	}
	if errTheirs == nil && errOurs == nil && theirs != ours {
		return r, fmt.Errorf("the keys in %s are not those of the backup", data)
	}
	// The database last: it is what makes the folder one that a server starts on.
	if errTheirs == nil && errOurs != nil {
		if err := writeSecret(filepath.Join(data, keysFile), theirs); err != nil {
			return r, err
		}
	}
	r.Keys = errTheirs == nil || errOurs == nil
	path := filepath.Join(data, databaseFile)
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a restore that was broken off
		return r, err
	}
	if err := store.Backup(ctx, filepath.Join(backup, databaseFile), part); err != nil {
		return r, err
	}
	if r.Remembers, err = rememberBackup(backup, data); err != nil {
		return r, err
	}
	if err := os.Rename(part, path); err != nil {
		return r, err
	}
	if err := syncFolder(data); err != nil {
		return r, err
	}
	err = r.compare(ctx, data)
	return r, err
}

// rememberBackup has a folder remember what a backup does, unless it remembers something.
func rememberBackup(backup, data string) (before bool, err error) {
	f, err := openHeadFile(data)
	if err != nil {
		return false, err
	}
	if _, before = f.Size(); before {
		return true, nil
	}
	return false, copyHeadFile(backup, data)
}

// compare holds what was restored against what the folder remembers.
func (r *Restored) compare(ctx context.Context, data string) (err error) {
	f, err := openHeadFile(data)
	if err != nil {
		return err
	}
	d, err := Store{Data: data}.read(ctx)
	if errors.Is(err, store.ErrOlder) {
		return nil // the next start migrates it, and compares
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if _, there := f.Size(); !there { // the backup was made in another way
		if err := f.Adopt(ctx, d); err != nil {
			return err
		}
	}
	r.Blocks, err = ledger.CheckHeadFile(ctx, d, f, true)
	if _, rolled := errors.AsType[*ledger.RollbackError](err); rolled || errors.Is(err, ledger.ErrOtherChain) {
		r.Behind, err = rollbackAdvice(err, data), nil
	}
	return err
}
