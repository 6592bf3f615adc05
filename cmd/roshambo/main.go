// Command roshambo is the whole service in one binary. `roshambo --help` lists its commands.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"roshambo/internal/app"
)

// main exits with the status of run.
func main() {
	os.Exit(run(untilSignal(), os.Args[1:]))
}

// run executes one command line and returns the exit status: 0, 1 for errors, 2 for wrong usage.
func run(ctx context.Context, args []string) int {
	commands, code := &cli{}, 0 // a code that a command sets takes precedence over the status of its error
	parsed, err := parse(ctx, commands, &code, args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "roshambo:", err)
		return 2
	}
	if err = parsed.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "roshambo:", err)
		return max(code, 1)
	}
	return code
}

// parse reads a command line into commands. The command that it names gets ctx and code.
func parse(ctx context.Context, commands *cli, code *int, args []string) (*kong.Context, error) {
	parser, err := kong.New(commands,
		kong.Name("roshambo"), kong.Description("Provably fair Rock-Paper-Scissors on a simulated chain."),
		kong.UsageOnError(), kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(code), kong.Bind(commands),
		serveDefaults(), kong.Configuration(tomlFile), kong.Vars{"version": "roshambo " + app.Version()})
	if err != nil {
		return nil, err
	}
	return parser.Parse(args)
}
