package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/market"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

// Errors of the interface itself.
var (
	errUnauthenticated = errors.New("httpapi: nobody is signed in")
	errSessionOver     = errors.New("httpapi: registering with a session that is over")
	errCSRF            = errors.New("httpapi: the CSRF token is missing or wrong")
	errCrossOrigin     = errors.New("httpapi: a request from another site")
	errKey             = errors.New("httpapi: no such key")
	errBotsOnly        = errors.New("httpapi: for bots alone")
	errCursor          = errors.New("httpapi: the cursor is none that was handed out")
)

// answer is what an error looks like to the caller. Code is one of a closed list,
// docs/errors.md.
type answer struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
	ID      string `json:"request_id"`
	details
}

// details are members that help with some errors.
type details struct {
	RetryAfter int64    `json:"retry_after_ms,omitempty"`
	NextAt     *Time    `json:"next_at,omitempty"`
	Allowed    []string `json:"allowed,omitempty"`
	Status     string   `json:"status,omitempty"`
	Balance    *int64   `json:"balance,omitempty"`
	Needed     int64    `json:"needed,omitempty"`
}

// known are the errors that say all by themselves.
var known = []struct {
	err     error
	status  int
	code    string
	message string
}{
	{contract.ErrBadBody, 400, "bad_request", "The body could not be read: it was cut off, is no UTF-8, nests too deep or holds an endless number."},
	{contract.ErrBadPath, 400, "bad_request", "The path holds a broken percent-escape."},
	{errCursor, 400, "bad_request", "The cursor is not one that was handed out."},
	{score.ErrCursor, 400, "bad_request", "The cursor is not one that was handed out."},
	{errIdempotencyKey, 400, "bad_request", "An Idempotency-Key has 1 to 255 characters, quoted or not."},
	{duel.ErrMismatch, 400, "commitment_mismatch", "Move and salt are not what was committed to; try again until the deadline."},
	{errUnauthenticated, 401, "unauthenticated", "Sign in first: POST /api/guest opens an account and a session."},
	{account.ErrNoSession, 401, "unauthenticated", "The session is over. POST /api/guest opens an account and a session."},
	{errSessionOver, 401, "unauthenticated", "The session is over. Sign in to the account that it belonged to, or register again for a new account."},
	{errKey, 401, "unauthenticated", "There is no such API key, or it was revoked."},
	{account.ErrCredentials, 401, "bad_credentials", "Username or password is wrong."},
	{arena.ErrNoBot, 403, "bots_only", "This is for bots: call with a bot's key."},
	{errBotsOnly, 403, "bots_only", "This is for bots: call with a bot's key."},
	{errCSRF, 403, "csrf_failed", "The header X-CSRF-Token is missing or is not this session's: GET /api/me tells it."},
	{errCrossOrigin, 403, "csrf_failed", "A page of another site made this request."},
	{run.ErrForbidden, 403, "forbidden", "This is somebody else's run."},
	{duel.ErrForbidden, 403, "forbidden", "This is for the duel's own sides."},
	{market.ErrForbidden, 403, "forbidden", "This is somebody else's."},
	{market.ErrNotFound, 404, "not_found", "There is no such listing or offer."},
	{contract.ErrNotFound, 404, "not_found", "There is nothing at this path."},
	{run.ErrNotFound, 404, "not_found", "There is no such run."},
	{duel.ErrNotFound, 404, "not_found", "There is no such duel, or nothing was played in it yet."},
	{score.ErrNotFound, 404, "not_found", "There was no such season so far."},
	{team.ErrNotFound, 404, "not_found", "There is no such team."},
	{ledger.ErrNotFound, 404, "not_found", "The chain holds nothing under this name."},
	{account.ErrNotFound, 404, "not_found", "There is no such account, session or key."},
	{arena.ErrNotFound, 404, "not_found", "There is no such player."},
	{account.ErrLink, 404, "link_invalid", "The link was used before, is older than 15 minutes, or was never sent."},
	{account.ErrUsernameTaken, 409, "username_taken", "Somebody has this username already, or it is kept for the service."},
	{account.ErrRegistered, 409, "already_registered", "The account has a password already."},
	{account.ErrLimit, 409, "limit_reached", "There are as many as an account may have: revoke or keep what there is."},
	{run.ErrRunActive, 409, "run_active", "Another run is not finished: GET /api/runs/active."},
	{run.ErrClaimed, 409, "already_claimed", "The tier was claimed before, and its token is in the wallet."},
	{run.ErrEntryUsed, 409, "limit_reached", "This entry is used up for today; the day ends at midnight UTC."},
	{run.ErrNoToken, 409, "no_token", "There is no token that could be burnt: none at all, or none below the highest tier."},
	{duel.ErrMovedOn, 409, "duel_moved_on", "The duel has moved on, or the step was taken before: read it again and go on."},
	{duel.ErrNotYet, 409, "not_your_turn", "It is not time for this step yet: both sides commit, then both reveal."},
	{duel.ErrCopied, 409, "commitment_copied", "The opponent made this commitment: choose a salt of your own."},
	{duel.ErrOwn, 409, "own_duel", "This is your own duel: somebody else must join it."},
	{duel.ErrFull, 409, "duel_full", "Somebody has joined already."},
	{duel.ErrClosed, 409, "duel_closed", "The duel is over: finished, expired or cancelled."},
	{duel.ErrUnfinished, 409, "limit_reached", "There are as many unfinished duels as an account may have: play or cancel one."},
	{chain.ErrNotOwner, 409, "not_owner", "The token is not in this wallet."},
	{ledger.ErrLocked, 409, "already_listed", "The token is for sale: cancel its listing first."},
	{market.ErrNotForSale, 409, "not_for_sale", "The listing was sold or cancelled."},
	{market.ErrOwnListing, 409, "own_listing", "This is the caller's own listing, or that of a bot or player that it belongs with."},
	{market.ErrNoOffer, 409, "no_offer", "The house pays nothing for tokens of this tier."},
	{team.ErrName, 400, "bad_request", "A team's name needs a letter or a digit, and holds nothing that cannot be seen."},
	{team.ErrNameTaken, 409, "team_name_taken", "There is a team of this name, or of one that makes the same slug."},
	{team.ErrInTeam, 409, "in_team", "The caller is in a team already: leave it first."},
	{team.ErrNoTeam, 409, "no_team", "The caller is in no team."},
	{team.ErrFull, 409, "team_full", "The team has 20 members, and room for no more."},
	{team.ErrPrivate, 403, "team_private", "The team is private: join it with its code, which a member can hand on."},
	{account.ErrBalanceHigh, 409, "balance_too_high", "The faucet gives to those who have few coins only."},
	{ledger.ErrConflict, 409, "conflict", "Somebody else changed the same thing at the same time: try again."},
	{idempotency.ErrInFlight, 409, "idempotency_in_flight", "A call with this Idempotency-Key is under way: try again for its answer."},
	{store.ErrNUL, 400, "bad_request", "A text holds the character NUL, U+0000, which is in none that is stored."},
	{contract.ErrBodyTooLarge, 413, "body_too_large", "A body has at most 64 KiB."},
	{errStreams, 429, "too_many_streams", "As many streams are open as may be, of this account or from this network address: close one."},
	{account.ErrBusy, 503, "unavailable", "Too many are signing in at once."},
	{store.ErrFull, 503, "storage_full", "The service has no room to store this: nothing was stored."},
	{store.ErrNotStored, 503, "not_stored", "The service cannot do this now: nothing was stored."},
	{store.ErrUnavailable, 503, "unavailable", "The service cannot say whether this was stored: read before trying again."},
	{store.ErrClosed, 503, "unavailable", "The service is about to restart."},
	{context.Canceled, 503, "unavailable", "The request was given up."},
	{context.DeadlineExceeded, 503, "unavailable", "The request took too long."},
}

// commonErrors are what any operation may answer.
func commonErrors() []contract.ErrorDoc {
	return []contract.ErrorDoc{
		{Status: 400, Code: "bad_request", When: "The request could not be read."},
		{Status: 405, Code: "method_not_allowed", When: "The path knows other methods; see Allow."},
		{Status: 409, Code: "idempotency_in_flight", When: "A call with the same Idempotency-Key is under way."},
		{Status: 413, Code: "body_too_large", When: "A body has at most 64 KiB."},
		{Status: 429, Code: "rate_limited", When: "Too many requests from this network address, or too many answers stored under Idempotency-Keys; see retry_after_ms and RateLimit."},
		{Status: 500, Code: "internal", When: "A fault of the service. The request id helps to find it."},
		{Status: 503, Code: "not_stored", When: "Nothing was stored: try again after Retry-After."},
		{Status: 503, Code: "unavailable", When: "Nobody knows whether this was stored, or the service restarts: read, and try again after Retry-After."},
		{Status: 503, Code: "storage_full", When: "The service has no room: nothing was stored. Try again after Retry-After."},
	}
}

// describe turns an error into an answer. What it does not know is internal.
func describe(err error) answer {
	// First, as it says of itself to be ErrBadPath as well.
	if refused, ok := errors.AsType[*contract.RefusedError](err); ok {
		return describeRefused(refused.Status)
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			return answer{status: k.status, Code: k.code, Message: k.message}
		}
	}
	if m, ok := errors.AsType[*contract.MethodNotAllowedError](err); ok {
		return answer{status: 405, Code: "method_not_allowed", Message: "The path knows other methods.", details: details{Allowed: m.Allow}}
	}
	if s, ok := errors.AsType[*run.StateError](err); ok {
		return answer{status: 409, Code: "run_state", Message: "This cannot be done with a run that is " + string(s.Status) + ".",
			details: details{Status: string(s.Status)}}
	}
	if f, ok := errors.AsType[*run.TooFastError](err); ok {
		return answer{status: 429, Code: "too_fast", Message: "The last throw was less than 250 ms ago.",
			details: details{RetryAfter: roundUp(f.Wait)}}
	}
	if o, ok := errors.AsType[*market.ClosedError](err); ok {
		return answer{status: 409, Code: "offer_closed", Message: "The offer is not open any more: it is " + string(o.Status) + ".",
			details: details{Status: string(o.Status)}}
	}
	if f, ok := errors.AsType[*chain.InsufficientFundsError](err); ok {
		return answer{status: 409, Code: "insufficient_funds", Message: "There are not enough coins for this.",
			details: details{Balance: &f.Balance, Needed: f.Needed}}
	}
	if l, ok := errors.AsType[*rateLimitError](err); ok {
		return answer{status: 429, Code: "rate_limited", Message: cmp.Or(l.message, "Too many requests from this network address."),
			details: details{RetryAfter: roundUp(l.wait)}}
	}
	if l, ok := errors.AsType[*account.ThrottledError](err); ok {
		return answer{status: 429, Code: "rate_limited", Message: "Too many logins failed.", details: details{RetryAfter: roundUp(l.Wait)}}
	}
	if n, ok := errors.AsType[*schemeError](err); ok {
		return answer{status: 403, Code: "forbidden", Message: "A caller with a " + n.scheme + " may not do this."}
	}
	if s, ok := errors.AsType[*account.TooSoonError](err); ok {
		return answer{status: 409, Code: "faucet_not_ready", Message: "The faucet gives again later.", details: details{NextAt: &Time{s.Next}}}
	}
	return answer{status: 500, Code: "internal", Message: "Something went wrong on our side."}
}

// describeRefused answers what net/http refused before there was a request: broken
// framing, headers without end, another protocol.
func describeRefused(status int) answer {
	if status == http.StatusRequestHeaderFieldsTooLarge {
		return answer{status: status, Code: "headers_too_large", Message: "The headers of a request have at most 32 KiB."}
	}
	if status == http.StatusServiceUnavailable {
		return answer{status: status, Code: "not_stored", Message: "The service has no connection free: nothing was stored."}
	}
	return answer{status: 400, Code: "bad_request", Message: "This is no HTTP/1.1 request that could be read: its path, its headers or its framing are broken."}
}

// roundUp returns milliseconds, so that who waits that long has waited long enough.
func roundUp(d time.Duration) int64 { return int64(math.Ceil(float64(d) / float64(time.Millisecond))) }

// fail writes the answer to every error that is no 422.
func (a *API) fail(w http.ResponseWriter, _ *http.Request, err error) {
	if again, ok := errors.AsType[*replayed](err); ok {
		writeReplayed(w, again.body)
		return
	}
	body := describe(err)
	if w.Header().Get("X-Request-Id") == "" {
		begin(w.Header()) // what net/http refused has not come through ServeHTTP
	}
	body.ID = w.Header().Get("X-Request-Id")
	o := responseOf(w)
	o.code, o.err = body.Code, err
	if body.NextAt != nil {
		body.RetryAfter = max(0, roundUp(body.NextAt.Sub(a.Now())))
	}
	writeError(w, body)
}

// recovered answers a request whose handler panicked. That is a fault of the service
// like any other; what the handler wrote to the database was taken back.
func (a *API) recovered(w http.ResponseWriter, r *http.Request) {
	switch v := recover(); v {
	case nil:
	case http.ErrAbortHandler: // a handler's way to break the connection off
		panic(v)
	default:
		a.fail(w, r, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
	}
}

// readOnly answers methods other than GET and HEAD with 405, and says whether the
// request may go on.
func (a *API) readOnly(w http.ResponseWriter, r *http.Request) bool {
	if safe(r.Method) {
		return true
	}
	allow := []string{http.MethodGet, http.MethodHead}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	a.fail(w, r, &contract.MethodNotAllowedError{Allow: allow})
	return false
}

func writeError(w http.ResponseWriter, body answer) {
	h := w.Header()
	if body.status == http.StatusTooManyRequests || body.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", strconv.FormatInt(max(1, (body.RetryAfter+999)/1000), 10))
	}
	if body.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic("httpapi: an error that has no JSON: " + err.Error()) // plain strings and numbers
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(body.status)
	_, _ = w.Write(text) // the caller has gone away; nobody is left to tell
}

// may documents that an operation answers with some of the known errors.
func may(codes ...string) []contract.ErrorDoc {
	var docs []contract.ErrorDoc
	for _, code := range codes {
		doc, ok := errorDocs[code]
		if !ok {
			panic("httpapi: no error with code " + code)
		}
		docs = append(docs, doc)
	}
	return docs
}

// errorDocs are the errors that operations name, by code.
var errorDocs = func() map[string]contract.ErrorDoc {
	docs := map[string]contract.ErrorDoc{}
	for _, d := range []contract.ErrorDoc{
		{Status: 429, Code: "rate_limited", When: "Too many logins failed, for this name or from this network address; see retry_after_ms."},
		{Status: 409, Code: "run_state", When: "The run is in another state; see status."},
		{Status: 429, Code: "too_fast", When: "Less than 250 ms after the last throw; see retry_after_ms."},
		{Status: 409, Code: "insufficient_funds", When: "There are not enough coins; see balance and needed."},
		{Status: 409, Code: "limit_reached", When: "There are as many as there may be, or an entry is used up for today."},
		{Status: 409, Code: "offer_closed", When: "The offer was answered, or is expired or void; see status."},
		{Status: 409, Code: "faucet_not_ready", When: "The faucet gives again at next_at."},
	} {
		docs[d.Code] = d
	}
	for _, k := range known {
		if _, ok := docs[k.code]; !ok {
			docs[k.code] = contract.ErrorDoc{Status: k.status, Code: k.code, When: k.message}
		}
	}
	docs["csrf_failed"] = contract.ErrorDoc{Status: 403, Code: "csrf_failed", When: "The header X-CSRF-Token is missing or wrong, or another site made the request."}
	docs["unauthenticated"] = contract.ErrorDoc{Status: 401, Code: "unauthenticated", When: "Nobody is signed in."}
	return docs
}()
