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
)

// serveCommand runs the service. Each option is also an environment variable
// ROSHAMBO_… and a key of the file given with --config; the command line wins over
// the environment, and that over the file.
type serveCommand struct {
	Config         kong.ConfigFlag `help:"TOML file with options." env:"ROSHAMBO_CONFIG" placeholder:"FILE"`
	Listen         string          `help:"Address to listen on; port 0 picks a free one." default:"${listen}" env:"ROSHAMBO_LISTEN"`
	AdminListen    string          `help:"Address for operators alone: metrics under /metrics, health under /healthz and /readyz, profiles under /debug/pprof/. Off by default; must not be reachable by others." env:"ROSHAMBO_ADMIN_LISTEN" placeholder:"ADDRESS"`
	Data           string          `help:"Folder of the keys, and of the database unless --database says where." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Database       string          `help:"PostgreSQL database that any number of nodes serve, postgres://user:password@host:5432/database; of several hosts, with commas between, the primary is used. Without it, SQLite in the data folder." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
	PublicURL      string          `help:"Where browsers reach the service, for example https://example.org; https makes cookies secure." env:"ROSHAMBO_PUBLIC_URL" placeholder:"URL"`
	RateLimit      int             `help:"Requests a minute from one network address; 0 is no limit." default:"${rate_limit}" env:"ROSHAMBO_RATE_LIMIT"`
	Redis          string          `help:"Where nodes share their limits, redis://user:password@host:6379/0; without it each counts by itself." env:"ROSHAMBO_REDIS" placeholder:"URL"`
	SMTP           string          `name:"smtp" help:"Mail server, smtp://user:password@host:587 or smtps://…; without it mails are written to files below the data folder." env:"ROSHAMBO_SMTP" placeholder:"URL"`
	MailFrom       string          `help:"Sender of mails." default:"${mail_from}" env:"ROSHAMBO_MAIL_FROM"`
	TrustedProxies []string        `help:"Addresses and ranges of proxies whose X-Forwarded-For is believed, with commas between." env:"ROSHAMBO_TRUSTED_PROXIES" placeholder:"ADDRESS"`
	Witness        []string        `help:"A witness that cosigns the log (c2sp.org/tlog-witness): its verifier key, a space, and its URL; again for each, or with commas between." env:"ROSHAMBO_WITNESS" placeholder:"'KEY URL'"`
	HouseBots      bool            `help:"Let a dozen bots of the house play in the arena, so that whoever comes finds an opponent; on one node." env:"ROSHAMBO_HOUSE_BOTS"`
	Log            string          `help:"Log as text or json." enum:"text,json" default:"text" env:"ROSHAMBO_LOG"`
	LogLevel       slog.Level      `help:"Least level to log: debug, info, warn or error." default:"info" env:"ROSHAMBO_LOG_LEVEL"`
	Drain          time.Duration   `help:"How long requests under way may take after a signal to stop." default:"${drain}" env:"ROSHAMBO_DRAIN"`
	DrainDelay     time.Duration   `help:"How long to go on as before after a signal to stop, while /readyz says no: time for a load balancer to hear of it." default:"0s" env:"ROSHAMBO_DRAIN_DELAY"`
	OTLPEndpoint   string          `name:"otlp-endpoint" help:"Collector of OpenTelemetry to send traces to, http://localhost:4318; without it OTEL_EXPORTER_OTLP_ENDPOINT counts, and without that there are none." env:"ROSHAMBO_OTLP_ENDPOINT" placeholder:"URL"`
	PrintConfig    bool            `help:"Print the options in force, as a file for --config, and do not start; passwords are shown as xxxxx."`
}

func serveDefaults() kong.Vars {
	return kong.Vars{"listen": app.DefaultListen, "data": app.DefaultData, "drain": app.DefaultDrain.String(),
		"rate_limit": strconv.Itoa(app.DefaultRateLimit), "mail_from": app.DefaultMailFrom}
}

// Run serves until ctx ends. Options that cannot be are exit status 2.
func (c *serveCommand) Run(ctx context.Context, code *int) error {
	config := app.Config{
		Listen: c.Listen, Data: c.Data, Database: c.Database, Keys: os.Getenv(app.KeysEnv), AdminListen: c.AdminListen, PublicURL: c.PublicURL,
		RateLimit: c.RateLimit, TrustedProxies: c.TrustedProxies, Redis: c.Redis, SMTP: c.SMTP, MailFrom: c.MailFrom, HouseBots: c.HouseBots, Witnesses: c.Witness, LogFormat: c.Log, LogLevel: c.LogLevel,
		Drain: c.Drain, DrainDelay: c.DrainDelay, OTLPEndpoint: c.OTLPEndpoint, Log: os.Stderr, Now: time.Now,
	}
	if err := config.Check(); err != nil {
		*code = 2
		return err
	}
	for _, name := range c.unheard(os.Environ()) {
		fmt.Fprintf(os.Stderr, "roshambo: %s is no option of serve; see roshambo serve --help\n", name)
	}
	if c.PrintConfig {
		return c.print(os.Stdout)
	}
	limit := app.LimitMemory()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
		if limit >= ballastLimit { // as the ballast counts
			ballast = make([]byte, ballastSize)
		}
	}
	return app.Serve(ctx, config)
}

// elsewhere are variables that are not for serve: of bots, and of the project's own tests.
var elsewhere = []string{"ROSHAMBO_KEY", "ROSHAMBO_URL", "ROSHAMBO_API", "ROSHAMBO_TEST_POSTGRES", "ROSHAMBO_POSTGRES_DURABLE", "ROSHAMBO_SEED"}

// unheard returns the variables of an environment that look like options and are none. They
// stop no start, as a key of a file does: others may have put them there.
func (c *serveCommand) unheard(environment []string) (names []string) {
	heard := append([]string{"ROSHAMBO_CONFIG", app.KeysEnv}, elsewhere...)
	for option := range c.options() {
		heard = append(heard, "ROSHAMBO_"+strings.ToUpper(strings.ReplaceAll(option, "-", "_")))
	}
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "ROSHAMBO_") && !slices.Contains(heard, name) {
			names = append(names, name)
		}
	}
	return names
}

// gcPercent is how much garbage may gather before it is collected, in percent of what is
// in use, unless GOGC says otherwise. Half of Go's own takes a fortieth more processor
// time under full load, and a fifth off the memory at its highest (docs/benchmarks.md).
const gcPercent = 50

// ballast is never written to, and so takes no memory, but counts as in use. A service
// with few players uses so little that half of it would be full again after a few dozen
// requests: garbage would be collected all the time, with all processors stopped twice
// each time, and throws that meet it would be late.
var ballast []byte //nolint:unused // it is held, not read

const (
	ballastSize  = 16 << 20
	ballastLimit = 256 << 20 // of memory
)

// options are the options that a file may hold, by their key.
func (c *serveCommand) options() map[string]string {
	return map[string]string{
		"listen": c.Listen, "admin-listen": c.AdminListen, "data": c.Data, "database": c.Database, "public-url": c.PublicURL, "log": c.Log,
		"log-level": strings.ToLower(c.LogLevel.String()), "drain": c.Drain.String(), "drain-delay": c.DrainDelay.String(),
		"rate-limit": strconv.Itoa(c.RateLimit), "trusted-proxies": strings.Join(c.TrustedProxies, ","), "redis": c.Redis, "smtp": c.SMTP, "otlp-endpoint": c.OTLPEndpoint, "mail-from": c.MailFrom,
		"witness":    strings.Join(c.Witness, ","),
		"house-bots": strconv.FormatBool(c.HouseBots),
	}
}

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

// masked returns a URL without its password: what is printed ends up in logs and in
// questions to others.
func masked(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "" // Check has refused it
	}
	if _, set := u.User.Password(); !set {
		return text
	}
	return u.Redacted()
}

// tomlFile reads the file of --config. A key that is no option stops the start: it
// would be a wish that nobody hears.
func tomlFile(r io.Reader) (kong.Resolver, error) {
	values := map[string]any{}
	if _, err := toml.NewDecoder(r).Decode(&values); err != nil {
		return nil, fmt.Errorf("config file: %w", err)
	}
	known := (&serveCommand{}).options()
	for key, value := range values {
		if _, ok := known[key]; !ok {
			return nil, fmt.Errorf("config file: %q is no option; there are %s", key, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if _, ok := value.(string); !ok {
			return nil, fmt.Errorf("config file: the value of %s is to stand in quotes", key)
		}
	}
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if _, ok := os.LookupEnv(name); ok {
				return nil, nil
			}
		}
		return values[flag.Name], nil
	}), nil
}
