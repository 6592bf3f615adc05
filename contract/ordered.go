package contract

// An orderedMap is an object that keeps the order of its members: the document
// is the same bytes every time, in the order in which a reader wants them.
type orderedMap []pairing

// A pairing is one member of an orderedMap.
type pairing struct {
	key string
	// value is an orderedMap, []any, string, bool, int, int64, float64, raw or
	// nil.
	value any
}

// set appends a member. It does not look for an existing one of that name.
func (m *orderedMap) set(key string, value any) { *m = append(*m, pairing{key, value}) }

// setText appends a member unless value is empty.
func (m *orderedMap) setText(key, value string) {
	if value != "" {
		m.set(key, value)
	}
}

// append appends the object as compact JSON, members in their order.
func (m orderedMap) append(b []byte) ([]byte, error) {
	b = append(b, '{')
	for i, p := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, p.key), ':')
		var err error
		if b, err = appendValue(b, p.value); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}
