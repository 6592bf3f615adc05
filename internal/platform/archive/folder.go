package archive

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"roshambo/internal/platform/durable"
)

// folder is a place in a file system. It must exist: a folder made where a disk should be mounted would fill the disk
// below.
type folder string

// list implements place.
func (f folder) list(context.Context) (list []object, err error) {
	entries, err := os.ReadDir(string(f))
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		list = append(list, object{e.Name(), info.Size()})
	}
	return list, err
}

func (f folder) read(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(f), name))
}

// write replaces the file: a crash leaves NAME.*.part.
func (f folder) write(_ context.Context, name string, _ int64, write func(io.Writer) error) error {
	return durable.Replace(filepath.Join(string(f), name), 0o600, write)
}

// remove implements place. The removal is durable, so that a crash does not bring a manifest back.
func (f folder) remove(_ context.Context, name string) error {
	if err := os.Remove(filepath.Join(string(f), name)); err != nil {
		return err
	}
	return durable.SyncFolder(string(f))
}

// part matches the name of a temporary file of durable.Replace.
var part = regexp.MustCompile(`^(.+)\.\d+` + regexp.QuoteMeta(durable.Part) + `$`)

func (f folder) sweep(ctx context.Context, own func(string) bool) error {
	there, err := f.list(ctx)
	if err != nil {
		return err
	}
	for _, o := range there {
		if m := part.FindStringSubmatch(o.name); len(m) > 0 && own(m[1]) {
			if err := f.remove(ctx, o.name); err != nil {
				return err
			}
		}
	}
	return nil
}
