package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"roshambo/internal/platform/archive"
)

// unpackPattern names the folder in the data folder where an archive is unpacked. A crash leaves it to the next
// restore.
const unpackPattern = ".restore.*.part"

// restoreArchive restores a scheduled backup.
func restoreArchive(ctx context.Context, c RestoreConfig) (r Restored, err error) {
	place, name := archive.Split(c.Backup)
	key, err := c.originKey()
	if err != nil {
		return r, err
	}
	r.Unproven = key == nil
	a, err := archive.New(archive.Config{To: place, Key: key})
	if err != nil {
		return r, err
	}
	m, err := choose(ctx, a, place, name)
	if err != nil {
		return r, err
	}
	r.Name = m.Archive
	var identity io.Reader
	if c.Identity != "" {
		f, err := os.Open(c.Identity)
		if err != nil {
			return r, err
		}
		defer f.Close() //nolint:errcheck // read only
		identity = f
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return r, err
	}
	if err := removeMatching(c.Data, unpackPattern); err != nil {
		return r, err
	}
	// Without keys the size is what a stranger may have written.
	if err := roomFor(2, uint64(max(m.Unpacked, 0)), freeBytes(c.Data), c.Data); err != nil {
		return r, fmt.Errorf("%s: %w", m.Archive, err)
	}
	folder, err := os.MkdirTemp(c.Data, unpackPattern) // mode 0700
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := a.Extract(ctx, m, identity, folder, backupFiles); err != nil {
		return r, err
	}
	err = r.fromFolder(ctx, folder, c.Data)
	return r, err
}

// choose returns the named backup at a place, or the newest one. It does not choose between several chains, nor pass
// over a damaged one.
func choose(ctx context.Context, a *archive.Archives, place, name string) (m archive.Manifest, err error) {
	if name != "" {
		return a.Find(ctx, name)
	}
	good, bad, err := a.List(ctx)
	if err != nil {
		return m, err
	}
	if len(bad) > 0 {
		return m, fmt.Errorf("some backups in %s do not count; name one of the others to restore: %w", place, errors.Join(bad...))
	}
	if len(good) == 0 {
		return m, fmt.Errorf("no backup in %s: %w", place, fs.ErrNotExist)
	}
	for _, other := range good {
		if other.Chain != good[0].Chain {
			return m, fmt.Errorf("%s has backups of several chains; name one: %s, %s", place, good[0].Archive, other.Archive)
		}
	}
	return good[0], nil
}

// originKey returns the key that authenticates backups, nil when there are no keys.
func (c *RestoreConfig) originKey() ([]byte, error) {
	k, err := parseOrReadKeys(c.Keys, filepath.Join(c.Data, keysFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	secret, err := k.seedKey()
	if err != nil {
		return nil, err
	}
	return backupKey(secret)
}

// parseOrReadKeys returns the keys of a text, or of a file when the text is "".
func parseOrReadKeys(text, path string) (keys, error) {
	if text != "" {
		return parseKeys(text)
	}
	return readKeys(path)
}
