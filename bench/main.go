// Command bench measures the service from outside: the shipped binary in its own process,
// real requests over loopback, every response durable. It prints a report in Markdown.
//
// Absolute figures vary on a shared machine. Each is therefore compared with a reference
// measured in the same run with the same client: a bare net/http handler that decodes and
// encodes JSON of the same size and stores nothing, and SHA-256 alone on one core over the
// bytes that a verification hashes.
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

// run parses the flags and runs the measurements, the reference server (--bare), or a flood (--flood).
func run(ctx context.Context) error {
	var c struct {
		options `embed:""`
		Attacks bool   `help:"Run the attack suite in place of the measurements: a table of what abuse yields, against an honest player. --only selects attacks."`
		Bare    bool   `hidden:"" help:"Run the reference server."`
		Flood   string `hidden:"" help:"Send a flood for the attack suite, as its JSON says."`
	}
	kong.Parse(&c, kong.Name("bench"),
		kong.Description("Measures the service on this machine, against reference measurements."))
	if c.Bare {
		return serveBare(ctx, os.Stderr)
	}
	if c.Flood != "" {
		return runFlood(ctx, c.Flood, os.Stdout)
	}
	c.Out, c.Progress = os.Stdout, os.Stderr
	if c.Attacks {
		return runAttacks(ctx, c.options)
	}
	if len(c.Compare) > 0 || c.Nakama != "" {
		return compare(ctx, c.options)
	}
	return measure(ctx, c.options)
}
