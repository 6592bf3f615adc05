package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. It restores the
// default action of signals first, so that a second signal ends the process without a drain.
func untilSignal() context.Context {
	ctx, stop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		// Stop first, so that a second signal is not delivered to the channel.
		signal.Stop(signals)
		stop()
	}()
	return ctx
}
