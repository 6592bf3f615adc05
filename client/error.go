package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is a refusal of the service.
type Error struct {
	Status    int    // of HTTP
	Code      string // of docs/errors.md; "invalid" for what the contract does not allow
	Message   string // for people
	RequestID string // by which the operator finds it in the log
	// RetryAfter is when to come again; 0 when that would change nothing.
	RetryAfter time.Duration
	// Detail says what the contract does not allow, one sentence for each place.
	Detail []string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message)
	if len(e.Detail) > 0 {
		text += ": " + strings.Join(e.Detail, "; ")
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// Code returns the code of a refusal, "" for every other error.
func Code(err error) string {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal.Code
	}
	return ""
}

// violation is one entry of a 422.
type violation struct {
	Loc []any  `json:"loc"`
	Msg string `json:"msg"`
}

// readError makes an error of an answer that is none of success. It may come from a
// proxy before the service, and then be anything.
func readError(r *http.Response, text []byte) *Error {
	e := &Error{Status: r.StatusCode, RequestID: r.Header.Get("X-Request-Id"), RetryAfter: retryAfter(r.Header)}
	var body struct {
		Code       string      `json:"code"`
		Message    string      `json:"message"`
		RetryAfter int         `json:"retry_after_ms"`
		Detail     []violation `json:"detail"`
	}
	if json.Unmarshal(text, &body) != nil || body.Code == "" && len(body.Detail) == 0 {
		e.Code, e.Message = "unknown", http.StatusText(r.StatusCode)
		return e
	}
	e.Code, e.Message = body.Code, body.Message
	if body.RetryAfter > 0 {
		e.RetryAfter = time.Duration(body.RetryAfter) * time.Millisecond // closer than whole seconds
	}
	for _, v := range body.Detail {
		e.Code, e.Message = "invalid", "the contract does not allow it"
		var place []string
		for _, step := range v.Loc {
			place = append(place, fmt.Sprint(step))
		}
		e.Detail = append(e.Detail, strings.Join(place, ".")+": "+v.Msg)
	}
	return e
}

// retryAfter reads the header Retry-After, in seconds as the service writes it.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
