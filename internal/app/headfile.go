package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/store"
)

// headFile remembers what was signed, in the data folder (ledger.HeadFile).
const headFile = "log-head.json"

func openHeadFile(data string) (*ledger.HeadFile, error) {
	return ledger.OpenHeadFile(filepath.Join(data, headFile))
}

// rollbackAdvice adds to the error of a start what the operator may do.
func rollbackAdvice(err error, data string) error {
	const operations = `docs/operations.md, "What a restore means for the log"`
	path := filepath.Join(data, headFile)
	if rolled, ok := errors.AsType[*ledger.RollbackError](err); ok {
		if rolled.Has == 0 {
			return fmt.Errorf("%w; look for the database: to begin another chain instead, use an empty folder, and with it other keys (%s)", err, operations)
		}
		return fmt.Errorf("%w; to go on from it would sign a fork of the log, which everybody can prove who has kept a checkpoint. "+
			"Look for the newer database (its write-ahead log, a newer backup, a standby) and start on that. "+
			"If it is lost for good, `roshambo accept-rollback --size %d` gives up what was signed, and says so in every checkpoint from then on (%s)",
			err, rolled.Size, operations)
	}
	switch {
	case errors.Is(err, ledger.ErrHeadFileLost):
		return fmt.Errorf("%w, so it cannot be seen whether the database was rolled back: put the file back, or restore a backup with `roshambo restore`. "+
			"If the database is the newest that there is, `roshambo accept-rollback --size BLOCKS` makes the file anew (%s)", err, operations)
	case errors.Is(err, ledger.ErrOtherChain):
		return fmt.Errorf("%w: put the file of this chain there, or move %s away if it came with another folder", err, path)
	}
	return err
}

// followPeriod is how often a node looks for heads that other nodes have signed, should it
// not be told.
const followPeriod = time.Second

// followHead remembers the heads that other nodes sign, and notices a database that was
// rolled back while this node runs.
func (s *Service) followHead(ctx context.Context) {
	blocks := s.Hub.Watch(event.Blocks)
	defer blocks.Close()
	done := s.loop("head", followPeriod)
	ticker := time.NewTicker(followPeriod)
	defer ticker.Stop()
	for {
		err := s.Ledger.Remember(ctx)
		if s.Ledger.RolledBack() != nil {
			err = nil // it is logged, and /readyz says it
		}
		done(ctx, err)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-blocks.C():
		}
	}
}

// ErrNothingToAccept says that there is no rollback, or not the one that was named.
var ErrNothingToAccept = ledger.ErrNothingToAccept

// Accepted says what AcceptRollback has done.
type Accepted struct {
	File string // that remembers what was signed
	Line string // of each checkpoint from now on; "" when nothing was declared
}

// AcceptRollback has a service go on from a database that is behind what was signed. The
// size of the tree that is given up must be named; checkpoint, unless nil, is one that the
// data folder does not know of (ledger.Acceptance).
func AcceptRollback(ctx context.Context, s Store, size int64, checkpoint []byte) (a Accepted, err error) {
	c := s.place()
	if c.Path != "" {
		if err := begun(s.Data); err == nil { // store.Open would make one
			return a, fmt.Errorf("%s: %w", c.Path, fs.ErrNotExist)
		}
	}
	file, err := openHeadFile(s.Data)
	if err != nil {
		return a, err
	}
	d, err := store.Open(ctx, c)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	a.File = file.Path()
	a.Line, err = ledger.AcceptRollback(ctx, d, file, ledger.Acceptance{Size: size, Checkpoint: checkpoint, Strict: s.Database == ""})
	return a, err
}
