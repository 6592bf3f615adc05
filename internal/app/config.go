package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/mail"
	"roshambo/internal/store/postgres"
)

// Config configures the service. Every field up to DrainDelay is an option of the command `roshambo
// serve`, an environment variable ROSHAMBO_… and a key of its file.
type Config struct {
	Listen string // host:port; port 0 picks a free one
	Data   string // folder of the keys, and of the database unless Database is set
	// Database is the URL of a PostgreSQL database, which any number of nodes may share,
	// postgres://user:password@host:5432/database; "" is SQLite in Data.
	Database string
	// Keys is the text of a keys file, for nodes without such a file in the data folder; "" reads
	// the file. A secret.
	Keys string
	// AdminListen is host:port for operators: metrics, health, profiles; "" is off.
	AdminListen string
	PublicURL   string // the service's origin for browsers; "" is the address it listens on
	// WeakPasswords says whether new passwords that are easy to guess are accepted or refused; "" refuses
	// them on a service with a PublicURL.
	WeakPasswords string
	// RateLimit is the number of calls a minute of one network address, and a tenth of the number of its files;
	// 0 is no limit on either, on streams and on bytes of the log.
	RateLimit int
	// FreeStarts is how many accounts with a free start a network address opens in a UTC day; 0 is
	// no limit. Accounts beyond it have a bound start.
	FreeStarts int
	// LimitPrivate applies the limits on new accounts, free starts, free wins and connections to
	// loopback and private addresses, too, and counts their requests by address.
	LimitPrivate bool
	// SharedAddresses are addresses and ranges that many people share, such as a school's.
	SharedAddresses []string
	// TrustedProxies are addresses and ranges of proxies whose X-Forwarded-For is trusted.
	TrustedProxies []string
	// Redis is the URL of the server on which nodes share their limits, redis://host:6379; "" keeps
	// limits in memory.
	Redis string
	// SMTP is the mail server, smtp://user:password@host:587; "" writes mails to files
	// below Data. MailFrom is the sender of mails.
	SMTP, MailFrom string
	// Witnesses cosign the log. Each is a verifier key, a space, and a URL.
	Witnesses []string
	// OnRollback is RollbackWait, as "" is, or RollbackRecover.
	OnRollback string
	// WitnessQuorum is how many of them the published policy requires, and must have cosigned announced rules;
	// 0 stands for more than half.
	WitnessQuorum int
	// HouseBots enables the house's own bots in the arena. They play while the service is used.
	HouseBots bool
	// Demo makes a new service a demo, whose chain and page say so. Package demo fills it.
	Demo bool
	// OTLPEndpoint is the URL of the trace collector, http://localhost:4318; "" uses
	// OTEL_EXPORTER_OTLP_ENDPOINT, or sends no traces when that is empty.
	OTLPEndpoint string
	LogFormat    string // text or json
	LogLevel     slog.Level
	// Drain is how long requests in progress may take after a signal to stop.
	Drain time.Duration
	// DrainDelay is how long a node keeps serving after a signal to stop while it reports that it
	// is not ready, so that load balancers can react.
	DrainDelay time.Duration
	// Log receives the log. Ready and ReadyAdmin, when set, are called with the addresses once they
	// are served.
	Log        io.Writer
	Ready      func(address string)
	ReadyAdmin func(address string)
	// Now replaces the database's clock where a program makes up the time; nil otherwise.
	Now func() time.Time
	// Overrides replaces parts of the service in tests.
	Overrides Overrides
}

// Defaults of the options.
const (
	DefaultListen = "127.0.0.1:8080"
	DefaultData   = "roshambo-data"
	DefaultDrain  = 20 * time.Second
	// DefaultMailFrom is the sender of mails when none is configured.
	DefaultMailFrom = "roshambo@localhost"
	// DefaultRateLimit is the limit that the contract documents, in requests a minute.
	DefaultRateLimit = 240
	// DefaultFreeStarts is enough for a household's first evening.
	DefaultFreeStarts = 3
)

// Check returns an error that names the first invalid option. It changes nothing.
func (c *Config) Check() error {
	if err := checkAddress(c.Listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err := checkAddress(c.AdminListen); c.AdminListen != "" && err != nil {
		return fmt.Errorf("admin-listen: %w", err)
	}
	if w := c.WeakPasswords; w != "" && w != acceptWeak && w != refuseWeak {
		return fmt.Errorf("weak-passwords: %q is neither %s nor %s", w, acceptWeak, refuseWeak)
	}
	for name, n := range map[string]int{"rate-limit": c.RateLimit, "free-starts": c.FreeStarts} {
		if n < 0 {
			return fmt.Errorf("%s: %d is negative", name, n)
		}
	}
	if _, err := limit.ParseRanges(c.TrustedProxies); err != nil {
		return fmt.Errorf("trusted-proxies: %w", err)
	}
	if err := c.checkShared(); err != nil {
		return fmt.Errorf("shared-addresses: %w", err)
	}
	if c.Data == "" {
		return errors.New("data: the folder of the database and the keys is missing")
	}
	if c.Keys != "" {
		if _, err := parseKeys(c.Keys); err != nil {
			return err
		}
	}
	if c.Database != "" {
		if err := postgres.CheckURL(c.Database); err != nil {
			return fmt.Errorf("database: %w", err)
		}
	}
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Scheme+"://"+u.Host != c.origin() {
			return fmt.Errorf("public-url: %q is not an origin such as https://example.org", c.PublicURL)
		}
	}
	if c.Redis != "" {
		if err := limit.CheckURL(c.Redis); err != nil {
			return fmt.Errorf("redis: %w", err)
		}
	}
	if c.SMTP != "" {
		if _, err := mail.NewSMTP(c.SMTP, c.MailFrom); err != nil {
			return fmt.Errorf("smtp: %w", err)
		}
	}
	if err := checkWitnesses(c.Witnesses, c.WitnessQuorum); err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	if c.OTLPEndpoint != "" {
		u, err := url.Parse(c.OTLPEndpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
			// The endpoint is not shown: it may contain a password.
			return errors.New("otlp-endpoint: not a URL such as http://localhost:4318")
		}
	}
	if c.LogFormat != "text" && c.LogFormat != "json" {
		return fmt.Errorf("log: %q is neither text nor json", c.LogFormat)
	}
	return errors.Join(c.checkDemo(), c.checkDrain())
}

// checkShared checks the addresses that many people share.
func (c *Config) checkShared() error {
	shared, err := limit.ParseRanges(c.SharedAddresses)
	if err != nil {
		return err
	}
	for i, network := range shared {
		if network.Bits() < minSharedBits {
			return fmt.Errorf("%q is too wide: nearly every address would be shared, and hardly limited",
				c.SharedAddresses[i])
		}
	}
	return nil
}

// minSharedBits is the length of the prefix of the widest network that many people may share: 10.0.0.0/8
// of a company. fc00::/7, all private addresses of IPv6, is shared without being named.
const minSharedBits = 8

// shared returns the addresses that many people share, which Check has checked.
func (c *Config) shared() limit.Ranges {
	shared, _ := limit.ParseRanges(c.SharedAddresses)
	return shared
}

// checkDemo returns an error for a demo that could pass for a real service, or be mixed with one.
func (c *Config) checkDemo() error {
	if c.Demo && (c.secure() || c.Database != "" || c.Keys != "") {
		return fmt.Errorf(
			"demo: only for evaluation, in a data folder of its own: without %s, database and an https public-url",
			KeysEnv)
	}
	return nil
}

// checkDrain checks how a stop drains requests.
func (c *Config) checkDrain() error {
	if c.DrainDelay < 0 {
		return fmt.Errorf("drain-delay: %v is negative", c.DrainDelay)
	}
	if c.Drain <= 0 {
		return fmt.Errorf("drain: %v is not positive", c.Drain)
	}
	return nil
}

// checkAddress returns an error unless address is a host and port like 127.0.0.1:8080.
func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is not an address such as 127.0.0.1:8080: %w", address, err)
	}
	// LookupPort reads a local table, not the network.
	if _, err := net.DefaultResolver.LookupPort(context.Background(), "tcp", port); err != nil {
		return fmt.Errorf("%q is not an address such as 127.0.0.1:8080: %w", address, err)
	}
	return nil
}

// origin returns the public URL in the form of the header Origin.
func (c *Config) origin() string { return strings.TrimSuffix(c.PublicURL, "/") }

// The values of Config.WeakPasswords.
const (
	acceptWeak = "accept"
	refuseWeak = "refuse"
)

// refusesWeak reports whether new passwords that are easy to guess are refused.
func (c *Config) refusesWeak() bool {
	return c.WeakPasswords == refuseWeak || c.WeakPasswords == "" && c.PublicURL != ""
}

// secure reports whether browsers use https.
func (c *Config) secure() bool {
	u, err := url.Parse(c.PublicURL)
	return err == nil && u.Scheme == "https"
}

// logger returns the service's logger, without the errors of a full disk (withoutFullErrors).
func (c *Config) logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(withoutFullErrors{slog.NewJSONHandler(c.Log, options)})
	}
	return slog.New(withoutFullErrors{slog.NewTextHandler(c.Log, options)})
}

// Constants of the faucet. GET /api/tiers shows them.
const (
	// faucetBelow is the balance, in coins, below which the faucet pays.
	faucetBelow = 500
	// faucetEvery is the shortest interval between two payments to an account.
	faucetEvery = 4 * time.Hour
)

// rules returns the rules of the game that the service records on its chain. Tier k has the value
// 48·2^k.
func rules() chain.Rules {
	r := chain.Rules{BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200,
		FaucetPause: faucetEvery.Milliseconds(), FreePerDay: 3, MarketFeeBPS: 250, StartingBalance: 1000}
	for i, material := range []string{
		"Clay", "Wood", "Stone", "Copper", "Bronze", "Iron", "Steel", "Silver",
		"Gold", "Platinum", "Emerald", "Sapphire", "Ruby", "Diamond", "Obsidian", "Stardust",
	} {
		r.Tiers = append(r.Tiers, chain.Tier{Material: material, Value: 48 << (i + 1)})
	}
	return r
}
