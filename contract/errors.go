package contract

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// The contract's own errors other than validation errors, as Options.Fail
// receives them. Some are wrapped: compare with errors.Is.
var (
	// ErrNotFound means that no operation has the path (404).
	ErrNotFound = errors.New("no such path")
	// ErrBodyTooLarge means that the body exceeds Options.MaxBody (413).
	ErrBodyTooLarge = errors.New("the body is too large")
	// ErrBadBody means that the body cannot be parsed at all (400): invalid
	// UTF-8, nesting above 1000 levels, an integer above 4300 digits, or a
	// connection that ended early.
	ErrBadBody = errors.New("the body cannot be read")
	// ErrBadPath means that the path contains an invalid percent-escape (400).
	ErrBadPath = errors.New("the path contains an invalid percent-escape")
)

// Causes of ErrBadBody that parse detects.
var (
	errTooDeep = fmt.Errorf("%w: nested more than %d levels deep", ErrBadBody, maxDepth)
	errTooLong = fmt.Errorf("%w: an integer of more than %d digits", ErrBadBody, maxDigits)
)

// A MethodNotAllowedError reports a known path with another method (405). The
// Allow header is set before Options.Fail receives it.
type MethodNotAllowedError struct {
	// Allow lists the methods of the path, sorted. HEAD is listed with GET.
	Allow []string
}

// Error lists the allowed methods.
func (e *MethodNotAllowedError) Error() string {
	return "method not allowed, only " + strings.Join(e.Allow, ", ")
}

// A ValidationError lists everything that is invalid in a request. The API
// responds with 422 and FastAPI's body. Handlers return one for rules that tags
// cannot express; see Invalid.
type ValidationError struct {
	// Detail has at least one entry: path, query, header, then the body in the
	// order of declaration.
	Detail []Detail
}

// A Detail is one entry of a 422 response.
type Detail struct {
	// Type is pydantic's name of the error, such as "string_too_short".
	Type string
	// Loc is the location of the value: strings and integers, such as "body",
	// "lines", 0.
	Loc []any
	// Msg is a sentence for people. Clients must not parse it.
	Msg string
	// Input is the invalid value, for a missing member the object that lacks it.
	// It never contains a secret.
	Input any
	// Ctx holds the parameters of the rule as an object, such as {"le":5}, or
	// nil.
	Ctx any
}

// Invalid returns a ValidationError for one value, for use in handlers. Loc
// begins with "path", "query", "header" or "body". Typ and msg follow pydantic:
// "value_error" and "Value error, …". Input is part of the response: pass no
// secret. Ctx is nil or a value that encodes to an object.
func Invalid(loc []any, typ, msg string, input, ctx any) *ValidationError {
	return &ValidationError{[]Detail{{typ, loc, msg, input, ctx}}}
}

// Error lists each location with its message, without the values.
func (e *ValidationError) Error() string {
	var b strings.Builder
	for i, d := range e.Detail {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%v: %s", d.Loc, d.Msg)
	}
	return b.String()
}

// append appends the body of the 422 response. Members are in FastAPI's order;
// ctx is omitted when it is nil.
func (e *ValidationError) append(b []byte) ([]byte, error) {
	b = append(b, `{"detail":[`...)
	for i, d := range e.Detail {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = d.append(b); err != nil {
			return nil, err
		}
	}
	return append(b, `]}`...), nil
}

// append appends one entry.
func (d *Detail) append(b []byte) (_ []byte, err error) {
	b = append(b, `{"type":`...)
	b = appendString(b, d.Type)
	b = append(b, `,"loc":`...)
	if b, err = appendValue(b, d.Loc); err != nil {
		return nil, err
	}
	b = append(b, `,"msg":`...)
	b = appendString(b, d.Msg)
	b = append(b, `,"input":`...)
	if b, err = appendValue(b, d.Input); err != nil {
		return nil, err
	}
	if d.Ctx != nil {
		b = append(b, `,"ctx":`...)
		if b, err = appendValue(b, d.Ctx); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// fail is the default of Options.Fail: FastAPI's error bodies.
func fail(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusInternalServerError
	refused, isRefused := errors.AsType[*RefusedError](err)
	_, isMethod := errors.AsType[*MethodNotAllowedError](err)
	switch {
	case isRefused:
		status = refused.Status
	case isMethod:
		status = http.StatusMethodNotAllowed
	case errors.Is(err, ErrNotFound):
		status = http.StatusNotFound
	case errors.Is(err, ErrBodyTooLarge):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, ErrBadBody), errors.Is(err, ErrBadPath):
		status = http.StatusBadRequest
	}
	detail := http.StatusText(status)
	if errors.Is(err, ErrBadBody) {
		detail = "There was an error parsing the body"
	}
	writeJSON(w, status, append(appendString([]byte(`{"detail":`), detail), '}'))
}
