package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"roshambo/internal/app"
)

// doctorCommand examines a service's database.
type doctorCommand struct {
	Data     string `help:"Folder of the database, and of what is remembered of the log." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Database string `help:"PostgreSQL database, in place of that of the folder; a standby will do." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
}

// Run works everything out again and prints every difference. The exit status is 0 when
// all is in order, 1 when something is not, 2 when there is no database.
func (c *doctorCommand) Run(ctx context.Context, code *int) error {
	found, err := app.Doctor(ctx, app.Store{Data: c.Data, Database: c.Database}, time.Now, os.Stdout)
	if errors.Is(err, fs.ErrNotExist) {
		*code = 2
	}
	if err == nil && found > 0 {
		*code = 1
	}
	return err
}
