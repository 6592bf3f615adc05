package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"text/tabwriter"
	"time"
)

// measured are the packages that must reach the minimum score.
var measured = []string{
	"internal/service/account", "internal/service/run", "internal/service/duel", "internal/service/arena", "internal/service/market", "internal/service/portfolio",
	"internal/service/score", "internal/service/team", "internal/platform/idempotency", "internal/platform/event", "internal/platform/lease", "internal/ledger", "internal/ledger/audit",
}

// errLow reports a score below the minimum.
var errLow = errors.New("the tests detect too few mistakes")

// score is the result for one package.
type score struct {
	pkg       string
	tried     int
	survivors []*mutant
	took      time.Duration
}

func (s *score) percent() float64 {
	if s.tried == 0 {
		return 100
	}
	return 100 * float64(s.tried-len(s.survivors)) / float64(s.tried)
}

// measure plants mistakes in all packages and prints the results.
func measure(ctx context.Context, o options, out io.Writer) error {
	root, err := filepath.Abs(o.root)
	if err != nil {
		return err
	}
	o.root = root
	known, err := readEquivalents(o.equivalent)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	l := &lab{options: o, folder: folder}
	scores, err := l.all(ctx, known, out)
	err = errors.Join(err, os.RemoveAll(folder))
	if scores == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	return errors.Join(err, report(scores, o, out))
}

// all measures the packages in order.
func (l *lab) all(ctx context.Context, known []equivalent, out io.Writer) (scores []*score, err error) {
	var stale error
	for _, pkg := range l.packages {
		list, err := mutantsOf(l.root, pkg)
		if err != nil {
			return nil, err
		}
		list, unfit := without(list, known, pkg)
		if unfit != nil {
			stale = errors.Join(stale, errLow, unfit)
		}
		if l.only != "" {
			list = slices.DeleteFunc(list, func(m *mutant) bool { return m.kind != l.only })
		}
		shuffle(list, l.seed, pkg)
		s, err := l.one(ctx, pkg, list, out)
		if err != nil {
			return nil, err
		}
		scores = append(scores, s)
	}
	return scores, stale
}

// shuffle orders mutants by the seed and the package's name.
func shuffle(list []*mutant, seed uint64, pkg string) {
	var of uint64
	for _, c := range []byte(pkg) {
		of = of*31 + uint64(c)
	}
	random := rand.New(rand.NewPCG(seed, of))
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// one measures a package.
func (l *lab) one(ctx context.Context, pkg string, list []*mutant, out io.Writer) (*score, error) {
	if err := l.prepare(ctx, pkg); err != nil {
		return nil, err
	}
	start := time.Now()
	s := &score{pkg: pkg}
	var mu sync.Mutex // guards next, started, failed, s and out
	var failed error
	next, started := 0, 0
	take := func() (m *mutant, n int) {
		mu.Lock()
		defer mu.Unlock()
		if failed != nil || ctx.Err() != nil || next == len(list) || started == l.n {
			return nil, 0
		}
		m, next, started = list[next], next+1, started+1
		return m, next
	}
	tell := func(m *mutant, v verdict, err error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
			return
		case v == broken: // the next mutant takes its place
			started--
			return
		case v == survived:
			s.survivors = append(s.survivors, m)
			fmt.Fprintf(out, "%s:%d %s: %s\n- %s\n+ %s\n\n", m.file, m.line, m.function, m.kind, m.was, m.is)
		}
		s.tried++
	}
	var all sync.WaitGroup
	for range l.parallel {
		all.Go(func() {
			for m, n := take(); m != nil; m, n = take() {
				v, err := l.try(ctx, m, n)
				tell(m, v, err)
			}
		})
	}
	all.Wait()
	s.took = time.Since(start)
	fmt.Fprintf(out, "%s: %d of %d killed in %v\n\n", pkg, s.tried-len(s.survivors), s.tried, s.took.Round(time.Second))
	return s, failed
}

// report prints the table of results.
func report(scores []*score, o options, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "package\tmutants\tkilled\tscore")
	var low error
	for _, s := range scores {
		fmt.Fprintf(w, "%s\t%d\t%d\t%.0f %%\n", s.pkg, s.tried, s.tried-len(s.survivors), s.percent())
		if s.percent() < o.min {
			low = errors.Join(low, fmt.Errorf("%w: %s has %.0f %%, less than %.0f %%", errLow, s.pkg, s.percent(), o.min))
		}
	}
	return errors.Join(w.Flush(), low)
}
