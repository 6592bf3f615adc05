package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"text/tabwriter"
	"time"
)

// measured are the packages that must reach the minimum score.
var measured = []string{
	"internal/service/account", "internal/service/run", "internal/service/duel", "internal/service/arena",
	"internal/service/market", "internal/service/portfolio",
	"internal/service/score", "internal/service/team", "internal/service/cup", "internal/service/operator",
	"internal/platform/idempotency", "internal/platform/names", "internal/platform/event", "internal/platform/lease", "internal/ledger",
	"internal/ledger/audit", "chain/tables",
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
	scores, err := measureAll(ctx, o, known, out)
	if scores == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	return errors.Join(err, report(scores, o, out))
}

// measureAll measures the packages in order.
func measureAll(ctx context.Context, o options, known []equivalent, out io.Writer) (scores []*score, err error) {
	var stale error
	for _, pkg := range o.packages {
		list, err := mutantsOf(o.root, pkg)
		if err != nil {
			return nil, err
		}
		list, unfit := without(list, known, pkg)
		if unfit != nil {
			stale = errors.Join(stale, errLow, unfit)
		}
		if o.only != "" {
			list = slices.DeleteFunc(list, func(m *mutant) bool { return m.kind != o.only })
		}
		shuffle(list, o.seed)
		s, err := measureOne(ctx, o, pkg, list, out)
		if err != nil {
			return nil, err
		}
		scores = append(scores, s)
	}
	return scores, stale
}

// shuffle orders mutants by a hash of the seed, their function and their change, and not by their place: after an edit
// of a package its other mutants keep their order, so two versions are measured by the same sample.
func shuffle(list []*mutant, seed uint64) {
	hash := func(m *mutant) []byte {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%s\n%s\n%s", seed, m.pkg, m.function, m.kind, m.was, m.is))
		return sum[:]
	}
	slices.SortStableFunc(list, func(x, y *mutant) int { return bytes.Compare(hash(x), hash(y)) })
}

// measureOne measures a package.
func measureOne(ctx context.Context, o options, pkg string, list []*mutant, out io.Writer) (s *score, err error) {
	start := time.Now()
	folder, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	l, list, err := newLab(ctx, o, pkg, folder, list)
	if err != nil {
		return nil, err
	}
	s = &score{pkg: pkg}
	var mu sync.Mutex // guards failed, s and out
	var failed error
	tell := func(m *mutant, v verdict, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			failed = errors.Join(failed, err)
			return
		}
		if v == survived {
			s.survivors = append(s.survivors, m)
			fmt.Fprintf(out, "%s:%d %s: %s\n- %s\n+ %s\n\n", m.file, m.line, m.function, m.kind, m.was, m.is)
		}
		s.tried++
	}
	next := make(chan *mutant, len(list))
	for _, m := range list {
		next <- m
	}
	close(next)
	var all sync.WaitGroup
	for range o.parallel {
		all.Go(func() {
			for m := range next {
				if ctx.Err() != nil {
					return
				}
				v, err := l.try(ctx, m)
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
