package main

import (
	"context"
	"errors"
	"os"

	"roshambo/internal/app"
)

// moveCommand moves a stopped service from SQLite to PostgreSQL, or back.
type moveCommand struct {
	From string `help:"Data folder of the stopped service, or a backup; or its PostgreSQL database, postgres://…." default:"${data}" env:"ROSHAMBO_DATA" placeholder:"FOLDER|URL"`
	To   string `help:"An empty PostgreSQL database, postgres://user@host:5432/database; or a folder without a database. A password is better in PGPASSWORD or ~/.pgpass than here." required:"" placeholder:"URL|FOLDER"`
}

// Run moves the tables. The exit status is 2 if the move cannot begin, 1 if it is not finished.
func (c *moveCommand) Run(ctx context.Context, code *int) error {
	err := app.Move(ctx, app.MoveOptions{From: c.From, To: c.To, Out: os.Stdout})
	if errors.Is(err, app.ErrMoveNotBegun) {
		*code = 2
	}
	return err
}
