package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"roshambo/contract"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// Repeated calls. A POST with an Idempotency-Key is stored with its answer in the transaction of
// its use case, so that a caller that lost the answer can repeat the call: the second call
// changes nothing and returns the stored answer byte for byte. Errors are not stored: the use
// case was rolled back, and the caller may try again with the same key.
//
// Two calls with one key at the same time on this node are refused with idempotency_in_flight; on
// two nodes, the transactions conflict and one of them is retried, which finds the answer of the
// other.

// idempotencyHeader names the key under which the answer of a call is stored
// (draft-ietf-httpapi-idempotency-key-header).
const idempotencyHeader = "Idempotency-Key"

// replayedHeader marks the answer to a repetition.
const replayedHeader = "Idempotent-Replayed"

// replayed is an error that carries the stored answer of an earlier call.
type replayed struct{ body []byte }

func (*replayed) Error() string { return "api: the call was answered before" }

// sessionMoves are the operations that open or end a session. They ignore Idempotency-Keys: a
// replay would return a session's token again, or report on an ended session.
var sessionMoves = map[string]bool{
	"createGuest": true, "register": true, "login": true, "redeemMagicLink": true, "logout": true, "endSession": true,
	"changePassword": true, "redeemPasswordReset": true, "endOtherSessions": true, "deleteAccount": true,
}

// repeatable returns the call to store the answer under, or nil when the call has no key, is no
// POST, is anonymous, or opens or ends a session. The request's fingerprint covers method, path,
// query and body. Errors: errIdempotencyKey.
func (a *call) repeatable(op *contract.Operation, body []byte) (*idempotency.Call, error) {
	header := a.r.Header.Get(idempotencyHeader)
	if header == "" || op.Method != http.MethodPost || a.caller == nil || sessionMoves[op.ID] {
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
	for _, part := range []string{op.Method, a.r.URL.EscapedPath(), a.r.URL.RawQuery} {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	h.Write(body)
	name := sha256.Sum256([]byte(key)) // 255 characters have up to 1,020 bytes
	return &idempotency.Call{Account: a.caller.address, Key: base64.RawURLEncoding.EncodeToString(name[:]),
		Request: [32]byte(h.Sum(nil))}, nil
}

// once runs fn and stores its answer in the same transaction, unless the call was answered before:
// then it returns that answer as a *replayed error and runs nothing. A key that was used for
// another request is a validation error.
func once[Out any](ctx context.Context, a *call, tx *store.Tx, fn func(context.Context, *store.Tx) (*Out, error)) (*Out,
	error) {
	call := a.repeat
	if call == nil {
		return fn(ctx, tx)
	}
	body, err := a.Answers.Find(ctx, tx, *call)
	if errors.Is(err, idempotency.ErrKeyReused) {
		return nil, contract.Invalid([]any{"header", strings.ToLower(idempotencyHeader)}, "idempotency_key_reused",
			"This Idempotency-Key was used for another request", nil, nil)
	}
	if err != nil {
		return nil, err
	}
	if body != nil {
		if body, err = withDecided[Out](ctx, a, tx, body); err != nil {
			return nil, err
		}
		return nil, &replayed{body}
	}
	out, err := fn(ctx, tx)
	if err != nil {
		return nil, err
	}
	if body, err = withoutDecided(out); err != nil {
		return nil, err
	}
	return out, a.Answers.Save(ctx, tx, *call, body)
}

// holdsDuel is an answer with a duel, nil for none.
type holdsDuel interface{ held() *Duel }

// withoutDecided returns the text of an answer that is stored for its repetitions. A duel is stored without its decided
// rounds: they never change, and 60 rounds with long salts have 360 KB in each of the answers to 240 steps.
func withoutDecided(out any) ([]byte, error) {
	if h, ok := out.(holdsDuel); ok && h.held() != nil {
		d := h.held()
		rounds := d.Rounds
		defer func() { d.Rounds = rounds }()
		for len(d.Rounds) > 0 && d.Rounds[0].Deadline == nil {
			d.Rounds = d.Rounds[1:]
		}
	}
	return contract.Encode(out)
}

// withDecided returns the text of an answer, byte for byte, from the one that withoutDecided has returned: with the
// rounds that were decided then, as the duel has them.
func withDecided[Out any](ctx context.Context, a *call, tx *store.Tx, body []byte) ([]byte, error) {
	out := new(Out)
	h, ok := any(out).(holdsDuel)
	if !ok {
		return body, nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return nil, fmt.Errorf("api: a stored answer: %w", err)
	}
	d := h.held()
	if d == nil {
		return body, nil
	}
	now, _, err := a.Duels.Get(ctx, tx, d.ID)
	if err != nil {
		return nil, err
	}
	rounds, decided := wireDuel(now, a.caller.address).Rounds, 0
	switch {
	case len(d.Rounds) > 0:
		decided = int(d.Rounds[0].Round) - 1
	case d.Status == string(duel.Finished):
		decided = len(rounds)
	}
	d.Rounds = append(rounds[:decided:decided], d.Rounds...)
	return contract.Encode(out)
}

// writeReplayed sends a stored answer again, byte for byte.
func writeReplayed(w http.ResponseWriter, body []byte) {
	h := w.Header()
	h.Set(replayedHeader, "true")
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // the client has disconnected
}
