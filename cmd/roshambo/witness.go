package main

import (
	"context"
	"log/slog"
	"os"

	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/app"
)

// witnessCommand runs a witness, which other parties operate for services.
type witnessCommand struct {
	Listen string   `help:"Address to listen on; port 0 picks a free one." default:"127.0.0.1:8090"`
	Data   string   `help:"Folder of the witness's key and of the cosigned checkpoints." default:"roshambo-witness" type:"path"`
	Name   string   `help:"Name of a new key: a domain and a path, without scheme; random by default." placeholder:"NAME"`
	For    []string `name:"log" help:"Verifier key of a log to cosign, as in the service's log and in GET /api/chain/head; repeat for each." required:"" placeholder:"KEY"`
}

// Run serves until ctx is done. The exit status is 2 for an invalid key.
func (c *witnessCommand) Run(ctx context.Context, code *int) error {
	// Check all keys before the witness creates its own.
	for _, key := range c.For {
		if _, err := note.NewVerifier(key); err != nil {
			*code = 2
			return err
		}
	}
	return app.ServeWitness(ctx, app.WitnessConfig{
		Listen: c.Listen, Data: c.Data, Name: c.Name, Logs: c.For, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
}
