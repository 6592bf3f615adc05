package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"

	"roshambo/contract"
)

// Fail writes the answer to any error but a validation error (422), which package contract writes.
// A *replayed error is the stored answer of an earlier call.
func (a *API) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if c := callOf(r.Context()); c != nil {
		c.refundBudget(err)
	}
	if again, ok := errors.AsType[*replayed](err); ok {
		writeReplayed(w, again.body)
		return
	}
	if _, ok := errors.AsType[*contract.MethodNotAllowedError](err); ok && r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent) // with Allow, which is set
		return
	}
	writeError(w, a.answerTo(w, err))
}

// Describe is Fail without the answer, of which it returns the status and the header Retry-After.
func (a *API) Describe(w http.ResponseWriter, err error) (status int, retryAfter string) {
	body := a.answerTo(w, err)
	return body.status, body.retryAfter()
}

// answerTo returns the answer to an error, and notes it for observers and the log.
func (a *API) answerTo(w http.ResponseWriter, err error) answer {
	body := describe(err)
	if w.Header().Get("X-Request-Id") == "" {
		a.SetHeaders(w.Header()) // refused by net/http: ServeHTTP did not run
	}
	body.ID = w.Header().Get("X-Request-Id")
	o := responseOf(w)
	o.Code, o.Err = body.Code, err
	if body.NextAt != nil {
		body.RetryAfter = max(0, roundUp(body.NextAt.Sub(a.Now())))
	}
	return body
}

// retryAfter returns the header Retry-After of an answer, in whole seconds.
func (body *answer) retryAfter() string {
	return strconv.FormatInt(max(1, (body.RetryAfter+999)/1000), 10)
}

// writeError writes an error as JSON. No cache may keep it.
func writeError(w http.ResponseWriter, body answer) {
	h := w.Header()
	if body.status == http.StatusTooManyRequests || body.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", body.retryAfter())
	}
	if body.status == http.StatusUnsupportedMediaType {
		h.Set("Accept-Encoding", "identity") // RFC 9110, section 15.5.16
	}
	if body.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic("api: encoding an error: " + err.Error()) // unreachable: the members are strings and numbers
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(body.status)
	_, _ = w.Write(text) // the client has disconnected
}

// SetHeaders sets the headers that every answer has.
func (a *API) SetHeaders(h http.Header) {
	h.Set("X-Request-Id", fmt.Sprintf("%016x", rand.Uint64())) //nolint:forbidigo // it is no secret
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if a.Secure { // for a year; subdomains are not the service's to decide
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}
