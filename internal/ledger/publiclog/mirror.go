package publiclog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"roshambo/chain/export"
	"roshambo/verify"
)

// Mirror keeps a verified copy of the public log of a service, with its games, in a folder, and serves it
// read-only (ServeHTTP). It holds the service to what it has shown before: a service that forgets
// blocks, signs another tree, alters a page or publishes a block that breaks the rules has parted from
// the copy.
//
// One goroutine calls Sync or Run, and one process uses a folder; any number of goroutines may call
// ServeHTTP meanwhile.
type Mirror struct {
	// MaxTail bounds, in bytes, what a round appends before it can verify it: a checkpoint may state any
	// number of blocks. OpenMirror sets DefaultTail. Set it before the first round.
	MaxTail int64

	log     *Log
	options verify.ChainOptions
	logger  *slog.Logger
	files   *files
	copy    atomic.Pointer[copied] // replaced by each round that finds new blocks
	failed  atomic.Bool            // the last round
	// recheck is the height of the page of the copy that the next round reads again.
	recheck int64
}

// PartedError reports that a service contradicts the copy of its log. Two signed checkpoints that no log can
// have both are proof for anyone: of one size with two roots, or the blocks of Ours with a block of
// Theirs that does not follow from them. A rollback or an altered page shows what the service did, to
// readers that know what it signed before.
type PartedError struct {
	Kind   string `json:"kind"` // rollback, fork, altered or invalid
	What   string `json:"what"` // in words
	Ours   string `json:"ours"` // the signed checkpoint of the copy
	Theirs string `json:"theirs"`
	// Problems are the problems of the blocks that Theirs signs, for kind invalid.
	Problems []verify.ChainProblem `json:"problems,omitempty"`
	URL      string                `json:"url"`
}

// Error implements error.
func (e *PartedError) Error() string {
	return fmt.Sprintf("THE SERVICE AND THE COPY HAVE PARTED (%s): %s", e.Kind, e.What)
}

// DefaultTail is the usual bound of what a round of a Mirror appends, in bytes.
const DefaultTail = 16 << 30

// ErrTail reports that a service serves more new blocks than MaxTail.
var ErrTail = errors.New("the service serves more bytes of new blocks than a round may append before it verifies them")

// partedFile holds the evidence of a PartedError. While it exists, a Mirror fetches nothing.
const partedFile = "parted.json"

// errParted is the error of rounds after the service and the copy have parted.
var errParted = errors.New("the service and the copy have parted earlier: " + partedFile +
	" has the evidence; nothing is fetched " +
	"until that file is moved away")

// OpenMirror opens or begins a copy below folder, and verifies it. o names the key of the log, which a
// copy that was begun earlier knows and compares, and the witnesses that must have cosigned. Without a
// key the first one that the service names is pinned.
func OpenMirror(ctx context.Context, l *Log, folder string, o verify.ChainOptions, logger *slog.Logger) (*Mirror,
	error) {
	f, s, err := openFiles(folder)
	if err != nil {
		return nil, err
	}
	m := &Mirror{MaxTail: DefaultTail, log: l, options: o, logger: logger, files: f}
	if err := m.begin(ctx, s); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return m, nil
}

// begin verifies the copy that the files hold, or begins one.
func (m *Mirror) begin(ctx context.Context, s state) error {
	if s.Checkpoint == "" {
		if m.options.Key != nil {
			s.VerifierKey = *m.options.Key
		}
		m.copy.Store(&copied{state: s, places: make([]place, 1), kept: make([]int64, 1)})
		return nil
	}
	if m.options.Key != nil && *m.options.Key != s.VerifierKey {
		return fmt.Errorf("the copy is of the log with the key %s, not %s", s.VerifierKey, *m.options.Key)
	}
	options := m.options
	options.Witnesses, options.Quorum = nil, 0 // each part was copied with the witnesses of its time
	c, report, err := m.files.verify(ctx, s, options)
	if err != nil {
		return err
	}
	if !report.Valid {
		return fmt.Errorf("%w: %s", errDamaged, problemText(report.Problems))
	}
	m.copy.Store(c)
	return nil
}

// problemText returns the first problem in words.
func problemText(list []verify.ChainProblem) string {
	if len(list) == 0 {
		return "no problem named"
	}
	p := list[0]
	text := fmt.Sprintf("%s: expected %s, found %s", p.What, p.Expected, p.Found)
	if p.Height != nil {
		text += fmt.Sprintf(" (block %d)", *p.Height)
	}
	return text
}

// Close closes the files. No other method is in progress.
func (m *Mirror) Close() error { return m.files.close() }

// Size returns the number of verified blocks of the copy.
func (m *Mirror) Size() int64 { return m.copy.Load().size() }

// Sync fetches the new blocks, verifies the whole copy with them, and reads one page of the copy again. A
// *PartedError is returned once, after its evidence was written; later calls return another error until
// the evidence is moved away. Any other error leaves the copy as it was; a later call may succeed.
func (m *Mirror) Sync(ctx context.Context) error {
	err := m.sync(ctx)
	m.failed.Store(err != nil)
	parted, ok := errors.AsType[*PartedError](err)
	if !ok {
		return err
	}
	parted.URL = m.log.URL
	// A crash before the rename loses the evidence of this round, and the next one finds it again.
	return errors.Join(err, writePublic(filepath.Join(m.files.folder, partedFile), parted))
}

func (m *Mirror) sync(ctx context.Context) error {
	switch _, err := os.Stat(filepath.Join(m.files.folder, partedFile)); {
	case err == nil:
		return errParted
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	path := "/log/checkpoint"
	if len(m.options.Witnesses) > 0 {
		path = "/log/witnessed-checkpoint"
	}
	theirs, err := m.log.get(ctx, path)
	if err != nil {
		return err
	}
	now := m.copy.Load()
	if now.VerifierKey == "" {
		first := *now
		if first.VerifierKey, _, err = m.log.head(ctx); err != nil {
			return err
		}
		now = &first
	}
	key, err := verify.ParseKey(now.VerifierKey)
	if err != nil {
		return err
	}
	stated, err := key.Checkpoint(string(theirs))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err) // not signed, so no evidence
	}
	if list := m.options.Witnesses; len(list) > 0 {
		// Too few cosignatures contradict nothing: the next round may see more.
		if err := verify.CheckWitnesses(string(theirs), list, m.options.Quorum); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	part := func(kind, format string, args ...any) *PartedError {
		return &PartedError{Kind: kind, What: fmt.Sprintf(format, args...), Ours: now.Checkpoint, Theirs: string(theirs)}
	}
	switch known, err := now.signed(key); {
	case err != nil:
		return err
	case stated.Size < known.Size:
		// A cache that answers an old checkpoint looks the same; the service sends no-cache with it.
		return part("rollback", "it signs a tree of %d blocks after one of %d", stated.Size, known.Size)
	case stated.Size == known.Size && stated.Root != known.Root:
		return part("fork", "it signs two trees of %d blocks", known.Size)
	case stated.Size > known.Size:
		if err := m.extend(ctx, now, string(theirs), stated.Size, part); err != nil {
			return err
		}
	}
	return m.readAgain(ctx, part)
}

// signed returns the checkpoint of the copy; zero before the first.
func (c *copied) signed(key verify.Key) (verify.Checkpoint, error) {
	if c.state.Checkpoint == "" {
		return verify.Checkpoint{}, nil
	}
	return key.Checkpoint(c.state.Checkpoint)
}

// parting makes the error for a service that contradicts the copy.
type parting func(kind, format string, args ...any) *PartedError

// extend appends the blocks of the checkpoint that the copy lacks, and verifies all.
func (m *Mirror) extend(ctx context.Context, now *copied, theirs string, size int64, part parting) error {
	// The lines are appended before they are verified, behind the length that the state vouches for. A
	// crash in here leaves them there, and the next start cuts them off.
	s := now.state
	s.Checkpoint = theirs
	err := m.fetch(ctx, &s, now.size(), size)
	if err == nil {
		err = m.fetchKept(ctx, &s, int64(len(now.kept))-1, size)
	}
	if err != nil {
		return errors.Join(err, m.cut(now.state))
	}
	next, report, err := m.files.verify(ctx, s, m.options)
	if err != nil {
		if damaged := m.stillSound(ctx, now); damaged != nil {
			err = damaged
		}
		return errors.Join(err, m.cut(now.state))
	}
	if !report.Valid {
		// The old blocks verified before and still do, so the new ones or their checkpoint do not fit to them.
		if err := m.stillSound(ctx, now); err != nil {
			return errors.Join(err, m.cut(now.state))
		}
		parted := part("invalid", "block %d and later: %s", now.size(), problemText(report.Problems))
		parted.Problems = report.Problems
		return errors.Join(parted, m.cut(now.state))
	}
	if err := m.files.keep(s); err != nil {
		return errors.Join(err, m.cut(now.state))
	}
	m.copy.Store(next)
	m.logger.Info("copied and verified", "blocks", size, "transactions", report.Transactions, "new", size-now.size(),
		"kept", strings.Join(strings.Fields(strings.ReplaceAll(report.Kept.Text(), "\n", ";")), " "))
	return nil
}

// stillSound returns an error when the copy itself has been damaged since it was verified, so that the
// service is not blamed for a disk.
func (m *Mirror) stillSound(ctx context.Context, c *copied) error {
	if c.state.Checkpoint == "" {
		return nil
	}
	options := m.options
	options.Witnesses, options.Quorum = nil, 0
	_, report, err := m.files.verify(ctx, c.state, options)
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if !report.Valid {
		return fmt.Errorf("%w: %s", errDamaged, problemText(report.Problems))
	}
	return nil
}

// errDamaged reports a copy that differs from the verified one.
var errDamaged = errors.New("the copy is damaged, mirror into another folder")

// cut removes what a failed round has appended.
func (m *Mirror) cut(s state) error {
	return errors.Join(m.files.blocks.Truncate(s.BlockBytes), m.files.games.Truncate(s.GameBytes),
		m.files.kept.Truncate(s.KeptBytes))
}

// fetch appends the blocks from height next up to size, with their games, and adds their lengths to s.
func (m *Mirror) fetch(ctx context.Context, s *state, next, size int64) error {
	known := s.BlockBytes + s.GameBytes
	for next < size {
		blocks, err := m.log.page(ctx, next, size)
		if err != nil {
			return err
		}
		lines, games := linesOf(blocks)
		if s.BlockBytes+s.GameBytes-known+int64(len(lines)+len(games)) > m.MaxTail {
			return fmt.Errorf("%w: %d, before block %d of %d", ErrTail, m.MaxTail, next+int64(len(blocks)), size)
		}
		if _, err := m.files.blocks.WriteAt(lines, s.BlockBytes); err != nil {
			return err
		}
		if _, err := m.files.games.WriteAt(games, s.GameBytes); err != nil {
			return err
		}
		s.BlockBytes += int64(len(lines))
		s.GameBytes += int64(len(games))
		next += int64(len(blocks))
	}
	return nil
}

// fetchKept adds to s the lines that the service has added to the newest of the copy's count kept checkpoints, and the
// later ones that are of trees of up to size blocks. It appends all but the newest.
func (m *Mirror) fetchKept(ctx context.Context, s *state, count, size int64) error {
	known := s.KeptBytes
	k := &keptReader{log: m.log, next: max(count-1, 0)}
	if s.NewestKept != "" {
		note, err := k.peek(ctx)
		if err != nil || note == "" {
			return err
		}
		if strings.HasPrefix(note, s.NewestKept) {
			s.NewestKept = note
		}
		k.page = k.page[1:]
	}
	for ; ; k.page = k.page[1:] {
		note, err := k.peek(ctx)
		if err != nil || note == "" || statedSize([]byte(note)) > size {
			return err
		}
		line := s.newestLine()
		s.NewestKept = note
		if s.KeptBytes-known+int64(len(line)) > m.MaxTail {
			return fmt.Errorf("%w: %d, of kept checkpoints", ErrTail, m.MaxTail)
		}
		if _, err := m.files.kept.WriteAt(line, s.KeptBytes); err != nil {
			return err
		}
		s.KeptBytes += int64(len(line))
	}
}

// linesOf returns the lines of blocks and of their games. They are written anew from the parsed values,
// so that the copy has no text that a verifier would not read.
func linesOf(blocks []export.Block) (lines, games []byte) {
	for _, b := range blocks {
		games = export.AppendTranscripts(games, b.Transcripts)
		b.Transcripts = nil
		lines = export.AppendBlock(lines, b)
	}
	return lines, games
}

// readAgain compares the next page of the copy with what the service serves under its address now. A
// root that the service has signed does not bind what it answers.
func (m *Mirror) readAgain(ctx context.Context, part parting) error {
	c := m.copy.Load()
	if c.size() == 0 {
		return nil
	}
	if m.recheck >= c.size() {
		m.recheck = 0
	}
	served, err := m.log.page(ctx, m.recheck, c.size())
	if err != nil && !errors.Is(err, errNoBlock) {
		return err
	}
	end := m.recheck + int64(len(served))
	lines, games, err := m.files.read(c, m.recheck, end)
	if err != nil {
		return err
	}
	servedLines, servedGames := linesOf(served)
	if len(served) == 0 || !bytes.Equal(lines, servedLines) || !bytes.Equal(games, servedGames) {
		if err := m.stillSound(ctx, c); err != nil {
			return err
		}
		return part("altered", "blocks %d to %d or their games are not those that it served before", m.recheck, end-1)
	}
	m.recheck = end
	return nil
}

// read returns the lines of the blocks first to end-1, and of their games.
func (f *files) read(c *copied, first, end int64) (lines, games []byte, err error) {
	from, to := c.places[first], c.places[end]
	lines, games = make([]byte, to.block-from.block), make([]byte, to.game-from.game)
	if _, err := f.blocks.ReadAt(lines, from.block); err != nil {
		return nil, nil, err
	}
	_, err = f.games.ReadAt(games, from.game)
	if errors.Is(err, io.EOF) && len(games) == 0 {
		err = nil
	}
	return lines, games, err
}

// Run calls Sync at once and then with every pause in between until ctx ends, and logs its errors.
func (m *Mirror) Run(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if err := m.Sync(ctx); err != nil && ctx.Err() == nil {
			level := slog.LevelWarn
			if _, parted := errors.AsType[*PartedError](err); parted || errors.Is(err, errParted) {
				level = slog.LevelError
			}
			m.logger.Log(ctx, level, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
