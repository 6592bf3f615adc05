package archive

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
)

// TestMain runs a server of S3, which the environment names.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		memory := s3mem.New()
		if err := memory.CreateBucket("backups"); err != nil {
			panic(err)
		}
		server := httptest.NewTLSServer(gofakes3.New(memory, gofakes3.WithIntegrityCheck(true)).Server())
		defer server.Close()
		trusted := filepath.Join(os.TempDir(), fmt.Sprintf("archive-test-%d.pem", os.Getpid()))
		defer os.Remove(trusted) //nolint:errcheck // a temporary file
		certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		if err := os.WriteFile(trusted, certificate, 0o600); err != nil {
			panic(err)
		}
		for name, value := range map[string]string{"SSL_CERT_FILE": trusted, "AWS_ACCESS_KEY_ID": "id",
			"AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL_S3": server.URL} {
			if err := os.Setenv(name, value); err != nil {
				panic(err)
			}
		}
		return m.Run()
	}())
}

const chain = "roshambo-00ff"

var (
	key   = []byte("a key of the service")
	began = time.Date(2026, 11, 29, 3, 15, 0, 0, time.UTC)
)

// scene is a place with the archives of a service, and a folder to copy.
type scene struct {
	*Archives
	config   Config
	identity string // the private key; "" where archives are plain
	from     string
	files    map[string]string
}

// private returns the private key, nil where archives are plain.
func (s *scene) private() io.Reader {
	if s.identity == "" {
		return nil
	}
	return strings.NewReader(s.identity)
}

// names returns the names of the files to copy.
func (s *scene) names() (names []string) {
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// onAll runs a test at a plain folder, at one for encrypted archives, and at a bucket.
func onAll(t *testing.T, test func(t *testing.T, s *scene)) {
	t.Helper()
	for _, kind := range []string{"plain", "encrypted", "bucket"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := &scene{from: t.TempDir(), files: map[string]string{"database": text(17<<20 + 5), "mark": "restored\n"}}
			s.config = Config{To: t.TempDir(), Chain: chain, Key: key}
			if kind == "bucket" {
				s.config.To = "s3://backups/" + strings.ReplaceAll(t.Name(), "/", "-") + "/below"
			}
			if kind != "plain" {
				k, err := age.GenerateX25519Identity()
				if err != nil {
					t.Fatal(err)
				}
				s.identity, s.config.Recipients = k.String(), []string{k.Recipient().String()}
			}
			for name, content := range s.files {
				if err := os.WriteFile(filepath.Join(s.from, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s.Archives = open(t, s.config)
			test(t, s)
		})
	}
}

func open(t *testing.T, c Config) *Archives {
	t.Helper()
	a, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// text returns n bytes that do not repeat.
func text(n int) string {
	b := make([]byte, n)
	source := rand.NewChaCha8([32]byte{1})
	if _, err := source.Read(b); err != nil {
		panic(err)
	}
	return string(b)
}

// make makes an archive n hours after the first.
func (s *scene) make(t *testing.T, n int) Manifest {
	t.Helper()
	m, err := s.Make(t.Context(), s.from, s.names(), began.Add(time.Duration(n)*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// there returns the names of all files at the place.
func (s *scene) there(t *testing.T) (names []string) {
	t.Helper()
	list, err := s.place.list(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		names = append(names, o.name)
	}
	slices.Sort(names)
	return names
}

// put stores a file at the place.
func (s *scene) put(t *testing.T, name string, content []byte) {
	t.Helper()
	err := s.place.write(t.Context(), name, int64(len(content)), func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// get reads a file at the place.
func (s *scene) get(t *testing.T, name string) []byte {
	t.Helper()
	r, err := s.place.read(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// counts requires that these archives count, newest first, and no others.
func (s *scene) counts(t *testing.T, want ...string) []Manifest {
	t.Helper()
	good, bad, err := s.List(t.Context())
	if err != nil || len(bad) > 0 {
		t.Fatalf("list: %v, %v", bad, err)
	}
	var got []string
	for _, m := range good {
		got = append(got, m.Archive)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%v count, want %v", got, want)
	}
	return good
}

// TestMakeAndExtract checks that an archive gives its files back, and that an encrypted one shows none of them.
func TestMakeAndExtract(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, s *scene) {
		made := s.make(t, 0)
		m := s.counts(t, made.Archive)[0]
		if m != made || m.Encrypted() != (s.identity != "") || !strings.HasPrefix(m.Archive, chain+"-20261129T031500Z.tar") {
			t.Errorf("the manifest is %+v, made was %+v", m, made)
		}
		if found, err := s.Find(t.Context(), m.Archive); err != nil || found != m {
			t.Errorf("found by name is %+v, %v", found, err)
		}
		if open := bytes.Contains(s.get(t, m.Archive), []byte(s.files["database"][:64])); open == m.Encrypted() {
			t.Errorf("encrypted: %v, and the content shows: %v", m.Encrypted(), open)
		}
		to := t.TempDir()
		if err := s.Extract(t.Context(), m, s.private(), to, s.names()); err != nil {
			t.Fatal(err)
		}
		for name, want := range s.files {
			if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != want {
				t.Errorf("%s has %d bytes, error %v", name, len(got), err)
			}
		}
		if _, err := s.Make(t.Context(), s.from, s.names(), began); !errors.Is(err, fs.ErrExist) {
			t.Errorf("again in the same second: %v", err)
		}
		// A file that a backup does not have, and one that is larger than the manifest says.
		if err := s.Extract(t.Context(), m, s.private(), t.TempDir(), []string{"database"}); err == nil {
			t.Error("a foreign file was extracted")
		}
		m.Unpacked--
		if err := s.Extract(t.Context(), m, s.private(), t.TempDir(), s.names()); err == nil {
			t.Error("more was extracted than the manifest says")
		}
	})
}

// TestIdentity checks that an archive needs its private key, and that a plain one does not pass for encrypted.
func TestIdentity(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, s *scene) {
		m := s.make(t, 0)
		other, err := age.GenerateX25519Identity()
		if err != nil {
			t.Fatal(err)
		}
		want := ErrIdentity
		if s.identity == "" {
			want = ErrNotEncrypted
		}
		err = s.Extract(t.Context(), m, strings.NewReader(other.String()), t.TempDir(), s.names())
		if !errors.Is(err, want) || !strings.Contains(err.Error(), m.Archive) {
			t.Errorf("with another key: %v, want %v", err, want)
		}
		if s.identity == "" {
			return
		}
		if err := s.Extract(t.Context(), m, nil, t.TempDir(), s.names()); !errors.Is(err, ErrIdentity) {
			t.Errorf("without a key: %v", err)
		}
		if err := s.Extract(t.Context(), m, strings.NewReader("no key"), t.TempDir(), s.names()); err == nil {
			t.Error("a text that is no key was taken")
		}
	})
}

// TestFlippedByte flips bytes of archive and manifest: none is taken, and the error has the name.
func TestFlippedByte(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, s *scene) {
		s.files = map[string]string{"mark": "restored\n"}
		m := s.make(t, 0)
		for _, file := range []string{m.Archive, m.file()} {
			whole := s.get(t, file)
			for at := 0; at < len(whole); at += 1 + len(whole)/40 {
				changed := bytes.Clone(whole)
				changed[at] ^= 1
				s.put(t, file, changed)
				found, err := s.Find(t.Context(), m.Archive)
				if err == nil {
					err = s.Extract(t.Context(), found, s.private(), t.TempDir(), s.names())
				}
				if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrOrigin) || !strings.Contains(err.Error(), chain+"-20261129T") {
					t.Errorf("byte %d of %s: %v", at, file, err)
				}
			}
			s.put(t, file, whole[:len(whole)-2])
			if good, bad, err := s.List(t.Context()); err != nil || len(good) != 0 || len(bad) != 1 {
				t.Errorf("%s without its end: %v count, %v, %v", file, good, bad, err)
			}
			s.put(t, file, whole)
		}
		s.counts(t, m.Archive)
	})
}

// TestOrigin checks that an archive of a stranger with the public key, and an old one under a new name, do not
// count where the key of the service is known.
func TestOrigin(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, s *scene) {
		forged := s.config
		forged.Key = []byte("another key")
		stranger := &scene{Archives: open(t, forged), from: s.from, files: map[string]string{"mark": ""}}
		m := stranger.make(t, 0)
		good, bad, err := s.List(t.Context())
		if err != nil || len(good) != 0 || len(bad) != 1 || !errors.Is(bad[0], ErrOrigin) {
			t.Errorf("list: %v, %v, %v", good, bad, err)
		}
		if _, err := s.Find(t.Context(), m.Archive); !errors.Is(err, ErrOrigin) || !strings.Contains(err.Error(), m.Archive) {
			t.Errorf("by name: %v", err)
		}
		// Without a key it counts: nothing shows its origin.
		unknown := open(t, Config{To: s.config.To})
		if good, _, err := unknown.List(t.Context()); err != nil || len(good) != 1 {
			t.Errorf("without a key: %v, %v", good, err)
		}
		if err := s.Prune(t.Context(), []Manifest{{}, m}, 1); err != nil {
			t.Fatal(err)
		}
		own := s.make(t, 1)
		later := strings.Replace(own.Archive, "T0415", "T0515", 1)
		s.put(t, later, s.get(t, own.Archive))
		s.put(t, manifestOf(later), s.get(t, own.file()))
		if _, err := s.Find(t.Context(), later); !errors.Is(err, ErrDamaged) {
			t.Errorf("an old one under a new name: %v", err)
		}
	})
}

// ending is a context that ends after some looks at it.
type ending struct {
	context.Context
	left atomic.Int64
}

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return e.Context.Err()
}

// TestInterrupted stops the making of an archive after each of its steps, and leaves what a crash leaves: none of it
// counts, the last good one stays, and the next sweep removes the rest and nothing else.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, s *scene) {
		good := s.make(t, 0)
		for steps := range int64(6) {
			ctx := &ending{Context: t.Context()}
			ctx.left.Store(steps)
			if _, err := s.Make(ctx, s.from, s.names(), began.Add(time.Hour)); !errors.Is(err, context.Canceled) {
				t.Errorf("stopped after %d steps: %v", steps, err)
			}
			s.counts(t, good.Archive)
		}
		if err := s.Sweep(t.Context(), began.Add(2*time.Hour)); err != nil {
			t.Fatal(err)
		}
		// A crash in the middle of the archive, between archive and manifest, and within the manifest.
		next := strings.Replace(good.Archive, "T0315", "T0415", 1)
		s.crash(t, next)
		s.counts(t, good.Archive)
		s.put(t, next, s.get(t, good.Archive))
		s.counts(t, good.Archive)
		s.crash(t, manifestOf(next))
		s.counts(t, good.Archive)
		if _, err := s.Find(t.Context(), next); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without its manifest: %v", err)
		}
		// What belongs to others stays.
		foreign := []string{"notes.txt", "roshambo-00-20261129T041500Z.tar", "roshambo-00ff-b-20261129T041500Z.tar.age"}
		for _, name := range foreign {
			s.put(t, name, []byte("x"))
		}
		// What another process may still be writing stays, too.
		before := s.there(t)
		if err := s.Sweep(t.Context(), began.Add(time.Hour)); err != nil || !slices.Equal(s.there(t), before) {
			t.Errorf("a sweep of what is older removed something: %v, error %v", s.there(t), err)
		}
		if err := s.Sweep(t.Context(), began.Add(2*time.Hour)); err != nil {
			t.Fatal(err)
		}
		want := append(foreign, good.Archive, good.file())
		slices.Sort(want)
		if got := s.there(t); !slices.Equal(got, want) || s.parts(t) != 0 {
			t.Errorf("after a sweep %v is there and %d parts, want %v", got, s.parts(t), want)
		}
		s.counts(t, good.Archive)
	})
}

// crash leaves what a crash in the middle of a write leaves.
func (s *scene) crash(t *testing.T, name string) {
	t.Helper()
	b, remote := s.place.(*bucket)
	if !remote {
		if err := os.WriteFile(filepath.Join(s.config.To, name+".12345.part"), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	core := minio.Core{Client: b.client}
	id, err := core.NewMultipartUpload(t.Context(), b.name, b.prefix+name, minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := core.PutObjectPart(t.Context(), b.name, b.prefix+name, id, 1, strings.NewReader("half"), 4,
		minio.PutObjectPartOptions{}); err != nil {
		t.Fatal(err)
	}
}

// parts counts the parts of interrupted writes.
func (s *scene) parts(t *testing.T) (n int) {
	t.Helper()
	if b, remote := s.place.(*bucket); remote {
		for u := range b.client.ListIncompleteUploads(t.Context(), b.name, b.prefix, false) {
			if u.Err != nil {
				t.Fatal(u.Err)
			}
			n++
		}
		return n
	}
	for _, name := range s.there(t) {
		if strings.HasSuffix(name, ".part") {
			n++
		}
	}
	return n
}

// TestPrune checks which archives are kept: the newest ones, and never none.
func TestPrune(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, s *scene) {
		s.files = map[string]string{"mark": "restored\n"}
		var made []string
		for i := range 4 {
			made = slices.Insert(made, 0, s.make(t, i).Archive)
		}
		for _, keep := range []int{4, 3, 1, 0, -1} {
			if err := s.Prune(t.Context(), s.counts(t, made...), keep); err != nil {
				t.Fatal(err)
			}
			made = made[:max(keep, 1)]
			s.counts(t, made...)
			if got := s.there(t); len(got) != 2*len(made) {
				t.Errorf("%d are kept, and there is %v", len(made), got)
			}
		}
		if err := s.Prune(t.Context(), nil, 1); err != nil {
			t.Error(err)
		}
	})
}

// TestOwners: of two folders with the same keys at one place neither prunes what the other one has made.
func TestOwners(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, s *scene) {
		s.files = map[string]string{"mark": "restored\n"}
		s.config.Owner = "production"
		clone := s.config
		clone.Owner = "clone"
		s.Archives = open(t, s.config)
		first, second := s.make(t, 0), s.make(t, 1)
		s.Archives = open(t, clone)
		third := s.make(t, 2)
		if err := s.Prune(t.Context(), s.counts(t, third.Archive, second.Archive, first.Archive), 1); err != nil {
			t.Fatal(err)
		}
		list := s.counts(t, third.Archive, second.Archive, first.Archive)
		if !s.Owned(&list[0]) || s.Owned(&list[1]) {
			t.Errorf("the owners are %q and %q", list[0].Owner, list[1].Owner)
		}
	})
}

// failing is a place where some files cannot be read, or have gone.
type failing struct {
	place
	err map[string]error
}

func (f failing) read(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := f.err[name]; err != nil {
		return nil, err
	}
	return f.place.read(ctx, name)
}

// TestUnreadable: a manifest that cannot be read does not count, and one that has gone is none; the others count. When
// none can be read, the place is at fault.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, s *scene) {
		s.files = map[string]string{"mark": "restored\n"}
		first, second, third := s.make(t, 0), s.make(t, 1), s.make(t, 2)
		all := failing{s.place, map[string]error{third.file(): fs.ErrNotExist}}
		s.place = all
		s.counts(t, second.Archive, first.Archive)
		all.err[second.file()] = fs.ErrPermission
		good, bad, err := s.List(t.Context())
		if err != nil || len(good) != 1 || len(bad) != 1 || !errors.Is(bad[0], fs.ErrPermission) ||
			!strings.Contains(bad[0].Error(), second.file()) {
			t.Errorf("with one that cannot be read: %v, %v, %v", good, bad, err)
		}
		all.err[first.file()] = fs.ErrPermission
		if _, _, err := s.List(t.Context()); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("with none that can be read: %v", err)
		}
		ended, stop := context.WithCancel(t.Context())
		stop()
		delete(all.err, first.file())
		all.err[second.file()] = context.Canceled
		if _, _, err := s.List(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped: %v", err)
		}
	})
}

// TestNew checks which places and recipients are refused, and how a place and a name are told apart.
func TestNew(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		{To: "s3://"}, {To: "s3:///prefix"}, {To: "s3://user:secret@bucket"}, {To: "s3://bucket?x=y"},
		{To: "backups", Recipients: []string{"age1wrong"}}, {To: "backups", Recipients: []string{""}},
	} {
		if _, err := New(c); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	const name = "roshambo-00ff-20261129T031500Z.tar.age"
	for from, want := range map[string][2]string{
		"s3://b/p/" + name: {"s3://b/p", name}, "s3://b/" + name: {"s3://b", name}, "s3://b/p/": {"s3://b/p", ""},
		"/backups/" + name: {"/backups", name}, name: {".", name}, "/" + name: {"/", name}, "/backups": {"/backups", ""},
	} {
		if place, got := Split(from); place != want[0] || got != want[1] {
			t.Errorf("%s: %q and %q, want %q", from, place, got, want)
		}
	}
	for size, want := range map[int64]uint64{0: minPart, 1 << 30: minPart, 1 << 40: 117 << 20} {
		if got := partSize(size); got != want || size/int64(got) >= 10000 {
			t.Errorf("parts of %d bytes have %d, want %d", size, got, want)
		}
	}
	missing := open(t, Config{To: filepath.Join(t.TempDir(), "none"), Chain: chain, Key: key})
	if _, err := missing.Make(t.Context(), t.TempDir(), nil, began); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that does not exist: %v", err)
	}
}
