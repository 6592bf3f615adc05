// Package httpapi is the service as HTTP shows it: each operation of the contract
// turned into a use case, who is calling, and the only place where an error becomes
// a status.
//
// Wire types live here alone; no wire type goes further in and no table row comes
// out. An operation is one typed function registered in the file of its noun
// (account.go, run.go, chain.go); package contract reads and checks its input, and
// makes api/openapi.yaml from the same types.
package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"roshambo/internal/account"
	"roshambo/internal/contract"
	"roshambo/internal/db"
	"roshambo/internal/ledger"
	"roshambo/internal/run"
)

// Config is what the interface serves.
type Config struct {
	DB       *db.DB
	Ledger   *ledger.Ledger
	Accounts *account.Service
	Runs     *run.Service
	Page     http.Handler // the web page, for every path that is not the API's
	Now      func() time.Time
	Logger   *slog.Logger
	// Secure says that browsers reach the service by https: cookies are then
	// marked so.
	Secure bool
}

// Version of the interface description.
const Version = "0.1.0"

// API is the interface. It is an http.Handler.
type API struct {
	Config
	contract *contract.API
	origin   *http.CrossOriginProtection
	openapi  []byte
	docs     http.Handler
}

// New returns the interface over c. For its document alone, c may be zero.
func New(c Config) (*API, error) {
	a := &API{Config: c, origin: http.NewCrossOriginProtection()}
	a.contract = contract.New(contract.Info{
		Title: "Provably Fair Rock-Paper-Scissors", Version: Version, Description: description,
	}, contract.Options{Before: a.before, Fail: a.fail})
	a.contract.SetSecuritySchemes(securitySchemes()...)
	a.contract.SetCommonErrors(commonErrors()...)
	a.accountOperations()
	a.runOperations()
	a.proofOperations()
	a.chainOperations()
	a.documentOperations()
	var err error
	if a.openapi, err = a.contract.Document().JSON(); err != nil {
		return nil, fmt.Errorf("httpapi: document: %w", err)
	}
	return a, nil
}

// YAML returns the contract as it is committed.
func (a *API) YAML() ([]byte, error) { return a.contract.Document().YAML() }

const description = `Free-to-play Rock-Paper-Scissors that anybody can check: guests play house runs for tiers that become tokens on a simulated chain. Coins and tokens are virtual and worth no money.

Every answer carries X-Request-Id. Errors are {code, message, request_id} with a code of a closed list, or 422 with every violation of the schema at once.`

// ServeHTTP routes between the API, the public log and the web page.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Request-Id", newRequestID())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	switch {
	case strings.HasPrefix(r.URL.Path, docsPath):
		a.docs.ServeHTTP(w, r)
	case r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/"):
		a.contract.ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path, logPath):
		a.serveLog(w, r)
	default:
		a.Page.ServeHTTP(w, r)
	}
}

// newRequestID names a request in answers and logs. It is no secret.
func newRequestID() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// read runs fn on a snapshot.
func read[Out any](ctx context.Context, a *API, fn func(ctx context.Context, tx *db.Tx) (*Out, error)) (out *Out, err error) {
	err = a.DB.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		out, err = fn(ctx, tx)
		return err
	})
	return out, err
}

// write runs fn as one use case: all of it is durable when write returns without an
// error, and nothing of it happened otherwise (but for db.ErrUnavailable, when
// nobody knows).
func write[Out any](ctx context.Context, a *API, fn func(ctx context.Context, tx *db.Tx) (*Out, error)) (out *Out, err error) {
	err = a.DB.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
		out, err = fn(ctx, tx)
		return err
	})
	return out, err
}

// Listener returns l such that even requests that net/http refuses by itself are
// answered as the contract says.
func (a *API) Listener(l net.Listener) net.Listener { return a.contract.Listener(l) }
