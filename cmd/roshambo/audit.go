package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"roshambo/internal/app"
	"roshambo/verify"
)

// auditCommand verifies a whole chain and prints the record of the house.
type auditCommand struct {
	chainSource
	JSON bool `name:"json" help:"Print the figures as one line of JSON."`
}

// Run verifies and prints. The exit status is the same as of verify-chain: without a valid chain there
// are no figures, because a game that does not follow from its seeds has no outcome.
func (c *auditCommand) Run(ctx context.Context, code *int) error {
	if err := c.check(code); err != nil {
		return err
	}
	line := newStatusLine("verified")
	report, err := c.verify(ctx, verify.ChainOptions{Spill: app.VerifySpill, Progress: line.show})
	line.clear()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errFolderCheckpoint) {
		*code = 2
	}
	if err != nil {
		return err
	}
	if !report.Valid {
		*code = 1
		return report.WriteText(os.Stdout)
	}
	fmt.Fprint(os.Stderr, report.Kept.Text()) // beside the figures, which are the same for every reader
	audit := report.Record.Audit()
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(audit)
	}
	_, err = fmt.Fprint(os.Stdout, audit.Text())
	return err
}
