package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/ledger/publiclog"
	"roshambo/verify"
)

// mirrorCommand keeps a verified copy of the public log of a service.
type mirrorCommand struct {
	URL    string        `arg:"" help:"The service, for example https://roshambo.example.org."`
	Folder string        `help:"Folder of the copy; it grows with the log." default:"roshambo-mirror" type:"path"`
	Every  time.Duration `help:"Pause between two rounds. Each round verifies the whole copy." default:"1m"`
	Once   bool          `help:"End after one round: exit status 0 if service and copy agree, else 1."`
	Listen string        `help:"Serve the copy, read-only, on this address; port 0 picks a free one." placeholder:"ADDRESS"`
	Tail   int64         `name:"max-tail" help:"GiB of new blocks that a round may append before it verifies them; a service with more ends the round with an error." default:"16" placeholder:"GIB"`
	Key    *string       `help:"The verifier key of the log, from a source you trust; without it the first key that the service names is pinned." placeholder:"KEY"`
	chainPolicy
}

// gib is one GiB, and maxTail the most of them.
const (
	gib     = 1 << 30
	maxTail = 1 << 20
)

// check returns an error for wrong usage.
func (c *mirrorCommand) check() error {
	if !strings.HasPrefix(c.URL, "http://") && !strings.HasPrefix(c.URL, "https://") {
		return fmt.Errorf("%q is not a URL such as https://roshambo.example.org", c.URL)
	}
	if c.Key != nil {
		if _, err := verify.ParseKey(*c.Key); err != nil {
			return fmt.Errorf("--key: %w", err)
		}
	}
	switch {
	case c.Every < time.Second:
		return errors.New("--every: at least 1s")
	case c.Tail < 1 || c.Tail > maxTail:
		return fmt.Errorf("--max-tail: 1 to %d", maxTail)
	case c.Once && c.Listen != "":
		return errors.New("--once ends after a round, and does not serve (--listen)")
	}
	return c.chainPolicy.check()
}

// Run mirrors until ctx ends, or for one round.
func (c *mirrorCommand) Run(ctx context.Context, code *int) (err error) {
	if err := c.check(); err != nil {
		*code = 2
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	log := &publiclog.Log{URL: c.URL, HTTP: http.DefaultClient}
	m, err := publiclog.OpenMirror(ctx, log, c.Folder, verify.ChainOptions{
		Key: c.Key, Witnesses: c.Witness, Quorum: c.Quorum, WitnessesFrom: c.WitnessesFrom,
		Spill: app.VerifySpill,
	}, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	m.MaxTail = c.Tail * gib
	if c.Once {
		return m.Sync(ctx)
	}
	if c.Listen == "" {
		m.Run(ctx, c.Every)
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Run(ctx, c.Every)
	}()
	err = app.ServeAlone(ctx, c.Listen, m, func(address string) {
		logger.Info("the mirror is up", "url", "http://"+address, "blocks", m.Size())
	})
	stop() // also when the address cannot be served
	<-done
	return err
}
