// Command bench measures the service from outside: the shipped binary in its own process,
// real requests over loopback, every response durable. It prints a table in Markdown.
//
// Absolute figures vary on a shared machine. Each row is therefore measured in rounds, on one
// server after the other, and reported as the median of the rounds with a 95 % interval; a row
// with fewer than eight rounds, or on a busy machine, says that it decides nothing. Verification
// is compared with SHA-256 alone on one core, over the bytes that it hashes.
//
// It is a separate module: the shipped binary contains neither the measurements nor the
// generators of long chains and full databases. tools/bench builds both and runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"roshambo/bench/attack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run parses the flags and runs the measurements, the attacks, or a flood of theirs (--flood).
func run(ctx context.Context) error {
	var c struct {
		options `embed:""`
		Attacks bool   `help:"Run the attack suite on the first build instead: a table of what abuse yields, beside an honest player. --only selects attacks."`
		Flood   string `hidden:"" help:"Send a flood for the attack suite, as its JSON says."`
	}
	kong.Parse(&c, kong.Name("bench"),
		kong.Description("Measures builds of the service on this machine, beside each other and Nakama."))
	switch {
	case c.Flood != "":
		return attack.Flood(ctx, c.Flood, os.Stdout)
	case c.Attacks:
		_, binary := c.build(0)
		return attack.Run(ctx, attack.Options{Binary: binary, Only: c.Only, Duration: c.Duration, Out: os.Stdout,
			Progress: os.Stderr})
	}
	return measure(ctx, c.options)
}
