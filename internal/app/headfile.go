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

// headFile is the record of signed heads in the data folder (ledger.HeadFile).
const headFile = "log-head.json"

func openHeadFile(data string) (*ledger.HeadFile, error) {
	return ledger.OpenHeadFile(filepath.Join(data, headFile))
}

// rollbackAdvice adds the operator's options to an error of the start that concerns the record of
// signed heads. It returns other errors as they are.
func rollbackAdvice(err error, data string) error {
	const operations = `docs/operations.md, "What a restore means for the log"`
	path := filepath.Join(data, headFile)
	if rolled, ok := errors.AsType[*ledger.RollbackError](err); ok {
		if rolled.Has == 0 {
			return fmt.Errorf("%w; find the database: to begin another chain instead, use an empty folder and new keys (%s)",
				err, operations)
		}
		return fmt.Errorf("%w; continuing from it would fork the log, which anyone with a kept checkpoint can prove. "+
			"Look for the newer database (its write-ahead log, a newer backup, a standby) and start on that. "+
			"If it is lost for good, `%s` abandons the signed blocks and declares that in every later checkpoint (%s)",
			err, rolled.Command(), operations)
	}
	switch {
	case errors.Is(err, ledger.ErrHeadFileLost):
		return fmt.Errorf("%w, so a rollback of the database cannot be detected: put the file back, or restore a backup "+
			"with `roshambo restore`. "+
			"If the database is the newest one, `roshambo accept-rollback --size BLOCKS` creates the file again (%s)", err,
			operations)
	case errors.Is(err, ledger.ErrOtherChain):
		return fmt.Errorf("%w: put the file of this chain there, or move %s away if it came with another folder", err, path)
	}
	return err
}

// followPeriod is how often a node polls for heads that other nodes have signed, in case it misses
// the wake-up.
const followPeriod = time.Second

// followHead records the heads that other nodes sign, and detects a database that was rolled back
// while this node runs.
func (s *Service) followHead(ctx context.Context) {
	blocks := s.Hub.Watch(event.Blocks)
	defer blocks.Close()
	done := s.loop("head", followPeriod)
	ticker := time.NewTicker(followPeriod)
	defer ticker.Stop()
	asker := ""
	for {
		was := s.Ledger.Recovering()
		err := s.Ledger.UpdateHeadFile(ctx)
		if asker != "" && (err == nil || s.Ledger.LossStored()) {
			s.relay.Publish(relayCompared + ":" + asker + " " + s.leases.Holder())
		}
		asker = ""
		if s.Ledger.Recovering() && !was {
			s.forget() // it may be newer than the database, and is dropped again before writes go on (Ledger.OnLoss)
		}
		if s.Ledger.RolledBack() != nil {
			err = nil // already logged, and reported by /readyz
		}
		done(ctx, err)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-blocks.C():
		case asker = <-s.askers:
		}
	}
}

// ErrNothingToAccept reports that there is no rollback, or not one of the given size.
var ErrNothingToAccept = ledger.ErrNothingToAccept

// Accepted is the result of AcceptRollback.
type Accepted struct {
	File string // the record of signed heads
	Line string // of each checkpoint from now on; "" when no rollback was declared
}

// AcceptRollback lets a service continue on a database that is behind its signed log. size is the
// size of the signed tree that is given up; checkpoint, unless nil, is a signed one that the data
// folder does not know, reason is the public one of the recovery (ledger.Acceptance). Errors:
// ErrNothingToAccept.
func AcceptRollback(
	ctx context.Context, s Store, size int64, checkpoint []byte, reason string,
) (a Accepted, err error) {
	ctx = store.Within(ctx, store.CommandTrip)
	if err := checkUser(s.Data); err != nil {
		return a, err
	}
	c := s.location()
	if c.Path != "" {
		if err := begun(s.Data); err == nil { // openDatabase would create a database
			return a, fmt.Errorf("%s: %w", c.Path, fs.ErrNotExist)
		}
	}
	file, err := openHeadFile(s.Data)
	if err != nil {
		return a, err
	}
	d, err := openDatabase(ctx, c)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	a.File = file.Path()
	a.Line, err = ledger.AcceptRollback(ctx, d, file, ledger.Acceptance{Size: size, Checkpoint: checkpoint,
		Strict: s.Database == "", Reason: reason})
	return a, err
}
