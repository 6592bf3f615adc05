package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"roshambo/verify"
)

// verifyCommand checks a proof bundle and prints every check with its result.
type verifyCommand struct {
	Proof string  `arg:"" help:"The proof: a file, a URL such as http://127.0.0.1:8080/api/runs/…/proof, or - for standard input; or several, one a line, such as /api/cups/…/proofs.ndjson."`
	Key   *string `help:"The verifier key of the chain, from a source you trust; without it the key in the proof is used and reported as not pinned." placeholder:"KEY"`
	witnessPolicy
	Receipts string `help:"A file of receipts, one per line, to compare with the proof." placeholder:"FILE" type:"existingfile"`
	JSON     bool   `name:"json" help:"Print the report as JSON."`
}

// Run verifies and sets the exit status: 0 valid; 1 invalid, contradicted by a receipt, or no proof at the URL; 2 wrong
// usage, such as a missing file or an invalid key, "" included; 3 pending.
func (c *verifyCommand) Run(ctx context.Context, code *int) error {
	if c.Key != nil {
		if _, err := verify.ParseKey(*c.Key); err != nil {
			*code = 2
			return fmt.Errorf("--key: %w", err)
		}
	}
	if err := c.witnessPolicy.check(); err != nil {
		*code = 2
		return err
	}
	// A missing file is a mistake on the command line; an unreachable URL is not.
	source, err := c.open(ctx)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		*code = 2
	}
	if err != nil {
		return err
	}
	defer source.Close()
	options := verify.Options{Key: c.Key, Witnesses: c.Witness, Quorum: c.Quorum}
	if c.Receipts != "" {
		if options.Receipts, err = os.ReadFile(c.Receipts); err != nil {
			*code = 2
			return err
		}
	}
	err = verify.Each(source, func(line int, proof []byte) error {
		// An invalid proof is a result and not an error: the report names the failed check.
		report := verify.Proof(proof, options)
		switch {
		case report.Verdict == verify.Pending && *code == 0:
			*code = 3
		case report.Verdict != verify.Pending && report.Verdict != verify.Valid:
			*code = 1
		}
		return c.write(line, report)
	})
	if err != nil {
		*code = 1 // whatever the proofs before it are
	}
	return err
}

// write prints a report. line is the line of the proof in a file of several, 0 for a single proof: of several, the
// ones that are not valid are printed whole.
func (c *verifyCommand) write(line int, report verify.Report) error {
	if c.JSON {
		return report.WriteJSON(os.Stdout)
	}
	if line > 0 {
		fmt.Printf("line %d  %s\n", line, report.Verdict)
		if report.Verdict == verify.Valid {
			return nil
		}
	}
	return report.WriteText(os.Stdout)
}

// open opens standard input, a URL or a file.
func (c *verifyCommand) open(ctx context.Context) (io.ReadCloser, error) {
	switch {
	case c.Proof == "-":
		return io.NopCloser(os.Stdin), nil
	case strings.HasPrefix(c.Proof, "http://"), strings.HasPrefix(c.Proof, "https://"):
		return openURL(ctx, c.Proof)
	}
	return os.Open(c.Proof)
}

// fetchTimeout is the time for a download: the proofs of a large cup have some megabytes.
const fetchTimeout = 2 * time.Minute

// openURL opens a download. Any status other than 200 is an error.
func openURL(ctx context.Context, url string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		cancel()
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		cancel()
		return nil, errors.Join(fmt.Errorf("%s: %s", url, response.Status), response.Body.Close())
	}
	return download{response.Body, cancel}, nil
}

// download is the body of a response, whose Close ends the request.
type download struct {
	io.ReadCloser

	cancel context.CancelFunc
}

func (d download) Close() error {
	defer d.cancel()
	return d.ReadCloser.Close()
}
