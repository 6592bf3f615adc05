package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/platform/names"
	"roshambo/internal/server/preview"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/market"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

// Errors become answers here and nowhere else. Services return sentinel errors or small typed
// errors; known and describe map them to a status and a code of the list in docs/errors.md.
// The message is for people and may change; programs use the code and the details. An unknown error
// is 500, internal: its text goes to the log with the request id, never to the caller.

// Errors of the interface itself.
var (
	errUnauthenticated = errors.New("api: not signed in")
	errSessionOver     = errors.New("api: registering with an expired session")
	errCSRF            = errors.New("api: the CSRF token is missing or wrong")
	errCrossOrigin     = errors.New("api: a request from another site")
	errKey             = errors.New("api: no such key")
	errBotsOnly        = errors.New("api: for bots only")
	errCursor          = errors.New("api: malformed cursor")
	errIdempotencyKey  = errors.New("api: not an idempotency key")
)

// RateLimitError reports that a client exceeded a limit.
type RateLimitError struct {
	Wait    time.Duration
	Message string // "" for the limits of a network address
}

func (e *RateLimitError) Error() string { return "api: too many requests" }

// schemeError reports that an operation does not accept callers of a scheme.
type schemeError struct{ scheme string }

func (e *schemeError) Error() string { return "api: not for a caller with a " + e.scheme }

// scopeError reports a key without a scope that the operation needs.
type scopeError struct{ needed account.Scopes }

func (e *scopeError) Error() string {
	return fmt.Sprintf("api: the key lacks %v", e.needed.Names())
}

// answer is the body of an error. Code is one of docs/errors.md, a list that may grow.
type answer struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
	ID      string `json:"request_id"`
	details
}

// details are members that only some errors have.
type details struct {
	RetryAfter int64    `json:"retry_after_ms,omitempty"`
	NextAt     *Time    `json:"next_at,omitempty"`
	Allowed    []string `json:"allowed,omitempty"`
	Status     string   `json:"status,omitempty"`
	Balance    *int64   `json:"balance,omitempty"`
	Free       *int64   `json:"free,omitempty"`
	Needed     int64    `json:"needed,omitempty"`
	Scope      string   `json:"scope,omitempty"`
}

// bodyTooLarge is the message of an error about a body above maxBodyBytes.
var bodyTooLarge = fmt.Sprintf("A body has at most %d KiB.", maxBodyBytes>>10)

// Messages of refused requests. They are in the contract as well.
const (
	requestTimeout = "The request arrived too slowly: nothing of it was read."
	encodedBody    = "A body is accepted without Content-Encoding only: send it uncompressed."
	unknownExpect  = "The header Expect may have the value 100-continue only."
)

// headersTooLarge is the message of an error about headers above MaxHeaderBytes.
var headersTooLarge = fmt.Sprintf("The headers of a request have at most %d KiB.", MaxHeaderBytes>>10)

// known maps sentinel errors to answers. Errors that carry details are in describe.
var known = []struct {
	err     error
	status  int
	code    string
	message string
}{
	{err: contract.ErrBadBody, status: 400, code: "bad_request",
		message: "The body could not be read: it is truncated, not UTF-8, nested too deeply, or contains a number out " +
			"of range."},
	{err: contract.ErrBadPath, status: 400, code: "bad_request",
		message: "The path or query is not UTF-8, or the path contains a malformed percent-escape."},
	{err: contract.ErrSlowBody, status: 408, code: "request_timeout", message: requestTimeout},
	{err: contract.ErrEncodedBody, status: 415, code: "unsupported_encoding", message: encodedBody},
	{err: errCursor, status: 400, code: "bad_request", message: "The cursor is not one that the service returned."},
	{err: score.ErrCursor, status: 400, code: "bad_request", message: "The cursor is not one that the service returned."},
	{err: errIdempotencyKey, status: 400, code: "bad_request",
		message: fmt.Sprintf("An Idempotency-Key has 1 to %d characters, quoted or not.", idempotency.MaxKey)},
	{err: account.ErrWords, status: 400, code: "bad_request",
		message: fmt.Sprintf("A version has letters, digits and . _ + -, %d at most; a description has %d characters at most.",
			account.MaxVersion, account.MaxDescription)},
	{err: duel.ErrMismatch, status: 400, code: "commitment_mismatch",
		message: "Move and salt do not match the commitment; try again until the deadline."},
	{err: account.ErrWeakPassword, status: 400, code: "weak_password",
		message: "This password is easy to guess: it is one of the 10,000 most common, blank, or the username."},
	{err: errUnauthenticated, status: 401, code: "unauthenticated",
		message: "Sign in first: POST /api/guest opens an account and a session."},
	{err: account.ErrNoSession, status: 401, code: "unauthenticated",
		message: "The session has expired. POST /api/guest opens an account and a session."},
	{err: errSessionOver, status: 401, code: "unauthenticated",
		message: "The session has expired. Sign in to its account, or register again for a new account."},
	{err: errKey, status: 401, code: "unauthenticated", message: "The API key is unknown or revoked."},
	{err: account.ErrCredentials, status: 401, code: "bad_credentials", message: "Username or password is wrong."},
	{err: arena.ErrNoBot, status: 403, code: "bots_only", message: "This is for bots: call with a bot's key."},
	{err: arena.ErrNotPerson, status: 403, code: "forbidden",
		message: "Quick matches are for people. Bots are matched in the arena: POST /api/arena/queue."},
	{err: errBotsOnly, status: 403, code: "bots_only", message: "This is for bots: call with a bot's key."},
	{err: account.ErrFrozen, status: 403, code: "account_frozen",
		message: "An operator has frozen this account."},
	{err: account.ErrSignInRequired, status: 403, code: "sign_in_required",
		message: fmt.Sprintf("This needs the account's password, or a sign-in less than %d minutes ago.",
			int(account.RecentSignIn.Minutes()))},
	{err: errCSRF, status: 403, code: "csrf_failed", message: "The header X-CSRF-Token is missing or does not belong " +
		"to this session: GET /api/me returns it."},
	{err: errCrossOrigin, status: 403, code: "csrf_failed", message: "A page of another site made this request."},
	{err: run.ErrForbidden, status: 403, code: "forbidden", message: "This run belongs to another player."},
	{err: duel.ErrForbidden, status: 403, code: "forbidden", message: "Only the duel's players may do this."},
	{err: market.ErrForbidden, status: 403, code: "forbidden", message: "This belongs to another player."},
	{err: market.ErrNotFound, status: 404, code: "not_found", message: "There is no such listing or offer."},
	{err: contract.ErrNotFound, status: 404, code: "not_found", message: "There is nothing at this path."},
	{err: run.ErrNotFound, status: 404, code: "not_found", message: "There is no such run."},
	{err: duel.ErrNotFound, status: 404, code: "not_found", message: "There is no such duel, or no round has been " +
		"played yet."},
	{err: score.ErrNotFound, status: 404, code: "not_found", message: "There is no such season yet."},
	{err: team.ErrNotFound, status: 404, code: "not_found", message: "There is no such team."},
	{err: ledger.ErrNotFound, status: 404, code: "not_found", message: "The chain holds nothing under this name."},
	{err: account.ErrNotFound, status: 404, code: "not_found",
		message: "There is no such account, session, key or mailbox."},
	{err: arena.ErrNotFound, status: 404, code: "not_found", message: "There is no such player."},
	{err: cup.ErrNotFound, status: 404, code: "not_found", message: "There is no such cup."},
	{err: cup.ErrKind, status: 403, code: "forbidden", message: "Bots play cups for bots, people those for people."},
	{err: cup.ErrUnsecured, status: 403, code: "not_secured",
		message: "Opening a cup needs an account with a password or a verified mailbox."},
	{err: cup.ErrStarted, status: 409, code: "cup_started", message: "The cup has started, or is over."},
	{err: cup.ErrFull, status: 409, code: "cup_full", message: "All seats of the cup are taken."},
	{err: cup.ErrShare, status: 409, code: "limit_reached",
		message: "Your network has its share of this cup: a quarter of the seats."},
	{err: cup.ErrHosted, status: 409, code: "limit_reached",
		message: fmt.Sprintf("An account hosts at most %d unfinished cups: end one.", cup.MaxHosted)},
	{err: cup.ErrPrivate, status: 403, code: "cup_private",
		message: "The cup is private, and the code is missing or wrong: ask its host."},
	{err: cup.ErrRemoved, status: 403, code: "forbidden", message: "The host has removed the account from this cup."},
	{err: cup.ErrNotHost, status: 403, code: "forbidden", message: "This is for the host of the cup."},
	{err: cup.ErrName, status: 400, code: "bad_request", message: "A cup's name needs a letter or a digit, and has " +
		"60 characters at most."},
	{err: cup.ErrNameTaken, status: 409, code: "cup_name_taken",
		message: "The name is reserved, or an unfinished cup with this name or one that looks alike exists."},
	{err: cup.ErrState, status: 409, code: "cup_state", message: "The cup is not in a state for this."},
	{err: cup.ErrFew, status: 409, code: "cup_few", message: "A cup starts with two players, or one and the house's bots."},
	{err: cup.ErrInCup, status: 409, code: "in_cup",
		message: "The account is in an unfinished cup already, or another bot of its owner is in this one."},
	{err: cup.ErrNotIn, status: 409, code: "not_in_cup", message: "The account is not in this cup, or has left it."},
	{err: account.ErrLink, status: 404, code: "link_invalid",
		message: fmt.Sprintf("The link was used before, is older than %d minutes, or was never sent.",
			int(account.LinkLife.Minutes()))},
	{err: account.ErrUsernameTaken, status: 409, code: "username_taken", message: "This username is taken or reserved."},
	{err: account.ErrRegistered, status: 409, code: "already_registered", message: "The account has a password already."},
	{err: account.ErrLastCredential, status: 409, code: "last_credential",
		message: "This mailbox is the account's only way to sign in: set a password or attach another mailbox first."},
	{err: account.ErrLimit, status: 409, code: "limit_reached",
		message: "The account has reached its limit: revoke or remove one first."},
	{err: run.ErrRunActive, status: 409, code: "run_active", message: "Another run is unfinished: GET /api/runs/active."},
	{err: run.ErrClaimed, status: 409, code: "already_claimed",
		message: "The tier was claimed before; its token is in the wallet."},
	{err: run.ErrEntryUsed, status: 409, code: "limit_reached",
		message: "This entry is used up for today; the day ends at midnight UTC."},
	{err: run.ErrNoToken, status: 409, code: "no_token", message: "There is no token to burn: none at all, or none " +
		"below the highest tier."},
	{err: duel.ErrMovedOn, status: 409, code: "duel_moved_on",
		message: "The duel has changed, or the step was made before: read the duel again."},
	{err: duel.ErrNotYet, status: 409, code: "not_your_turn",
		message: "This step is not possible yet: both sides commit, then both reveal."},
	{err: duel.ErrOwn, status: 409, code: "own_duel", message: "This is your own duel: another player must join it."},
	{err: duel.ErrFull, status: 409, code: "duel_full", message: "The duel has an opponent already."},
	{err: duel.ErrClosed, status: 409, code: "duel_closed", message: "The duel is over: finished, expired or cancelled."},
	{err: duel.ErrNoRematch, status: 409, code: "no_rematch",
		message: "There is no rematch of this duel: it goes on, is practice or of the arena, or the opponent is too busy."},
	{err: duel.ErrOpponentFunds, status: 409, code: "opponent_short",
		message: "The opponent can no longer pay the stake."},
	{err: duel.ErrNoOpponent, status: 404, code: "not_found",
		message: "You have not played this player, nor been challenged lately."},
	{err: duel.ErrNoChallenge, status: 409, code: "no_challenge",
		message: "The opponent takes no challenge of the caller: the opponent takes none, or those of people met in a duel " +
			"of the last 30 days, or does not want it now."},
	{err: duel.ErrQuiet, status: 409, code: "quiet_hours", message: "The opponent has quiet hours: try again later."},
	{err: account.ErrWordsHidden, status: 409, code: "words_hidden",
		message: "An operator has hidden the version and description of this bot."},
	{err: duel.ErrChallenges, status: 409, code: "challenge_limit",
		message: "A challenge between the two is open, the last one is less than ten minutes ago, or five of the caller's " +
			"are open."},
	{err: duel.ErrUnfinished, status: 409, code: "limit_reached",
		message: "The account has reached its limit of unfinished duels: finish or cancel one."},
	{err: chain.ErrNotOwner, status: 409, code: "not_owner", message: "The token is not in this wallet."},
	{err: chain.ErrTokenBound, status: 409, code: "token_bound",
		message: "The token is bound: it can be kept, burnt as an entry or sold to the house."},
	{err: ledger.ErrLocked, status: 409, code: "already_listed",
		message: "The token is for sale: cancel its listing first."},
	{err: market.ErrNotForSale, status: 409, code: "not_for_sale", message: "The listing was sold or cancelled."},
	{err: market.ErrOwnListing, status: 409, code: "own_listing",
		message: "This is the caller's own listing, or that of its bot, its owner or another bot of its owner."},
	{err: market.ErrNoOffer, status: 409, code: "no_offer", message: "The house makes no offer for tokens of this tier."},
	{err: team.ErrName, status: 400, code: "bad_request", message: "A team's name needs a letter or a digit, and has " +
		"60 characters at most."},
	{err: names.ErrText, status: 400, code: "bad_request", message: "A name or description has no invisible " +
		"characters, and few marks on a letter."},
	{err: names.ErrScripts, status: 400, code: "bad_request", message: "A name has letters of one script."},
	{err: team.ErrNameTaken, status: 409, code: "team_name_taken",
		message: "The name is reserved, or a team with this name or one that looks alike exists."},
	{err: team.ErrInTeam, status: 409, code: "in_team", message: "The caller is in a team already: leave it first."},
	{err: team.ErrNoTeam, status: 409, code: "no_team", message: "The caller is not in a team."},
	{err: team.ErrFull, status: 409, code: "team_full", message: fmt.Sprintf("The team has %d members and is full.",
		team.MaxMembers)},
	{err: team.ErrPrivate, status: 403, code: "team_private",
		message: "The team is private: join it with the code, which its members see."},
	{err: account.ErrBalanceHigh, status: 409, code: "balance_too_high",
		message: "The balance is too high for the faucet."},
	{err: ledger.ErrConflict, status: 409, code: "conflict",
		message: "A concurrent change conflicted with this one: try again."},
	{err: idempotency.ErrInFlight, status: 409, code: "idempotency_in_flight",
		message: "A call with this Idempotency-Key is in progress: try again for its answer."},
	{err: store.ErrNUL, status: 400, code: "bad_request", message: "A text contains the character NUL, U+0000, which " +
		"cannot be stored."},
	{err: contract.ErrBodyTooLarge, status: 413, code: "body_too_large", message: bodyTooLarge},
	{err: stream.ErrQuota, status: 429, code: "too_many_streams",
		message: "The limit of open streams is reached, for this account or network address: close one."},
	{err: account.ErrBusy, status: 503, code: "unavailable", message: "Too many sign-ins are in progress."},
	{err: preview.ErrBusy, status: 503, code: "unavailable", message: "Too many pictures are being drawn."},
	{err: ledger.ErrRecovering, status: 503, code: "recovering",
		message: "The service is recovering from a loss of data: nothing was stored. Try again in a second, with a new " +
			"client seed."},
	{err: store.ErrFull, status: 503, code: "storage_full", message: "The service's disk is full: nothing was stored."},
	{err: store.ErrNotStored, status: 503, code: "not_stored",
		message: "The service cannot do this now: nothing was stored."},
	{err: store.ErrUnavailable, status: 503, code: "unavailable",
		message: "It is unknown whether this was stored: read before trying again."},
	{err: store.ErrClosed, status: 503, code: "unavailable", message: "The service is about to restart."},
	{err: context.Canceled, status: 503, code: "unavailable", message: "The request was cancelled."},
	{err: context.DeadlineExceeded, status: 503, code: "unavailable", message: "The request took too long."},
}

// commonErrors documents the errors that every operation may return.
func commonErrors() []contract.ErrorDoc {
	return []contract.ErrorDoc{
		{Status: 400, Code: "bad_request", When: "The request could not be read."},
		{Status: 403, Code: "account_frozen", When: "An operator has frozen the account of the session or key."},
		{Status: 405, Code: "method_not_allowed", When: "The path accepts other methods; see Allow."},
		{Status: 408, Code: "request_timeout", When: requestTimeout},
		{Status: 409, Code: "idempotency_in_flight", When: "A call with the same Idempotency-Key is in progress."},
		{Status: 413, Code: "body_too_large", When: bodyTooLarge},
		{Status: 415, Code: "unsupported_encoding", When: encodedBody},
		{Status: 417, Code: "expectation_failed", When: unknownExpect},
		{Status: 429, Code: "rate_limited", When: "Too many requests from this network address, or of this session or key; see " +
			"retry_after_ms and RateLimit."},
		{Status: 431, Code: "headers_too_large", When: headersTooLarge},
		{Status: 500, Code: "internal", When: "A fault of the service. The request id identifies it in the log."},
		{Status: 503, Code: "not_stored", When: "Nothing was stored: try again after Retry-After."},
		{Status: 503, Code: "unavailable", When: "The outcome is unknown, or the service restarts: read, and try again " +
			"after Retry-After."},
		{Status: 503, Code: "recovering", When: "The service is recovering from a loss of data: nothing was stored. Try " +
			"again after Retry-After."},
		{Status: 503, Code: "storage_full", When: "The service's disk is full: nothing was stored. Try again after " +
			"Retry-After."},
	}
}

// describe returns the answer to an error. It maps an error that it does not know to 500, internal.
func describe(err error) answer {
	// First: a RefusedError also matches ErrBadPath.
	if refused, ok := errors.AsType[*contract.RefusedError](err); ok {
		return describeRefused(refused.Status)
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			return answer{status: k.status, Code: k.code, Message: k.message}
		}
	}
	if m, ok := errors.AsType[*contract.MethodNotAllowedError](err); ok {
		return answer{status: 405, Code: "method_not_allowed", Message: "The path accepts other methods.",
			details: details{Allowed: m.Allow}}
	}
	if s, ok := errors.AsType[*run.StateError](err); ok {
		return answer{status: 409, Code: "run_state", Message: "This is not possible with a run that is " +
			string(s.Status) + ".",
			details: details{Status: string(s.Status)}}
	}
	if f, ok := errors.AsType[*run.TooFastError](err); ok {
		return answer{status: 429, Code: "too_fast", Message: fmt.Sprintf("The last throw was less than %d ms ago.",
			run.ThrowInterval.Milliseconds()),
			details: details{RetryAfter: roundUp(f.Wait)}}
	}
	if o, ok := errors.AsType[*market.ClosedError](err); ok {
		return answer{status: 409, Code: "offer_closed", Message: "The offer is no longer open: it is " + string(o.Status) +
			".",
			details: details{Status: string(o.Status)}}
	}
	if f, ok := errors.AsType[*chain.InsufficientFundsError](err); ok {
		free, message := f.Balance-f.Bound, "There are not enough coins for this."
		if f.Free {
			message = "There are not enough free coins for this: bound coins pay entry fees only."
		}
		return answer{status: 409, Code: "insufficient_funds", Message: message,
			details: details{Balance: &f.Balance, Free: &free, Needed: f.Needed}}
	}
	if l, ok := errors.AsType[*RateLimitError](err); ok {
		return answer{status: 429, Code: "rate_limited", Message: cmp.Or(l.Message,
			"Too many requests from this network address."),
			details: details{RetryAfter: roundUp(l.Wait)}}
	}
	if l, ok := errors.AsType[*account.ThrottledError](err); ok {
		return answer{status: 429, Code: "rate_limited", Message: "Too many logins failed.",
			details: details{RetryAfter: roundUp(l.Wait)}}
	}
	if n, ok := errors.AsType[*schemeError](err); ok {
		return answer{status: 403, Code: "forbidden", Message: "A caller with a " + n.scheme + " may not do this."}
	}
	if l, ok := errors.AsType[*account.RenameLimitError](err); ok {
		return answer{status: 409, Code: "limit_reached", Message: fmt.Sprintf("A name can change %d times in %d days.",
			account.MaxRenames, int(account.NameHeld.Hours()/24)), details: details{NextAt: &Time{l.Next}}}
	}
	if s, ok := errors.AsType[*scopeError](err); ok {
		return answer{status: 403, Code: "forbidden", Message: "This API key does not permit this.",
			details: details{Scope: strings.Join(s.needed.Names(), " ")}}
	}
	if s, ok := errors.AsType[*account.TooSoonError](err); ok {
		return answer{status: 409, Code: "faucet_not_ready", Message: "The faucet pays again later.",
			details: details{NextAt: &Time{s.Next}}}
	}
	return answer{status: 500, Code: "internal", Message: "Something went wrong on our side."}
}

// describeRefused returns the answer to input that net/http refuses before there is a request:
// broken framing, oversized or slow headers, another protocol, or a connection beyond the limit.
func describeRefused(status int) answer {
	switch status {
	case http.StatusRequestTimeout:
		return answer{status: status, Code: "request_timeout", Message: requestTimeout}
	case http.StatusExpectationFailed:
		return answer{status: status, Code: "expectation_failed", Message: unknownExpect}
	case http.StatusRequestHeaderFieldsTooLarge:
		return answer{status: status, Code: "headers_too_large", Message: headersTooLarge}
	case http.StatusServiceUnavailable:
		return answer{status: status, Code: "not_stored", Message: "The service has no free connection: nothing was stored."}
	}
	return answer{status: 400, Code: "bad_request", Message: "This is not a valid HTTP/1.1 request: its path, " +
		"headers or framing are malformed."}
}

// roundUp returns whole milliseconds, so that a caller that waits this long never comes early.
func roundUp(d time.Duration) int64 { return int64(math.Ceil(float64(d) / float64(time.Millisecond))) }

// may documents the errors of an operation by their codes. It panics on an unknown code.
func may(codes ...string) []contract.ErrorDoc {
	var docs []contract.ErrorDoc
	for _, code := range codes {
		doc, ok := errorDocs[code]
		if !ok {
			panic("api: no error with code " + code)
		}
		docs = append(docs, doc)
	}
	return docs
}

// errorDocs are the documented errors by code. The first list overrides texts of known.
var errorDocs = func() map[string]contract.ErrorDoc {
	docs := map[string]contract.ErrorDoc{}
	for _, d := range []contract.ErrorDoc{
		{Status: 429, Code: "rate_limited", When: "Too many logins failed, for this name or from this network address; " +
			"see retry_after_ms."},
		{Status: 409, Code: "run_state", When: "The run is in another state; see status."},
		{Status: 429, Code: "too_fast", When: fmt.Sprintf("Less than %d ms after the last throw; see retry_after_ms.",
			run.ThrowInterval.Milliseconds())},
		{Status: 409, Code: "insufficient_funds",
			When: "There are not enough coins, or not enough free ones; see balance, free and needed."},
		{Status: 409, Code: "limit_reached", When: "A limit is reached, or the entry is used up for today."},
		{Status: 409, Code: "offer_closed", When: "The offer was answered, has expired or is void; see status."},
		{Status: 409, Code: "faucet_not_ready", When: "The faucet pays again at next_at."},
	} {
		docs[d.Code] = d
	}
	for _, k := range known {
		if _, ok := docs[k.code]; !ok {
			docs[k.code] = contract.ErrorDoc{Status: k.status, Code: k.code, When: k.message}
		}
	}
	docs["csrf_failed"] = contract.ErrorDoc{Status: 403, Code: "csrf_failed",
		When: "The header X-CSRF-Token is missing or wrong, or another site made the request."}
	docs["unauthenticated"] = contract.ErrorDoc{Status: 401, Code: "unauthenticated", When: "The caller is not signed in."}
	return docs
}()
