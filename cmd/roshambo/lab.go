package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"roshambo/client/lab"
	"roshambo/client/program"
	"roshambo/client/strategy"
)

// labCommand plays a tournament between strategies and programs.
type labCommand struct {
	Strategies []string      `arg:"" optional:"" help:"The strategies that take part; by default all."`
	Exec       []string      `sep:"none" help:"A program that takes part, such as \"python3 my.py\": words between spaces, no shell; repeat it for more (docs/lab.md)." placeholder:"COMMAND"`
	MoveTime   time.Duration `help:"Time limit of a program's move; the first move of a process has 10 seconds." default:"1s"`
	Duels      int           `help:"Number of duels per match, best of five." default:"100"`
	Exploit    int           `help:"Number of rounds to measure exploitability." default:"1000"`
	Seed       string        `help:"Seed of all random moves: the same text gives the same moves." default:"roshambo"`
	Workers    int           `help:"Number of matches played concurrently; 0 means one per processor. The result does not depend on it." default:"0"`
	Replays    string        `help:"File for the duels, one line of JSON each." placeholder:"FILE" type:"path"`
	JSON       bool          `name:"json" help:"Print the result as JSON."`
	List       bool          `help:"List the strategies and exit."`
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

// entrants returns the selected strategies, or all, and the programs.
func (c *labCommand) entrants() (entrants []lab.Entrant, err error) {
	if len(c.Strategies) == 0 {
		entrants = lab.All()
	}
	for _, name := range c.Strategies {
		e, err := lab.Named(name)
		if err != nil {
			return nil, fmt.Errorf("%w; `roshambo lab --list` lists the strategies", err)
		}
		entrants = append(entrants, e)
	}
	for _, command := range c.Exec {
		p, err := program.Parse(command, c.MoveTime)
		if err != nil {
			return nil, err
		}
		entrants = append(entrants, lab.Program(p))
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
