package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"roshambo/internal/platform/durable"
	"roshambo/packaging"
)

// Files that init writes.
const (
	configFile = "roshambo.toml"
	unitFile   = "roshambo.service"
)

// initCommand writes the configuration and the unit of a service on this machine.
type initCommand struct {
	Folder string `arg:"" help:"Folder for roshambo.toml and roshambo.service, such as /etc/roshambo; it is made when it is missing." type:"path"`
}

// Run writes the files, none over one that exists, and prints what to do next. A crash leaves whole files, which the
// next run names, and perhaps one that ends in .part.
func (c *initCommand) Run(parsed *kong.Context) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("init: the path of this program: %w", err)
	}
	files := map[string]string{configFile: commentedOptions(parsed.Model), unitFile: unitFor(program, c.Folder)}
	if strings.ContainsAny(program+c.Folder, " \t\r\n\"'\\%$") {
		return fmt.Errorf("init: systemd cannot use a path with blanks, quotes, \\, %% or $: %q, %q", program, c.Folder)
	}
	for name := range files {
		if _, err := os.Lstat(filepath.Join(c.Folder, name)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("init: %s is there already: nothing was written", filepath.Join(c.Folder, name))
		}
	}
	if err := os.MkdirAll(c.Folder, 0o755); err != nil { // the service, another user, reads it
		return fmt.Errorf("init: %w", err)
	}
	for name, text := range files {
		if err := writeNew(filepath.Join(c.Folder, name), text); err != nil {
			return fmt.Errorf("init: %w", err)
		}
	}
	if err := durable.SyncFolder(c.Folder); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	_, err = fmt.Printf(nextSteps, c.Folder, homeHint(program))
	return err
}

// nextSteps is what to do after init.
const nextSteps = `Wrote %[1]s/roshambo.toml and %[1]s/roshambo.service. Next:

1. Edit roshambo.toml: at least public-url, and trusted-proxies behind a proxy. Check it with
   roshambo serve --config %[1]s/roshambo.toml --print-config
2. Put secrets (ROSHAMBO_DATABASE, ROSHAMBO_REDIS, ROSHAMBO_SMTP, ROSHAMBO_KEYS) into %[1]s/secrets.env, mode 0600.
3. Start it:
   useradd --system --home-dir /var/lib/roshambo --shell /usr/sbin/nologin roshambo
   systemctl link %[1]s/roshambo.service
   systemctl enable --now roshambo
4. Copy /var/lib/roshambo/keys.json to a safe place: without it the chain cannot continue.
%[2]s`

// homeHint returns a line about a program that the unit could not run, since it sees no home folders.
func homeHint(program string) string {
	for _, hidden := range []string{"/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"} {
		if strings.HasPrefix(program, hidden) {
			return "\nThe unit cannot run " + program + ", as it sees neither home folders nor /tmp: install it below\n" +
				"/usr/local/bin, and correct ExecStart.\n"
		}
	}
	return ""
}

// unitFor returns the unit for a program whose configuration is in a folder.
func unitFor(program, folder string) string {
	return strings.NewReplacer("/usr/local/bin/roshambo", program, "/etc/roshambo/", folder+"/").Replace(packaging.Unit)
}

// writeNew writes a file that does not exist yet: whole, or not at all. The caller syncs the folder. Errors:
// fs.ErrExist.
func writeNew(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+durable.Part)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()) // it holds no secrets
	if err == nil {
		err = os.Link(f.Name(), path) // replaces nothing, as Rename would
	}
	return errors.Join(err, os.Remove(f.Name()))
}

// commentedOptions returns a file for --config with every option of serve, in the order of its help: what it does,
// its variable, and a comment that sets it to its default, or to an example of its form.
func commentedOptions(model *kong.Application) string {
	flags := map[string]*kong.Flag{}
	for _, command := range model.Children {
		for _, flag := range command.Flags {
			if command.Name == "serve" {
				flags[flag.Name] = flag
			}
		}
	}
	var b strings.Builder
	b.WriteString("# Options of `roshambo serve`, all of them with their defaults. Remove the # before those to change.\n" +
		"# The command line takes precedence over the environment, and that over this file.\n")
	for _, o := range (&serveCommand{}).options() {
		flag := flags[o.key]
		b.WriteString("\n")
		for _, line := range wrap(flag.Help+" ("+flag.Envs[0]+")", commentWidth) {
			b.WriteString("# " + line + "\n")
		}
		fmt.Fprintf(&b, "#%s = %s\n", o.key, o.sample(flag))
	}
	return b.String()
}

// commentWidth is the length of the lines of comments.
const commentWidth = 110

// sample returns the default of an option as in a file, or the form of one without a default.
func (o option) sample(flag *kong.Flag) string {
	text := flag.Default
	if !flag.HasDefault {
		text = flag.PlaceHolder
	}
	switch o.value.Interface().(type) {
	case bool:
		if text == "" {
			return "false"
		}
		return text
	case int:
		if !flag.HasDefault {
			return "0"
		}
		return text
	case []string:
		return fmt.Sprintf("[%q]", strings.Trim(text, "'"))
	}
	return fmt.Sprintf("%q", text)
}

// wrap breaks a text at blanks into lines of at most width bytes, but for longer words.
func wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
