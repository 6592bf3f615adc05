package contract

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// The contract's own failures that are no 422, as Options.Fail gets them,
// sometimes wrapped: compare with errors.Is.
var (
	ErrNotFound     = errors.New("no such path")                        // 404
	ErrBodyTooLarge = errors.New("the body is too large")               // 413
	ErrBadBody      = errors.New("the body cannot be read")             // 400: invalid UTF-8, nested too deep, more than 4300 digits, cut off
	ErrBadPath      = errors.New("the path holds a bad percent-escape") // 400
)

var (
	errTooDeep = fmt.Errorf("%w: nested more than %d deep", ErrBadBody, maxDepth)
	errTooLong = fmt.Errorf("%w: an integer of more than %d digits", ErrBadBody, maxDigits)
)

// A MethodNotAllowedError answers a known path with another method: 405. The
// header Allow is already set when Options.Fail gets it.
type MethodNotAllowedError struct {
	Allow []string // the methods of the path, sorted, HEAD beside GET
}

func (e *MethodNotAllowedError) Error() string {
	return "method not allowed, only " + strings.Join(e.Allow, ", ")
}

// A ValidationError lists what is wrong with a request; the API answers it
// with 422 and FastAPI's body. A handler that checks more than tags can say
// may return one, too; see Invalid.
type ValidationError struct {
	Detail []Detail
}

// A Detail is one entry of a 422 answer.
type Detail struct {
	Type  string // pydantic's name of the error, such as "string_too_short"
	Loc   []any  // where: strings and integers, such as "body", "moves", 0
	Msg   string // for people
	Input any    // the value that was refused; never a secret
	Ctx   any    // the parameters of the error as an object, or nil
}

// Invalid returns the error of one value, for handlers: loc begins with path,
// query, header or body. Input is shown to the caller, so pass no secret.
func Invalid(loc []any, typ, msg string, input, ctx any) *ValidationError {
	return &ValidationError{[]Detail{{typ, loc, msg, input, ctx}}}
}

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

// append writes the answer's body. Members stand in FastAPI's order; ctx is
// left out when the error has none.
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

// append writes one entry.
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

// fail is Options.Fail for who sets none: FastAPI's answers.
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
