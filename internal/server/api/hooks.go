package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// before authenticates the caller before the rest of the request is read, so that the answer to a
// caller without a session does not depend on the request's content.
func (a *API) before(op *contract.Operation, w http.ResponseWriter, r *http.Request) (context.Context, error) {
	e := &call{API: a, w: responseOf(w), r: r}
	e.w.Operation = op.ID
	if packed[op.ID] {
		e.w.OfferPacked(r)
	}
	e.offerPackedAnonymously(op)
	ctx := context.WithValue(r.Context(), callKey{}, e)
	// browsers cannot send this header from another site's page
	byKey := len(op.Security) > 0 && r.Header.Get("Authorization") != ""
	if err := a.origin.Check(r); err != nil && !byKey {
		return ctx, errCrossOrigin
	}
	if len(op.Security) == 0 {
		var err error
		if usesSession[op.ID] {
			if e.caller, err = e.optionalSession(ctx, op); e.caller != nil {
				e.w.Account = e.caller.account.Address
			}
		}
		if errors.Is(err, errSessionOver) {
			a.dropSessionCookie(w)
		}
		return ctx, err
	}
	c, err := a.presented(r)
	if err == nil {
		c.needed, c.anonymous = scopeOf(op), op.Anonymous
		err = e.recognise(ctx, c, safe(r.Method))
	}
	if op.Anonymous && !byKey && (errors.Is(err, errUnauthenticated) || errors.Is(err, account.ErrNoSession) ||
		errors.Is(err, account.ErrFrozen)) {
		return ctx, nil // without a session, or with an expired or suspended one; a wrong key is an error
	}
	if err != nil {
		return ctx, err
	}
	e.w.Account = c.address
	if err := refusal(op, c, r); err != nil {
		if c.settled {
			return ctx, err
		}
		return ctx, cmp.Or(e.authoriseAlone(ctx, c), err) // 401 comes first
	}
	e.caller = c
	return ctx, nil
}

// CheckOrigin checks a request outside of the contract as the operations with callers are: a page of another site makes
// it with a key, which browsers do not send by themselves, or it only reads. Errors: errCrossOrigin.
func (a *API) CheckOrigin(r *http.Request) error {
	if err := a.origin.Check(r); err != nil && r.Header.Get("Authorization") == "" {
		return errCrossOrigin
	}
	return nil
}

// complete adds to an operation what the interface enforces for all of them.
func complete(op *contract.Operation) {
	documentScope(op)
	documentBudget(op)
}

// checked runs once the input is valid. It removes the read deadline, which would cut off long
// polls and streams, and prepares the replay of repeated calls.
func (a *API) checked(ctx context.Context, op *contract.Operation, r *http.Request, body []byte) (context.Context,
	error) {
	e := callOf(ctx)
	if r.ContentLength != 0 {
		_ = http.NewResponseController(e.w).SetReadDeadline(time.Time{})
	}
	var err error
	if e.repeat, err = e.repeatable(op, body); err != nil {
		return ctx, err
	}
	return ctx, e.countBudget(ctx, op)
}

// settle runs after the handler and after each refusal before it: no answer leaves before its caller was
// authorised, and an error about the caller comes before any other. Without a database no caller can be
// authorised, and the answer that says so, 503, depends on none: asking again would take as long once more.
func (a *API) settle(ctx context.Context, err error) error {
	e := callOf(ctx)
	if e == nil || e.caller == nil || e.caller.settled || errors.Is(err, store.ErrUnavailable) {
		return err
	}
	refused := e.authoriseAlone(ctx, e.caller)
	if err == nil || isRefusal(refused) && !e.caller.estranged(refused) {
		return refused
	}
	return err
}

// packed are the operations whose answers are sent with gzip to each caller: reads and files without a caller, so the
// answer holds nothing that is not public. The length of a compressed answer depends on repetitions in it: an answer
// that held a session, key or CSRF token beside text of an attacker's choice would give the token away piece
// by piece (BREACH). Therefore a new operation is not compressed until it is listed here. The public log is, too.
// Operations that callers may use anonymously have the same answers for all anonymous callers.
var packed = map[string]bool{
	"getTiers": true, "getDuelProof": true, "getMarket": true, "getPrices": true, "getListing": true,
	"getCrosstable": true, "getArenaBot": true, "listBotDuels": true, "listBotOpponents": true, "listBotRatings": true,
	"listBotVersions": true,
	"getPlayer":       true, "listPlayerDuels": true, "listPlayerRatings": true, "listPlayerAchievements": true,
	"listPlayerCups": true, "listTeams": true, "getFeed": true, "getHead": true, "listBlocks": true, "getBlock": true,
	"getTx": true, "getAddress": true, "getToken": true, "search": true, "getChainStats": true, "getLimits": true,
	"getCupTable": true, "getCupPairings": true, "getCupReport": true, "getCupMoves": true, "getCupProofs": true,
	"dataDuels": true, "dataRatings": true, "dataRuns": true, "dataBoards": true, "getTokenImage": true,
}

// packedToCallers are the operations for callers, too, whose answers to them have no text that is not public: rows of
// boards and numbers. They are sent with gzip to callers as well. getDaily is none of them: the caller's run in it has
// the texts of the player, which no one else sees.
var packedToCallers = map[string]bool{
	"getLeaderboard": true, "getAchievements": true, "getSeason": true, "getPastSeason": true, "getTV": true,
}

// offerPackedAnonymously is OfferPacked for the answer to a request without a session or key. With one, an answer may
// hold private data of the caller, today or after a change: only the operations above are compressed. A stream of
// events is not written in one piece.
func (a *call) offerPackedAnonymously(op *contract.Operation) {
	if !op.Anonymous || op.Events != nil {
		return
	}
	a.w.OfferPacked(a.r)
	a.w.Header().Add("Vary", "Authorization")
	a.w.Header().Add("Vary", "Cookie")
	if packedToCallers[op.ID] {
		return
	}
	if _, err := a.r.Cookie(a.cookie(sessionCookie)); err == nil || a.r.Header.Get("Authorization") != "" {
		a.w.packs = false
	}
}
