package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/market"
	"roshambo/internal/service/portfolio"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// Doctor works out again whatever follows from something else in a service's tables,
// changes nothing, and writes every difference. A server may be running: each
// part is looked at in one snapshot. It returns how many differences there are.
func Doctor(ctx context.Context, s Store, now func() time.Time, out io.Writer) (found int, err error) {
	head, err := openHeadFile(s.Data) // before the database, which a server may add to
	if err != nil {
		return 0, err
	}
	d, err := s.read(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	l, err := ledger.Inspect(ctx, d, now)
	if err != nil {
		return 0, err
	}
	doc := &doctor{store: s, head: head, db: d, ledger: l, now: now, out: out}
	for _, part := range []struct {
		name string
		look func(context.Context) error
	}{
		{"file", doc.file}, {"signed head", doc.signed}, {"chain and ledger", doc.chain}, {"ratings", doc.ratings}, {"market", doc.market},
		{"portfolios", doc.portfolios}, {"leaderboards", doc.boards},
	} {
		before := doc.found
		if err := part.look(ctx); err != nil {
			return doc.found, fmt.Errorf("doctor: %s: %w", part.name, err)
		}
		if n := doc.found - before; n > 0 {
			doc.say("%s: %d differences", part.name, n)
		} else {
			doc.say("%s: in order", part.name)
		}
	}
	return doc.found, errors.Join(doc.failed...)
}

// doctor is one examination.
type doctor struct {
	store  Store
	head   *ledger.HeadFile
	db     *store.DB
	ledger *ledger.Ledger
	now    func() time.Time
	out    io.Writer
	found  int
	failed []error // of writing
}

func (d *doctor) say(format string, args ...any) {
	if _, err := fmt.Fprintf(d.out, format+"\n", args...); err != nil && d.failed == nil {
		d.failed = append(d.failed, err)
	}
}

func (d *doctor) differ(what, expected, found string) {
	d.found++
	d.say("  %s: expected %s, found %s", what, expected, found)
}

// differing tells of a difference.
type differing func(what, expected, found string)

// view runs a View that may find differences, and tells of those of its last run.
func (d *doctor) view(ctx context.Context, fn func(ctx context.Context, tx *store.Tx, differ differing) error) error {
	var list [][3]string
	err := d.db.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		list = nil
		return fn(ctx, tx, func(what, expected, found string) { list = append(list, [3]string{what, expected, found}) })
	})
	for _, l := range list {
		d.differ(l[0], l[1], l[2])
	}
	return err
}

// file looks at the pages of a SQLite file.
func (d *doctor) file(ctx context.Context) error {
	list, err := d.db.IntegrityErrors(ctx)
	for _, damage := range list {
		d.differ("the file of the database", "pages as SQLite writes them", damage)
	}
	return err
}

// signed holds the log against what the data folder remembers of it.
func (d *doctor) signed(ctx context.Context) error {
	_, err := ledger.CheckHeadFile(ctx, d.db, d.head, d.store.Database == "")
	rolled, isRolled := errors.AsType[*ledger.RollbackError](err)
	switch {
	case isRolled:
		d.differ("the log, by "+rolled.File, fmt.Sprintf("a tree of %d blocks with the root %v, which was signed", rolled.Size, rolled.Root),
			fmt.Sprintf("a database with %d blocks that %s", rolled.Has, rolled.What))
	case errors.Is(err, ledger.ErrHeadFileLost), errors.Is(err, ledger.ErrOtherChain):
		if d.store.Database != "" { // it is the node's folder that remembers; a doctor may come from elsewhere
			d.say("  %s does not remember what was signed: not compared", d.head.Path())
			return nil
		}
		d.differ("the log", d.head.Path(), err.Error())
	default:
		return err
	}
	return nil
}

func (d *doctor) chain(ctx context.Context) error {
	v, err := audit.VerifyTables(ctx, d.db, d.ledger.VerifierKey(), nil)
	if err != nil {
		return err
	}
	for _, p := range v.Problems {
		d.differ(fmt.Sprintf("height %d %s: %s", p.Height, p.Hash, p.What), p.Expected, p.Found)
	}
	if more := v.ProblemCount - len(v.Problems); more > 0 {
		d.found += more
		d.say("  and %d more", more)
	}
	return nil
}

// mostRatings bounds how many differences of ratings are named.
const mostRatings = 1000

func (d *doctor) ratings(ctx context.Context) error {
	return d.view(ctx, func(ctx context.Context, tx *store.Tx, differ differing) error {
		book := arena.NewBook()
		if err := d.ledger.Each(ctx, tx, book.Add); err != nil {
			return err
		}
		list, err := new(arena.Service).Audit(ctx, tx, book, mostRatings)
		for _, p := range list {
			differ(fmt.Sprintf("%s of %s among %s", p.What, p.Where, p.Pool), p.Expected, p.Found)
		}
		return err
	})
}

func (d *doctor) market(ctx context.Context) error {
	return d.view(ctx, func(ctx context.Context, tx *store.Tx, differ differing) error {
		list, err := new(market.Service).Check(ctx, tx)
		for _, p := range list {
			differ(p.What, p.Expected, p.Found)
		}
		return err
	})
}

func (d *doctor) portfolios(ctx context.Context) error {
	return d.view(ctx, func(ctx context.Context, tx *store.Tx, differ differing) error {
		list, err := new(portfolio.Service).Check(ctx, tx)
		for _, p := range list {
			differ(p.What, p.Expected, p.Found)
		}
		return err
	})
}

func (d *doctor) boards(ctx context.Context) error {
	s, err := score.New(ctx, score.Config{DB: d.db, Ledger: d.ledger, Now: d.now})
	if err != nil {
		return err
	}
	return d.view(ctx, func(ctx context.Context, tx *store.Tx, differ differing) error {
		return s.Check(ctx, tx, func(p score.Divergence) { differ(p.What, p.Expected, p.Found) })
	})
}
