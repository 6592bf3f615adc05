package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// A COMMIT appends to the write-ahead log and does not wait for the disk (walVFS). sqliteSyncer
// waits for it, on a goroutine of its own, while the writer runs the next batch. An Update is
// answered after the sync that covers its commit, and a View after the sync that covers the commits
// that it may have seen.
//
// A power cut before a sync returns loses commits that no caller has been answered about: of the
// log, SQLite recovers the longest prefix of whole commits whose checksums agree. SQLite itself
// syncs the log before it moves pages into the file, and the file before it overwrites the log.
//
// The kernel reports a failed sync once to each open descriptor. Afterwards it may treat the
// pages that it could not write as clean: the next sync succeeds although the data is only in
// memory (https://wiki.postgresql.org/wiki/Fsync_Errors). So after one failed sync of the log or
// of the file, this process answers nothing that was not durable before, commits nothing and
// moves no pages: all acknowledged commits stay in the log. DB.Broken ends the process, and the
// next one rewrites the log that it finds (rewriteAndSync).

// errUnsynced is the error of everything that waits for a sync after one has failed.
var errUnsynced = errors.New("a file could not be synced and its state on disk is unknown: restart the service")

// sqliteSyncer makes commits durable and answers their callers in the order of the commits.
type sqliteSyncer struct {
	path      string                    // of the write-ahead log
	syncFile  func(*os.File) error      // fdatasync, except in tests
	reply     func(j *job, o outcome)   // the writer's
	count     func(change func(*Stats)) // the writer's
	onFailure func()                    // called when a file could not be synced
	log       *slog.Logger

	begun  atomic.Int64  // commits whose COMMIT was sent: a View may see them
	synced atomic.Int64  // commits that are durable
	failed atomic.Bool   // a sync has failed
	idle   chan struct{} // holds a token after each sync, for the writer
	wake   chan struct{} // holds a token after each commit; closed to stop
	ended  chan struct{}

	mu       sync.Mutex    // guards the fields below
	returned int64         // commits whose COMMIT has returned
	busy     bool          // there is something to sync or to answer
	commits  []sentCommit  // not yet durable
	answers  []answer      // not yet given
	progress chan struct{} // closed when synced or failed changes

	file *os.File // the log, owned by the loop; nil while closed
}

// sentCommit is one COMMIT that waits for its sync.
type sentCommit struct {
	number  int64 // value of sqliteSyncer.returned
	updates int
	start   time.Time
}

// answer is the result of an Update that waits for all commits up to a number.
type answer struct {
	number int64
	job    *job
	result outcome
}

// newSQLiteSyncer starts the syncer of w.
func newSQLiteSyncer(c Config, w *sqliteWriter, onFailure func()) *sqliteSyncer {
	s := &sqliteSyncer{
		path: c.Path + "-wal", syncFile: c.syncFile, reply: w.reply, count: w.count, onFailure: onFailure, log: c.Logger,
		idle: make(chan struct{}, 1), wake: make(chan struct{}, 1), ended: make(chan struct{}),
		progress: make(chan struct{}),
	}
	if s.syncFile == nil {
		s.syncFile = fdatasync
	}
	go s.loop()
	return s
}

// commitBegins precedes each COMMIT: from then on a View may see it.
func (s *sqliteSyncer) commitBegins() { s.begun.Add(1) }

// commitReturned follows each COMMIT, also a failed one, and requests its sync.
func (s *sqliteSyncer) commitReturned(updates int, start time.Time) {
	s.mu.Lock()
	s.returned = s.begun.Load()
	s.commits = append(s.commits, sentCommit{s.returned, updates, start})
	s.busy = true
	s.mu.Unlock()
	s.wakeLoop()
}

// answer answers j with o once all commits so far are durable: j may have seen them.
func (s *sqliteSyncer) answer(j *job, o outcome) {
	s.mu.Lock()
	wait := s.busy
	if wait {
		s.answers = append(s.answers, answer{s.returned, j, o})
	}
	s.mu.Unlock()
	if !wait {
		s.reply(j, s.certain(o))
	}
}

// certain returns o, or after a failed sync an error in its place.
func (s *sqliteSyncer) certain(o outcome) outcome {
	if s.failed.Load() && !errors.Is(o.err, ErrUnavailable) {
		o.err = unavailable(errUnsynced)
	}
	return o
}

// wait returns once all commits that have begun are durable, or fails when a sync has failed.
func (s *sqliteSyncer) wait() error {
	seen := s.begun.Load()
	for s.synced.Load() < seen {
		s.mu.Lock()
		progress := s.progress
		s.mu.Unlock()
		switch {
		case s.synced.Load() >= seen:
			return nil
		case s.failed.Load():
			return unavailable(errUnsynced)
		}
		<-progress
	}
	return nil
}

// syncing reports whether a sync is in progress or due.
func (s *sqliteSyncer) syncing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy
}

func (s *sqliteSyncer) wakeLoop() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// loop syncs and answers until close.
func (s *sqliteSyncer) loop() {
	defer close(s.ended)
	for range s.wake {
		for s.syncCommits() {
		}
	}
}

// syncCommits makes durable what has been committed, and answers. It returns false when nothing
// was left to do.
func (s *sqliteSyncer) syncCommits() bool {
	s.mu.Lock()
	number := s.returned
	s.busy = number > s.synced.Load() && !s.failed.Load() || len(s.answers) > 0
	busy := s.busy
	s.mu.Unlock()
	if !busy {
		s.signalIdle()
		return false
	}
	if number > s.synced.Load() && !s.failed.Load() {
		if err := s.syncLog(); err != nil {
			s.fail(err)
		}
	}
	s.mu.Lock()
	if !s.failed.Load() {
		s.synced.Store(number)
	}
	close(s.progress)
	s.progress = make(chan struct{})
	commits, answers := s.takeUpTo(number)
	s.busy = s.returned > number
	s.mu.Unlock()
	s.signalIdle()
	s.count(func(stats *Stats) {
		for _, c := range commits {
			stats.committed(c.updates, time.Since(c.start))
		}
	})
	for _, a := range answers {
		s.reply(a.job, s.certain(a.result))
	}
	return true
}

// takeUpTo removes and returns the commits up to a number and the answers that wait for them.
func (s *sqliteSyncer) takeUpTo(number int64) (commits []sentCommit, answers []answer) {
	n, m := 0, 0
	for n < len(s.commits) && s.commits[n].number <= number {
		n++
	}
	for m < len(s.answers) && s.answers[m].number <= number {
		m++
	}
	commits, answers = s.commits[:n:n], s.answers[:m:m]
	s.commits, s.answers = append([]sentCommit(nil), s.commits[n:]...), append([]answer(nil), s.answers[m:]...)
	return commits, answers
}

// signalIdle lets the writer commit the batch that it collects.
func (s *sqliteSyncer) signalIdle() {
	select {
	case s.idle <- struct{}{}:
	default:
	}
}

// syncLog makes the log durable. SQLite deletes it, after moving all of its pages durably into
// the file, when its last connection closes, and then creates another one: so the log that has
// the name now is the one to sync.
func (s *sqliteSyncer) syncLog() error {
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if s.file != nil {
		open, err := s.file.Stat()
		if err != nil {
			return err
		}
		if os.SameFile(info, open) {
			return s.syncFile(s.file)
		}
	}
	if err := s.closeFile(); err != nil {
		return err
	}
	if s.file, err = os.OpenFile(s.path, os.O_RDWR, 0); err != nil {
		s.file = nil
		return err
	}
	if err := s.syncFile(s.file); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(s.path)) // the entry of a new log
}

// fail stops all answers that depend on a sync. Any goroutine calls it after a failed sync.
func (s *sqliteSyncer) fail(err error) {
	if !s.failed.Swap(true) {
		s.log.Error("a file cannot be synced: nothing is stored until the service is restarted", "error", err)
	}
	s.onFailure()
	s.mu.Lock()
	close(s.progress)
	s.progress = make(chan struct{})
	s.mu.Unlock()
}

// close syncs and answers what is left, and closes the log. The writer has stopped.
func (s *sqliteSyncer) close() error {
	close(s.wake)
	<-s.ended
	return s.closeFile()
}

func (s *sqliteSyncer) closeFile() error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	return file.Close()
}

// syncForeignLog makes durable what another process has committed to the log at path: what was
// read from it must not disappear in a power cut.
func syncForeignLog(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) { // moved into the file
		return nil
	}
	if err != nil {
		return err
	}
	return joinErrors(fdatasync(f), f.Close())
}

// rewriteAndSync overwrites a file with its own content and syncs it. That makes durable what
// the kernel holds in memory, including pages that it failed to write, or had not written when
// the process that wrote them was killed. No other process writes to the file meanwhile. A
// crash here changes nothing, since every byte keeps its value.
func rewriteAndSync(path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		if err = joinErrors(err, f.Close()); err != nil {
			err = fmt.Errorf("rewriting %s: %w", path, err)
		}
	}()
	text := make([]byte, 1<<20)
	for at := int64(0); ; {
		n, err := f.ReadAt(text, at)
		if _, failed := f.WriteAt(text[:n], at); failed != nil {
			return failed
		}
		at += int64(n)
		if errors.Is(err, io.EOF) {
			return f.Sync()
		}
		if err != nil {
			return err
		}
	}
}
