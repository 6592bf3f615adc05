package archive

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// format is the version of manifests.
const format = "roshambo-backup/1"

// Manifest describes an archive. It is the JSON file beside it.
type Manifest struct {
	Format   string    `json:"format"`
	Archive  string    `json:"archive"` // the name of its file
	Chain    string    `json:"chain"`   // escaped as in the name
	Owner    string    `json:"owner,omitempty"`
	Made     time.Time `json:"made"`          // it has all that was stored before
	Size     int64     `json:"size"`          // of the file, in bytes
	SHA256   string    `json:"sha256"`        // of the file, in hex
	Unpacked int64     `json:"unpacked_size"` // of the files in it, in bytes
	MAC      string    `json:"mac"`           // HMAC-SHA-256 of the manifest without it, in hex
}

// Encrypted reports whether the archive is encrypted.
func (m *Manifest) Encrypted() bool { return strings.HasSuffix(m.Archive, encryptedEnd) }

// file returns the name of its file.
func (m *Manifest) file() string { return manifestOf(m.Archive) }

// manifestOf returns the name of the manifest of an archive.
func manifestOf(archive string) string {
	return strings.TrimSuffix(strings.TrimSuffix(archive, ".age"), plainEnd) + manifestEnd
}

// text returns the manifest as it is stored.
func (m *Manifest) text() []byte {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic("archive: " + err.Error()) // unreachable: text, numbers and a time
	}
	return append(text, '\n')
}

// code returns the MAC of a manifest.
func (m *Manifest) code(key []byte) string {
	bare := *m
	bare.MAC = ""
	h := hmac.New(sha256.New, key)
	h.Write(bare.text())
	return hex.EncodeToString(h.Sum(nil))
}

// check checks a manifest that was read from a file.
func (m *Manifest) check(file string, key []byte) error {
	if m.Format != format || m.file() != file || m.Archive != m.Chain+"-"+m.Made.Format(stamp)+plainEnd &&
		m.Archive != m.Chain+"-"+m.Made.Format(stamp)+encryptedEnd {
		return fmt.Errorf("%s is %w: it is no manifest of its archive", file, ErrDamaged)
	}
	if key != nil && !hmac.Equal([]byte(m.code(key)), []byte(m.MAC)) {
		return fmt.Errorf("%s: %w", m.Archive, ErrOrigin)
	}
	return nil
}

// List returns the archives that count, newest first, and the errors of those that have a manifest and do not.
// It reads no archive: Extract does.
func (a *Archives) List(ctx context.Context) (good []Manifest, bad []error, err error) {
	there, err := a.place.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	sizes := map[string]int64{}
	for _, o := range there {
		sizes[o.name] = o.size
	}
	read, unread := 0, error(nil)
	for _, o := range there {
		if !strings.HasSuffix(o.name, manifestEnd) || !a.own(o.name) {
			continue
		}
		m, err := a.manifest(ctx, o.name, sizes)
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed meanwhile
			continue
		case ctx.Err() != nil:
			return nil, nil, errors.Join(ctx.Err(), err)
		case errors.Is(err, ErrDamaged), errors.Is(err, ErrOrigin):
			bad = append(bad, err)
		case err != nil: // one that cannot be read stops neither backups nor restores of the others
			bad, unread = append(bad, err), err
			continue
		default:
			good = append(good, m)
		}
		read++
	}
	if unread != nil && read == 0 {
		return nil, nil, unread
	}
	slices.SortFunc(good, func(a, b Manifest) int {
		return cmp.Or(b.Made.Compare(a.Made), strings.Compare(a.Archive, b.Archive))
	})
	return good, bad, nil
}

// manifest reads a manifest and compares it with the sizes of the files.
func (a *Archives) manifest(ctx context.Context, file string, sizes map[string]int64) (m Manifest, err error) {
	r, err := a.place.read(ctx, file)
	if err != nil {
		return m, fmt.Errorf("read %s: %w", file, err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, manifestLimit))
	if err != nil {
		return m, fmt.Errorf("read %s: %w", file, err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s is %w: %w", file, ErrDamaged, err)
	}
	if err := m.check(file, a.key); err != nil {
		return m, err
	}
	if size, there := sizes[m.Archive]; !there {
		return m, fmt.Errorf("%s is %w: it is missing beside its manifest", m.Archive, ErrDamaged)
	} else if size != m.Size {
		return m, fmt.Errorf("%s is %w: it has %d bytes, its manifest says %d", m.Archive, ErrDamaged, size, m.Size)
	}
	return m, nil
}

// Find returns the manifest of an archive by its name. Errors: fs.ErrNotExist, ErrDamaged, ErrOrigin.
func (a *Archives) Find(ctx context.Context, archive string) (m Manifest, err error) {
	there, err := a.place.list(ctx)
	if err != nil {
		return m, err
	}
	sizes := map[string]int64{}
	for _, o := range there {
		sizes[o.name] = o.size
	}
	file := manifestOf(archive)
	for _, name := range []string{archive, file} {
		if _, ok := sizes[name]; !ok {
			return m, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
	}
	if m, err = a.manifest(ctx, file, sizes); err == nil && m.Archive != archive {
		err = fmt.Errorf("%s is %w: its manifest is of %s", archive, ErrDamaged, m.Archive)
	}
	return m, err
}

// Owned reports whether an archive is of the folder of these Archives.
func (a *Archives) Owned(m *Manifest) bool { return m.Owner == a.owner }

// Sweep removes what interrupted calls of Make and Prune have left: parts of files, and archives without a manifest,
// that were begun before a time. Names have no owner: no process may still be making an archive that is so old.
func (a *Archives) Sweep(ctx context.Context, before time.Time) error {
	old := func(name string) bool {
		m := namePattern.FindStringSubmatch(name)
		if !a.own(name) {
			return false
		}
		begun, err := time.Parse(stamp, m[2])
		return err == nil && begun.Before(before)
	}
	err := a.place.sweep(ctx, old)
	there, errList := a.place.list(ctx)
	if errList != nil {
		return errors.Join(err, errList)
	}
	names := map[string]bool{}
	for _, o := range there {
		names[o.name] = true
	}
	for name := range names {
		if old(name) && !strings.HasSuffix(name, manifestEnd) && !names[manifestOf(name)] {
			err = errors.Join(err, a.place.remove(ctx, name))
		}
	}
	return err
}

// Prune removes the archives of a list of List's, newest first, beyond the newest keep. At least one is kept. Archives
// of other owners neither count nor go.
func (a *Archives) Prune(ctx context.Context, good []Manifest, keep int) (err error) {
	good = slices.DeleteFunc(slices.Clone(good), func(m Manifest) bool { return !a.Owned(&m) })
	for _, m := range good[min(max(keep, 1), len(good)):] {
		err = errors.Join(err, a.discard(ctx, &m))
	}
	return err
}

// discard removes an archive. The manifest goes first: a crash between the two leaves what does not count, and a later
// Sweep removes it.
func (a *Archives) discard(ctx context.Context, m *Manifest) error {
	for _, name := range []string{m.file(), m.Archive} {
		if err := a.place.remove(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	return nil
}
