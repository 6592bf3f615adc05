package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"roshambo/bench/probe"
)

// options select the measurements; each is a flag.
type options struct {
	Build         []string      `help:"Builds of the service; each row is measured on one after the other. The last is what ratios refer to, unless Nakama is." default:"roshambo=roshambo" placeholder:"NAME=BINARY"`
	Nakama        string        `help:"Measure this binary of Nakama too; needs --database." placeholder:"BINARY"`
	NakamaModules string        `help:"The folder with the module of bench/nakama, compiled." placeholder:"FOLDER"`
	Database      []string      `help:"An empty PostgreSQL database for each server, in their order; without them, SQLite in temporary folders. The role may create tables and need not be a superuser." placeholder:"URL"`
	Rounds        int           `help:"Of each row; fewer than 8 decide nothing." default:"8"`
	Duration      time.Duration `help:"Of each measurement." default:"3s"`
	Only          []string      `help:"Rows to measure, by the beginnings of their names, with commas between; all unless named." placeholder:"ROW"`
	Accounts      int           `help:"Accounts that play at the same time." default:"8000"`
	Crowd         int           `help:"Accounts on the larger leaderboard." default:"120000"`
	Listings      int           `help:"Listings on the market that is read." default:"50000"`
	Entries       int           `help:"Ledger entries of the account whose portfolio is read." default:"10000"`
	Streams       int           `help:"Event streams that are open at the same time." default:"2000"`
	Sizes         []int64       `help:"Lengths of the chains that are made to measure verification and the explorer; 5000000 takes minutes and 3 GB." default:"200000" placeholder:"N"`
	Keep          string        `help:"Keep these chains, as data folders below this folder." placeholder:"FOLDER"`
	Results       string        `help:"Append each measurement to this file, as a line of JSON with the commit of the build." placeholder:"FILE"`
	Profile       string        `help:"After each row, write a processor profile of each build during one more measurement: FILE.row.build." placeholder:"FILE"`
}

// build returns the name and the binary of one of the builds.
func (o *options) build(i int) (name, binary string) {
	name, binary, _ = strings.Cut(o.Build[i], "=")
	return name, binary
}

// row is a row of the table.
type row struct {
	name string
	// value is the format of the compared value, figures are the formats of further ones.
	value   string
	figures []string
	ours    bool // Nakama has no such thing
	once    bool // a repetition would change the measured value
	do      func(ctx context.Context, b *bench, r *rival) (result, error)
}

// bench is one run of the measurements.
type bench struct {
	options

	folder    string
	cluster   *probe.Cluster // of the databases; nil if there is none on this machine
	rivals    []*rival
	lines     []string // of the table
	results   io.Writer
	profileTo string // the file for a profile during the next measurement; "" for none
	matched   bool   // --only has named a row
}

// measure runs the selected rows and writes the table. All servers have ended when it returns.
func measure(ctx context.Context, o options) (err error) {
	if o.Rounds < 1 || o.Duration <= 0 || min(o.Accounts, o.Crowd, o.Listings, o.Entries, o.Streams) < 1 {
		return errors.New("bench: numbers and the duration must be positive")
	}
	if len(o.Sizes) == 0 || slices.Min(o.Sizes) < 1000 {
		return errors.New("bench: chains have at least 1000 transactions")
	}
	b := &bench{options: o, results: io.Discard}
	if o.Results != "" {
		f, err := os.OpenFile(o.Results, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		b.results = f
	}
	if b.folder, err = os.MkdirTemp("", "roshambo-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.folder)) }()
	defer func() {
		for _, r := range b.rivals {
			r.stop()
		}
	}()
	if err := b.startAll(ctx); err != nil {
		return err
	}
	// The rows measured before an error are of use.
	err = errors.Join(b.measureAll(ctx), b.write(os.Stdout))
	if err == nil && !b.matched {
		err = fmt.Errorf("bench: no row is named %s", strings.Join(o.Only, " or "))
	}
	return err
}

// measureAll measures every row. Later groups rely on the data of earlier ones only where they put
// it there, so --only can name any of them.
func (b *bench) measureAll(ctx context.Context) error {
	nodes := nodeRows
	if len(b.Database) == 0 {
		nodes = nil
	}
	for _, g := range []struct {
		rows    []row
		prepare func(context.Context) error
	}{
		{idleRows, nil}, {freshRows, b.gather}, {loadedRows, nil}, {crowdedRows, b.crowd}, {nodes, nil},
	} {
		if slices.ContainsFunc(g.rows, b.selected) && g.prepare != nil {
			if err := g.prepare(ctx); err != nil {
				return err
			}
		}
		if err := b.rows(ctx, b.rivals, g.rows); err != nil {
			return err
		}
	}
	return b.scale(ctx)
}

// selected reports whether --only names a row, by its beginning, or nothing.
func (b *bench) selected(w row) bool {
	named := len(b.Only) == 0 || slices.ContainsFunc(b.Only, func(s string) bool { return strings.HasPrefix(w.name, s) })
	b.matched = b.matched || named
	return named
}

// rows measures rows on servers.
func (b *bench) rows(ctx context.Context, on []*rival, rows []row) error {
	for _, w := range rows {
		if !b.selected(w) {
			continue
		}
		if err := b.row(ctx, on, w); err != nil {
			return fmt.Errorf("bench: %s: %w", w.name, err)
		}
	}
	return nil
}

// row measures a row on every server in each round, and adds the medians to the table. Each round begins with
// another server, as what one has left to do, such as transactions to seal, takes time from the next.
func (b *bench) row(ctx context.Context, on []*rival, w row) error {
	all, rounds := make([][]result, len(b.rivals)), b.Rounds
	if w.once {
		rounds = 1
	}
	var loads []float64
	for round := range rounds {
		for i := range on {
			r := on[(round+i)%len(on)]
			if w.ours && !r.ours() {
				continue
			}
			b.say("%s, round %d, %s …", w.name, round+1, r.name)
			load, err := loadBefore(w)
			if err != nil {
				return err
			}
			loads = append(loads, load)
			one, err := w.do(ctx, b, r)
			if err := errors.Join(err, ctx.Err()); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			all[r.column] = append(all[r.column], one)
			if err := b.record(w, r, round, load, one); err != nil {
				return err
			}
		}
	}
	b.add(w, all, rounds, loads)
	return b.profile(ctx, on, w)
}

// loadBefore returns the load before a measurement. Unless the row says what is left of an earlier one, loadBefore
// waits for up to four seconds until this machine has no other work, as servers seal and count for a while.
func loadBefore(w row) (load float64, err error) {
	for range 8 {
		if load, err = probe.Load(); err != nil || w.once || load < mostLoad {
			break
		}
	}
	return load, err
}

// record appends a measurement to the file of results.
func (b *bench) record(w row, r *rival, round int, load float64, one result) error {
	return json.NewEncoder(b.results).Encode(struct {
		At      time.Time `json:"at"`
		Engine  string    `json:"engine"`
		Server  string    `json:"server"`
		Commit  string    `json:"commit"`
		Row     string    `json:"row"`
		Formats []string  `json:"formats"` // of the value and the figures
		Round   int       `json:"round"`
		Load    float64   `json:"load"` // before the measurement
		result
	}{time.Now().UTC(), b.engine(), r.name, r.commit, w.name, append([]string{w.value}, w.figures...), round + 1, load, one})
}

// add adds a row to the table: on each server the median with its interval and the medians of the
// figures, and the ratios to the last server, round by round.
func (b *bench) add(w row, all [][]result, rounds int, loads []float64) {
	name := w.name
	if !w.once {
		name += doubt(rounds, loads)
	}
	cells := []string{name}
	for _, results := range all {
		cell := ""
		if len(results) > 0 {
			cell = estimated(column(results, -1)).format(w.value)
			for i, format := range w.figures {
				if m := estimated(column(results, i)).median; m > 0 {
					cell += ", " + fmt.Sprintf(format, m)
				}
			}
		}
		cells = append(cells, cell)
	}
	last := all[len(all)-1]
	for _, results := range all[:len(all)-1] {
		cell := ""
		if len(results) > 0 && len(last) > 0 {
			cell = estimated(ratios(results, last)).format("%.2f")
		}
		cells = append(cells, cell)
	}
	b.lines = append(b.lines, "| "+strings.Join(cells, " | ")+" |")
}

// profile writes a processor profile of each build during one more measurement of a row.
func (b *bench) profile(ctx context.Context, on []*rival, w row) error {
	for _, r := range on {
		if b.Profile == "" || w.once || r.server.Admin == "" {
			continue
		}
		b.profileTo = b.Profile + "." + strings.NewReplacer(" ", "-", ",", "", "/", "").Replace(w.name) + "." + r.name
		_, err := w.do(ctx, b, r)
		b.profileTo = ""
		if err != nil {
			return err
		}
	}
	return nil
}

// engine returns the name of the database.
func (b *bench) engine() string {
	if len(b.Database) == 0 {
		return "SQLite"
	}
	return "PostgreSQL"
}

// write writes the table.
func (b *bench) write(w io.Writer) error {
	head, rule, builds := "| measured |", "|---|", ""
	last := b.rivals[len(b.rivals)-1]
	for _, r := range b.rivals {
		head, rule, builds = head+" "+r.name+" |", rule+"---|", builds+", "+r.name+" "+r.commit
	}
	for _, r := range b.rivals[:len(b.rivals)-1] {
		head, rule = head+" "+r.name+" : "+last.name+" |", rule+"---|"
	}
	_, err := fmt.Fprintf(w, "%s, %d cores, %s, %s; medians of %d rounds of %v [95 %% intervals]%s\n\n%s\n%s\n%s\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.Version(), b.engine(), b.Rounds, b.Duration,
		builds, head, rule, strings.Join(b.lines, "\n"))
	return err
}

// say writes a line to the progress output.
func (b *bench) say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// commitOf returns the commit that a binary was built from, with a + if files had been changed.
func commitOf(binary string) string {
	commit, changed := "unknown", ""
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return commit
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 10)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	return cmp.Or(commit, "unknown") + changed
}
