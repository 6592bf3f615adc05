package app

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"roshambo/internal/platform/archive"
	"roshambo/internal/platform/durable"
)

const (
	// backupRetry is the longest pause after a failed backup.
	backupRetry = 10 * time.Minute
	// backupStep is the longest pause between two looks at the clock, which may jump.
	backupStep = time.Minute
	// minBackupEvery is the shortest schedule: each backup is audited as a whole.
	minBackupEvery = time.Minute
	// minBackupTime is the shortest time after which a backup that hangs is given up; else it is twice the schedule,
	// when the backups are reported as old anyway.
	minBackupTime = time.Hour
	// sweepAfter is how long, beyond the time that it may take, an interrupted backup is left alone.
	sweepAfter = 24 * time.Hour
	// backupLines is how many lines of an audit that found differences are logged.
	backupLines = 12
)

// stagePattern names the folder in the data folder where a copy is audited. A crash leaves it to the next backup. No
// folder of Backup's has such a name.
const stagePattern = ".scheduled-backup.*.part"

// ownerFile has a random name of the data folder. No backup has it: a service that was restored elsewhere removes no
// backups of the first one. Its age is the age of the folder's schedule.
const ownerFile = "backup-owner"

// backupFiles are the files of a backup. The keys are not among them.
var backupFiles = []string{restoredFile, headFile, databaseFile}

// checkBackups checks the options of scheduled backups.
func (c *Config) checkBackups() error {
	switch {
	case c.BackupEvery == 0 && c.BackupTo == "" && len(c.BackupRecipients) == 0:
		return nil
	case c.Database != "":
		return errors.New("backup-to: PostgreSQL's own tools back up a PostgreSQL database " +
			`(docs/operations.md, "PostgreSQL, to any moment")`)
	case c.Demo:
		return errors.New("backup-to: a demo has nothing to back up")
	case c.BackupTo == "":
		return errors.New("backup-to: a schedule and recipients need a place, a folder or s3://bucket/prefix")
	case c.BackupEvery < minBackupEvery:
		return fmt.Errorf("backup-every: %v is shorter than %v", c.BackupEvery, minBackupEvery)
	case c.BackupKeep < 0:
		return fmt.Errorf("backup-keep: %d is negative", c.BackupKeep)
	case archive.Remote(c.BackupTo) && len(c.BackupRecipients) == 0:
		return errors.New("backup-recipient: a backup in a bucket is encrypted; age-keygen makes a key, " +
			"whose public half, age1…, belongs here")
	}
	if _, err := archive.New(archive.Config{To: c.BackupTo, Recipients: c.BackupRecipients}); err != nil {
		return fmt.Errorf("backup-to: %w", err)
	}
	return nil
}

// backups makes backups on a schedule. The backups at their place are its only state, so a restart neither repeats
// nor skips one.
type backups struct {
	data     string
	to       string // the place
	every    time.Duration
	keep     int // 0: all
	archives *archive.Archives
	now      func() time.Time
	log      *slog.Logger
	begun    time.Time // when the data folder got a schedule, which no restart changes
	next     time.Time // of the next look at the place; of the loop alone

	mu sync.Mutex // guards the two below
	// last is when the newest backup that counts was made, or begun while there is none. It is zero until this process
	// has listed the place: a restart must not make an old backup look new.
	last     time.Time
	unlisted bool // the last attempt to list the place failed or is in progress
}

// wireBackups prepares scheduled backups, if there are any.
func (s *Service) wireBackups() error {
	c := &s.config
	if c.BackupEvery == 0 {
		return nil
	}
	key, err := backupKey(s.secret)
	if err != nil {
		return err
	}
	owner, begun, err := backupOwner(c.Data)
	if err != nil {
		return fmt.Errorf("owner of backups: %w", err)
	}
	a, err := archive.New(archive.Config{To: c.BackupTo, Chain: s.Ledger.Origin(), Owner: owner, Key: key,
		Recipients: c.BackupRecipients})
	if err != nil {
		return fmt.Errorf("backup-to: %w", err)
	}
	s.backups = &backups{data: c.Data, to: c.BackupTo, every: c.BackupEvery, keep: c.BackupKeep, archives: a, now: c.Now,
		log: s.log, begun: begun}
	return nil
}

// backupOwner returns the name of a data folder in its backups, which it makes the first time, and when that was.
func backupOwner(data string) (owner string, begun time.Time, err error) {
	path := filepath.Join(data, ownerFile)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", begun, err
	}
	if owner = strings.TrimSpace(string(text)); owner == "" {
		owner = rand.Text()
		err = durable.Replace(path, 0o600, func(w io.Writer) error {
			_, err := io.WriteString(w, owner+"\n")
			return err
		})
		if err != nil {
			return "", begun, err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", begun, err
	}
	return owner, info.ModTime(), nil
}

// backupKey returns the key that authenticates the manifests of backups.
func backupKey(secret []byte) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "roshambo backups", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("app: key of backups: %w", err)
	}
	return key, nil
}

// runBackups makes backups as they become due, until ctx ends.
func (s *Service) runBackups(ctx context.Context) {
	done := s.loop("backup", s.backups.every)
	s.backups.setUnlisted()
	for {
		wait, made, err := s.backups.round(ctx)
		if made || err != nil { // a look at the clock is no success
			done(ctx, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// round makes a backup if one is due, and returns how long to wait for the next round.
func (b *backups) round(ctx context.Context) (wait time.Duration, made bool, err error) {
	now := b.now()
	if b.next.After(now) {
		return min(b.next.Sub(now), backupStep), false, nil
	}
	ctx, stop := context.WithTimeout(ctx, b.limit())
	defer stop()
	b.next = now.Add(min(b.every, backupRetry)) // unless this round succeeds
	good, err := b.list(ctx, now)
	if err == nil && len(good) > 0 && good[0].Made.Add(b.every).After(now) {
		b.next = good[0].Made.Add(b.every) // made before a restart
		return min(b.next.Sub(now), backupStep), false, nil
	}
	if err == nil {
		err = b.make(ctx, now)
	}
	if err != nil {
		return min(b.every, backupRetry, backupStep), false, fmt.Errorf("no backup was made: %w", err)
	}
	b.next = now.Add(b.every)
	return min(b.every, backupStep), true, b.tidy(ctx)
}

// limit is how long a backup may take.
func (b *backups) limit() time.Duration { return max(2*b.every, minBackupTime) }

// list returns the backups of this folder that count, newest first, and remembers the time of the newest.
func (b *backups) list(ctx context.Context, now time.Time) ([]archive.Manifest, error) {
	good, bad, err := b.archives.List(ctx)
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) { // else the service stops, and nothing is known of the place
			b.setUnlisted()
		}
		return nil, err
	}
	for _, err := range bad {
		b.log.Warn("a backup does not count", "error", err)
	}
	// One from the future, after a clock was set back, would pass for the newest until then.
	good = slices.DeleteFunc(good, func(m archive.Manifest) bool {
		return m.Made.After(now) || !b.archives.Owned(&m)
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last, b.unlisted = b.begun, false; len(good) > 0 {
		b.last = good[0].Made
	}
	return good, nil
}

// setUnlisted notes that the place should have been listed and has not been.
func (b *backups) setUnlisted() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unlisted = true
}

// make makes one backup, which has everything that was stored before now.
func (b *backups) make(ctx context.Context, now time.Time) (err error) {
	if err := b.clean(); err != nil {
		return err
	}
	if err := b.checkRoom(); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(b.data, stagePattern) // mode 0700
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	if err := copyFolder(ctx, b.data, stage, false); err != nil {
		return err
	}
	// The copy is audited before it is encrypted: a backup with differences does not count, and is not stored.
	var report bytes.Buffer
	found, err := Doctor(ctx, Store{Data: stage}, b.now, &report)
	if err != nil {
		return err
	}
	if found > 0 {
		lines := strings.SplitAfterN(report.String(), "\n", backupLines+1)
		return fmt.Errorf("the audit of the copy found %d differences; roshambo doctor shows them all:\n%s", found,
			strings.Join(lines[:min(len(lines), backupLines)], ""))
	}
	files := slices.DeleteFunc(slices.Clone(backupFiles), func(name string) bool {
		_, err := os.Stat(filepath.Join(stage, name)) // a chain without a block has no head file
		return errors.Is(err, fs.ErrNotExist)
	})
	m, err := b.archives.Make(ctx, stage, files, now)
	if errors.Is(err, fs.ErrExist) { // one that was interrupted in this second has left its archive
		m, err = b.archives.Make(ctx, stage, files, now.Add(time.Second))
	}
	if err != nil {
		return err
	}
	b.log.Info("backup made", "name", m.Archive, "bytes", m.Size, "sha256", m.SHA256)
	// Only now: what an interrupted backup has left may be all that there is of it. A service with the same keys may be
	// making another one.
	if err := b.archives.Sweep(ctx, now.Add(-b.limit()-sweepAfter)); err != nil {
		b.log.Warn("cannot remove what an interrupted backup left", "error", err)
	}
	return nil
}

// tidy reads the backups again, the new one included, and removes those that are not kept.
func (b *backups) tidy(ctx context.Context) error {
	good, err := b.list(ctx, b.now())
	if err != nil || b.keep == 0 {
		return err
	}
	if err := b.archives.Prune(ctx, good, b.keep); err != nil {
		return fmt.Errorf("an old backup is still there: %w", err)
	}
	return nil
}

// clean removes the copies that interrupted backups have left.
func (b *backups) clean() error { return removeMatching(b.data, stagePattern) }

// removeMatching removes what has a name of a pattern from a folder, whose own name may have any characters.
func removeMatching(folder, pattern string) error {
	there, err := os.ReadDir(folder)
	for _, e := range there {
		if match, _ := path.Match(pattern, e.Name()); match { // a constant pattern
			err = errors.Join(err, os.RemoveAll(filepath.Join(folder, e.Name())))
		}
	}
	return err
}

// checkRoom returns an error when a copy of the database could fill the disk, which would stop all writes.
func (b *backups) checkRoom() error {
	var size int64
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(filepath.Join(b.data, databaseFile+suffix))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			size += info.Size()
		}
	}
	copies := uint64(2) // to audit, and for the service
	if !archive.Remote(b.to) && sameDisk(b.data, b.to) {
		copies++ // the backup itself
	}
	return roomFor(copies, uint64(size), freeBytes(b.data), b.data)
}

// roomFor checks that there is room for some copies of size bytes.
func roomFor(copies, size, free uint64, folder string) error {
	if free/copies < size {
		return fmt.Errorf("the disk of %s has %d bytes free, and needs %d times %d", folder, free, copies, size)
	}
	return nil
}

// newest returns when the newest backup that counts was made, or the schedule began while there is none; the zero time
// if this process does not know. unlisted reports that it should.
func (b *backups) newest() (last time.Time, unlisted bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last, b.unlisted
}

// age describes the age of the newest backup that counts.
func (b *backups) age() string {
	last, _ := b.newest()
	if last.IsZero() {
		return "of unknown age"
	}
	return max(0, b.now().Sub(last)).Round(time.Second).String() + " old"
}

// warnings returns what an operator should know about a node that is ready.
func (s *Service) warnings() (list []string) {
	b := s.backups
	if b == nil {
		return nil
	}
	last, unlisted := b.newest()
	switch {
	case unlisted:
		list = append(list, "backup: the place is not listed; the newest that is known to count is "+b.age())
	case !last.IsZero() && b.now().Sub(last) > 2*b.every:
		list = append(list, fmt.Sprintf("backup: the newest that counts is %s, with one due every %v", b.age(), b.every))
	}
	return list
}
