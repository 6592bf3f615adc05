package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"

	"roshambo/internal/store/engine"
)

// AcceptPages gives the pages of a file that do not fit their checksums new ones: another program, which keeps none,
// has changed the file on purpose. It returns the number of these pages and of all. A crash leaves the rest to the next
// call. Errors: store.ErrLocked, fs.ErrNotExist, and one for a file without checksums.
func AcceptPages(path string) (accepted, pages int64, err error) {
	if path, err = realPath(path); err != nil {
		return 0, 0, err
	}
	if _, err := os.Stat(path); err != nil {
		return 0, 0, err
	}
	d := &fileDB{}
	if err := d.acquire(path); err != nil {
		return 0, 0, err
	}
	defer func() { err = engine.Join(err, d.lock.Release()) }()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = engine.Join(err, f.Close()) }()
	page := make([]byte, pageSize)
	for ; ; pages++ {
		_, err := f.ReadAt(page, pages*pageSize)
		switch {
		case errors.Is(err, io.EOF):
			return accepted, pages, f.Sync()
		case err != nil:
			return accepted, pages, err
		case pages == 0 && !hasChecksums(page):
			return 0, 0, fmt.Errorf("%s is no database with checksums", path)
		case fits(page):
			continue
		}
		seal(page)
		if _, err := f.WriteAt(page, pages*pageSize); err != nil {
			return accepted, pages, err
		}
		accepted++
	}
}
