package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// visitor is a guest that plays over HTTP.
type visitor struct {
	url          string
	client       *http.Client
	cookie, csrf string
	address      string
}

// Parts of responses that the tests read.
type (
	runView struct {
		ID         string
		Account    string
		Status     string
		Entry      string
		Cleared    int64
		ClientSeed string `json:"client_seed"`
		Commitment string
		Throws     []throwView
		StartTx    string    `json:"start_tx"`
		EndTx      *string   `json:"end_tx"`
		TokenID    *int64    `json:"token_id"`
		NextThrow  time.Time `json:"next_throw_at"`
	}
	throwView struct {
		N                                   int
		Move, Entropy, House, Outcome, Seed string
	}
)

// statusError is a response with a status other than 200.
type statusError struct {
	status int
	code   string
	body   string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.body) }

// newVisitor creates a guest account.
func newVisitor(ctx context.Context, url string) (*visitor, error) {
	v := &visitor{url: url, client: http.DefaultClient}
	err := v.arrive(ctx)
	return v, err
}

// arrive creates the account at v.url.
func (v *visitor) arrive(ctx context.Context) error {
	var out struct {
		Account   struct{ Address string }
		CSRFToken string `json:"csrf_token"`
	}
	err := v.call(ctx, "POST", "/api/guest", "", &out)
	v.csrf, v.address = out.CSRFToken, out.Account.Address
	return err
}

// call makes a request and decodes the response into out. A status other than 200 is a
// *statusError; other errors mean that there was no response.
func (v *visitor) call(ctx context.Context, method, path, body string, out any) error {
	r, err := http.NewRequestWithContext(ctx, method, v.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	if v.cookie != "" {
		r.Header.Set("Cookie", v.cookie)
		r.Header.Set("X-CSRF-Token", v.csrf)
	}
	return v.do(r, out)
}

// do makes a request, as call does.
func (v *visitor) do(r *http.Request, out any) error {
	text, err := v.read(r)
	if err != nil {
		return err
	}
	return unmarshal(text, out)
}

// read makes a request, as call does, and returns the body.
func (v *visitor) read(r *http.Request) ([]byte, error) {
	response, err := v.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		var e struct{ Code string }
		_ = json.Unmarshal(text, &e) // without JSON there is no code
		return nil, &statusError{response.StatusCode, e.Code, string(text)}
	}
	for _, c := range response.Cookies() {
		v.cookie = c.Name + "=" + c.Value
	}
	return text, nil
}

func unmarshal(text []byte, out any) error {
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%w in %s", err, text)
	}
	return nil
}
