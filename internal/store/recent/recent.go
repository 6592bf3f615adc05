// Package recent provides a bounded map of the entries that were used last, for rows that need not be
// read again.
package recent

import "sync"

// Size is the number of entries of a full generation.
const Size = 8192

// Map keeps the last Size entries that were used, and at most twice as many. It has two generations:
// when the young one is full it becomes the old one, and the previous old one is dropped. That costs
// less than a list of all entries by their last use. The zero value is an empty map. It is safe for
// concurrent use.
type Map[K comparable, V any] struct {
	mu         sync.Mutex // guards the maps
	young, old map[K]V
}

// Get returns the value of a key, if it is kept.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value, ok = m.young[key]; ok {
		return value, true
	}
	if value, ok = m.old[key]; ok {
		delete(m.old, key)
		m.add(key, value)
	}
	return value, ok
}

// Put keeps a value in place of the one that is kept.
func (m *Map[K, V]) Put(key K, value V) {
	m.Update(key, func(V, bool) (V, bool) { return value, true })
}

// Remove removes an entry, if it is kept.
func (m *Map[K, V]) Remove(key K) {
	m.Update(key, func(kept V, _ bool) (V, bool) { return kept, false })
}

// Update replaces the value of a key by what change returns for it, or removes the entry if keep is
// false. ok reports whether there is a value.
func (m *Map[K, V]) Update(key K, change func(kept V, ok bool) (value V, keep bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, keep := change(m.remove(key))
	if keep {
		m.add(key, value)
	}
}

// Clear removes all entries.
func (m *Map[K, V]) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.young, m.old = nil, nil
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.young) + len(m.old)
}

// remove removes an entry and returns its value. The caller holds mu.
func (m *Map[K, V]) remove(key K) (value V, ok bool) {
	if value, ok = m.young[key]; ok {
		delete(m.young, key)
		return value, true
	}
	if value, ok = m.old[key]; ok {
		delete(m.old, key)
	}
	return value, ok
}

// add adds an entry to the young generation. The caller holds mu.
func (m *Map[K, V]) add(key K, value V) {
	if m.young == nil || len(m.young) >= Size {
		m.old, m.young = m.young, make(map[K]V)
	}
	m.young[key] = value
}
