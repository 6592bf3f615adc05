package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"roshambo/internal/app"
)

// manCommand prints the manual page, which packages contain.
type manCommand struct{}

// Run prints the page in the language of roff.
func (c *manCommand) Run(parsed *kong.Context) error {
	version, _, _ := strings.Cut(app.Version(), " ")
	_, err := fmt.Fprint(os.Stdout, manual(parsed.Model, version))
	return err
}

// manual returns the manual page of the commands in model, which --help shows, too.
func manual(model *kong.Application, version string) string {
	var b strings.Builder
	line := func(request, text string) { b.WriteString(request + roff(text) + "\n") }
	// Words stay whole, so that they can be copied.
	fmt.Fprintf(&b, ".TH ROSHAMBO 1 \"\" \"roshambo %s\" \"User Commands\"\n.nh\n.ad l\n", roff(version))
	line(".SH ", "NAME")
	line("", "roshambo - provably fair Rock-Paper-Scissors, as a service in one program")
	line(".SH ", "SYNOPSIS")
	b.WriteString(".B roshambo\n.I command\n[options]\n")
	line(".SH ", "DESCRIPTION")
	line("", model.Help)
	line("", "The options of serve are also environment variables and keys of a file; the command line takes precedence "+
		"over the environment, and that over the file.")
	line(".SH ", "COMMANDS")
	for _, command := range model.Leaves(true) {
		line(".SS ", command.FullPath()+arguments(command))
		line("", command.Help)
		manualValues(&b, command)
	}
	line(".SH ", "FILES")
	for _, file := range [][2]string{
		{"/etc/roshambo/roshambo.toml", "Options of the installed service."},
		{"/etc/roshambo/secrets.env", "Its secrets, for systemd alone: mode 0600, owner root. It does not exist at first."},
		{"/var/lib/roshambo", "Its data. keys.json belongs in a safe place: without it the chain cannot continue."},
	} {
		b.WriteString(".TP\n")
		line(".B ", file[0])
		line("", file[1])
	}
	return b.String()
}

// arguments returns the arguments of a command as in its usage.
func arguments(command *kong.Node) (text string) {
	for _, argument := range command.Positional {
		text += " " + argument.Summary()
	}
	return text
}

// manualValues writes the arguments and flags of a command and of the commands above it.
func manualValues(b *strings.Builder, command *kong.Node) {
	item := func(name, help string) { fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roff(help)) }
	for _, argument := range command.Positional {
		item(argument.Summary(), argument.Help)
	}
	for node := command; node.Parent != nil; node = node.Parent {
		for _, flag := range node.Flags {
			help := flag.Help
			if len(flag.Envs) > 0 {
				help += " (" + strings.Join(flag.Envs, ", ") + ")"
			}
			if !flag.Hidden {
				item(flag.String(), help)
			}
		}
	}
}

// roff escapes a text for roff: a line that it would take for a request, hyphens that are to be copied, and
// backslashes.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
