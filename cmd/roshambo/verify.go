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
	Proof string  `arg:"" help:"The proof: a file, a URL such as http://127.0.0.1:8080/api/runs/…/proof, or - for standard input."`
	Key   *string `help:"The verifier key of the chain, from a source you trust; without it the key in the proof is used and reported as not pinned." placeholder:"KEY"`
	witnessPolicy
	Receipts string `help:"A file of receipts, one per line, to compare with the proof." placeholder:"FILE" type:"existingfile"`
	JSON     bool   `name:"json" help:"Print the report as JSON."`
}

// maxProof is the largest proof that is read, in bytes; the proof of a run of 256 throws has 100
// KB.
const maxProof = 8 << 20

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
	proof, err := c.read(ctx)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		*code = 2
	}
	if err != nil {
		return err
	}
	options := verify.Options{Key: c.Key, Witnesses: c.Witness, Quorum: c.Quorum}
	if c.Receipts != "" {
		if options.Receipts, err = os.ReadFile(c.Receipts); err != nil {
			*code = 2
			return err
		}
	}
	// An invalid proof is a result and not an error: the report names the failed check.
	report := verify.Proof(proof, options)
	switch report.Verdict {
	case verify.Valid:
	case verify.Pending:
		*code = 3
	default:
		*code = 1
	}
	if c.JSON {
		return report.WriteJSON(os.Stdout)
	}
	return report.WriteText(os.Stdout)
}

// read returns the proof from standard input, a URL or a file.
func (c *verifyCommand) read(ctx context.Context) ([]byte, error) {
	switch {
	case c.Proof == "-":
		return limited(os.Stdin)
	case strings.HasPrefix(c.Proof, "http://"), strings.HasPrefix(c.Proof, "https://"):
		return fetch(ctx, c.Proof)
	}
	f, err := os.Open(c.Proof)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	return limited(f)
}

// limited reads all of r, and returns an error above maxProof bytes.
func limited(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxProof+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxProof {
		return nil, fmt.Errorf("the proof has more than %d bytes", maxProof)
	}
	return b, nil
}

// fetch downloads a proof within 30 seconds. Any status other than 200 is an error.
func fetch(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	return limited(response.Body)
}
