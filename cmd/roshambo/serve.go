package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"roshambo/internal/app"
	"roshambo/internal/app/demo"
)

// serveCommand runs the service. Each option, a field of app.Config, is also an environment variable ROSHAMBO_… and
// a key of the file given with --config, which TestOptions checks. The command line takes precedence over the
// environment, and that over the file.
type serveCommand struct {
	File kong.ConfigFlag `name:"config" help:"TOML file with options." env:"ROSHAMBO_CONFIG" placeholder:"FILE"`
	app.Config
	PrintConfig bool `help:"Print the effective options as a file for --config and exit; passwords are shown as xxxxx."`
}

// serveDefaults returns the defaults of options, which package app defines.
func serveDefaults() kong.Vars {
	return kong.Vars{"listen": app.DefaultListen, "data": app.DefaultData, "drain": app.DefaultDrain.String(),
		"acme_directory": app.DefaultACMEDirectory, "rate_limit": strconv.Itoa(app.DefaultRateLimit),
		"mail_from": app.DefaultMailFrom, "backup_keep": strconv.Itoa(app.DefaultBackupKeep),
		"free_starts": strconv.Itoa(app.DefaultFreeStarts), "operator": os.Getenv("USER")}
}

// Run serves until ctx is done. The exit status is 2 for invalid options.
func (c *serveCommand) Run(ctx context.Context, code *int) error {
	config := c.Config
	config.Keys, config.Log = os.Getenv(app.KeysEnv), os.Stderr
	if err := config.Check(); err != nil {
		*code = 2
		return err
	}
	for _, name := range c.unknownVariables(os.Environ()) {
		fmt.Fprintf(os.Stderr, "roshambo: %s is not an option of serve; see roshambo serve --help\n", name)
	}
	if c.PrintConfig {
		return c.printOptions(os.Stdout)
	}
	// The settings below apply to the whole process, so they belong to the command and not to
	// package app.
	limit := app.LimitMemory()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
		if limit >= ballastLimit { // since the ballast counts as in use
			ballast = make([]byte, ballastSize)
		}
	}
	if c.Demo {
		fmt.Fprintln(os.Stderr, "roshambo: preparing the demo; a new one takes some seconds")
		if err := demo.Fill(ctx, config); err != nil {
			return err
		}
	}
	return app.Serve(ctx, config)
}

// otherVariables are variables of the bot and of the project's tests.
var otherVariables = []string{
	"ROSHAMBO_KEY", "ROSHAMBO_URL", "ROSHAMBO_API",
	"ROSHAMBO_TEST_POSTGRES", "ROSHAMBO_POSTGRES_DURABLE", "ROSHAMBO_SEED",
}

// unknownVariables returns the variables that look like options but are none. They only cause a
// warning, unlike unknown keys of a file, because other programs may have set them.
func (c *serveCommand) unknownVariables(environment []string) (names []string) {
	known := append([]string{"ROSHAMBO_CONFIG", app.KeysEnv}, otherVariables...)
	for _, o := range c.options() {
		known = append(known, variablePrefix+strings.ToUpper(strings.ReplaceAll(o.key, "-", "_")))
	}
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, variablePrefix) && !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	return names
}

// gcPercent is the target for garbage collection, in percent of the memory in use, unless GOGC is
// set. Compared with Go's default of 100, it costs 2.5 % more processor time under full load and
// saves a fifth of the peak memory (docs/benchmarks.md).
const gcPercent = 50

// ballast is never written to and therefore takes no memory, but it counts as in use. Without it,
// a service with few players would have so little memory in use that the collector would run
// after a few dozen requests; each collection stops all processors twice and delays throws.
var ballast []byte //nolint:unused // it is held, not read

// Sizes in bytes.
const (
	ballastSize  = 16 << 20
	ballastLimit = 256 << 20 // minimum memory limit for the ballast
)

// option is an option that a file may contain.
type option struct {
	key   string
	value reflect.Value // the field of app.Config
}

// options returns the options that a file may contain, in the order of app.Config: all its fields that are flags. The
// variable ROSHAMBO_PUBLIC_URL is the key public-url and the flag --public-url. It panics for a flag without a
// variable.
func (c *serveCommand) options() (list []option) {
	config := reflect.ValueOf(&c.Config).Elem()
	for i := range config.NumField() {
		field := config.Type().Field(i)
		if field.Tag.Get("kong") == "-" {
			continue
		}
		name, ok := strings.CutPrefix(field.Tag.Get("env"), variablePrefix)
		if !ok {
			panic("roshambo: the option " + field.Name + " has no variable") // unreachable: TestOptions
		}
		list = append(list, option{strings.ToLower(strings.ReplaceAll(name, "_", "-")), config.Field(i)})
	}
	return list
}

// variablePrefix begins the name of each option's variable.
const variablePrefix = "ROSHAMBO_"

// text returns the value as in a TOML file. Passwords are masked, since printed options end up in logs and bug
// reports.
func (o option) text() string {
	switch v := o.value.Interface().(type) {
	case string:
		switch o.key {
		case "database":
			v = app.MaskDatabase(v)
		case "redis", "smtp", "otlp-endpoint":
			v = masked(v)
		}
		return strconv.Quote(v)
	case []string:
		quoted := make([]string, len(v))
		for i, item := range v {
			quoted[i] = strconv.Quote(item)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case int, bool:
		return fmt.Sprint(v)
	case fmt.Stringer: // a duration or a level
		return strconv.Quote(strings.ToLower(v.String()))
	}
	panic("roshambo: an option of type " + o.value.Type().String()) // unreachable: TestOptions
}

// print writes the effective options as TOML, sorted by key.
func (c *serveCommand) printOptions(w io.Writer) error {
	options := c.options()
	slices.SortFunc(options, func(a, b option) int { return strings.Compare(a.key, b.key) })
	for _, o := range options {
		if _, err := fmt.Fprintf(w, "%s = %s\n", o.key, o.text()); err != nil {
			return err
		}
	}
	return nil
}

// masked returns a URL without its password.
func masked(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "" // Check has rejected it
	}
	if _, set := u.User.Password(); !set {
		return text
	}
	return u.Redacted()
}

// tomlFile reads the file of --config. An unknown key prevents the start: it would have no
// effect.
func tomlFile(r io.Reader) (kong.Resolver, error) {
	values := map[string]any{}
	if _, err := toml.NewDecoder(r).Decode(&values); err != nil {
		return nil, fmt.Errorf("config file: %w", err)
	}
	known := map[string]bool{}
	for _, o := range (&serveCommand{}).options() {
		known[o.key] = true
	}
	for key, value := range values {
		if !known[key] {
			options := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			return nil, fmt.Errorf("config file: unknown option %q; the options are %s", key, options)
		}
		text, ok := tomlText(value)
		if !ok {
			return nil, fmt.Errorf("config file: the value of %s is no text, whole number, true, false or list of texts", key)
		}
		values[key] = text
	}
	// kong asks resolvers before environment variables; returning nil for a set variable gives it
	// precedence over the file.
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if _, ok := os.LookupEnv(name); ok {
				return nil, nil
			}
		}
		return values[flag.Name], nil
	}), nil
}

// tomlText returns a value of a file as on the command line.
func tomlText(value any) (text string, ok bool) {
	switch v := value.(type) {
	case string, int64, bool:
		return fmt.Sprint(v), true
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			if items[i], ok = item.(string); !ok {
				return "", false
			}
		}
		return strings.Join(items, ","), true
	}
	return "", false
}
