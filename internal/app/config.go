// Package app puts the service together: configuration, keys, wiring, start, drain
// and stop.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/mail"
	"roshambo/internal/store"
)

// Config says how to run the service. Every field is an option of the command
// `roshambo serve`, an environment variable ROSHAMBO_… and a key of its file.
type Config struct {
	Listen string // host:port; port 0 picks a free one
	Data   string // folder of the keys, and of the database unless Database says where
	// Database is the URL of a PostgreSQL database that any number of nodes serve,
	// postgres://user:password@host:5432/database; "" is SQLite in Data.
	Database string
	// Keys are the keys, as the file in the data folder has them, for nodes that have no
	// such file; "" for those of the folder. A secret.
	Keys string
	// AdminListen is host:port for operators: metrics, health, profiles; "" is off.
	AdminListen string
	PublicURL   string // where browsers reach the service, "" for the address it listens on
	// RateLimit is how many requests a network address may make in a minute; 0 is any.
	RateLimit int
	// TrustedProxies are addresses and ranges whose X-Forwarded-For is believed.
	TrustedProxies []string
	// Redis is where nodes share their limits, redis://host:6379; "" keeps them in memory.
	Redis string
	// SMTP is the mail server, smtp://user:password@host:587; "" writes mails to files
	// below Data. MailFrom is the sender of mails.
	SMTP, MailFrom string
	// Witnesses cosign the log: each a verifier key, a space, and a URL.
	Witnesses []string
	// HouseBots says whether the house's own bots play in the arena.
	HouseBots bool
	// OTLPEndpoint is the collector of traces, http://localhost:4318; "" for what the
	// environment says (OTEL_EXPORTER_OTLP_ENDPOINT), or none.
	OTLPEndpoint string
	LogFormat    string // text or json
	LogLevel     slog.Level
	// Drain is how long requests under way may take after a signal to stop.
	Drain time.Duration
	// DrainDelay is how long a node goes on as before after a signal to stop, and only
	// says that it is not ready: time for those who send requests here to hear of it.
	DrainDelay time.Duration
	// Log takes the log; Ready and ReadyAdmin, when set, are told the addresses once they
	// are served.
	Log        io.Writer
	Ready      func(address string)
	ReadyAdmin func(address string)
	Now        func() time.Time
	// Overrides replaces parts of the service in tests.
	Overrides Overrides
}

// Defaults of the options.
const (
	DefaultListen = "127.0.0.1:8080"
	DefaultData   = "roshambo-data"
	DefaultDrain  = 20 * time.Second
	// DefaultMailFrom says where mails come from unless the operator says better.
	DefaultMailFrom = "roshambo@localhost"
	// DefaultRateLimit is that of the contract.
	DefaultRateLimit = 240
)

// Check refuses what cannot work, before anything is made.
func (c *Config) Check() error {
	if err := checkAddress(c.Listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err := checkAddress(c.AdminListen); c.AdminListen != "" && err != nil {
		return fmt.Errorf("admin-listen: %w", err)
	}
	if c.RateLimit < 0 {
		return fmt.Errorf("rate-limit: %d is less than none", c.RateLimit)
	}
	for _, proxy := range c.TrustedProxies {
		if _, err := netip.ParsePrefix(proxy); err == nil {
			continue
		}
		if _, err := netip.ParseAddr(proxy); err != nil {
			return fmt.Errorf("trusted-proxies: %q is neither an address nor a range like 10.0.0.0/8", proxy)
		}
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
		if err := store.CheckURL(c.Database); err != nil {
			return fmt.Errorf("database: %w", err)
		}
	}
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Scheme+"://"+u.Host != c.origin() {
			return fmt.Errorf("public-url: %q is not like https://example.org", c.PublicURL)
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
	if err := checkWitnesses(c.Witnesses); err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	if c.OTLPEndpoint != "" {
		u, err := url.Parse(c.OTLPEndpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
			return errors.New("otlp-endpoint: it is not like http://localhost:4318") // it may hold a password
		}
	}
	if c.LogFormat != "text" && c.LogFormat != "json" {
		return fmt.Errorf("log: %q is neither text nor json", c.LogFormat)
	}
	if c.DrainDelay < 0 {
		return fmt.Errorf("drain-delay: %v is not a time to wait", c.DrainDelay)
	}
	if c.Drain <= 0 {
		return fmt.Errorf("drain: %v is not a time to wait", c.Drain)
	}
	return nil
}

// checkAddress refuses what is not like 127.0.0.1:8080.
func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port) // a table, no network
	}
	if err != nil {
		return fmt.Errorf("%q is not like 127.0.0.1:8080: %w", address, err)
	}
	return nil
}

// origin is the public URL as browsers write it in the header Origin.
func (c *Config) origin() string { return strings.TrimSuffix(c.PublicURL, "/") }

// secure says whether browsers come by https.
func (c *Config) secure() bool {
	u, err := url.Parse(c.PublicURL)
	return err == nil && u.Scheme == "https"
}

func (c *Config) logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(fullOnce{slog.NewJSONHandler(c.Log, options)})
	}
	return slog.New(fullOnce{slog.NewTextHandler(c.Log, options)})
}

// The numbers of the game; GET /api/tiers shows them, and the chain records them.
const (
	faucetBelow = 500
	faucetEvery = 4 * time.Hour
)

// rules returns the rules that the service puts on its chain.
func rules() chain.Rules {
	r := chain.Rules{BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, MarketFeeBPS: 250, StartingBalance: 1000}
	for i, material := range []string{
		"Clay", "Wood", "Stone", "Copper", "Bronze", "Iron", "Steel", "Silver",
		"Gold", "Platinum", "Emerald", "Sapphire", "Ruby", "Diamond", "Obsidian", "Stardust",
	} {
		r.Tiers = append(r.Tiers, chain.Tier{Material: material, Value: 48 << (i + 1)})
	}
	return r
}
