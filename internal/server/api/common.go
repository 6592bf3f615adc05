package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"roshambo/contract"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/server/stream"
)

// common returns the parts of the contract that all operations share: servers, tags, and the
// headers that belong to no single operation.
func common() contract.Common {
	return contract.Common{
		Servers: []contract.Tag{{Name: "/", Description: "This service."}},
		Tags: []contract.Tag{
			{Name: "Account", Description: "Guests, the caller, the faucet and public profiles."},
			{Name: "Authentication", Description: "Credentials, links by mail, and sessions."},
			{Name: "Runs", Description: "Games against the house, up a ladder of tiers."},
			{Name: "Duels", Description: "Best of five between two players, by commit and reveal."},
			{Name: "Arena", Description: "Ranked duels of bots, and their ratings."},
			{Name: "Market", Description: "Tokens at a price, their prices, and offers of the house."},
			{Name: "Portfolio", Description: "A player's holdings, their value and their risk."},
			{Name: "Social", Description: "Leaderboards, seasons, the daily challenge, achievements and the feed."},
			{Name: "Cups", Description: "Swiss tournaments over duels."},
			{Name: "Teams", Description: "Teams of players and their points."},
			{Name: "Chain", Description: "Blocks, transactions, addresses and tokens, and the verification of all of them."},
			{Name: "Events", Description: "Events as a stream."},
			{Name: "Data", Description: "Public data in bulk, as lines of JSON."},
			{Name: "Developers", Description: "API keys and bots."},
			{Name: "Documentation", Description: "The limits of the service, and this document."},
		},
		RequestHeaders: []contract.Header{
			{Name: csrfHeader, Description: "Required with a session's cookie: the csrf_token of POST /api/guest, POST " +
				"/api/auth/login or GET /api/me. Calls with an API key need none."},
			{Name: idempotencyHeader, Example: "8c1f3e2a9b7d4c50",
				Description: fmt.Sprintf("1 to %d characters of the caller's choice, quoted or not. For %d hours, a repeated "+
					"call with the same key gets the answer of the first and changes nothing.",
					idempotency.MaxKey, idempotency.Keep/time.Hour)},
			{Name: "Prefer", Example: "wait=20",
				Description: fmt.Sprintf("wait=N (RFC 7240) delays the answer for up to N seconds, at most %d, until there is "+
					"a change, where state is polled. receipt asks for the house's signed statements about the game, in "+
					"`receipts`.", stream.MaxWait/time.Second)},
		},
		ResponseHeaders: []contract.Header{
			{Name: "X-Request-Id", Example: "5f0c1d2e3a4b5c6d", Description: "Identifies the request in the operator's log."},
			{Name: "RateLimit", Example: `"ip";r=239;t=60`, Description: "r more requests of a budget are answered now, and " +
				"in t seconds there are more of them (draft-ietf-httpapi-ratelimit-headers). The budget is ip, that of the " +
				"network address, or credential, that of the session or key at an address that many people share. Absent " +
				"where requests are not limited."},
			{Name: "RateLimit-Policy", Example: `"ip";q=240;w=60`,
				Description: "At most q requests are answered in any w seconds."},
			{Name: "Retry-After", Integer: true, Example: "1", Description: "Seconds after which the call can succeed."},
			{Name: "Idempotent-Replayed", Example: "true", Description: "true: this is the answer to an earlier call with " +
				"the same Idempotency-Key."},
			{Name: "Preference-Applied", Example: "wait=20", Description: "The preference that was applied."},
			{Name: "Allow", Example: "GET, HEAD", Description: "The methods that the path accepts."},
			{Name: "WWW-Authenticate", Example: "Bearer", Description: "How to call with an API key."},
			{Name: "Set-Cookie", Description: "The session of a browser: HttpOnly, SameSite=Lax."},
			{Name: "Deprecation", Example: "@1796083200", Description: "When it was announced that the operation, or a " +
				"parameter or member of it that is marked as deprecated, will end: Unix seconds (RFC 9745)."},
			{Name: "Sunset", Example: "Tue, 01 Jun 2027 00:00:00 GMT", Description: "After this time it may be gone " +
				"(RFC 8594)."},
			{Name: "Link", Example: "<" + deprecationLink + `>; rel="deprecation"`,
				Description: "With Deprecation: what is marked."},
			{Name: "Access-Control-Allow-Origin", Example: "*", Description: "With calls from pages of other sites that " +
				"carry an API key, and with reads without a cookie."},
		},
		Examples: examples, RequestHeadersOf: takenBy, ResponseHeadersOf: givenBy,
	}
}

// longPolled are the operations that accept Prefer: wait.
var longPolled = map[string]bool{"getHead": true, "getDuel": true, "queue": true, "getFeed": true,
	"commitDuel": true, "revealDuel": true}

// settingCookies are the operations that open or end the caller's session.
var settingCookies = map[string]bool{"createGuest": true, "register": true, "login": true, "redeemMagicLink": true,
	"logout": true, "changePassword": true, "redeemPasswordReset": true, "endOtherSessions": true,
	"deleteAccount": true}

// takenBy returns the names of the shared request headers that an operation accepts.
func takenBy(op *contract.Operation) (names []string) {
	post := op.Method == http.MethodPost
	if post && (strings.Contains(strings.Join(op.Security, " "), sessionScheme) || usesSession[op.ID]) {
		names = append(names, csrfHeader)
	}
	if post && len(op.Security) > 0 && !sessionMoves[op.ID] {
		names = append(names, idempotencyHeader)
	}
	if longPolled[op.ID] || givingReceipts[op.ID] {
		names = append(names, "Prefer")
	}
	return names
}

// givenBy returns the names of the shared response headers of an operation's answer with a status.
// op is nil for answers that belong to no operation.
func givenBy(op *contract.Operation, status int) []string {
	names := []string{"X-Request-Id", "RateLimit", "RateLimit-Policy"}
	switch status {
	case http.StatusOK:
		if op.Method == http.MethodPost && len(op.Security) > 0 && !sessionMoves[op.ID] {
			names = append(names, "Idempotent-Replayed")
		}
		if longPolled[op.ID] {
			names = append(names, "Preference-Applied")
		}
		if settingCookies[op.ID] {
			names = append(names, "Set-Cookie")
		}
	case http.StatusUnauthorized:
		names = append(names, "WWW-Authenticate")
	case http.StatusMethodNotAllowed:
		names = append(names, "Allow")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		names = append(names, "Retry-After")
	}
	if op == nil || len(op.Security) > 0 || safe(op.Method) {
		names = append(names, "Access-Control-Allow-Origin")
	}
	if op != nil && op.Announced() != (contract.Deprecation{}) {
		names = append(names, "Deprecation", "Sunset", "Link")
	}
	return names
}

// examples are request bodies that succeed, by operation.
var examples = map[string]string{
	"startRun": `{"entry":"auto","client_seed":"mine"}`, "throw": `{"move":"rock","entropy":"7c0a"}`,
	"register":             `{"username":"ada","password":"correct horse battery"}`,
	"login":                `{"username":"ada","password":"correct horse battery"}`,
	"requestMagicLink":     `{"email":"ada@example.org"}`,
	"redeemMagicLink":      `{"token":"Yk2v0mVb1rVnqNwqk9m9Zc1dXx3m0q5c4a8e7f6g5h4"}`,
	"changePassword":       `{"password":"a new correct horse","current_password":"correct horse battery"}`,
	"endOtherSessions":     `{"keep":[]}`,
	"requestPasswordReset": `{"email":"ada@example.org"}`,
	"redeemPasswordReset":  `{"token":"Yk2v0mVb1rVnqNwqk9m9Zc1dXx3m0q5c4a8e7f6g5h4","password":"a new correct horse"}`,
	"removeMailbox":        `{"email":"ada@example.org"}`,
	"deleteAccount":        `{"password":"correct horse battery"}`,
	"rename":               `{"username":"ada-2"}`, "createKey": `{"label":"laptop"}`, "createBot": `{"name":"ada-bot"}`,
	"describeBot":   `{"version":"1.4.0","description":"Counts the last three rounds."}`,
	"setChallenges": `{"takes":"all","quiet_from":"22:00","quiet_to":"07:00"}`,
	"createCup":     `{"minutes":10}`, "createDuel": `{"stake":50,"listed":false}`, "rematchDuel": `{"offer":true}`,
	"emoteDuel": `{"emote":"hello"}`, "blockOpponent": `{"blocked":true}`,
	"commitDuel": `{"commitment":"a84e2e8ea1ee5d2fa6c5eb9a5b2a2bbb9b8f5a8d1a6d1f0c8e4b7a6d5c4b3a29","round":1}`,
	"revealDuel": `{"move":"rock","salt":"541955fdd9e3c610","round":1}`, "listToken": `{"token_id":7,"price":100}`,
	"offerBuyback": `{"token_id":7}`, "respondBuyback": `{"accept":true}`,
	"createTeam": `{"name":"The Rocks","private":false}`,
	"joinTeam":   `{"name":"The Rocks"}`,
	"joinCup":    `{"code":"7B3KX0QP"}`, "removeCupPlayer": `{"player":"paper-trail"}`,
	"endCupBotKey": `{"bot":"paper-trail"}`,
}
