package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"roshambo/internal/app"
)

// doctorCommand audits a service's database.
type doctorCommand struct {
	Data     string `help:"Folder of the database and of the record of the signed log." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Database string `help:"PostgreSQL database, instead of the one in the folder; a standby suffices." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
}

// Run recomputes all derived data and prints every difference. The exit status is 0 without
// differences, 1 with some, 2 without a database.
func (c *doctorCommand) Run(ctx context.Context, code *int) error {
	// Found is the number of differences; they are printed as they are found.
	found, err := app.Doctor(ctx, app.Store{Data: c.Data, Database: c.Database}, time.Now, os.Stdout)
	if errors.Is(err, fs.ErrNotExist) {
		*code = 2
	}
	if err != nil {
		return err
	}
	if found > 0 {
		*code = 1
	}
	return nil
}
