package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"roshambo/client/lab"
	"roshambo/client/strategy"
)

// labCommand plays a tournament between strategies.
type labCommand struct {
	Strategies []string `arg:"" optional:"" help:"The strategies that take part; by default all."`
	Duels      int      `help:"Number of duels per match, best of five." default:"100"`
	Exploit    int      `help:"Number of rounds to measure exploitability." default:"1000"`
	Seed       string   `help:"Seed of all random moves: the same text gives the same moves." default:"roshambo"`
	Workers    int      `help:"Number of matches played concurrently; 0 means one per processor. The result does not depend on it." default:"0"`
	Replays    string   `help:"File for the duels, one line of JSON each." placeholder:"FILE" type:"path"`
	JSON       bool     `name:"json" help:"Print the result as JSON."`
	List       bool     `help:"List the strategies and exit."`
}

// Run plays and prints the result. The exit status is 2 for invalid options.
func (c *labCommand) Run(ctx context.Context, code *int) error {
	if c.List {
		return c.list(os.Stdout)
	}
	o, err := c.options()
	if err != nil {
		*code = 2
		return err
	}
	// An interrupted tournament leaves the replays of the matches that were completed.
	if c.Replays != "" {
		f, err := os.Create(c.Replays)
		if err != nil {
			return err
		}
		o.Replays = f
		result, err := lab.Run(ctx, o)
		return errors.Join(err, f.Close(), c.print(os.Stdout, result))
	}
	result, err := lab.Run(ctx, o)
	return errors.Join(err, c.print(os.Stdout, result))
}

// options returns the options of the tournament, checked.
func (c *labCommand) options() (o lab.Options, err error) {
	o = lab.Options{Duels: c.Duels, Exploit: c.Exploit, Seed: strategy.Seed{}.Derive(c.Seed), Workers: c.Workers}
	if o.Entrants, err = c.entrants(); err != nil {
		return o, err
	}
	err = o.Check()
	return o, err
}

// entrants returns the selected strategies, or all.
func (c *labCommand) entrants() ([]lab.Entrant, error) {
	if len(c.Strategies) == 0 {
		return lab.All(), nil
	}
	var entrants []lab.Entrant
	for _, name := range c.Strategies {
		e, err := lab.Named(name)
		if err != nil {
			return nil, fmt.Errorf("%w; `roshambo lab --list` lists the strategies", err)
		}
		entrants = append(entrants, e)
	}
	return entrants, nil
}

// print writes a result in the selected form, and nothing for nil.
func (c *labCommand) print(w io.Writer, result *lab.Result) error {
	switch {
	case result == nil:
		return nil
	case c.JSON:
		return result.WriteJSON(w)
	}
	return result.WriteText(w)
}

// list prints the names and descriptions of all strategies.
func (c *labCommand) list(w io.Writer) error {
	for _, e := range strategy.Catalogue() {
		if _, err := fmt.Fprintf(w, "%-14s %s\n", e.Name, e.About); err != nil {
			return err
		}
	}
	return nil
}
