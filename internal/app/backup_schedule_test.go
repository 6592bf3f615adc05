package app

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"roshambo/internal/platform/archive"
	"roshambo/verify"
)

// scheduled is a service with a schedule of backups, and a clock of its own for the schedule.
type scheduled struct {
	*Service
	config   Config
	identity string // file with the private key
	now      time.Time
}

// schedule builds a service that makes a backup each day. Its loops do not run.
func schedule(t *testing.T, change func(*Config)) *scheduled {
	t.Helper()
	k, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	s := &scheduled{identity: filepath.Join(t.TempDir(), "identity"), config: config(t.TempDir())}
	if err := os.WriteFile(s.identity, []byte(k.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.config.BackupEvery, s.config.BackupTo, s.config.BackupKeep = 24*time.Hour, t.TempDir(), 2
	s.config.BackupRecipients = []string{k.Recipient().String()}
	if change != nil {
		change(&s.config)
	}
	if err := s.config.Check(); err != nil {
		t.Fatal(err)
	}
	s.Service = built(t, s.config)
	s.now = time.Now().Truncate(time.Second)
	s.backups.now = func() time.Time { return s.now }
	return s
}

// names returns the files at the place that end in a suffix, oldest first.
func (s *scheduled) names(t *testing.T, suffix string) (names []string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(s.config.BackupTo, "*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// after lets a time pass, and requires a round to make a backup or none.
func (s *scheduled) after(t *testing.T, pass time.Duration, makes bool) {
	t.Helper()
	s.now = s.now.Add(pass)
	before := s.names(t, ".json")
	if _, _, err := s.backups.round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if made := !slices.Equal(before, s.names(t, ".json")); made != makes {
		t.Fatalf("at %v a backup was made: %v, want %v", s.now, made, makes)
	}
}

// restore restores a backup into a new folder that has the keys of the service.
func (s *scheduled) restore(t *testing.T, backup string) (Config, Restored, error) {
	t.Helper()
	c := config(t.TempDir())
	if err := copyKeys(s.config.Data, c.Data); err != nil {
		t.Fatal(err)
	}
	r, err := Restore(t.Context(), RestoreConfig{Backup: backup, Data: c.Data, Identity: s.identity})
	return c, r, err
}

// TestBackupSchedule follows the schedule by a clock of the test's: when backups are made, by which node, which are
// kept, and how old the newest is.
func TestBackupSchedule(t *testing.T) {
	t.Parallel()
	s := schedule(t, nil)
	// Another node, which takes the lease over.
	other := &backups{data: s.config.Data, every: s.backups.every, keep: s.backups.keep, archives: s.backups.archives,
		now: s.backups.now, log: s.backups.log}
	s.after(t, 0, true)
	if _, _, err := other.round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(s.names(t, ".json")); n != 1 {
		t.Errorf("two nodes made %d backups, want 1", n)
	}
	s.after(t, 23*time.Hour+59*time.Minute, false)
	s.after(t, time.Minute, true)
	if wait, made, err := other.round(t.Context()); err != nil || made || wait != backupStep ||
		len(s.names(t, ".json")) != 2 {
		t.Errorf("the other node made one again, or waits for %v, error %v", wait, err)
	}
	oldest := s.names(t, ".json")[0]
	s.after(t, 24*time.Hour, true)
	if left := s.names(t, ""); len(left) != 4 || slices.Contains(left, oldest) {
		t.Errorf("two backups are kept, and there is %v", left)
	}
	s.now = s.now.Add(48 * time.Hour)
	if got := s.warnings(); s.backups.age() != "48h0m0s old" || len(got) != 0 {
		t.Errorf("after two days the newest is %s, with the warnings %v", s.backups.age(), got)
	}
	s.now = s.now.Add(time.Second)
	if got := s.warnings(); len(got) != 1 || !strings.HasPrefix(got[0], "backup: the newest that counts is 48h0m1s old") {
		t.Errorf("after more than two days the warnings are %v", got)
	}
	s.after(t, 0, true)
	if got := s.warnings(); s.backups.age() != "0s old" || len(got) != 0 {
		t.Errorf("with a new one the warnings are %v", got)
	}
	// A clock that is set back: a backup of the future is not the newest, and is not removed.
	future := s.names(t, ".json")[1]
	s.backups.next = time.Time{}
	s.after(t, -time.Hour, true)
	if s.backups.age() != "0s old" || !slices.Contains(s.names(t, ".json"), future) {
		t.Errorf("the newest is %s, and there is %v", s.backups.age(), s.names(t, ""))
	}
	if left, err := filepath.Glob(filepath.Join(s.config.Data, "*.part")); err != nil || len(left) > 0 {
		t.Errorf("in the data folder %v is left, error %v", left, err)
	}
}

// TestBackupFails checks that a missing folder and a damaged backup are reported and tried again, and that the
// last good backup stays.
func TestBackupFails(t *testing.T) {
	t.Parallel()
	s := schedule(t, func(c *Config) { c.BackupKeep = 1 })
	s.guest(t)
	s.after(t, 0, true)
	good := s.names(t, "")
	s.now = s.now.Add(24 * time.Hour)
	moved := s.config.BackupTo + ".moved"
	if err := os.Rename(s.config.BackupTo, moved); err != nil {
		t.Fatal(err)
	}
	if wait, _, err := s.backups.round(t.Context()); !errors.Is(err, fs.ErrNotExist) || wait != backupStep {
		t.Errorf("without its folder: wait %v, error %v", wait, err)
	}
	if err := os.Rename(moved, s.config.BackupTo); err != nil {
		t.Fatal(err)
	}
	s.after(t, backupRetry-time.Second, false)
	s.damage(t, "UPDATE ledger_account SET balance = balance + 1")
	s.now = s.now.Add(time.Second)
	_, _, err := s.backups.round(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the audit of the copy found ") ||
		!strings.Contains(err.Error(), "expected") {
		t.Errorf("of a damaged database: %v", err)
	}
	// A crash in the middle, which left a copy.
	if err := os.Mkdir(filepath.Join(s.config.Data, ".scheduled-backup.1.part"), 0o700); err != nil {
		t.Fatal(err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	s.now = s.now.Add(backupRetry)
	if _, _, err := s.backups.round(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("while the service stops: %v", err)
	}
	if got := s.names(t, ""); !slices.Equal(got, good) || len(s.warnings()) != 0 {
		t.Errorf("there is %v, want %v; warnings %v", got, good, s.warnings())
	}
	s.damage(t, "UPDATE ledger_account SET balance = balance - 1")
	s.after(t, 24*time.Hour, true)
	if left, err := filepath.Glob(filepath.Join(s.config.Data, "*.part")); err != nil || len(left) > 0 {
		t.Errorf("in the data folder %v is left, error %v", left, err)
	}
}

// damage changes the rows of the service by hand.
func (s *scheduled) damage(t *testing.T, statement string) {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+filepath.Join(s.config.Data, databaseFile))
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.ExecContext(t.Context(), statement)
	if err := errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestBackupsOfClone: a service that was restored elsewhere, with the same keys and place, makes backups of its own,
// and neither counts nor removes the backups of the first one. Names in the way of a pattern are no hindrance.
func TestBackupsOfClone(t *testing.T) {
	t.Parallel()
	s := schedule(t, func(c *Config) { c.BackupKeep = 1 })
	s.after(t, 0, true)
	first := s.names(t, ".json")
	odd := filepath.Join(t.TempDir(), "[a*?")
	if err := os.MkdirAll(filepath.Join(odd, ".scheduled-backup.1.part"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := copyKeys(s.config.Data, odd); err != nil {
		t.Fatal(err)
	}
	c := RestoreConfig{Backup: s.config.BackupTo, Data: odd, Identity: s.identity}
	if _, err := Restore(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	clone := &scheduled{config: s.config, now: s.now}
	clone.config.Data = odd
	clone.Service = built(t, clone.config)
	clone.backups.now = func() time.Time { return clone.now }
	// Without a manifest: one that was interrupted days ago, and one that the first service may be writing.
	unfinished := func(age time.Duration) string {
		at := s.now.Add(-age).UTC().Format("20060102T150405Z")
		return filepath.Join(s.config.BackupTo, s.Ledger.Origin()+"-"+at+".tar.age")
	}
	abandoned, written := unfinished(clone.backups.limit()+sweepAfter+time.Hour), unfinished(time.Hour)
	for _, path := range []string{abandoned, written} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	clone.after(t, time.Minute, true)
	clone.after(t, 24*time.Hour, true)
	if list := s.names(t, ".json"); len(list) != 2 || list[0] != first[0] {
		t.Errorf("there is %v, want one of the clone's beside %v", list, first)
	}
	if list := s.names(t, ".tar.age"); slices.Contains(list, abandoned) || !slices.Contains(list, written) {
		t.Errorf("there is %v, want %s and not %s", list, written, abandoned)
	}
	if left, err := os.ReadDir(odd); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), ".part")
	}) {
		t.Errorf("in the data folder %v is left, error %v", left, err)
	}
}

// TestRestoreArchive restores what the schedule has made: a service starts on it, and its chain verifies.
func TestRestoreArchive(t *testing.T) {
	t.Parallel()
	s := schedule(t, nil)
	s.guest(t)
	if _, err := s.Ledger.SealBlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.after(t, 0, true)
	name := filepath.Base(s.names(t, ".tar.age")[0])
	for _, from := range []string{s.config.BackupTo, filepath.Join(s.config.BackupTo, name)} {
		c, r, err := s.restore(t, from)
		if err != nil || r.Name != name || r.Unproven || !r.Keys || r.Blocks != 2 {
			t.Fatalf("%s: %+v, error %v", from, r, err)
		}
		if report, err := VerifyStore(t.Context(), c.store(), verify.ChainOptions{}); err != nil || !report.Valid {
			t.Errorf("the chain: %+v, error %v", report, err)
		}
		again := built(t, c)
		if got, want := again.Ledger.Origin(), s.Ledger.Origin(); got != want {
			t.Errorf("the chain is %s, want %s", got, want)
		}
		if left, err := filepath.Glob(filepath.Join(c.Data, "*.part")); err != nil || len(left) > 0 {
			t.Errorf("in the data folder %v is left, error %v", left, err)
		}
		// A second time, there is a database.
		if _, err := Restore(t.Context(), RestoreConfig{Backup: from, Data: c.Data}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over a database: %v", err)
		}
	}
}

// TestRestoreRefuses checks that a backup with a flipped byte, of another service or without the right key is refused
// by its name, and leaves nothing.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	s := schedule(t, nil)
	s.after(t, 0, true)
	name := filepath.Base(s.names(t, ".tar.age")[0])
	for _, c := range []struct {
		what string
		do   func(t *testing.T, path string, r *RestoreConfig)
		want error
	}{
		{"a flipped byte", func(t *testing.T, path string, _ *RestoreConfig) { flip(t, path) }, archive.ErrDamaged},
		{"no identity", func(_ *testing.T, _ string, r *RestoreConfig) { r.Identity = "" }, archive.ErrIdentity},
		{"another service", func(t *testing.T, _ string, r *RestoreConfig) {
			if _, err := loadKeys(r.Data); err != nil {
				t.Fatal(err)
			}
		}, archive.ErrOrigin},
		{"no manifest", func(t *testing.T, path string, _ *RestoreConfig) {
			if err := os.Remove(strings.TrimSuffix(path, ".tar.age") + ".json"); err != nil {
				t.Fatal(err)
			}
		}, fs.ErrNotExist},
	} {
		place := t.TempDir()
		if err := os.CopyFS(place, os.DirFS(s.config.BackupTo)); err != nil {
			t.Fatal(err)
		}
		r := RestoreConfig{Backup: filepath.Join(place, name), Data: t.TempDir(), Identity: s.identity}
		c.do(t, r.Backup, &r)
		_, err := Restore(t.Context(), r)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), strings.TrimSuffix(name, ".tar.age")) {
			t.Errorf("%s: error %v, want %v", c.what, err, c.want)
		}
		if _, err := os.Stat(filepath.Join(r.Data, databaseFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a database is there, %v", c.what, err)
		}
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := Backup(t.Context(), s.config.Data, plain, false); err != nil {
		t.Fatal(err)
	}
	_, err := Restore(t.Context(), RestoreConfig{Backup: plain, Data: t.TempDir(), Identity: s.identity})
	if !errors.Is(err, archive.ErrNotEncrypted) {
		t.Errorf("a plain folder where an encrypted backup is expected: %v", err)
	}
	if r, err := Restore(t.Context(), RestoreConfig{Backup: s.config.BackupTo, Data: t.TempDir(),
		Identity: s.identity}); err != nil || !r.Unproven || r.Keys {
		t.Errorf("without keys: %+v, error %v", r, err)
	}
}

// guest opens an account.
func (s *scheduled) guest(t *testing.T) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/guest", strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.Edge.ServeHTTP(w, r)
	if w.Code != http.StatusOK && w.Code != http.StatusCreated {
		t.Fatalf("a guest: %d %s", w.Code, w.Body)
	}
}

// flip changes one bit of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRestoreChooses checks that a restore of a whole place neither passes over a damaged backup nor chooses between
// two services.
func TestRestoreChooses(t *testing.T) {
	t.Parallel()
	s := schedule(t, func(c *Config) { c.BackupRecipients = nil })
	s.identity = ""
	if _, _, err := s.restore(t, s.config.BackupTo); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a backup: %v", err)
	}
	s.after(t, 0, true)
	schedule(t, func(c *Config) { c.BackupRecipients, c.BackupTo = nil, s.config.BackupTo }).after(t, 0, true)
	_, err := Restore(t.Context(), RestoreConfig{Backup: s.config.BackupTo, Data: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "backups of several chains") {
		t.Errorf("of two services: %v", err)
	}
	for _, manifest := range s.names(t, ".json")[:1] {
		flip(t, manifest)
	}
	if _, _, err := s.restore(t, s.config.BackupTo); err == nil || !strings.Contains(err.Error(), "do not count") {
		t.Errorf("with a damaged one: %v", err)
	}
}

// TestServedBackups: a running service makes its first backup at once, and says on the admin address how old it is. An
// old one is a reason of /readyz that does not make the node unready.
func TestServedBackups(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	c.BackupEvery, c.BackupTo = 24*time.Hour, t.TempDir()
	r := begin(t, c)
	made := func() bool {
		list, err := filepath.Glob(filepath.Join(c.BackupTo, "*.json"))
		return err == nil && len(list) == 1
	}
	for deadline := time.Now().Add(testTimeout); !made(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no backup was made")
		}
	}
	r.await(t, "roshambo_backup_period_seconds", "86400")
	r.await(t, `roshambo_lease_held{lease="backup"}`, "1")
	r.awaitReadiness(t, http.StatusOK)

	s := schedule(t, nil)
	s.after(t, 0, true)
	s.now = s.now.Add(49 * time.Hour)
	w := httptest.NewRecorder()
	s.serveReady(w, httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil))
	if w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), `{"ok":true,"reasons":["backup: the newest`) {
		t.Errorf("with an old backup: %d %s", w.Code, w.Body)
	}
}

// restart begins the schedule anew, as a new process does that takes the lease.
func (s *scheduled) restart(t *testing.T) {
	t.Helper()
	if err := s.wireBackups(); err != nil {
		t.Fatal(err)
	}
	s.backups.now = func() time.Time { return s.now }
	s.backups.setUnlisted() // as runBackups does
}

// made returns the metric of the newest backup.
func (s *scheduled) made(t *testing.T) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.metrics.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if value, found := strings.CutPrefix(line, "roshambo_backup_timestamp_seconds "); found {
			seconds, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return time.Unix(int64(seconds), 0).UTC().Format(time.DateTime)
		}
	}
	t.Fatal("there is no such metric")
	return ""
}

// TestBackupAgeSurvivesRestarts: a restart makes neither an old backup nor a schedule that never made one look new,
// also while the place cannot be listed, as with expired credentials.
func TestBackupAgeSurvivesRestarts(t *testing.T) {
	t.Parallel()
	s := schedule(t, nil)
	s.measure()
	s.guest(t)
	s.after(t, 0, true)
	moved := s.config.BackupTo + ".moved"
	if err := os.Rename(s.config.BackupTo, moved); err != nil {
		t.Fatal(err)
	}
	const unknown = "1970-01-01 00:00:00"
	for range 2 { // restarts
		s.now = s.now.Add(24 * time.Hour)
		s.restart(t)
		for _, when := range []string{"before", "after"} {
			got := s.warnings()
			if len(got) != 1 || !strings.Contains(got[0], "not listed; the newest that is known to count is of unknown age") ||
				s.made(t) != unknown {
				t.Errorf("%s the attempt: the warnings %v, made %s, want an unknown age", when, got, s.made(t))
			}
			if _, _, err := s.backups.round(t.Context()); err == nil {
				t.Fatal("without its folder a backup was made")
			}
			s.now = s.now.Add(backupRetry)
		}
	}
	if err := os.Rename(moved, s.config.BackupTo); err != nil {
		t.Fatal(err)
	}
	old := s.names(t, ".json")
	s.damage(t, "UPDATE ledger_account SET balance = balance + 1") // none can be made
	if _, _, err := s.backups.round(t.Context()); err == nil {
		t.Fatal("a backup was made of a damaged database")
	}
	if got := s.warnings(); len(got) != 1 || !strings.HasPrefix(got[0], "backup: the newest that counts is 48h") ||
		s.made(t) == unknown {
		t.Errorf("with the place back: the warnings %v, made %s", got, s.made(t))
	}
	// Without any, the age is the schedule's.
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	s.restart(t)
	if _, _, err := s.backups.round(t.Context()); err == nil {
		t.Fatal("a backup was made of a damaged database")
	}
	if got := s.warnings(); len(got) != 1 || !strings.HasPrefix(got[0], "backup: the newest that counts is 48h") {
		t.Errorf("without a backup for two days: the warnings %v", got)
	}
}

// TestBackupOptions checks which options are refused, and with which text.
func TestBackupOptions(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	const recipient = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
	for _, c := range []struct {
		change func(c *Config)
		want   string
	}{
		{func(c *Config) { c.BackupEvery, c.BackupTo = day, "backups" }, ""},
		{func(c *Config) { c.BackupEvery, c.BackupTo, c.BackupRecipients = day, "backups", []string{recipient} }, ""},
		{func(c *Config) { c.BackupEvery = day }, "backup-to: a schedule and recipients need a place"},
		{func(c *Config) { c.BackupRecipients = []string{recipient} }, "backup-to: a schedule and recipients need a place"},
		{func(c *Config) { c.BackupTo = "backups" }, "backup-every: 0s is shorter than 1m0s"},
		{func(c *Config) { c.BackupEvery, c.BackupTo, c.BackupKeep = day, "backups", -1 }, "backup-keep: -1 is negative"},
		{func(c *Config) { c.BackupEvery, c.BackupTo = day, "s3://bucket/x" }, "backup-recipient: a backup in a bucket is encrypted"},
		{func(c *Config) {
			c.BackupEvery, c.BackupTo, c.BackupRecipients = day, "x", []string{"age1x"}
		}, "backup-to: a recipient is"},
		{func(c *Config) {
			c.BackupEvery, c.BackupTo, c.Database = day, "x", "postgres://u@host/roshambo"
		}, "backup-to: PostgreSQL's own tools"},
		{func(c *Config) { c.BackupEvery, c.BackupTo, c.Demo = day, "x", true }, "backup-to: a demo"},
	} {
		o := config(t.TempDir())
		c.change(&o)
		if err := o.Check(); (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	for _, c := range []struct {
		copies, size, free uint64
		fits               bool
	}{{2, 0, 0, true}, {2, 10, 20, true}, {2, 10, 19, false}, {3, 10, 30, true}, {3, 10, 29, false},
		{2, 1 << 62, 1<<64 - 1, true}, {2, 1<<63 + 1, 1<<64 - 1, false}} {
		if err := roomFor(c.copies, c.size, c.free, "data"); (err == nil) != c.fits {
			t.Errorf("%d times %d bytes where %d are free: %v", c.copies, c.size, c.free, err)
		}
	}
	folder := t.TempDir()
	if free := freeBytes(folder); free == 0 || sameDisk(folder, filepath.Join(folder, "none")) {
		t.Errorf("%d bytes are free, or a folder that is not there shares them", free)
	}
}

// TestBackupLog: the log names the backup, and one that does not count.
func TestBackupLog(t *testing.T) {
	t.Parallel()
	s := schedule(t, nil)
	var log bytes.Buffer
	s.backups.log = slog.New(slog.NewTextHandler(&log, nil))
	s.after(t, 0, true)
	name := filepath.Base(s.names(t, ".tar.age")[0])
	if text := log.String(); !strings.Contains(text, `msg="backup made" name=`+name+" bytes=") {
		t.Errorf("the log is %s", text)
	}
	flip(t, s.names(t, ".json")[0])
	s.after(t, 24*time.Hour, true)
	if text := log.String(); !strings.Contains(text, `msg="a backup does not count"`) {
		t.Errorf("the log is %s", text)
	}
}
