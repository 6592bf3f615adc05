package app

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"roshambo/internal/app/move"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/platform/durable"
	"roshambo/internal/store"
	"roshambo/internal/store/filelock"
	"roshambo/internal/store/postgres"
)

// MoveOptions say what Move moves. Of the two sides one is a data folder, or a backup, and the other the URL of a
// PostgreSQL database.
type MoveOptions struct {
	From, To string
	Out      io.Writer // receives the progress
}

// ErrMoveNotBegun is wrapped by an error of Move before it has written anything.
var ErrMoveNotBegun = errors.New("nothing was moved")

// moveApplication names the connections of Move on a PostgreSQL server.
const moveApplication = "roshambo move"

// moving is one run of Move.
type moving struct {
	MoveOptions
	source, target Store
	from, to       *store.DB
	head           *ledger.HeadFile // in the folder of either side
	lock           *filelock.Lock   // of that folder
	moved          bool             // the source has the mark of a move, which may be this one
	backup         bool             // the source is a backup, or a folder that was restored and not started since
	reason         string           // of the recovery that the first start on a backup performs
	*move.Move
}

// Move copies all tables of a stopped service to an empty database on the other engine, compares the two, verifies the
// chain in the copy, and fences the source: no service starts on it by mistake. After a crash, a call with the same
// sides goes on where the last transaction ended (package move); until one succeeds, no command but Move opens the
// target.
func Move(ctx context.Context, o MoveOptions) (err error) {
	ctx = store.Within(ctx, store.CommandTrip)
	m := &moving{MoveOptions: o}
	defer func() {
		for _, d := range []*store.DB{m.from, m.to} {
			if d != nil {
				err = errors.Join(err, d.Close())
			}
		}
		if m.lock != nil {
			err = errors.Join(err, m.lock.Release())
		}
	}()
	if err := m.begin(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrMoveNotBegun, err)
	}
	if complete, table, rows, resumed := m.Found(); resumed {
		m.printf("The target has an unfinished move of this source: %d tables are complete, %s has %d rows. Going on.",
			complete, table, rows)
	}
	if err := m.Copy(ctx, m.progress()); err != nil {
		return fmt.Errorf("%w; run the same command again to go on", err)
	}
	m.printf("Comparing both sides.")
	all, err := m.Verify(ctx)
	if err != nil {
		return fmt.Errorf("%w: empty the target and begin again", err)
	}
	m.printf("Verifying the chain in the target.")
	v, err := m.chain(ctx)
	if err != nil {
		return err
	}
	if err := m.finish(ctx); err != nil {
		return err
	}
	m.printf("Moved: %d rows, on both sides with the digest %v.\nThe chain of %d blocks and %d transactions is valid.",
		all.Rows, all, v.Blocks, v.Transactions)
	if err := m.putAway(); err != nil {
		return fmt.Errorf("the move is complete; never start a service on the source again: %w", err)
	}
	return m.advise()
}

func (m *moving) printf(format string, args ...any) { fmt.Fprintf(m.Out, format+"\n", args...) }

// begin checks both sides, opens them, and begins the move or finds an unfinished one.
func (m *moving) begin(ctx context.Context) (err error) {
	if m.source, err = side(m.From); err != nil {
		return err
	}
	if m.target, err = side(m.To); err != nil {
		return err
	}
	if (m.source.Database == "") == (m.target.Database == "") {
		return errors.New("one of --from and --to is a folder, the other postgres://…; " +
			"a folder is copied with roshambo backup, a PostgreSQL database with pg_dump")
	}
	if err := checkUser(m.folder()); err != nil {
		return err
	}
	if err := m.openSource(ctx); err != nil {
		return fmt.Errorf("the source: %w", err)
	}
	if err := m.checkHead(ctx); err != nil {
		return err
	}
	if err := m.openTarget(ctx); err != nil {
		return fmt.Errorf("the target: %w", err)
	}
	if m.moved && !errors.Is(move.Usable(ctx, m.to), move.ErrUnfinished) {
		return fmt.Errorf("the source: %w", move.ErrMoved)
	}
	// Of the folder, on either engine: the file that was moved away is not locked any more.
	if m.lock, err = lockData(m.folder()); err != nil {
		return err
	}
	m.Move, err = move.Begin(ctx, m.from, m.to)
	return err
}

// side returns the tables that an option names.
func side(text string) (Store, error) {
	if !strings.Contains(text, "://") {
		return Store{Data: text}, nil
	}
	if err := postgres.CheckURL(text); err != nil {
		return Store{}, fmt.Errorf("the URL is %w", err)
	}
	return Store{Database: text}, nil
}

// folder returns the data folder of the two sides.
func (m *moving) folder() string { return m.source.Data + m.target.Data }

// openSource opens the source for reading and keeps services away from it: a SQLite file by its lock, which ends with
// this process; on PostgreSQL by looking for their sessions, now and at the end.
func (m *moving) openSource(ctx context.Context) (err error) {
	c := m.source.location()
	c.ReadOnly, c.Alone, c.Application = true, true, moveApplication
	if c.Path != "" {
		if err := m.checkFolder(c.Path); err != nil {
			return err
		}
	}
	if m.from, err = openAny(ctx, c); err != nil {
		return err
	}
	err = move.Usable(ctx, m.from)
	if m.moved = errors.Is(err, move.ErrMoved); err != nil && !m.moved {
		return err
	}
	if err := m.checkAlone(ctx); err != nil {
		return err
	}
	there, err := ledger.Exists(ctx, m.from)
	if err == nil && !there {
		err = errors.New("it has no chain: no service was ever started on it")
	}
	return err
}

// movedSuffix ends the names of the files of a SQLite database that was moved to PostgreSQL.
const movedSuffix = ".moved"

// checkFolder looks at the folder of a SQLite source.
func (m *moving) checkFolder(path string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if m.reason, m.backup, err = readFolderMark(m.source.Data); err != nil || m.backup {
		return err
	}
	if _, err := os.Lstat(path + movedSuffix); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, fmt.Errorf("%s is there, of an earlier move: put it elsewhere", path+movedSuffix))
	}
	return nil
}

// aloneTries is how often, and aloneEvery how fast, checkAlone looks: the sessions of a node that has just ended stay
// for a moment.
const (
	aloneTries = 20
	aloneEvery = 250 * time.Millisecond
)

// checkAlone returns an error while other programs are connected to the source.
func (m *moving) checkAlone(ctx context.Context) error {
	for try := 1; ; try++ {
		others, err := m.from.Others(ctx)
		if err != nil || len(others) == 0 {
			return err
		}
		if try == aloneTries {
			return fmt.Errorf("it is in use by %s: stop all nodes and end all other sessions",
				strings.Join(slices.Compact(others), ", "))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(aloneEvery):
		}
	}
}

// checkHead compares the source with the record of signed heads in the folder: of the service that moves, or of the
// node whose folder gets the database. A new folder has no record.
func (m *moving) checkHead(ctx context.Context) (err error) {
	if m.head, err = openHeadFile(m.folder()); err != nil {
		return err
	}
	if _, there := m.head.Size(); !there && m.source.Database != "" {
		return nil
	}
	_, err = ledger.CheckHeadFile(ctx, m.from, m.head, m.source.Database == "")
	return rollbackAdvice(err, m.folder())
}

// openTarget opens the target, whose schema it makes. It looks at it first without any change: a database that
// something else uses is left as it is.
func (m *moving) openTarget(ctx context.Context) error {
	c := m.target.location()
	c.Application = moveApplication
	look := c
	look.ReadOnly, look.Migrations = true, embed.FS{}
	tables, err := tablesOf(ctx, look)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if tables > 0 {
		look.Migrations = nil // compares the schema
		if _, err := tablesOf(ctx, look); err != nil {
			return fmt.Errorf("%w: %w", move.ErrNotEmpty, err)
		}
	}
	m.to, err = openAny(ctx, c)
	return err
}

// tablesOf returns the number of tables of a database.
func tablesOf(ctx context.Context, c store.Config) (n int, err error) {
	d, err := openAny(ctx, c)
	if err != nil {
		return 0, err
	}
	tables, err := d.Tables(ctx)
	return len(tables), errors.Join(err, d.Close())
}

// progressEvery is the number of rows of a table after which progress is printed.
const progressEvery = 1_000_000

// progress returns a function that prints the progress of Copy.
func (m *moving) progress() func(table string, rows int64, complete bool) {
	printed := map[string]int64{}
	return func(table string, rows int64, complete bool) {
		if complete && rows > 0 || rows/progressEvery > printed[table]/progressEvery {
			printed[table] = rows
			m.printf("%s: %d rows", table, rows)
		}
	}
}

// chain verifies the chain in the target, and everything that is derived from it.
func (m *moving) chain(ctx context.Context) (v audit.Verification, err error) {
	if v, err = audit.VerifyTables(ctx, m.to, "", nil); err != nil {
		return v, err
	}
	if v.ProblemCount > 0 {
		p := v.Problems[0]
		return v, fmt.Errorf("the chain is not valid, in the source as in the target: %d problems, the first at height %d: "+
			"%s: expected %s, found %s; look at the source with roshambo doctor", v.ProblemCount, p.Height, p.What, p.Expected,
			p.Found)
	}
	return v, nil
}

// finish makes the target the database of a service. A crash before the end of Finish leaves an unfinished
// move, and a PostgreSQL source that may have its mark: only this move goes on with it.
func (m *moving) finish(ctx context.Context) error {
	if err := m.fence(ctx, true); err != nil {
		return err
	}
	// Nothing can begin on the source any more. What has begun before is seen here.
	if err := m.checkQuiet(ctx); err != nil {
		return errors.Join(err, m.fence(context.WithoutCancel(ctx), false))
	}
	// A SQLite file is not served without a record of signed heads. There is one in the folder of a node.
	if _, there := m.head.Size(); !there {
		if err := m.head.Adopt(ctx, m.to); err != nil {
			return err
		}
	}
	return m.Finish(ctx, func(ctx context.Context, tx *store.Tx) error {
		if !m.backup {
			return nil
		}
		// The folder is a backup: the first start on the target performs a recovery, as one on the folder would.
		return ledger.PutMark(ctx, tx, m.reason)
	})
}

// fence marks a PostgreSQL source as moved, or takes the mark back. A SQLite source is locked until it is put away.
func (m *moving) fence(ctx context.Context, moved bool) error {
	if m.source.Database == "" {
		return nil
	}
	c := m.source.location()
	c.Application = moveApplication
	d, err := openAny(ctx, c)
	if err == nil {
		err = errors.Join(move.Fence(ctx, d, moved), d.Close())
	}
	if err != nil {
		return fmt.Errorf("the mark of the source: %w", err)
	}
	return nil
}

// checkQuiet checks that no service has run on the source since the move began, and none runs now.
func (m *moving) checkQuiet(ctx context.Context) error {
	if err := m.checkAlone(ctx); err != nil {
		return fmt.Errorf("the source: %w; then run the same command again", err)
	}
	return m.Unchanged(ctx)
}

// putAway renames the files of a SQLite source, while the folder is locked. A backup stays as it is. A crash before it
// leaves a source that a service would start on; after the first file, one whose log-head.json asks for the database.
func (m *moving) putAway() error {
	if m.source.Database != "" || m.backup {
		return nil
	}
	err := m.from.Close() // Windows renames no open file
	m.from = nil
	path := m.source.location().Path
	for _, suffix := range []string{"", "-wal", "-shm", "-ballast"} {
		if e := os.Rename(path+suffix, path+suffix+movedSuffix); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return errors.Join(err, durable.SyncFolder(m.source.Data))
}

// advise prints what the operator does next.
func (m *moving) advise() error {
	if m.target.Database == "" {
		keys := filepath.Join(m.target.Data, keysFile)
		if _, err := os.Stat(keys); errors.Is(err, fs.ErrNotExist) {
			m.printf("%s is missing: put the keys of the service there before it starts.", keys)
		}
		m.printf("Start the service with --data %s and without --database. The source is marked as moved: no node starts on it.",
			m.target.Data)
		return nil
	}
	m.printf("Start the first node with --database and --data %s, whose keys.json and log-head.json belong to it; give "+
		"further nodes keys.json alone.", m.source.Data)
	path := m.source.location().Path
	if m.backup {
		m.printf("Never start a service on the source again: %s stays as it is, as it is a backup.", path)
		return nil
	}
	m.printf("The files %s* were renamed to %[1]s*%[2]s: no service starts on them. Delete them once you trust the new database.",
		path, movedSuffix)
	return nil
}
