package main

import (
	"context"
	"log/slog"
	"os"

	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/app"
)

// witnessCommand runs a witness of logs, such as others run for a service.
type witnessCommand struct {
	Listen string   `help:"Address to listen on; port 0 picks a free one." default:"127.0.0.1:8090"`
	Data   string   `help:"Folder of the witness's key, and of what it has cosigned." default:"roshambo-witness" type:"path"`
	Name   string   `help:"Name of the key, when it is made: a domain and a path, without scheme; made up when not given." placeholder:"NAME"`
	For    []string `name:"log" help:"Verifier key of a log to cosign, as its service says at its start and in GET /api/chain/head; again for each." required:"" placeholder:"KEY"`
}

// Run serves until ctx ends. What cannot be a key is exit status 2.
func (c *witnessCommand) Run(ctx context.Context, code *int) error {
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
