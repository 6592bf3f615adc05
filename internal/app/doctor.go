package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/platform/names"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/market"
	"roshambo/internal/service/operator"
	"roshambo/internal/service/portfolio"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// Doctor recomputes everything in a service's tables that is derived from other rows, looks for
// leftovers of ended accounts, and writes each difference to out. It returns their number, and changes
// nothing. A server may be running: each part reads one snapshot.
func Doctor(ctx context.Context, s Store, now func() time.Time, out io.Writer) (found int, err error) {
	head, err := openHeadFile(s.Data) // before the database, to which a server may add blocks
	if err != nil {
		return 0, err
	}
	d, err := s.read(ctx)
	if err != nil {
		return 0, s.nameDamage(ctx, err)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	l, err := ledger.Inspect(ctx, d, now)
	if err != nil {
		return 0, s.nameDamage(ctx, err)
	}
	doc := &doctor{store: s, head: head, db: d, ledger: l, now: now, out: out}
	for _, part := range []struct {
		name  string
		check func(context.Context) error
	}{
		{name: "file", check: doc.file}, {name: "signed head", check: doc.signed},
		{name: "chain and ledger", check: doc.chain}, {name: "ratings", check: doc.ratings},
		{name: "cups", check: doc.cups}, {name: "market", check: doc.market},
		{name: "portfolios", check: doc.portfolios}, {name: "leaderboards", check: doc.boards},
		{name: "ended accounts", check: doc.leftovers},
	} {
		before := doc.found
		if err := part.check(ctx); err != nil {
			return doc.found, fmt.Errorf("doctor: %s: %w", part.name, err)
		}
		if n := doc.found - before; n > 0 {
			doc.printf("%s: %d differences", part.name, n)
		} else {
			doc.printf("%s: in order", part.name)
		}
	}
	return doc.found, errors.Join(doc.failed...)
}

// nameDamage adds the damaged tables to the error of a damaged file that cannot be opened.
func (s Store) nameDamage(ctx context.Context, err error) error {
	c := s.location()
	if c.Path == "" || !errors.Is(err, store.ErrNotDatabase) {
		return err
	}
	c.ReadOnly = true
	d, errOpen := openAny(ctx, c)
	if errOpen != nil {
		return err
	}
	list, _ := d.IntegrityErrors(ctx) // err is reported in any case
	for _, damage := range list {
		err = fmt.Errorf("%w\n%s", err, names.Printable(damage))
	}
	return errors.Join(err, d.Close())
}

// doctor is one run of Doctor.
type doctor struct {
	store  Store
	head   *ledger.HeadFile
	db     *store.DB
	ledger *ledger.Ledger
	now    func() time.Time
	out    io.Writer
	found  int
	failed []error // the first error of writing to out, if any
}

// printf prints a line, without control characters: names and damaged rows could otherwise hide differences from
// an operator's terminal, or steer it.
func (d *doctor) printf(format string, args ...any) {
	line := names.Printable(fmt.Sprintf(format, args...))
	if _, err := fmt.Fprintln(d.out, line); err != nil && d.failed == nil {
		d.failed = append(d.failed, err)
	}
}

func (d *doctor) differ(what, expected, found string) {
	d.found++
	d.printf("  %s: expected %s, found %s", what, expected, found)
}

// differing reports one difference.
type differing func(what, expected, found string)

// view runs fn in a View, and reports the differences of its last run: the closure may be retried.
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

// file checks the pages of a SQLite file, and says when nothing checks those of PostgreSQL.
func (d *doctor) file(ctx context.Context) error {
	unguarded, err := d.db.Unguarded(ctx)
	if err != nil {
		return err
	}
	if unguarded {
		d.printf("  the server keeps no checksums of its pages, so a flipped bit can pass: stop it and run pg_checksums --enable")
	}
	list, err := d.db.IntegrityErrors(ctx)
	for _, damage := range list {
		d.differ("the database file", "well-formed SQLite pages", damage)
	}
	return err
}

// signed checks the log against the data folder's record of signed heads.
func (d *doctor) signed(ctx context.Context) error {
	_, err := ledger.CheckHeadFile(ctx, d.db, d.head, d.store.Database == "")
	rolled, isRolled := errors.AsType[*ledger.RollbackError](err)
	switch {
	case isRolled:
		d.differ("the log, by "+rolled.File, fmt.Sprintf("a tree of %d blocks with the root %v, which was signed",
			rolled.Size, rolled.Root),
			fmt.Sprintf("a database with %d blocks that %s", rolled.Has, rolled.What))
	case errors.Is(err, ledger.ErrHeadFileLost), errors.Is(err, ledger.ErrOtherChain):
		if d.store.Database != "" { // the node's own folder has the record; doctor may run elsewhere
			d.printf("  %s has no record of signed heads: not compared", d.head.Path())
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
		d.printf("  and %d more", more)
	}
	return nil
}

// mostRatings bounds how many differences of ratings are reported.
const mostRatings = 1000

func (d *doctor) ratings(ctx context.Context) error {
	return d.view(ctx, func(ctx context.Context, tx *store.Tx, differ differing) error {
		book, err := d.book(ctx, tx, differ)
		if err != nil {
			return err
		}
		list, err := new(arena.Service).Audit(ctx, tx, book, mostRatings)
		for _, p := range list {
			differ(fmt.Sprintf("%s of %s among %s", p.What, p.Where, p.Pool), p.Expected, p.Found)
		}
		return err
	})
}

func (d *doctor) cups(ctx context.Context) error {
	return d.view(ctx, func(ctx context.Context, tx *store.Tx, differ differing) error {
		return new(cup.Service).Check(ctx, tx, func(p cup.Divergence) { differ(p.What, p.Expected, p.Found) })
	})
}

// book returns the ratings by the chain, and compares the void results and the recoveries with their public
// reasons.
func (d *doctor) book(ctx context.Context, tx *store.Tx, differ differing) (*arena.Book, error) {
	void, err := operator.Voids(ctx, tx, time.UnixMilli(0))
	if err != nil {
		return nil, err
	}
	reasons, restored, games := map[string]chain.Hash{}, map[string]chain.Hash{}, []string{}
	for _, v := range void {
		reasons[v.Game], games = chain.HashText(v.Reason), append(games, v.Game)
		if v.Restored != nil {
			restored[v.Game] = chain.HashText(v.Restored.Reason)
		}
	}
	agree := func(what string, stored map[string]chain.Hash, game string, hash chain.Hash) {
		if stored[game] != hash {
			differ("the reason of the "+what+" result of "+game, "the hash "+hash.String(), stored[game].String())
		}
		delete(stored, game)
	}
	book := arena.NewBook(games...)
	recoveries := map[int64]chain.Hash{}
	err = d.ledger.Each(ctx, tx, func(t *chain.Tx, transcript []byte) {
		if r, ok := t.Data.(*chain.Recovery); ok {
			recoveries[r.Number] = r.ReasonHash
		}
		if v, ok := t.Data.(*chain.ResultVoid); ok {
			agree("void", reasons, v.Game, v.ReasonHash)
		}
		if v, ok := t.Data.(*chain.ResultRestore); ok {
			agree("restored", restored, v.Game, v.ReasonHash)
		}
		book.Add(t, transcript)
	})
	for game := range reasons {
		differ("the void result of "+game, "a result.void transaction", "none")
	}
	for game := range restored {
		differ("the restored result of "+game, "a result.restore transaction", "none")
	}
	if err != nil {
		return nil, err
	}
	return book, d.recoveries(ctx, tx, recoveries, differ)
}

// recoveries compares the published reasons of recoveries with their hashes on the chain.
func (d *doctor) recoveries(ctx context.Context, tx *store.Tx, hashes map[int64]chain.Hash, differ differing) error {
	stored, err := d.ledger.RecoveryReasons(ctx, tx)
	if err != nil {
		return err
	}
	for number, reason := range stored {
		if want := hashes[number]; want != chain.HashText(reason) {
			differ(fmt.Sprintf("the reason of recovery %d", number), "the hash "+want.String(), chain.HashText(reason).String())
		}
		delete(hashes, number)
	}
	for number := range hashes {
		differ(fmt.Sprintf("recovery %d", number), "a reason", "none")
	}
	return nil
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
