package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/ledger/publiclog"
	"roshambo/internal/platform/durable"
	"roshambo/verify"
)

// verifyChainCommand verifies a whole chain: of a data folder, with its tables; of an export; or
// of a service's public log.
type verifyChainCommand struct {
	chainSource
	JSON bool `name:"json" help:"Print the report as JSON, with the members of GET /api/chain/verify, gaps and kept."`
}

// chainSource names a chain and the key that must have signed it.
type chainSource struct {
	Chain    string  `arg:"" optional:"" help:"The chain: a data folder, also while a server uses it; the folder of a mirror; an export, - for standard input; or the URL of a service, whose public log is read (${data})."`
	Database string  `help:"PostgreSQL database to verify, with its tables, instead; a standby suffices." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
	Key      *string `help:"The verifier key of the chain, from a source you trust; without it the key that comes with the chain is used." placeholder:"KEY"`
	Extends  string  `help:"A file with a checkpoint of this chain that was kept earlier, such as the page saves: the chain must extend it." placeholder:"FILE" type:"existingfile"`
	chainPolicy
}

// check returns an error and sets the exit status of wrong usage when the key is malformed.
func (c *chainSource) check(code *int) error {
	if c.Key != nil {
		if _, err := verify.ParseKey(*c.Key); err != nil {
			*code = 2
			return fmt.Errorf("--key: %w", err)
		}
	}
	if err := c.chainPolicy.check(); err != nil {
		*code = 2
		return err
	}
	return nil
}

// errFolderCheckpoint reports that a folder or a database is asked for what only a published checkpoint has.
var errFolderCheckpoint = errors.New(
	"--witness and --extends: the tables of a service are verified with the newest block, " +
		"which no witness has cosigned yet and no reader has kept; name its URL, an export or the folder of a mirror instead")

// published reports whether the options ask for more than the tables of a service have.
func (c *chainSource) published() bool { return len(c.Witness) > 0 || c.Extends != "" }

// Run verifies and sets the exit status: 0 valid; 1 invalid, malformed or unreachable; 2 wrong
// usage.
func (c *verifyChainCommand) Run(ctx context.Context, code *int) error {
	if err := c.check(code); err != nil {
		return err
	}
	line := newStatusLine("verified")
	report, err := c.verify(ctx, verify.ChainOptions{Spill: app.VerifySpill, Progress: line.show})
	line.clear()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errFolderCheckpoint) {
		*code = 2
	}
	if err != nil {
		return err
	}
	if !report.Valid {
		*code = 1
	}
	if c.JSON {
		return report.WriteJSON(os.Stdout)
	}
	// The key of the chain itself proves nothing about its origin.
	if c.Key == nil {
		fmt.Fprintln(os.Stderr, "note: without --key the chain is checked with the key that comes with it")
	}
	return report.WriteText(os.Stdout)
}

// verify opens the selected source and verifies it. The report contains the elapsed time.
func (c *chainSource) verify(ctx context.Context, o verify.ChainOptions) (report verify.ChainReport, err error) {
	o.Key, o.Witnesses, o.Quorum, o.WitnessesFrom = c.Key, c.Witness, c.Quorum, c.WitnessesFrom
	if c.Extends != "" {
		kept, err := os.ReadFile(c.Extends)
		if err != nil {
			return report, err
		}
		o.Extends = string(kept)
	}
	began := time.Now()
	defer func() { report.TookMS = time.Since(began).Milliseconds() }() //nolint:forbidigo // elapsed time is real time
	// --database replaces the default folder, but not an argument.
	named := cmp.Or(c.Chain, app.DefaultData)
	switch {
	case c.Database != "" && c.Chain == "" && c.published():
		return report, errFolderCheckpoint
	case c.Database != "" && c.Chain == "":
		return app.VerifyStore(ctx, app.Store{Database: c.Database}, o)
	case named == "-":
		return verify.Export(interruptible{ctx, os.Stdin}, o)
	case strings.HasPrefix(named, "http://"), strings.HasPrefix(named, "https://"):
		return (&publiclog.Log{URL: named, HTTP: http.DefaultClient}).Verify(ctx, o)
	}
	info, err := os.Stat(named)
	if err != nil {
		return report, err
	}
	if info.IsDir() && publiclog.IsCopy(named) {
		return publiclog.VerifyCopy(ctx, named, o)
	}
	// A folder is verified with its tables, which an export does not contain.
	if info.IsDir() && c.published() {
		return report, errFolderCheckpoint
	}
	if info.IsDir() {
		return app.VerifyStore(ctx, app.Store{Data: named}, o)
	}
	f, err := os.Open(named)
	if err != nil {
		return report, err
	}
	defer f.Close() //nolint:errcheck // read only
	return verify.Export(interruptible{ctx, f}, o)
}

// interruptible is a reader that fails once its context is done, so that a signal ends a
// verification that reads from a pipe.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// Read reads unless the context is done.
func (i interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// exportCommand writes the whole public chain to one file.
type exportCommand struct {
	Data      string `help:"The data folder, also while a server uses it." default:"${data}" type:"path" env:"ROSHAMBO_DATA" placeholder:"FOLDER"`
	Database  string `help:"PostgreSQL database, instead of a folder; a standby suffices." env:"ROSHAMBO_DATABASE" placeholder:"URL"`
	Witnessed bool   `help:"End at the newest checkpoint that most witnesses have cosigned, so that --witness works on the file; wait up to a minute for one."`
	Out       string `arg:"" optional:"" help:"The file to write; - for standard output." default:"-"`
}

// store returns the database to export.
func (c *exportCommand) store() app.Store { return app.Store{Data: c.Data, Database: c.Database} }

// export writes the export to w.
func (c *exportCommand) export(ctx context.Context, w io.Writer, line *statusLine) error {
	return app.Export(ctx, c.store(), w, app.ExportOptions{Witnessed: c.Witnessed, Progress: line.show})
}

// Run writes the export. A crash leaves no incomplete file: the export is renamed into place when
// it is complete and synced.
func (c *exportCommand) Run(ctx context.Context, code *int) error {
	line := newStatusLine("exported")
	var err error
	if c.Out == "-" {
		w := bufio.NewWriterSize(os.Stdout, 1<<20)
		err = errors.Join(c.export(ctx, w, line), w.Flush())
	} else {
		err = c.file(ctx, line)
	}
	line.clear()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		*code = 2
	}
	return err
}

// file exports to a temporary file beside Out, syncs and renames it.
func (c *exportCommand) file(ctx context.Context, line *statusLine) error {
	// The chain is public, so other users may read the file.
	return durable.Replace(c.Out, 0o644, func(f io.Writer) error {
		w := bufio.NewWriterSize(f, 1<<20)
		return errors.Join(c.export(ctx, w, line), w.Flush())
	})
}

// statusLine shows progress on a terminal, in one line that is overwritten.
type statusLine struct {
	verb  string
	on    bool
	began time.Time
	last  time.Time
}

// newStatusLine returns a statusLine that prints nothing unless standard error is a terminal.
func newStatusLine(verb string) *statusLine {
	info, err := os.Stderr.Stat()
	now := time.Now()
	return &statusLine{verb: verb, on: err == nil && info.Mode()&os.ModeCharDevice != 0, began: now, last: now}
}

// statusEvery is the minimum time between two updates.
const statusEvery = 200 * time.Millisecond

// show updates the line, at most once in statusEvery.
func (l *statusLine) show(blocks, transactions int64) {
	now := time.Now()
	if !l.on || now.Sub(l.last) < statusEvery {
		return
	}
	l.last = now
	rate := float64(transactions) / now.Sub(l.began).Seconds()
	fmt.Fprintf(os.Stderr, "\r\x1b[K%s %d blocks, %d transactions, %.0f/s", l.verb, blocks, transactions, rate)
}

// clear removes the line before other output.
func (l *statusLine) clear() {
	if l.on {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
