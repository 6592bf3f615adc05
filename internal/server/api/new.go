package api

import (
	"fmt"
	"net/http"
	"sync"

	"roshambo/contract"
	"roshambo/internal/server/stream"
)

// New returns the interface for c. A zero c suffices for its document.
func New(c Config) (*API, error) {
	c.DuelEvent = duelEvent
	a := &API{Config: c, Streams: stream.New(c.Config), origin: http.NewCrossOriginProtection(),
		exports: make(chan struct{}, exportsPerNode)}
	if c.Origin != "" {
		if err := a.origin.AddTrustedOrigin(c.Origin); err != nil {
			return nil, fmt.Errorf("api: %w", err)
		}
	}
	a.Contract = contract.New(contract.Info{
		Title: "Provably Fair Rock-Paper-Scissors", Version: Version, Description: about,
	}, contract.Options{Register: complete, Before: a.before, Checked: a.checked, Settle: a.settle, Fail: a.Fail,
		NoNUL:   true,
		MaxBody: maxBodyBytes, DeprecationLink: deprecationLink})
	a.Contract.SetSecuritySchemes(securitySchemes()...)
	a.Contract.SetCommonErrors(commonErrors()...)
	a.Contract.SetCommon(common())
	if c.Events != nil {
		c.Events.OnCorrection(func() {
			a.tv.stale.Store(true)
			a.embeds.clear()
		})
	}
	a.accountOperations()
	a.authOperations()
	a.ownerOperations()
	a.eraseOperations()
	a.developerOperations()
	a.runOperations()
	a.proofOperations()
	a.duelOperations()
	a.tvOperations()
	a.marketOperations()
	a.arenaOperations()
	a.playerOperations()
	a.cupOperations()
	a.hostOperations()
	a.fileOperations()
	a.portfolioOperations()
	a.leaderboardOperations()
	a.seasonOperations()
	a.dailyOperations()
	a.teamOperations()
	a.achievementOperations()
	a.feedOperations()
	a.chainOperations()
	a.followOperations()
	a.dataOperations()
	a.limitOperations()
	a.documentOperation()
	generated.once.Do(func() { generated.openapi, generated.err = newDocument(a.Contract) })
	if a.openapi = generated.openapi; generated.err != nil {
		return nil, fmt.Errorf("api: document: %w", generated.err)
	}
	return a, nil
}

// generated caches the document, which does not depend on the configuration: a process with many
// interfaces, as in tests, generates it once.
var generated struct {
	once    sync.Once
	openapi document
	err     error
}

// YAML returns the contract as it is committed, api/openapi.yaml.
func (a *API) YAML() ([]byte, error) { return a.Contract.Document().YAML() }

const about = `Free-to-play Rock-Paper-Scissors with verifiable results: guests play house runs for tiers that become tokens on a simulated chain. Coins and tokens are virtual and worth no money.

Every answer carries X-Request-Id. Errors are {code, message, request_id} with a code of a list that may grow (docs/errors.md), or 422 with every violation of the schema at once.

Answers may get further members, and texts with x-extensible-enum further values: ignore what you do not know. A text with enum has no others. What is marked as deprecated is announced with each answer, by the headers Deprecation and Sunset (docs/compatibility.md).`
