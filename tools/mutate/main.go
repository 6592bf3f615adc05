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
	n          int
	seed       uint64
	parallel   int
	limit      time.Duration
	equivalent string
	min        float64
	only       string
	own        bool
}

func main() {
	var o options
	packages := flag.String("packages", strings.Join(measured, ","), "the packages, by their folders, with commas between")
	flag.StringVar(&o.root, "root", "../..", "the module's folder")
	flag.IntVar(&o.n, "n", 10, "mistakes to plant in each package")
	flag.Uint64Var(&o.seed, "seed", 1, "what the choice of mistakes follows from")
	flag.IntVar(&o.parallel, "parallel", 2, "mistakes that are tried at the same time")
	flag.DurationVar(&o.limit, "limit", 2*time.Minute, "the longest that the tests of one package may take with one mistake")
	flag.StringVar(&o.equivalent, "equivalent", "equivalent.txt", "the mistakes that make no difference")
	flag.Float64Var(&o.min, "min", 90, "the least score of each package, in percent")
	flag.StringVar(&o.only, "only", "", "plant only this kind of mistake")
	flag.BoolVar(&o.own, "own", false, "ask the package's own tests alone: quicker, and the score is at most what it is with all")
	flag.Parse()
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
