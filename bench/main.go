// Command bench measures the service from outside, as its users meet it: the real binary
// in a process of its own, real requests over loopback, every answer durable. It prints a
// report in Markdown.
//
// Absolute figures say little on a shared machine. So each is set beside a yardstick
// that is measured in the same run with the same client: a bare net/http handler that
// reads and writes JSON of the same size and keeps nothing, and SHA-256 alone on one
// core over the bytes that a verification hashes.
//
// It is a module of its own: the shipped binary holds neither it nor the makers of long
// chains and full databases that it needs. tools/bench builds both and runs it.
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

func run(ctx context.Context) error {
	var c struct {
		options `embed:""`
		Bare    bool `hidden:"" help:"Serve the yardstick."`
	}
	kong.Parse(&c, kong.Name("bench"), kong.Description("Measures the service on this machine, beside yardsticks."))
	if c.Bare {
		return serveBare(ctx, os.Stderr)
	}
	c.Out, c.Progress = os.Stdout, os.Stderr
	return measure(ctx, c.options)
}
