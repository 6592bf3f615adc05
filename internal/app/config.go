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

	"golang.org/x/crypto/acme"

	"roshambo/chain"
	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/mail"
	"roshambo/internal/store/postgres"
)

// Config configures the service. A field with a help text is an option of the command `roshambo serve`, an
// environment variable ROSHAMBO_… and a key of its file.
type Config struct {
	Listen          string        `help:"Address to listen on; port 0 picks a free one." default:"${listen}" env:"ROSHAMBO_LISTEN"`
	AdminListen     string        `help:"Address for operators only: their page under /page/ (roshambo admin open), metrics under /metrics, health under /healthz and /readyz, profiles under /debug/pprof/. Off by default; must not be public." env:"ROSHAMBO_ADMIN_LISTEN" placeholder:"ADDRESS"`
	ProbeListen     string        `help:"Address for the probes of load balancers and supervisors: /livez and /readyz, for any Host header. Off by default." env:"ROSHAMBO_PROBE_LISTEN" placeholder:"ADDRESS"`
	Data            string        `help:"Folder of the keys, and of the database unless --database is set." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Database        string        `help:"PostgreSQL database that any number of nodes serve, postgres://user:password@host:5432/database; of several hosts, separated by commas, the primary is used. Without it, SQLite in the data folder." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
	PublicURL       string        `help:"The URL of the service in browsers, for example https://example.org; https makes cookies secure." env:"ROSHAMBO_PUBLIC_URL" placeholder:"URL"`
	TLSCert         string        `name:"tls-cert" help:"File with the certificate of the public URL and its chain, PEM: the service speaks HTTPS. A changed file is read again within ten seconds." env:"ROSHAMBO_TLS_CERT" placeholder:"FILE"`
	TLSKey          string        `name:"tls-key" help:"File with the private key of --tls-cert, PEM." env:"ROSHAMBO_TLS_KEY" placeholder:"FILE"`
	ACME            bool          `name:"acme" help:"Get and renew a certificate for the host of --public-url by ACME, accepting the terms of the certificate authority. It must reach this service at ports 443 (--listen) or 80 (--redirect-listen). For one node: the account and the certificate are in the data folder." env:"ROSHAMBO_ACME"`
	ACMEDirectory   string        `name:"acme-directory" help:"Directory of the certificate authority of --acme." default:"${acme_directory}" env:"ROSHAMBO_ACME_DIRECTORY" placeholder:"URL"`
	RedirectListen  string        `help:"Address, such as :80, at which HTTP is redirected to --public-url." env:"ROSHAMBO_REDIRECT_LISTEN" placeholder:"ADDRESS"`
	WeakPasswords   string        `help:"accept or refuse new passwords that are easy to guess: the 10,000 commonest, blanks, the username; by default they are refused with --public-url." env:"ROSHAMBO_WEAK_PASSWORDS" placeholder:"accept|refuse"`
	RateLimit       int           `help:"Calls of the API in any 60 s of one network address, or of a session or key at a shared one; ten times as many files; 0 means no limit, nor one on streams and on bytes of the log." default:"${rate_limit}" env:"ROSHAMBO_RATE_LIMIT"`
	FreeStarts      int           `help:"Accounts with a free start that one network address may open in a UTC day; the starting balance of others is bound. 0 means no limit." default:"${free_starts}" env:"ROSHAMBO_FREE_STARTS"`
	LimitPrivate    bool          `help:"Limit new accounts, free starts, free wins and connections of loopback and private addresses, too, and count their calls by address." env:"ROSHAMBO_LIMIT_PRIVATE"`
	SharedAddresses []string      `help:"Addresses and ranges that many people share, such as a school's, separated by commas: there calls count by session or key, and the address has 16 times the calls, files, streams, connections, new accounts, mails, listings, duels, cups and chain verifications." env:"ROSHAMBO_SHARED_ADDRESSES" placeholder:"ADDRESS"`
	Class           bool          `help:"For a class, club or hackathon that shares addresses and has the service to itself: every address is a shared one, free starts have no limit, and bots and points of one address count like any others. The service opens no cup of its own, its first page lists the cups to join, and duels with the house's bots are not rated." env:"ROSHAMBO_CLASS"`
	Redis           string        `help:"Redis that nodes share their limits in, redis://user:password@host:6379/0; without it each node counts on its own." env:"ROSHAMBO_REDIS" placeholder:"URL"`
	SMTP            string        `name:"smtp" help:"Mail server, smtp://user:password@host:587 or smtps://…; without it mails are written to files below the data folder." env:"ROSHAMBO_SMTP" placeholder:"URL"`
	MailFrom        string        `help:"Sender of mails." default:"${mail_from}" env:"ROSHAMBO_MAIL_FROM"`
	TrustedProxies  []string      `help:"Addresses and ranges of proxies whose X-Forwarded-For is trusted, separated by commas." env:"ROSHAMBO_TRUSTED_PROXIES" placeholder:"ADDRESS"`
	Witnesses       []string      `name:"witness" help:"A witness that cosigns the log (c2sp.org/tlog-witness): its verifier key, a space, and its URL; repeat for each, or separate by commas." env:"ROSHAMBO_WITNESS" placeholder:"'KEY URL'"`
	OnRollback      string        `help:"When the database is behind the signed log: wait for an operator, or recover: declare the loss, void what was in play and go on, at most once an hour and not below what a witness has cosigned." enum:"wait,recover" default:"wait" env:"ROSHAMBO_ON_ROLLBACK"`
	WitnessQuorum   int           `help:"How many of the witnesses the published policy requires, and must have cosigned announced rules a day before they begin; without it more than half." env:"ROSHAMBO_WITNESS_QUORUM" placeholder:"N"`
	HouseBots       bool          `help:"Run a dozen house bots in the arena while the service is used, so that every bot finds an opponent; on one node at a time. --house-bots=false turns them off." default:"true" env:"ROSHAMBO_HOUSE_BOTS"`
	Demo            bool          `help:"For evaluation: at the first start, fill an empty data folder with a season of made-up history. The chain and the page say that it is a demo." env:"ROSHAMBO_DEMO"`
	LogFormat       string        `name:"log" help:"Log as text or json." enum:"text,json" default:"text" env:"ROSHAMBO_LOG"`
	LogLevel        slog.Level    `help:"Minimum level to log: debug, info, warn or error." default:"info" env:"ROSHAMBO_LOG_LEVEL"`
	Drain           time.Duration `help:"Time for requests in flight after a signal to stop." default:"${drain}" env:"ROSHAMBO_DRAIN"`
	DrainDelay      time.Duration `help:"Time to continue unchanged after a signal to stop, while /readyz fails, so that load balancers notice." default:"0s" env:"ROSHAMBO_DRAIN_DELAY"`
	OTLPEndpoint    string        `name:"otlp-endpoint" help:"Collector of OpenTelemetry to send traces to, http://localhost:4318; by default OTEL_EXPORTER_OTLP_ENDPOINT; without either, no traces." env:"ROSHAMBO_OTLP_ENDPOINT" placeholder:"URL"`

	BackupEvery      time.Duration `help:"Make a backup of the SQLite database this often, for example 24h: audited as by doctor, and put in --backup-to. 0 makes none." default:"0s" env:"ROSHAMBO_BACKUP_EVERY"`
	BackupTo         string        `help:"Place of the backups: an existing folder, or s3://bucket/prefix with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL_S3 in the environment." env:"ROSHAMBO_BACKUP_TO" placeholder:"PLACE"`
	BackupRecipients []string      `name:"backup-recipient" help:"Public key of age, age1…, for which backups are encrypted; repeat, or separate by commas. Required for S3. The private key stays with the operator." env:"ROSHAMBO_BACKUP_RECIPIENT" placeholder:"KEY"`
	BackupKeep       int           `help:"How many backups are kept; 0 keeps all." default:"${backup_keep}" env:"ROSHAMBO_BACKUP_KEEP"`

	// Keys is the text of a keys file, for nodes without such a file in the data folder; "" reads
	// the file. A secret.
	Keys string `kong:"-"`
	// Log receives the log. The functions, when set, are called with the addresses once they
	// are served.
	Log           io.Writer            `kong:"-"`
	Ready         func(address string) `kong:"-"`
	ReadyAdmin    func(address string) `kong:"-"`
	ReadyProbe    func(address string) `kong:"-"`
	ReadyRedirect func(address string) `kong:"-"`
	// Now replaces the database's clock where a program makes up the time; nil otherwise.
	Now func() time.Time `kong:"-"`
	// Overrides replaces parts of the service in tests.
	Overrides Overrides `kong:"-"`
}

// Defaults of the options.
const (
	DefaultListen = "127.0.0.1:8080"
	DefaultData   = "roshambo-data"
	DefaultDrain  = 20 * time.Second
	// DefaultACMEDirectory is Let's Encrypt.
	DefaultACMEDirectory = acme.LetsEncryptURL
	// DefaultMailFrom is the sender of mails when none is configured.
	DefaultMailFrom = "roshambo@localhost"
	// DefaultRateLimit is the limit that the contract documents, in requests a minute.
	DefaultRateLimit = 240
	// DefaultBackupKeep is a week of daily backups.
	DefaultBackupKeep = 7
	// DefaultFreeStarts is enough for a household's first evening.
	DefaultFreeStarts = 3
)

// Check returns an error that names the first invalid option. It changes nothing.
func (c *Config) Check() error {
	if err := checkAddress(c.Listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	for name, address := range map[string]string{"admin-listen": c.AdminListen, "probe-listen": c.ProbeListen,
		"redirect-listen": c.RedirectListen} {
		if err := checkAddress(address); address != "" && err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
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
	return errors.Join(c.checkTLS(), c.checkDemo(), c.checkDrain(), c.checkBackups())
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

// everywhere are all addresses.
var everywhere = limit.Ranges{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// shared returns the addresses that many people share, which Check has checked: of a class, all.
func (c *Config) shared() limit.Ranges {
	if c.Class {
		return everywhere
	}
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
