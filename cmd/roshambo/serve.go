package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"roshambo/internal/app"
	"roshambo/internal/app/demo"
)

// serveCommand runs the service. Each option is also an environment variable ROSHAMBO_… and a key
// of the file given with --config. The command line takes precedence over the environment, and
// that over the file.
type serveCommand struct {
	Config          kong.ConfigFlag `help:"TOML file with options." env:"ROSHAMBO_CONFIG" placeholder:"FILE"`
	Listen          string          `help:"Address to listen on; port 0 picks a free one." default:"${listen}" env:"ROSHAMBO_LISTEN"`
	AdminListen     string          `help:"Address for operators only: metrics under /metrics, health under /healthz and /readyz, profiles under /debug/pprof/. Off by default; must not be public." env:"ROSHAMBO_ADMIN_LISTEN" placeholder:"ADDRESS"`
	Data            string          `help:"Folder of the keys, and of the database unless --database is set." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Database        string          `help:"PostgreSQL database that any number of nodes serve, postgres://user:password@host:5432/database; of several hosts, separated by commas, the primary is used. Without it, SQLite in the data folder." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
	PublicURL       string          `help:"The URL of the service in browsers, for example https://example.org; https makes cookies secure." env:"ROSHAMBO_PUBLIC_URL" placeholder:"URL"`
	WeakPasswords   string          `help:"accept or refuse new passwords that are easy to guess: the 10,000 commonest, blanks, the username; by default they are refused with --public-url." env:"ROSHAMBO_WEAK_PASSWORDS" placeholder:"accept|refuse"`
	RateLimit       int             `help:"Calls of the API in any 60 s of one network address, or of a session or key at a shared one; ten times as many files; 0 means no limit, nor one on streams and on bytes of the log." default:"${rate_limit}" env:"ROSHAMBO_RATE_LIMIT"`
	FreeStarts      int             `help:"Accounts with a free start that one network address may open in a UTC day; the starting balance of others is bound. 0 means no limit." default:"${free_starts}" env:"ROSHAMBO_FREE_STARTS"`
	LimitPrivate    bool            `help:"Limit new accounts, free starts, free wins and connections of loopback and private addresses, too, and count their calls by address." env:"ROSHAMBO_LIMIT_PRIVATE"`
	SharedAddresses []string        `help:"Addresses and ranges that many people share, such as a school's, separated by commas: there calls count by session or key, and the address has 16 times the calls, files, streams, connections, new accounts, mails, listings, duels, cups and chain verifications." env:"ROSHAMBO_SHARED_ADDRESSES" placeholder:"ADDRESS"`
	Redis           string          `help:"Redis that nodes share their limits in, redis://user:password@host:6379/0; without it each node counts on its own." env:"ROSHAMBO_REDIS" placeholder:"URL"`
	SMTP            string          `name:"smtp" help:"Mail server, smtp://user:password@host:587 or smtps://…; without it mails are written to files below the data folder." env:"ROSHAMBO_SMTP" placeholder:"URL"`
	MailFrom        string          `help:"Sender of mails." default:"${mail_from}" env:"ROSHAMBO_MAIL_FROM"`
	TrustedProxies  []string        `help:"Addresses and ranges of proxies whose X-Forwarded-For is trusted, separated by commas." env:"ROSHAMBO_TRUSTED_PROXIES" placeholder:"ADDRESS"`
	Witness         []string        `help:"A witness that cosigns the log (c2sp.org/tlog-witness): its verifier key, a space, and its URL; repeat for each, or separate by commas." env:"ROSHAMBO_WITNESS" placeholder:"'KEY URL'"`
	OnRollback      string          `help:"When the database is behind the signed log: wait for an operator, or recover: declare the loss, void what was in play and go on, at most once an hour and not below what a witness has cosigned." enum:"wait,recover" default:"wait" env:"ROSHAMBO_ON_ROLLBACK"`
	WitnessQuorum   int             `help:"How many of the witnesses the published policy requires, and must have cosigned announced rules a day before they begin; without it more than half." env:"ROSHAMBO_WITNESS_QUORUM" placeholder:"N"`
	HouseBots       bool            `help:"Run a dozen house bots in the arena while the service is used, so that every bot finds an opponent; on one node at a time. --house-bots=false turns them off." default:"true" env:"ROSHAMBO_HOUSE_BOTS"`
	Demo            bool            `help:"For evaluation: at the first start, fill an empty data folder with a season of made-up history. The chain and the page say that it is a demo."`
	Log             string          `help:"Log as text or json." enum:"text,json" default:"text" env:"ROSHAMBO_LOG"`
	LogLevel        slog.Level      `help:"Minimum level to log: debug, info, warn or error." default:"info" env:"ROSHAMBO_LOG_LEVEL"`
	Drain           time.Duration   `help:"Time for requests in flight after a signal to stop." default:"${drain}" env:"ROSHAMBO_DRAIN"`
	DrainDelay      time.Duration   `help:"Time to continue unchanged after a signal to stop, while /readyz fails, so that load balancers notice." default:"0s" env:"ROSHAMBO_DRAIN_DELAY"`
	OTLPEndpoint    string          `name:"otlp-endpoint" help:"Collector of OpenTelemetry to send traces to, http://localhost:4318; by default OTEL_EXPORTER_OTLP_ENDPOINT; without either, no traces." env:"ROSHAMBO_OTLP_ENDPOINT" placeholder:"URL"`
	PrintConfig     bool            `help:"Print the effective options as a file for --config and exit; passwords are shown as xxxxx."`
}

// serveDefaults returns the defaults of options, which package app defines.
func serveDefaults() kong.Vars {
	return kong.Vars{"listen": app.DefaultListen, "data": app.DefaultData, "drain": app.DefaultDrain.String(),
		"rate_limit": strconv.Itoa(app.DefaultRateLimit), "mail_from": app.DefaultMailFrom,
		"free_starts": strconv.Itoa(app.DefaultFreeStarts), "operator": os.Getenv("USER")}
}

// Run serves until ctx is done. The exit status is 2 for invalid options.
func (c *serveCommand) Run(ctx context.Context, code *int) error {
	config := app.Config{
		Listen:          c.Listen,
		AdminListen:     c.AdminListen,
		PublicURL:       c.PublicURL,
		WeakPasswords:   c.WeakPasswords,
		Data:            c.Data,
		Database:        c.Database,
		Keys:            os.Getenv(app.KeysEnv),
		RateLimit:       c.RateLimit,
		FreeStarts:      c.FreeStarts,
		LimitPrivate:    c.LimitPrivate,
		TrustedProxies:  c.TrustedProxies,
		SharedAddresses: c.SharedAddresses,
		Redis:           c.Redis,
		SMTP:            c.SMTP,
		MailFrom:        c.MailFrom,
		HouseBots:       c.HouseBots,
		Demo:            c.Demo,
		Witnesses:       c.Witness,
		WitnessQuorum:   c.WitnessQuorum,
		OnRollback:      c.OnRollback,
		LogFormat:       c.Log,
		LogLevel:        c.LogLevel,
		Drain:           c.Drain,
		DrainDelay:      c.DrainDelay,
		OTLPEndpoint:    c.OTLPEndpoint,
		Log:             os.Stderr,
	}
	if err := config.Check(); err != nil {
		*code = 2
		return err
	}
	for _, name := range c.unknownVariables(os.Environ()) {
		fmt.Fprintf(os.Stderr, "roshambo: %s is not an option of serve; see roshambo serve --help\n", name)
	}
	if c.PrintConfig {
		return c.print(os.Stdout)
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
	for option := range c.options() {
		known = append(known, "ROSHAMBO_"+strings.ToUpper(strings.ReplaceAll(option, "-", "_")))
	}
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "ROSHAMBO_") && !slices.Contains(known, name) {
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

// options returns the options that a file may contain, by key.
func (c *serveCommand) options() map[string]string {
	return map[string]string{
		"listen": c.Listen, "admin-listen": c.AdminListen, "public-url": c.PublicURL,
		"weak-passwords": c.WeakPasswords, "data": c.Data, "database": c.Database,
		"log": c.Log, "log-level": strings.ToLower(c.LogLevel.String()),
		"drain": c.Drain.String(), "drain-delay": c.DrainDelay.String(),
		"rate-limit": strconv.Itoa(c.RateLimit), "free-starts": strconv.Itoa(c.FreeStarts),
		"trusted-proxies":  strings.Join(c.TrustedProxies, ","),
		"shared-addresses": strings.Join(c.SharedAddresses, ","),
		"redis":            c.Redis, "smtp": c.SMTP, "mail-from": c.MailFrom, "otlp-endpoint": c.OTLPEndpoint,
		"witness":    strings.Join(c.Witness, ","),
		"house-bots": strconv.FormatBool(c.HouseBots), "limit-private": strconv.FormatBool(c.LimitPrivate),
	}
}

// print writes the effective options as TOML, sorted by key. It masks passwords.
func (c *serveCommand) print(w io.Writer) error {
	options := c.options()
	for _, name := range []string{"redis", "smtp", "otlp-endpoint"} {
		options[name] = masked(options[name])
	}
	options["database"] = app.MaskDatabase(c.Database)
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if _, err := fmt.Fprintf(w, "%s = %q\n", name, options[name]); err != nil {
			return err
		}
	}
	return nil
}

// masked returns a URL without its password, since printed options end up in logs and bug
// reports.
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
	known := (&serveCommand{}).options()
	for key, value := range values {
		if _, ok := known[key]; !ok {
			options := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			return nil, fmt.Errorf("config file: unknown option %q; the options are %s", key, options)
		}
		if _, ok := value.(string); !ok {
			return nil, fmt.Errorf("config file: the value of %s must be in quotes", key)
		}
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
