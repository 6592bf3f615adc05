// Package archive keeps copies of a folder's files in another folder or in an S3 bucket: encrypted for keys of the
// operator's, with a digest that shows damage and a code that shows their origin.
//
// An archive is two files. NAME.tar, or NAME.tar.age, has the files; NAME.json is its manifest. The manifest is
// written last and removed first. So an archive counts if and only if it has a manifest: what a crash leaves is never
// taken for whole, and the next Sweep removes it.
//
// The public key of the operator suffices to encrypt, so decryption proves nothing about the origin: a stranger
// with write access to the bucket can make an archive, too. The manifest therefore has a MAC with a key of the
// service.
package archive

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
)

// Errors. All of them are wrapped with the name of the archive.
var (
	// ErrDamaged reports an archive or a manifest with other bytes than it was written with, or of another size.
	ErrDamaged = errors.New("damaged")
	// ErrOrigin reports a manifest that was not made with the key of this service.
	ErrOrigin = errors.New("not made by the service of these keys, or changed since")
	// ErrIdentity reports an encrypted archive without the private key to it.
	ErrIdentity = errors.New("encrypted for another key")
	// ErrNotEncrypted reports a plain archive where an encrypted one was expected.
	ErrNotEncrypted = errors.New("not encrypted")
)

// Config configures Archives.
type Config struct {
	// To is the place of the archives: an existing folder, or s3://bucket/prefix.
	To string
	// Chain begins the names of archives. "" reads the archives of all chains and writes none.
	Chain string
	// Owner names the folder whose archives these are. Only its own are pruned.
	Owner string
	// Key authenticates manifests. Without it their origin stays unknown, and none can be written.
	Key []byte
	// Recipients are public keys of age for which archives are encrypted; without any they are plain.
	Recipients []string
}

// Archives are the archives at one place.
type Archives struct {
	place      place
	chain      string
	owner      string
	key        []byte
	recipients []age.Recipient
}

// New returns the archives at c.To. It connects to nothing. Errors: a malformed place or recipient, and S3 without
// encryption, or without credentials in the environment.
func New(c Config) (*Archives, error) {
	a := &Archives{chain: url.PathEscape(c.Chain), owner: c.Owner, key: c.Key}
	if len(c.Recipients) > 0 {
		var err error
		if a.recipients, err = age.ParseRecipients(strings.NewReader(strings.Join(c.Recipients, "\n"))); err != nil {
			return nil, fmt.Errorf("a recipient is a public key of age, such as age1…: %w", err)
		}
	}
	var err error
	if Remote(c.To) {
		a.place, err = newBucket(c.To)
	} else {
		a.place = folder(c.To)
	}
	return a, err
}

// Remote reports whether a place is an S3 bucket.
func Remote(to string) bool { return strings.HasPrefix(to, bucketScheme) }

// place holds files by name. A file appears whole or not at all, and names have no slash.
type place interface {
	list(ctx context.Context) ([]object, error)
	// read returns the content of a file. Errors: fs.ErrNotExist, also at the first read.
	read(ctx context.Context, name string) (io.ReadCloser, error)
	// write stores what the function writes, about size bytes.
	write(ctx context.Context, name string, size int64, write func(io.Writer) error) error
	remove(ctx context.Context, name string) error
	// sweep removes what interrupted writes to the names that own accepts have left.
	sweep(ctx context.Context, own func(name string) bool) error
}

// object is a file at a place.
type object struct {
	name string
	size int64
}

// Parts of names: CHAIN-20261129T031500Z.tar.age.
const (
	stamp          = "20060102T150405Z"
	plainEnd       = ".tar"
	encryptedEnd   = ".tar.age"
	manifestEnd    = ".json"
	manifestLimit  = 64 << 10 // bytes of a manifest
	recipientBytes = 4 << 10  // what encryption adds to the size of an archive, roughly
)

var namePattern = regexp.MustCompile(`^(.+)-(\d{8}T\d{6}Z)(\.tar|\.tar\.age|\.json)$`)

// Split splits the name of one archive off a place. name is "" when the whole is a place.
func Split(from string) (place, name string) {
	from = strings.TrimSuffix(from, "/")
	i := max(strings.LastIndexByte(from, '/'), strings.LastIndexByte(from, filepath.Separator))
	if last := from[i+1:]; namePattern.MatchString(last) && !strings.HasSuffix(last, manifestEnd) {
		if i <= 0 {
			return filepath.Clean(from[:i+1]), last
		}
		return from[:i], last
	}
	return from, ""
}

// own reports whether a name is one of this chain's.
func (a *Archives) own(name string) bool {
	m := namePattern.FindStringSubmatch(name)
	return len(m) > 0 && (a.chain == "" || m[1] == a.chain)
}

// Make writes an archive of files of a folder, which was copied at a time, and returns its manifest. Errors:
// fs.ErrExist when there is an archive of that second.
func (a *Archives) Make(ctx context.Context, from string, files []string, made time.Time) (m Manifest, err error) {
	if a.chain == "" || len(a.key) == 0 {
		panic("archive: Make without a chain or a key")
	}
	m = Manifest{Format: format, Chain: a.chain, Owner: a.owner, Made: made.UTC().Truncate(time.Second)}
	m.Archive = a.chain + "-" + m.Made.Format(stamp) + plainEnd
	if len(a.recipients) > 0 {
		m.Archive = strings.TrimSuffix(m.Archive, plainEnd) + encryptedEnd
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("archive %s: %w", m.Archive, err)
		}
	}()
	there, err := a.place.list(ctx)
	if err != nil {
		return m, err
	}
	if slices.ContainsFunc(there, func(o object) bool { return o.name == m.Archive || o.name == m.file() }) {
		return m, fs.ErrExist
	}
	for _, name := range files {
		info, err := os.Stat(filepath.Join(from, name))
		if err != nil {
			return m, err
		}
		m.Unpacked += info.Size()
	}
	digest, count := sha256.New(), new(counter)
	// A crash here leaves an archive without a manifest, which does not count.
	err = a.place.write(ctx, m.Archive, m.Unpacked+recipientBytes, func(w io.Writer) error {
		return a.pack(ctx, io.MultiWriter(w, digest, count), from, files)
	})
	if err != nil {
		return m, err
	}
	m.SHA256, m.Size = hex.EncodeToString(digest.Sum(nil)), int64(*count)
	m.MAC = m.code(a.key)
	// From here on it counts.
	text := m.text()
	err = a.place.write(ctx, m.file(), int64(len(text)), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil { // each further attempt would leave another one until the next Sweep
		err = errors.Join(err, a.discard(ctx, &m))
	}
	return m, err
}

// counter counts the bytes that are written to it.
type counter int64

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// pack writes an archive of files.
// It is encrypted as it is written, so the plain files are nowhere but in their folder.
func (a *Archives) pack(ctx context.Context, w io.Writer, from string, files []string) error {
	if len(a.recipients) == 0 {
		return packPlain(ctx, w, from, files)
	}
	sealed, err := age.Encrypt(w, a.recipients...)
	if err != nil {
		return err
	}
	if err := packPlain(ctx, sealed, from, files); err != nil {
		return err
	}
	return sealed.Close()
}

// packPlain writes a tar of files.
func packPlain(ctx context.Context, w io.Writer, from string, files []string) error {
	t := tar.NewWriter(w)
	for _, name := range files {
		if err := packFile(ctx, t, from, name); err != nil {
			return err
		}
	}
	return t.Close()
}

// packFile adds one file.
func packFile(ctx context.Context, t *tar.Writer, from, name string) error {
	f, err := os.Open(filepath.Join(from, name))
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// No owner and no time: they say nothing about a copy.
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size()}); err != nil {
		return err
	}
	_, err = io.Copy(t, stoppable{ctx, f})
	return err
}

// stoppable is a reader that fails once its context has ended.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (s stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// Extract writes the files of an archive into an empty folder. files are the names that may be in it. Errors:
// ErrDamaged when a byte has changed, ErrIdentity, ErrNotEncrypted with an identity for a plain archive. With an error
// the folder's content is worthless.
func (a *Archives) Extract(ctx context.Context, m Manifest, identity io.Reader, to string, files []string) error {
	identities, err := m.identities(identity)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Archive, err)
	}
	source, err := a.place.read(ctx, m.Archive)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Archive, err)
	}
	defer source.Close()
	digest := sha256.New()
	read := io.TeeReader(stoppable{ctx, source}, digest)
	err = m.unpack(read, identities, to, files)
	// The digest is of all bytes, also after an error: damage explains the error.
	if _, err := io.Copy(io.Discard, read); err != nil {
		return fmt.Errorf("read %s: %w", m.Archive, err)
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != m.SHA256 {
		return fmt.Errorf("%s is %w: its SHA-256 is %s, its manifest says %s", m.Archive, ErrDamaged, got, m.SHA256)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.Archive, err)
	}
	return nil
}

// identities parses the private keys for an archive.
func (m *Manifest) identities(text io.Reader) ([]age.Identity, error) {
	switch {
	case text == nil && m.Encrypted():
		return nil, fmt.Errorf("%w: the file with the private key is missing", ErrIdentity)
	case text == nil:
		return nil, nil
	case !m.Encrypted():
		return nil, ErrNotEncrypted
	}
	list, err := age.ParseIdentities(text)
	if err != nil {
		return nil, fmt.Errorf("the identity: %w", err)
	}
	return list, nil
}

// unpack writes the files of an archive. It trusts neither names nor sizes: the digest is checked afterwards.
func (m *Manifest) unpack(r io.Reader, identities []age.Identity, to string, files []string) error {
	if m.Encrypted() {
		plain, err := age.Decrypt(r, identities...)
		if _, other := errors.AsType[*age.NoIdentityMatchError](err); other {
			return ErrIdentity
		}
		if err != nil {
			return err
		}
		r = plain
	}
	t, left := tar.NewReader(r), m.Unpacked
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			// The rest authenticates the last encrypted part.
			_, err := io.Copy(io.Discard, r)
			return err
		}
		if err != nil {
			return err
		}
		if left -= h.Size; h.Typeflag != tar.TypeReg || !slices.Contains(files, h.Name) || left < 0 {
			return fmt.Errorf("%q of %d bytes does not belong into a backup", h.Name, h.Size)
		}
		if err := unpackFile(t, filepath.Join(to, h.Name)); err != nil {
			return err
		}
	}
}

// unpackFile writes one new file, which nothing in the folder can redirect.
func unpackFile(r io.Reader, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
