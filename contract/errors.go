package contract

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
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
	// ErrSlowBody means that the body did not arrive before the read deadline (408).
	ErrSlowBody = errors.New("the body arrives too slowly")
	// ErrEncodedBody means that the body has a Content-Encoding (415).
	ErrEncodedBody = errors.New("the body is encoded")
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
// begins with "path", "query", "header" or "body". Typ and msg follow pydantic.
// Input is part of the response: pass no secret. Ctx is nil or a value that encodes to an object.
func Invalid(loc []any, typ, msg string, input, ctx any) *ValidationError {
	return &ValidationError{[]Detail{{typ, loc, msg, input, ctx}}}
}

// InvalidValue returns the ValidationError for a value that breaks a rule of the handler's own, as pydantic writes the
// error of a validator: reason completes "Value error, …". Loc and input are those of Invalid.
func InvalidValue(loc []any, reason string, input any) *ValidationError {
	f := valueError(reason)
	return Invalid(loc, f.typ, f.msg, input, f.ctx)
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
	case errors.Is(err, ErrSlowBody):
		status = http.StatusRequestTimeout
	case errors.Is(err, ErrEncodedBody):
		status = http.StatusUnsupportedMediaType
	case errors.Is(err, ErrBadBody), errors.Is(err, ErrBadPath):
		status = http.StatusBadRequest
	}
	detail := http.StatusText(status)
	if errors.Is(err, ErrBadBody) {
		detail = "There was an error parsing the body"
	}
	writeJSON(w, status, append(appendString([]byte(`{"detail":`), detail), '}'))
}

// A fault is the reason why a value is invalid, without its location. The zero
// fault means that the value is valid.
type fault struct {
	typ, msg string
	// ctx is the parameters of the rule as JSON, or nil.
	ctx any
}

// valueError returns the error of a rule that the code checks.
func valueError(reason string) fault {
	return fault{"value_error", "Value error, " + reason, map[string]any{"error": map[string]any{}}}
}

// The types and messages are pydantic's for Python values, which FastAPI passes
// on after its own reading of the JSON: a dictionary for an object, a list for
// an array.
var (
	faultMissing    = fault{typ: "missing", msg: "Field required"}
	faultStringType = fault{typ: "string_type", msg: "Input should be a valid string"}
	faultUnicode    = fault{typ: "string_unicode",
		msg: "Input should be a valid string, unable to parse raw data as a unicode string"}
	faultIntType    = fault{typ: "int_type", msg: "Input should be a valid integer"}
	faultIntParsing = fault{typ: "int_parsing",
		msg: "Input should be a valid integer, unable to parse string as an integer"}
	faultIntSize = fault{typ: "int_parsing_size",
		msg: "Unable to parse input string as an integer, exceeded maximum size"}
	faultFraction = fault{typ: "int_from_float",
		msg: "Input should be a valid integer, got a number with a fractional part"}
	faultFinite    = fault{typ: "finite_number", msg: "Input should be a finite number"}
	faultBoolType  = fault{typ: "bool_type", msg: "Input should be a valid boolean"}
	faultBoolParse = fault{typ: "bool_parsing", msg: "Input should be a valid boolean, unable to interpret input"}
	faultListType  = fault{typ: "list_type", msg: "Input should be a valid list"}
	faultObject    = fault{typ: "model_attributes_type",
		msg: "Input should be a valid dictionary or object to extract fields from"}
	faultExtra = fault{typ: "extra_forbidden", msg: "Extra inputs are not permitted"}
)

// ctxOf returns the ctx of an error with one parameter.
func ctxOf(name string, value any) any {
	b, _ := appendValue(append(appendString([]byte{'{'}, name), ':'), value)
	return raw(append(b, '}'))
}

// plural returns n with its noun: "1 item", "2 items".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// tooShort returns the fault of a list of size items below limit.
func tooShort(limit, size int) fault {
	return fault{
		"too_short",
		fmt.Sprintf("List should have at least %s after validation, not %d", plural(limit, "item"), size),
		raw(fmt.Sprintf(`{"field_type":"List","min_length":%d,"actual_length":%d}`, limit, size)),
	}
}

// tooLong returns the fault of a list of size items above limit.
func tooLong(limit, size int) fault {
	return fault{
		"too_long",
		fmt.Sprintf("List should have at most %s after validation, not %d", plural(limit, "item"), size),
		raw(fmt.Sprintf(`{"field_type":"List","max_length":%d,"actual_length":%d}`, limit, size)),
	}
}

// textFault checks the length of a text in code points, then its pattern.
func (r *rule) textFault(s string) fault {
	length := utf8.RuneCountInString(s)
	switch {
	case length < r.length.min:
		return fault{
			"string_too_short",
			"String should have at least " + plural(r.length.min, "character"),
			ctxOf("min_length", r.length.min),
		}
	case r.length.max >= 0 && length > r.length.max:
		return fault{
			"string_too_long",
			"String should have at most " + plural(r.length.max, "character"),
			ctxOf("max_length", r.length.max),
		}
	case !r.matches(s):
		p := r.pattern.String()
		return fault{"string_pattern_mismatch", "String should match pattern '" + p + "'", ctxOf("pattern", p)}
	}
	return fault{}
}

// wrongChoice returns the fault of a value that is none of the choices. The
// message lists all of them.
func (r *rule) wrongChoice() fault {
	quoted := make([]string, len(r.choices))
	for i, c := range r.choices {
		quoted[i] = pythonQuote(c)
	}
	last := len(quoted) - 1
	expected := quoted[last]
	if last > 0 {
		expected = strings.Join(quoted[:last], ", ") + " or " + expected
	}
	typ := "enum"
	if r.literal {
		typ = "literal_error"
	}
	return fault{typ, "Input should be " + expected, ctxOf("expected", expected)}
}

// pythonQuote returns Python's repr of printable text: in single quotes, unless
// it contains single quotes and no double quotes.
func pythonQuote(s string) string {
	quote := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = `"`
	}
	return quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(s) + quote
}

// A relation is the comparison of an integer with one of its bounds, in
// pydantic's words.
type relation struct {
	// typ is the type of the error, name the member of its ctx, words the
	// comparison in its message.
	typ, name, words string
}

// The relations in the order in which bounds are checked.
var (
	relMultiple = relation{typ: "multiple_of", name: "multiple_of", words: "a multiple of"}
	relLe       = relation{typ: "less_than_equal", name: "le", words: "less than or equal to"}
	relLt       = relation{typ: "less_than", name: "lt", words: "less than"}
	relGe       = relation{typ: "greater_than_equal", name: "ge", words: "greater than or equal to"}
	relGt       = relation{typ: "greater_than", name: "gt", words: "greater than"}
)

// fault returns the fault of an integer that violates the bound limit.
func (r relation) fault(limit int64) fault {
	return fault{r.typ, fmt.Sprint("Input should be ", r.words, " ", limit), ctxOf(r.name, limit)}
}
