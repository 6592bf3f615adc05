package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/archive"
	"roshambo/internal/platform/durable"
	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
)

// Backup copies a data folder to target, which must not exist, whether or not a server runs on the
// folder: one consistent snapshot of the database and, if withKeys, the keys. The copy is marked,
// like the folder that Restore makes. target appears completely or not at all; a crash leaves a
// folder target.*.part. It returns fs.ErrExist when target exists.
func Backup(ctx context.Context, data, target string, withKeys bool) error {
	if _, err := os.Lstat(target); err == nil {
		return fmt.Errorf("%s exists already: %w", target, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := checkCopy(ctx, data); err != nil {
		return err
	}
	parent := filepath.Dir(filepath.Clean(target))
	part, err := os.MkdirTemp(parent, filepath.Base(target)+".*.part") // mode 0700
	if err != nil {
		return err
	}
	if err := copyFolder(ctx, data, part, withKeys); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	// Rename replaces a folder that was created meanwhile only if it is empty.
	if err := os.Rename(part, target); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return durable.SyncFolder(parent)
}

// checkCopy returns an error unless this program can read the database of a folder, or migrate it.
func checkCopy(ctx context.Context, data string) error {
	d, err := Store{Data: data}.read(ctx)
	switch {
	case errors.Is(err, store.ErrOlder):
		return nil
	case err != nil:
		return err
	}
	return d.Close()
}

// copyFolder copies the files of a data folder to an empty folder, and marks it.
func copyFolder(ctx context.Context, data, part string, withKeys bool) error {
	// The head file comes first: the copy of the database then contains everything that was signed,
	// or the transactions from which it is made again.
	if err := copyHeadFile(data, part); err != nil {
		return err
	}
	if err := sqlite.Backup(ctx, filepath.Join(data, databaseFile), filepath.Join(part, databaseFile)); err != nil {
		return err
	}
	// A server that starts on the copy starts from an older state.
	if err := markFolder(part, ""); err != nil || !withKeys {
		return err
	}
	return copyKeys(data, part)
}

// copyHeadFile copies the record of signed heads, if there is one, to a folder that has none.
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

// Restored is the result of Restore.
type Restored struct {
	// Name is the name of the backup in its place; "" for a folder of Backup.
	Name string
	// Unproven reports that there were no keys, so that nothing shows which service made the backup.
	Unproven bool
	// Keys reports whether the folder has keys now, from the backup or from before. Without them no
	// server starts on the folder.
	Keys bool
	// Blocks is the number of blocks in the backup; 0 when its schema is older and could not be
	// read.
	Blocks int64
	// Behind is not nil when the backup is behind the heads that the folder remembers; the next
	// start refuses. Its text says how far, and names the remedy.
	Behind error
	// Remembers reports whether the folder had a record of signed heads before. Otherwise it now
	// has the backup's, without the heads signed since.
	Remembers bool
}

// RestoreConfig says what Restore does.
type RestoreConfig struct {
	// Backup is a folder of Backup's, a place of scheduled backups, of which the newest is taken, or one of those.
	Backup string
	// Data is the target folder.
	Data string
	// Identity is a file with the private key of age, for an encrypted backup; "" for a plain one.
	Identity string
	// Keys is the text of a keys file, which shows the origin of a backup; "" reads the file in Data, if there is one.
	Keys string
}

// Restore copies a backup into a data folder without a database. Existing keys stay; they must equal
// the backup's keys, if it has any. The folder is marked: its first start performs a recovery
// (run.Service.Recover). It returns fs.ErrExist when the folder has a database.
func Restore(ctx context.Context, c RestoreConfig) (r Restored, err error) {
	if err := checkUser(c.Data); err != nil {
		return r, err
	}
	// SQLite would apply a leftover write-ahead log to the restored database.
	for _, suffix := range []string{"", "-wal"} {
		path := filepath.Join(c.Data, databaseFile+suffix)
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return r, fmt.Errorf("%s belongs to an existing database: %w", path, fs.ErrExist)
		}
	}
	if _, err := os.Stat(filepath.Join(c.Backup, databaseFile)); err == nil {
		if c.Identity != "" { // another one was expected there
			return r, fmt.Errorf("%s: %w", c.Backup, archive.ErrNotEncrypted)
		}
		err = r.fromFolder(ctx, c.Backup, c.Data)
		return r, err
	}
	return restoreArchive(ctx, c)
}

// fromFolder copies the folder of a backup into a data folder without a database.
func (r *Restored) fromFolder(ctx context.Context, backup, data string) (err error) {
	if err := checkCopy(ctx, backup); err != nil {
		return err
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	theirs, errTheirs := readKeys(filepath.Join(backup, keysFile))
	ours, errOurs := readKeys(filepath.Join(data, keysFile))
	for _, err := range []error{errTheirs, errOurs} {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if errTheirs == nil && errOurs == nil && theirs != ours {
		return fmt.Errorf("the keys in %s differ from those of the backup", data)
	}
	// The database comes last: a server starts on the folder only once it is there.
	if errTheirs == nil && errOurs != nil {
		if err := writeSecret(filepath.Join(data, keysFile), theirs); err != nil {
			return err
		}
	}
	r.Keys = errTheirs == nil || errOurs == nil
	path := filepath.Join(data, databaseFile)
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by an interrupted restore
		return err
	}
	if err := sqlite.Backup(ctx, filepath.Join(backup, databaseFile), part); err != nil {
		return err
	}
	if r.Remembers, err = rememberBackup(backup, data); err != nil {
		return err
	}
	// The mark comes first: a crash between the two leaves a mark without a database, and none of the
	// other kind.
	if err := markFolder(data, ""); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	if err := durable.SyncFolder(data); err != nil {
		return err
	}
	return r.compare(ctx, data)
}

// rememberBackup copies the backup's record of signed heads into a folder without one. before
// reports whether the folder had one.
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

// compare checks the restored database against the folder's record of signed heads, and sets Blocks
// and Behind.
func (r *Restored) compare(ctx context.Context, data string) (err error) {
	f, err := openHeadFile(data)
	if err != nil {
		return err
	}
	d, err := Store{Data: data}.read(ctx)
	if errors.Is(err, store.ErrOlder) {
		return nil // the next start migrates and compares
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if _, there := f.Size(); !there { // a backup without a head file, made by other means
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
