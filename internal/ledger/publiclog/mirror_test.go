package publiclog_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/ledger/publiclog"
	"roshambo/verify"
)

// mirrored is a service that may be exchanged for another, a mirror of it, and the mirror's folder.
type mirrored struct {
	service atomic.Pointer[service]
	url     string
	folder  string
	mirror  *publiclog.Mirror
	logged  bytes.Buffer
}

// mirror starts a server of s and opens a mirror of it.
func mirror(t *testing.T, s *service, o verify.ChainOptions) *mirrored {
	t.Helper()
	m := &mirrored{folder: t.TempDir()}
	m.service.Store(s)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.service.Load().ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	m.url = server.URL
	m.open(t, o)
	return m
}

// open opens the mirror again.
func (m *mirrored) open(t *testing.T, o verify.ChainOptions) {
	t.Helper()
	if m.mirror != nil {
		if err := m.mirror.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	log := &publiclog.Log{URL: m.url, HTTP: http.DefaultClient}
	m.mirror, err = publiclog.OpenMirror(t.Context(), log, m.folder, o, slog.New(slog.NewTextHandler(&m.logged, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.mirror.Close() }) // closed already when it was opened again
}

// sync fails the test unless the mirror then has size blocks and serves a valid log of them.
func (m *mirrored) sync(t *testing.T, size int64) {
	t.Helper()
	if err := m.mirror.Sync(t.Context()); err != nil || m.mirror.Size() != size {
		t.Fatalf("%d blocks of %d, %v", m.mirror.Size(), size, err)
	}
	if status := m.get(t, "/readyz").Code; status != http.StatusOK {
		t.Errorf("ready: %d", status)
	}
	served := httptest.NewServer(m.mirror)
	defer served.Close()
	report, err := (&publiclog.Log{URL: served.URL, HTTP: served.Client()}).Verify(t.Context(),
		verify.ChainOptions{Key: new(m.service.Load().VerifierKey())})
	if err != nil || !report.Valid || report.Blocks != size {
		t.Fatalf("the copy: %+v, %v", report, err)
	}
}

// get asks the mirror for a path.
func (m *mirrored) get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	m.mirror.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	return w
}

// played returns a service with a key, whose log has a block for each of n players and a game in every tenth. Two of
// them differ from the player with the number differ on.
func played(t *testing.T, key ledgertest.Key, n, differ int) *service {
	t.Helper()
	s := &service{Ledger: ledgertest.Open(t, ledgertest.Options{Key: key, Quorum: 1, Witnesses: []string{"witness"}})}
	for i := range n {
		s.play(t, i%10 == 1, i >= differ)
	}
	return s
}

// play adds a block with a new player, and perhaps with a game of theirs and with a second player.
func (s *service) play(t *testing.T, game, second bool) {
	t.Helper()
	p := s.Join(t)
	if game {
		s.Win(t, p, 2)
	}
	if second {
		s.Join(t)
	}
	s.SealAll(t)
}

const never = 1 << 30

// TestMirror follows a growing log, over restarts and a round that was cut off, and serves what the
// service serves.
func TestMirror(t *testing.T) {
	t.Parallel()
	s := played(t, ledgertest.Key{}, 259, never)
	m := mirror(t, s, verify.ChainOptions{Key: new(s.VerifierKey())})
	if status := m.get(t, "/readyz").Code; status != http.StatusServiceUnavailable {
		t.Errorf("ready before the first round: %d", status)
	}
	m.sync(t, 260)
	m.sync(t, 260) // the second page is read again
	s.Keep(t, s.CosignatureAt(t, "witness", 0))
	s.CloseCup(t, 1, [2]chain.Address{s.Join(t).Address, s.Join(t).Address})
	s.play(t, true, false)
	m.sync(t, 261)
	if games := m.get(t, "/log/games/256").Body.String(); !strings.Contains(games, `"seed_height":0`) {
		t.Errorf("the copy has no table of the cup: %q", games)
	}
	if kept := m.get(t, "/log/kept/0").Body.String(); strings.Count(kept, "— witness ") != 1 {
		t.Errorf("the copy has the kept checkpoints %q", kept)
	}
	// A crash between the lines and the state leaves lines that are not vouched for.
	for _, name := range []string{"blocks.jsonl", "games.jsonl", "kept.jsonl"} {
		f, err := os.OpenFile(filepath.Join(m.folder, name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString("{\"height\":261,")
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	m.open(t, verify.ChainOptions{}) // the key is pinned
	s.play(t, false, false)
	m.sync(t, 262)

	for _, path := range []string{
		"/log/checkpoint", "/log/blocks/256", "/log/games/256", "/log/blocks/0", "/log/games/0", "/log/tile/0/000",
		"/log/tile/0/001.p/6",
		"/log/tile/1/000.p/1", "/log/tile/entries/000", "/log/tile/entries/001.p/6",
	} {
		want := httptest.NewRecorder()
		s.ServeHTTP(want, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		got := m.get(t, path)
		if got.Code != http.StatusOK || !bytes.Equal(got.Body.Bytes(), want.Body.Bytes()) {
			t.Errorf("%s differs: %d", path, got.Code)
		}
	}
	for _, path := range []string{
		"/", "/log/blocks/262", "/log/blocks/-1", "/log/blocks/01", "/log/blocks/x", "/log/tile/0/001.p/7", "/log/tile/9/000",
		"/log/tile/0/002",
		"/log/witnessed-checkpoint", "/log/mirror.json", "/log/tile/entries/../mirror.json",
	} {
		if got := m.get(t, path); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
}

// TestMirrorTakesLaterLines checks that a mirror takes the lines that a service adds to its newest kept checkpoint,
// also when a later one has been kept since, and that it serves what the service serves and logs what it found.
func TestMirrorTakesLaterLines(t *testing.T) {
	t.Parallel()
	names := []string{"one", "two", "three"}
	s := &service{Ledger: ledgertest.Open(t, ledgertest.Options{Quorum: 1, Witnesses: names})}
	m := mirror(t, s, verify.ChainOptions{})
	size := int64(1)
	for hour := range 3 {
		s.play(t, false, false)
		size++
		for i, name := range names {
			s.Keep(t, s.CosignatureAt(t, name, 0))
			if i == hour { // later lines come when a later checkpoint is kept, or with the next block
				m.sync(t, size)
			}
		}
		if hour == 1 {
			m.open(t, verify.ChainOptions{})
		} else {
			s.Clock.Add(time.Hour)
		}
	}
	s.play(t, false, false)
	m.sync(t, size+1)
	for _, path := range []string{"/log/kept/0", "/log/kept/1", "/log/kept/2"} {
		want := httptest.NewRecorder()
		s.ServeHTTP(want, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		if got := m.get(t, path).Body.String(); got != want.Body.String() {
			t.Errorf("%s: got\n%swant\n%s", path, got, want.Body)
		}
	}
	kept := m.get(t, "/log/kept/0").Body.String()
	if strings.Count(kept, "\n") != 2 || strings.Count(kept, "— three ") != 2 {
		t.Errorf("kept: %s", kept)
	}
	out, err := exec.CommandContext(t.Context(), "python3", "../../../verify/python/verify.py", m.folder).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "; 2 kept checkpoints") {
		t.Errorf("Python: %v\n%s", err, out)
	}
	if !strings.Contains(m.logged.String(), `kept="kept 2 checkpoints, their cosignatures not checked;"`) {
		t.Errorf("logged: %s", &m.logged)
	}
}

// TestMirrorParts exchanges the service for one that contradicts what it has shown, in each way.
func TestMirrorParts(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind string
		liar func(t *testing.T, s *service) *service
	}{
		"fewer blocks": {"rollback", func(t *testing.T, s *service) *service {
			return played(t, s.Key, 11, never)
		}},
		"another tree":            {"fork", func(t *testing.T, s *service) *service { return played(t, s.Key, 12, 11) }},
		"another tree, longer":    {"invalid", func(t *testing.T, s *service) *service { return played(t, s.Key, 14, 11) }},
		"an altered block":        {"altered", altering("/log/blocks/0", `"account.create"`, `"account.creatf"`)},
		"an altered game":         {"altered", altering("/log/games/0", `"win"`, `"los"`)},
		"a page without games":    {"altered", altering("/log/games/0", "", "")},
		"a new block that is not": {"invalid", alteringNew("/log/blocks/13", `"account.create"`)},
		"a new game that is not":  {"invalid", alteringNew("/log/games/13", `"win"`)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := played(t, ledgertest.Key{}, 12, never)
			m := mirror(t, s, verify.ChainOptions{Key: new(s.VerifierKey())})
			m.sync(t, 13)
			m.service.Store(c.liar(t, s))
			err := m.mirror.Sync(t.Context())
			parted, ok := errors.AsType[*publiclog.PartedError](err)
			if !ok || parted.Kind != c.kind || !strings.Contains(err.Error(), "HAVE PARTED ("+c.kind+")") {
				t.Fatalf("got %v, want kind %s", err, c.kind)
			}
			// The evidence holds two notes that the service has signed.
			var evidence publiclog.PartedError
			text, err := os.ReadFile(filepath.Join(m.folder, "parted.json"))
			if err != nil {
				t.Fatal(err)
			}
			err = json.Unmarshal(text, &evidence)
			key, errKey := verify.ParseKey(s.VerifierKey())
			_, errOurs := key.Checkpoint(evidence.Ours)
			_, errTheirs := key.Checkpoint(evidence.Theirs)
			if err = errors.Join(err, errKey, errOurs, errTheirs); err != nil || evidence.Kind != c.kind {
				t.Errorf("evidence %s: %v", text, err)
			}
			if status := m.get(t, "/readyz").Code; status != http.StatusServiceUnavailable {
				t.Errorf("ready: %d", status)
			}
			// Nothing is fetched before the evidence is moved away; the copy stays as it was.
			m.service.Store(s)
			if err := m.mirror.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "parted earlier") {
				t.Errorf("the next round: %v", err)
			}
			if err := os.Remove(filepath.Join(m.folder, "parted.json")); err != nil {
				t.Fatal(err)
			}
			m.open(t, verify.ChainOptions{Key: new(s.VerifierKey())})
			m.sync(t, m.service.Load().Newest(t).Block.Header.Height+1)
		})
	}
}

// altering returns a service that replaces a text in its answer to one path; everything for no text.
func altering(path, old, text string) func(*testing.T, *service) *service {
	return func(_ *testing.T, s *service) *service {
		return &service{Ledger: s.Ledger, lie: func(at string, body []byte) []byte {
			if at != path {
				return body
			}
			if old == "" {
				return nil
			}
			return bytes.Replace(body, []byte(old), []byte(text), 1)
		}}
	}
}

// alteringNew returns a service with a new block, in whose page a text is altered.
func alteringNew(path, old string) func(*testing.T, *service) *service {
	return func(t *testing.T, s *service) *service {
		s.play(t, true, false)
		return &service{Ledger: s.Ledger, lie: func(at string, body []byte) []byte {
			if at == path {
				body = bytes.Replace(body, []byte(old), []byte(`"other"`), 1)
			}
			return body
		}}
	}
}

// TestMirrorTail: a round that would append more than it may leaves nothing, and the bound is of new lines.
func TestMirrorTail(t *testing.T) {
	t.Parallel()
	s := played(t, ledgertest.Key{}, 3, never)
	m := mirror(t, s, verify.ChainOptions{})
	m.mirror.MaxTail = 1000
	if err := m.mirror.Sync(t.Context()); !errors.Is(err, publiclog.ErrTail) || m.mirror.Size() != 0 {
		t.Errorf("more than a round may append: %v, %d blocks", err, m.mirror.Size())
	}
	if info, err := os.Stat(filepath.Join(m.folder, "blocks.jsonl")); err != nil || info.Size() != 0 {
		t.Errorf("it has left %v, %v", info, err)
	}
	m.mirror.MaxTail = publiclog.DefaultTail
	m.sync(t, 4)
	// The bound is of new lines alone.
	m.mirror.MaxTail = 1000
	s.play(t, false, false)
	m.sync(t, 5)
}

// TestMirrorErrors checks failures that contradict nothing: a later round succeeds.
func TestMirrorErrors(t *testing.T) {
	t.Parallel()
	s := played(t, ledgertest.Key{}, 3, never)
	other := played(t, ledgertest.Key{}, 2, never)
	lie := func(path string, spoil func([]byte) []byte) *service {
		return &service{Ledger: s.Ledger, lie: func(at string, body []byte) []byte {
			if at == path {
				return spoil(body)
			}
			return body
		}}
	}
	m := mirror(t, s, verify.ChainOptions{Key: new(s.VerifierKey())})
	for name, liar := range map[string]*service{
		"unsigned checkpoint": lie("/log/checkpoint", func(b []byte) []byte {
			return bytes.Replace(b, []byte("\n4\n"), []byte("\n5\n"), 1)
		}),
		"no checkpoint": lie("/log/checkpoint", func([]byte) []byte { return nil }),
		"no page":       lie("/log/blocks/0", func([]byte) []byte { return nil }),
		"half a line":   lie("/log/blocks/0", func(b []byte) []byte { return b[:len(b)-10] }),
	} {
		m.service.Store(liar)
		err := m.mirror.Sync(t.Context())
		if _, parted := errors.AsType[*publiclog.PartedError](err); err == nil || parted || m.mirror.Size() != 0 {
			t.Errorf("%s: %v, %d blocks", name, err, m.mirror.Size())
		}
	}
	m.service.Store(s)
	m.sync(t, 4)

	// A disk that loses a bit is not the service's fault, whether it is noticed in an old page or with a new
	// block.
	blocks := filepath.Join(m.folder, "blocks.jsonl")
	text, err := os.ReadFile(blocks)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := os.WriteFile(blocks, bytes.Replace(text, []byte(`"v":1`), []byte(`"v":2`), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := m.mirror.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "the copy is damaged") {
			t.Errorf("a damaged copy: %v", err)
		}
		if err := os.WriteFile(blocks, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s.play(t, false, false)
	}
	m.sync(t, 6)

	log := &publiclog.Log{URL: m.url, HTTP: http.DefaultClient}
	logger := slog.New(slog.DiscardHandler)
	key := strings.Replace(other.VerifierKey(), "+", "x+", 1)
	if _, err := publiclog.OpenMirror(t.Context(), log, m.folder, verify.ChainOptions{Key: &key}, logger); err == nil {
		t.Error("another key than the pinned one is accepted")
	}
	if text, err = os.ReadFile(blocks); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string][]byte{"flipped": bytes.Replace(text, []byte(`"v":1`), []byte(`"v":2`), 1),
		"cut": text[:len(text)-1]} {
		if err := os.WriteFile(blocks, damage, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := publiclog.OpenMirror(t.Context(), log, m.folder, verify.ChainOptions{}, logger); err == nil {
			t.Errorf("a damaged copy (%s) is opened", name)
		}
	}
}
