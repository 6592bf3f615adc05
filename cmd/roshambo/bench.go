package main

import (
	"context"
	"os"
	"time"

	"roshambo/internal/bench"
)

// benchCommand measures the service on this machine.
type benchCommand struct {
	Connections  int           `help:"Connections of the client." default:"32"`
	Duration     time.Duration `help:"Of each measurement." default:"10s"`
	Accounts     int           `help:"Accounts that play at the same time." default:"8000"`
	Transactions int           `help:"Length of the chain that is verified." default:"200000"`
	Streams      int           `help:"Event streams that are open at the same time." default:"5000"`
	Boards       int           `help:"Accounts on the leaderboard that is read." default:"1000000"`
	Listings     int           `help:"Listings on the market that is read." default:"50000"`
	Entries      int           `help:"Ledger entries of the account whose portfolio is read." default:"10000"`
	Sizes        []int64       `help:"Lengths of the chains that are made to see how verification and the explorer do with it; 5000000 takes minutes and 3 GB." default:"10000,100000,1000000" placeholder:"N"`
	Keep         string        `help:"Keep these chains, as data folders below this folder." placeholder:"FOLDER"`
	Database     string        `help:"An empty PostgreSQL database to measure on; without it, SQLite in a temporary folder." placeholder:"URL"`
	Only         []string      `help:"Steps to measure, by the names that are shown as they begin, with commas between; all unless named." placeholder:"STEP"`
	Profile      string        `help:"Write CPU profiles of the server during authenticated reads, FILE.reads, and throws, FILE.1, FILE.2, one for each round, and of its memory after the load: FILE.heap. They distort the rate." placeholder:"FILE"`
	Bare         bool          `hidden:"" help:"Serve the yardstick."`
}

// Run measures, and prints the report as Markdown.
func (c *benchCommand) Run(ctx context.Context) error {
	if c.Bare {
		return bench.ServeBare(ctx, os.Stderr)
	}
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	return bench.Run(ctx, bench.Options{
		Binary: binary, Database: c.Database, Connections: c.Connections, Duration: c.Duration, Accounts: c.Accounts,
		Transactions: c.Transactions, Streams: c.Streams, Boards: c.Boards,
		Listings: c.Listings, Entries: c.Entries, Sizes: c.Sizes, Keep: c.Keep, Only: c.Only, Profile: c.Profile, Out: os.Stdout, Progress: os.Stderr,
	})
}
