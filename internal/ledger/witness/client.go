package witness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Client requests cosignatures from one witness.
type Client struct {
	URL      string        // its submission prefix
	Verifier note.Verifier // of its cosignatures
	HTTP     *http.Client
}

// conflictError reports that the witness has cosigned a tree of another size than the request
// stated.
type conflictError struct{ size int64 }

func (e *conflictError) Error() string {
	return fmt.Sprintf("witness: it has cosigned a tree of %d", e.size)
}

// add submits a checkpoint and returns the witness's verified signature lines, each ending with a
// newline. Errors: *conflictError.
func (c *Client) add(ctx context.Context, r *request) (lines string, err error) {
	in, err := http.NewRequestWithContext(
		ctx, http.MethodPost, strings.TrimSuffix(c.URL, "/")+addPath, bytes.NewReader(r.body()),
	)
	if err != nil {
		return "", err
	}
	out, err := c.HTTP.Do(in)
	if err != nil {
		return "", err
	}
	defer out.Body.Close()
	text, err := io.ReadAll(io.LimitReader(out.Body, maxAnswer+1))
	if err != nil {
		return "", err
	}
	switch {
	case out.StatusCode == http.StatusConflict && strings.HasPrefix(out.Header.Get("Content-Type"), sizeType):
		if size, ok := parseSize(strings.TrimSuffix(string(text), "\n")); ok {
			return "", &conflictError{size}
		}
		return "", errors.New("witness: malformed size in its answer")
	case out.StatusCode != http.StatusOK:
		return "", fmt.Errorf("witness: answered %s: %.200q", out.Status, text)
	case len(text) > maxAnswer:
		return "", fmt.Errorf("witness: answered more than %d bytes", maxAnswer)
	}
	return c.cosignatures(r.checkpoint, text)
}

// Cosigned returns the size of the newest tree of a checkpoint's log that the witness has cosigned: it
// submits the checkpoint of a tree of that size as one that the witness knows.
func (c *Client) Cosigned(ctx context.Context, size int64, checkpoint []byte) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := c.add(ctx, &request{old: size, checkpoint: checkpoint})
	if known, ok := errors.AsType[*conflictError](err); ok {
		return known.size, nil
	}
	return size, err
}

// cosignatures returns the signature lines that are the witness's cosignatures of the
// checkpoint. It omits all others: nothing unverified is stored or served.
func (c *Client) cosignatures(checkpoint, lines []byte) (string, error) {
	signed, err := note.Open(append(bytes.Clone(checkpoint), lines...), note.VerifierList(c.Verifier))
	if err != nil {
		return "", fmt.Errorf("witness: the answer is not a cosignature of the checkpoint: %w", err)
	}
	var out strings.Builder
	for _, s := range signed.Sigs {
		fmt.Fprintf(&out, "— %s %s\n", s.Name, s.Base64)
	}
	return out.String(), nil
}
