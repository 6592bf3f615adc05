package contract

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// A route is one operation at its place in the tree of paths.
type route struct {
	op    Operation
	names []string // of the path's parameters, in order
	serve func(e *exchange) error

	plan        *plan        // nil for raw operations
	out         reflect.Type // of the answer, nil for raw operations and streams
	contentType string       // of the answer of a raw operation or stream
}

// A junction is a place in the tree of paths. Names that stand in a path go
// before parameters, and parameters before a tail, whatever was registered
// first.
type junction struct {
	names map[string]*junction
	param *junction
	here  map[string]*route // by method
	tail  map[string]*route // by method: {name...}, one segment or more
}

// add registers a route under its path, such as "/api/runs/{run_id}/throw" or
// "/log/tile/{path...}". Mistakes panic.
func (j *junction) add(rt *route) {
	path, ok := strings.CutPrefix(rt.op.Path, "/")
	if !ok {
		panic("contract: the path " + rt.op.Path + " does not begin with /")
	}
	for deeper := true; deeper; {
		var segment string
		segment, path, deeper = strings.Cut(path, "/")
		name, tail, ok := parseSegment(segment)
		if !ok || tail && deeper || slices.Contains(rt.names, name) {
			panic("contract: the path " + rt.op.Path + " has a bad segment " + segment)
		}
		if name == "" {
			j = j.named(segment)
			continue
		}
		rt.names = append(rt.names, name)
		if tail {
			j.tail = j.put(j.tail, rt)
			return
		}
		if j.param == nil {
			j.param = &junction{}
		}
		j = j.param
	}
	j.here = j.put(j.here, rt)
}

// parseSegment tells the name of a {parameter} or {tail...}; one without braces
// stands for itself and has none.
func parseSegment(s string) (name string, tail, ok bool) {
	if !strings.ContainsAny(s, "{}") {
		return "", false, true
	}
	name, ok = strings.CutPrefix(s, "{")
	name, closed := strings.CutSuffix(name, "}")
	name, tail = strings.CutSuffix(name, "...")
	return name, tail, ok && closed && name != "" && !strings.ContainsAny(name, "{}")
}

func (j *junction) named(segment string) *junction {
	if j.names == nil {
		j.names = map[string]*junction{}
	}
	if j.names[segment] == nil {
		j.names[segment] = &junction{}
	}
	return j.names[segment]
}

// put adds a route to those of a place, of which there is one for each method.
func (*junction) put(routes map[string]*route, rt *route) map[string]*route {
	if routes == nil {
		routes = map[string]*route{}
	}
	if routes[rt.op.Method] != nil {
		panic(fmt.Sprintf("contract: %s %s is registered twice", rt.op.Method, rt.op.Path))
	}
	routes[rt.op.Method] = rt
	return routes
}

// A match looks for the route of one request and collects on its way which
// methods the path has.
type match struct {
	method  string
	escaped bool     // the path still holds percent-escapes
	values  []string // of the parameters on the way
	allow   []string
}

// lookup finds the route of a request and the values of its path's parameters,
// decoded, in the order of the path. Paths are taken as they are: // and ..
// lead nowhere else, and an escaped / is part of a name.
func (j *junction) lookup(r *http.Request, values []string) (*route, []string, error) {
	m := match{method: r.Method, values: values}
	path := r.URL.Path
	if r.URL.RawPath != "" { // only where decoding loses something
		m.escaped, path = true, r.URL.EscapedPath()
	}
	path, ok := strings.CutPrefix(path, "/")
	if !ok {
		return nil, nil, ErrNotFound
	}
	if rt := m.find(j, path); rt != nil {
		return rt, m.values, nil
	}
	if len(m.allow) > 0 {
		slices.Sort(m.allow)
		return nil, nil, &MethodNotAllowedError{slices.Compact(m.allow)}
	}
	return nil, nil, ErrNotFound
}

// find returns the route of a path below j, or nil. The values are then in
// m.values. It goes back where a name led nowhere: /runs/active does not hide
// /runs/{id}/throw from a run that is called active. What it tries is bounded by
// the number of routes.
func (m *match) find(j *junction, path string) *route {
	segment, rest, deeper := strings.Cut(path, "/")
	segment = m.decoded(segment)
	if next := j.names[segment]; next != nil {
		if rt := m.step(next, rest, deeper); rt != nil {
			return rt
		}
	}
	if j.param != nil && segment != "" {
		m.values = append(m.values, replaceInvalid(segment))
		if rt := m.step(j.param, rest, deeper); rt != nil {
			return rt
		}
		m.values = m.values[:len(m.values)-1]
	}
	if j.tail != nil && path != "" {
		if rt := m.pick(j.tail); rt != nil {
			m.values = append(m.values, replaceInvalid(m.decoded(path)))
			return rt
		}
	}
	return nil
}

func (m *match) decoded(s string) string {
	if !m.escaped {
		return s
	}
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s // cannot be: net/url has checked the escapes
}

// step goes on behind a segment that matched, or ends there.
func (m *match) step(j *junction, rest string, deeper bool) *route {
	if deeper {
		return m.find(j, rest)
	}
	return m.pick(j.here)
}

// pick chooses by method; HEAD is answered by what answers GET.
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
