package contract

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// A route is a registered operation with its compiled input and output.
type route struct {
	op Operation
	// names are the names of the path parameters, in the order of the path.
	names []string
	// serve runs the stages after Before.
	serve func(e *exchange) error

	// plan is nil for raw operations.
	plan *plan
	// out is the output type; nil for raw operations and streams.
	out reflect.Type
	// contentType is the content type of the response of a raw operation or stream.
	contentType string
}

// A pathNode is one segment in the tree of paths. Fixed names match before
// parameters, whatever the order of registration.
type pathNode struct {
	// names are the nodes below, by fixed segment.
	names map[string]*pathNode
	// param is the node below for a parameter of any name; nil if there is none.
	param *pathNode
	// here are the routes whose path ends at this node, by method.
	here map[string]*route
}

// add registers a route under its path, such as "/shelves/{shelf}/books". It
// panics on a malformed path and on a path and method that are taken.
func (n *pathNode) add(rt *route) {
	path, ok := strings.CutPrefix(rt.op.Path, "/")
	if !ok {
		panic("contract: the path " + rt.op.Path + " does not begin with /")
	}
	for segment := range strings.SplitSeq(path, "/") {
		name, ok := parseSegment(segment)
		if !ok || slices.Contains(rt.names, name) {
			panic("contract: the path " + rt.op.Path + " has a bad segment " + segment)
		}
		if name == "" {
			n = n.child(segment)
			continue
		}
		rt.names = append(rt.names, name)
		if n.param == nil {
			n.param = &pathNode{}
		}
		n = n.param
	}
	if n.here == nil {
		n.here = map[string]*route{}
	}
	if n.here[rt.op.Method] != nil {
		panic(fmt.Sprintf("contract: %s %s is registered twice", rt.op.Method, rt.op.Path))
	}
	n.here[rt.op.Method] = rt
}

// parseSegment returns the name of a {parameter}. A segment without braces has
// no name. Ok is false for stray braces.
func parseSegment(s string) (name string, ok bool) {
	if !strings.ContainsAny(s, "{}") {
		return "", true
	}
	name, ok = strings.CutPrefix(s, "{")
	name, closed := strings.CutSuffix(name, "}")
	return name, ok && closed && name != "" && !strings.ContainsAny(name, "{}.")
}

// child returns the node below n for a fixed name, and adds it if necessary.
func (n *pathNode) child(segment string) *pathNode {
	if n.names == nil {
		n.names = map[string]*pathNode{}
	}
	if n.names[segment] == nil {
		n.names[segment] = &pathNode{}
	}
	return n.names[segment]
}

// A match is the search for the route of one request. It collects the methods
// of the path for the Allow header.
type match struct {
	method string
	// escaped reports whether the path still contains percent-escapes.
	escaped bool
	// values are the path parameters so far.
	values []string
	// allow are the methods of paths that match, possibly repeated.
	allow []string
}

// lookup returns the route of a request and the decoded values of its path
// parameters, in the order of the path. Paths are not cleaned: // and .. match
// nothing, and an escaped / is part of a parameter. It returns ErrNotFound or a
// *MethodNotAllowedError.
func (n *pathNode) lookup(r *http.Request, values []string) (*route, []string, error) {
	m := match{method: r.Method, values: values}
	path := r.URL.Path
	if r.URL.RawPath != "" { // set only where decoding is ambiguous
		m.escaped, path = true, r.URL.EscapedPath()
	}
	path, ok := strings.CutPrefix(path, "/")
	if !ok {
		return nil, nil, ErrNotFound
	}
	if rt := m.find(n, path); rt != nil {
		return rt, m.values, nil
	}
	if len(m.allow) > 0 {
		slices.Sort(m.allow)
		return nil, nil, &MethodNotAllowedError{slices.Compact(m.allow)}
	}
	return nil, nil, ErrNotFound
}

// find returns the route for a path below n, or nil, and leaves the parameters
// in m.values. It backtracks where a fixed name leads to no route: /books/new
// does not hide /books/{id}/pages from a book with the id "new". The number of
// steps is bounded by the number of routes.
func (m *match) find(n *pathNode, path string) *route {
	segment, rest, deeper := strings.Cut(path, "/")
	segment = m.decoded(segment)
	if next := n.names[segment]; next != nil {
		if rt := m.step(next, rest, deeper); rt != nil {
			return rt
		}
	}
	if n.param != nil && segment != "" {
		m.values = append(m.values, replaceInvalid(segment))
		if rt := m.step(n.param, rest, deeper); rt != nil {
			return rt
		}
		m.values = m.values[:len(m.values)-1]
	}
	return nil
}

// decoded returns a segment without percent-escapes.
func (m *match) decoded(s string) string {
	if !m.escaped {
		return s
	}
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s // unreachable: net/url has validated the escapes
}

// step continues after a matching segment, or ends there.
func (m *match) step(n *pathNode, rest string, deeper bool) *route {
	if deeper {
		return m.find(n, rest)
	}
	return m.pick(n.here)
}

// pick returns the route for the method; GET routes serve HEAD. If there is
// none, it adds the methods of the path to m.allow.
func (m *match) pick(routes map[string]*route) *route {
	if rt := routes[m.method]; rt != nil {
		return rt
	}
	if rt := routes[http.MethodGet]; rt != nil && m.method == http.MethodHead {
		return rt
	}
	for method := range routes {
		m.allow = append(m.allow, method)
		if method == http.MethodGet {
			m.allow = append(m.allow, http.MethodHead)
		}
	}
	return nil
}
