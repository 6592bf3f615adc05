package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// options are the command's flags.
type options struct {
	root       string
	packages   []string
	n          int // mistakes per package
	seed       uint64
	parallel   int           // mutants tested concurrently
	limit      time.Duration // upper bound of the time limit for one suite
	equivalent string
	min        float64 // minimum score in percent
	only       string  // kind of mistakes; "" means all
	own        bool    // leaves out dependants
	postgres   string  // address of PostgreSQL, for mutants that pass the tests on SQLite; "" for none
}

// main exits with 1 for a low score, and with 2 if nothing could be measured.
func main() {
	var o options
	packages := flag.String("packages", strings.Join(measured, ","), "folders of the packages, separated by commas")
	flag.StringVar(&o.root, "root", "../..", "the module's folder")
	flag.IntVar(&o.n, "n", 10, "mistakes to plant in each package")
	flag.Uint64Var(&o.seed, "seed", 1, "seed for the choice of mistakes")
	flag.IntVar(&o.parallel, "parallel", 2, "number of mistakes tested concurrently")
	flag.DurationVar(&o.limit, "limit", 2*time.Minute, "time limit for the tests of one package with one mistake")
	flag.StringVar(&o.equivalent, "equivalent", "equivalent.txt", "file of mistakes without effect")
	flag.Float64Var(&o.min, "min", 90, "minimum score of each package, in percent")
	flag.StringVar(&o.only, "only", "", "plant only this kind of mistake")
	flag.BoolVar(&o.own, "own", false, "run only the package's own tests: faster; the score is a lower bound")
	flag.Parse()
	o.postgres = os.Getenv(database)
	o.packages = strings.Split(*packages, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := measure(ctx, o, os.Stdout)
	stop()
	switch {
	case errors.Is(err, errLow):
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
}
