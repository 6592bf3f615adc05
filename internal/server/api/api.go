// Package api has the operations: it maps each operation of the contract to a use case, authenticates the
// caller, and is the only place where an error becomes a status.
//
// Wire types are defined here and nowhere else: no service sees a wire type, and no answer holds a
// table row. An operation is one method of a call, registered in the file of its service (account.go,
// run.go, chain.go). Package contract decodes and validates its input, and generates
// api/openapi.yaml from the same types. Package edge hands the requests over, package stream holds what waits.
package api

import (
	"net/http"

	"roshambo/contract"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/presence"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/market"
	"roshambo/internal/service/portfolio"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/service/team"
)

// Config configures the operations.
type Config struct {
	stream.Config
	Services
	Limits

	Ledger  *ledger.Ledger
	Auditor *audit.Auditor // of the ledger
	Answers *idempotency.Answers
	Events  *event.Log
	// Secure marks cookies for https only: browsers reach the service by https.
	Secure bool
	// Origin is the service's origin for browsers, for example https://example.org, when it differs
	// from the Host of the requests, as behind a proxy; else "".
	Origin string
	// MailsToFiles says that mails are written to files, as no mail server is configured.
	MailsToFiles bool
	// Presence tracks which sides watch their duels; nil for none.
	Presence *presence.Tracker
	// NetworkKey is the secret key of the hashes of network addresses, by which no two bots of one address
	// are paired; nil charges no network with anything. PairPrivate pairs players of loopback and private
	// addresses, which are charged with nothing.
	NetworkKey  []byte
	PairPrivate bool
	// Class says that the service is for a class, which pages show.
	Class bool
	// PublishSignedOut asks other nodes to call stream.Streams.RecheckSessions with an address. It must not block.
	// Nil on a single node.
	PublishSignedOut func(address string)
	// PublishViewer asks other nodes to call NoteViewer with a key. It must not block. Nil on a single
	// node.
	PublishViewer func(key string)
	// Folder is the folder of temporary files; "" is the system's.
	Folder string
	// Witnesses is the policy that readers are told.
	Witnesses WitnessPolicy
}

// Services are the use cases of the operations, except for duels.
type Services struct {
	Accounts *account.Service
	Runs     *run.Service
	Market   *market.Service
	Arena    *arena.Service
	Cups     *cup.Service
	Holdings *portfolio.Service
	Score    *score.Service
	Teams    *team.Service
}

// Limits are what GET /api/limits lists. Package edge enforces those on requests.
type Limits struct {
	// RateLimit limits the calls of the API from a network address, FileLimit its requests for files
	// of the page, pictures, embeds and the public log, and LogLimit the KiB of the public log; nil is no limit.
	RateLimit, FileLimit *limit.Log
	LogLimit             *limit.Limiter
	// MailLimit limits mails to one mailbox, ClientMailLimit those that one network address
	// requests; nil is no limit.
	MailLimit       *limit.Limiter
	ClientMailLimit *limit.Budget
	// PictureLimit limits the pictures of link previews that are drawn for one network address;
	// nil is no limit.
	PictureLimit *limit.Budget
	// AccountLimit limits the new accounts of one network address; nil is no limit.
	AccountLimit *limit.Budget
	// FreeStarts limits the new accounts of one network address with a free start, and FreeWins its
	// free and daily runs that win free tokens, in each UTC day: the day is the name of an action.
	// Beyond that starts and tokens are bound. Nil is no limit.
	FreeStarts, FreeWins *limit.Budget
	// RankedDailies limits the daily runs of one network address that the day's board shows: accounts
	// are not people, and the best of many tries would lead. Nil is no limit.
	RankedDailies *limit.Budget
	// ListingLimit, DuelLimit, CupLimit and VerifyLimit limit the new listings, the new duels by code
	// and against the sparring bot, the new cups, and the fresh verifications of the chain of one network address;
	// nil is no limit.
	ListingLimit, DuelLimit, CupLimit, VerifyLimit *limit.Budget
	// EmoteLimit limits the emotes of one account, which is the name of an action; nil is no limit.
	EmoteLimit *limit.Budget
	// FailureLimits are the limits by network address that Accounts enforces on failed logins,
	// for all usernames and for one. GET /api/limits lists them; nil is no limit.
	FailureLimits struct{ ByClient, ByNameAndClient *limit.Budget }
	// ConnectionLimit is the number of connections that the server admits from one network
	// address; 0 is no limit. ConnectionsExemptPrivate reports whether it counts none of
	// private addresses. GET /api/limits lists both.
	ConnectionLimit          int
	ConnectionsExemptPrivate bool
}

// Version is the version of the contract.
const Version = "0.2.0"

// deprecationLink is the page to which answers link that announce a deprecation: it shows the marked parts.
const deprecationLink = "/api/docs"

// API is the contract with its operations.
type API struct {
	Config
	Contract *contract.API
	Streams  *stream.Streams // what waits
	origin   *http.CrossOriginProtection
	openapi  document
	parts    documentParts // of openapi
	rows     rowCache      // encoded rows of leaderboards
	pages    marketPages   // encoded pages of the market
	exports  chan struct{} // holds a value for each export in progress
	tv       tv
	viewers  viewers
	embeds   embeds
}

// maxBodyBytes bounds the body of a request.
const maxBodyBytes = 64 << 10

// MaxHeaderBytes bounds the headers of a request. The server that serves the API enforces it.
const MaxHeaderBytes = 32 << 10
