package httpapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"roshambo/contract"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/store"
)

const idempotencyHeader = "Idempotency-Key"

// errIdempotencyKey says that an Idempotency-Key is none.
var errIdempotencyKey = errors.New("httpapi: not an idempotency key")

// replayed is the answer to a call that was made before.
type replayed struct{ body []byte }

func (*replayed) Error() string { return "httpapi: the call was answered before" }

// sessionMoves are the operations that open or end a session: repeated, they would hand
// a session out again, or speak of one that is gone.
var sessionMoves = map[string]bool{
	"createGuest": true, "register": true, "login": true, "redeemMagicLink": true, "logout": true, "endSession": true,
}

// repeatable finds out whether a call may be repeated: a POST of somebody who is known,
// with a key, that neither opens nor ends a session.
func repeatable(e *requestState, op *contract.Operation, body []byte) (*idempotency.Call, error) {
	header := e.r.Header.Get(idempotencyHeader)
	if header == "" || op.Method != http.MethodPost || e.caller == nil || sessionMoves[op.ID] {
		return nil, nil
	}
	key := header
	if unquoted, ok := strings.CutPrefix(header, `"`); ok {
		if key, ok = strings.CutSuffix(unquoted, `"`); !ok {
			return nil, errIdempotencyKey
		}
	}
	if key == "" || !utf8.ValidString(key) || utf8.RuneCountInString(key) > idempotency.MaxKey {
		return nil, errIdempotencyKey
	}
	h := sha256.New()
	for _, part := range []string{op.Method, e.r.URL.EscapedPath(), e.r.URL.RawQuery} {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	h.Write(body)
	return &idempotency.Call{Account: e.caller.account.Address, Key: key, Request: [32]byte(h.Sum(nil))}, nil
}

// once runs fn, unless the call was answered before: then it returns that answer as a
// *replayed error, and nothing happens.
func once[Out any](ctx context.Context, a *API, tx *store.Tx, fn func(context.Context, *store.Tx) (*Out, error)) (*Out, error) {
	call := stateOf(ctx).repeat
	if call == nil {
		return fn(ctx, tx)
	}
	body, err := a.Answers.Find(ctx, tx, *call)
	if errors.Is(err, idempotency.ErrOther) {
		return nil, contract.Invalid([]any{"header", strings.ToLower(idempotencyHeader)}, "idempotency_key_reused",
			"This Idempotency-Key was used for another request", nil, nil)
	}
	if err != nil {
		return nil, err
	}
	if body != nil {
		return nil, &replayed{body}
	}
	out, err := fn(ctx, tx)
	if err != nil {
		return nil, err
	}
	if body, err = contract.Encode(out); err != nil {
		return nil, err
	}
	stateOf(ctx).stored = len(body)
	return out, a.Answers.Save(ctx, tx, *call, body)
}

// largestAnswer is how large an answer that is stored can be, in KiB, and largestDuel an
// answer with a duel: of 60 rounds, with the longest salts and each character escaped.
const (
	largestAnswer = 256
	largestDuel   = 3072
)

// answersDuel are the operations whose answer is a whole duel.
var answersDuel = map[string]bool{"joinDuel": true, "cancelDuel": true, "commitDuel": true, "revealDuel": true, "queue": true}

// beginRepeatable marks a call as under way, and makes sure that there is room for its
// answer: for the largest one, as nobody knows its size before it has taken effect. Each
// counts as a KiB at least. end says how large it was, or that none was stored, and gives
// the rest back. The service's own bots have room without end: whoever played them until
// they had none left would win by their silence. Errors: idempotency.ErrInFlight,
// *rateLimitError.
func (a *API) beginRepeatable(ctx context.Context, call idempotency.Call) (end func(ctx context.Context, stored int, err error), err error) {
	over, err := a.Answers.Begin(call)
	if err != nil || a.AnswerLimit == nil || isInProcess(ctx) {
		return func(context.Context, int, error) { over() }, err
	}
	key := call.Account.String()
	room := largestAnswer
	if e := stateOf(ctx); e != nil && answersDuel[responseOf(e.w).operation] {
		room = largestDuel
	}
	room = min(room, max(1, a.AnswerLimit.Max()/2))
	d, err := a.AnswerLimit.Spend(ctx, key, room)
	if err == nil && !d.OK {
		err = &rateLimitError{wait: d.Wait, message: "Too many answers are stored under Idempotency-Keys of this account."}
	}
	if err != nil {
		over()
		return nil, err
	}
	return func(ctx context.Context, stored int, err error) {
		defer over()
		rest := room
		if err == nil {
			rest -= max(1, (stored+1023)>>10)
		}
		if err := a.AnswerLimit.Unspend(ctx, key, rest); err != nil {
			a.Logger.Warn("counting stored answers", "error", err)
		}
	}, nil
}

// writeReplayed gives an answer again, byte for byte.
func writeReplayed(w http.ResponseWriter, body []byte) {
	h := w.Header()
	h.Set("Idempotent-Replayed", "true")
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // the caller has gone away; nobody is left to tell
}
