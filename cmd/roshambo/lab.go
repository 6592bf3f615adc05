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

// labCommand plays a tournament of strategies.
type labCommand struct {
	Strategies []string `arg:"" optional:"" help:"Who takes part; all of them when none is named."`
	Duels      int      `help:"How many duels each plays against each, best of five." default:"100"`
	Exploit    int      `help:"Over how many rounds to measure how exploitable each is." default:"1000"`
	Seed       string   `help:"What the chance in it comes from: the same text, the same moves." default:"roshambo"`
	Workers    int      `help:"How many matches to play at the same time; 0 is one for each processor. The result is the same." default:"0"`
	Replays    string   `help:"File to write each duel to, a line of JSON." placeholder:"FILE" type:"path"`
	JSON       bool     `name:"json" help:"Print the result as JSON."`
	List       bool     `help:"Say which strategies there are, and do not play."`
}

// Run plays, and prints what came of it. What cannot be played is exit status 2.
func (c *labCommand) Run(ctx context.Context, code *int) (err error) {
	if c.List {
		return c.list(os.Stdout)
	}
	o := lab.Options{Duels: c.Duels, Exploit: c.Exploit, Seed: strategy.Seed{}.Derive(c.Seed), Workers: c.Workers}
	if o.Entrants, err = c.entrants(); err == nil {
		err = o.Check()
	}
	if err != nil {
		*code = 2
		return err
	}
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

// entrants are those named, or all.
func (c *labCommand) entrants() ([]lab.Entrant, error) {
	if len(c.Strategies) == 0 {
		return lab.All(), nil
	}
	var entrants []lab.Entrant
	for _, name := range c.Strategies {
		e, err := lab.Named(name)
		if err != nil {
			return nil, fmt.Errorf("%w; `roshambo lab --list` names those there are", err)
		}
		entrants = append(entrants, e)
	}
	return entrants, nil
}

// print prints a result; nothing for none.
func (c *labCommand) print(w io.Writer, result *lab.Result) error {
	switch {
	case result == nil:
		return nil
	case c.JSON:
		return result.WriteJSON(w)
	}
	return result.WriteText(w)
}

func (c *labCommand) list(w io.Writer) error {
	for _, e := range strategy.Catalogue() {
		if _, err := fmt.Fprintf(w, "%-14s %s\n", e.Name, e.About); err != nil {
			return err
		}
	}
	return nil
}
