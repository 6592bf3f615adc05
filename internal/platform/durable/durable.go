// Package durable replaces files so that a crash leaves the old content or the new one, and no mixture.
package durable

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Part ends the name of the temporary file of Replace, which begins with the name of the file and a dot. A
// crash may leave it behind.
const Part = ".part"

// Replace replaces the file at a path by what write writes. The file has the new content once Replace has
// returned nil, also after a crash. Errors: of write, and of the file system; the file is unchanged then, or has the
// new content, but perhaps not after a crash.
func Replace(path string, mode fs.FileMode, write func(w io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+Part)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// WriteJSON replaces a file by a value, as indented JSON.
func WriteJSON(path string, mode fs.FileMode, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return Replace(path, mode, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// SyncFolder makes the names in a folder durable: of new files, and of those renamed or removed. Windows keeps them by
// itself, and refuses to sync a folder.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
