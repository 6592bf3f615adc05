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

// Error is an error response of the service.
type Error struct {
	// Status is the HTTP status.
	Status int
	// Code is a code of docs/errors.md; "invalid" for a 422, which means that the
	// request violates the API's contract; "unknown" for a response of a proxy.
	Code string
	// Message is a sentence for people.
	Message string
	// RequestID identifies the request in the service's log.
	RequestID string
	// RetryAfter is the delay after which a retry can succeed; 0 if a retry cannot help.
	RetryAfter time.Duration
	// Detail describes each invalid value of a 422 in one sentence.
	Detail []string
}

// Error returns status, code, message, details and the request id in one line.
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

// Code returns the code of an *Error in err's chain, or "" for other errors.
func Code(err error) string {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal.Code
	}
	return ""
}

// violation is one entry of the body of a 422.
type violation struct {
	Loc []any  `json:"loc"`
	Msg string `json:"msg"`
}

// readError decodes an error response. A proxy in front of the service may have written
// it, so the body can be anything: then the code is "unknown".
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
		e.RetryAfter = time.Duration(body.RetryAfter) * time.Millisecond // more precise than the header's whole seconds
	}
	for _, v := range body.Detail {
		e.Code, e.Message = "invalid", "the request is invalid"
		var place []string
		for _, step := range v.Loc {
			place = append(place, fmt.Sprint(step))
		}
		e.Detail = append(e.Detail, strings.Join(place, ".")+": "+v.Msg)
	}
	return e
}

// retryAfter returns the header Retry-After. The service writes it in seconds; a proxy may write a
// date.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(clock()))
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
