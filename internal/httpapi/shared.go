package httpapi

import "sync"

// shared lets those who want the same at the same time share one read. Who asks gets what
// was read after he asked, never what was read before: so whoever was woken by a change
// sees it. The zero value is ready.
type shared[T any] struct {
	mu   sync.Mutex // guards keys and what they hold
	keys map[string]*sharedKey[T]
}

type sharedKey[T any] struct {
	turn  chan struct{}  // holds a token while a read is under way
	next  *sharedRead[T] // which has not begun, so that one may join it
	users int
}

type sharedRead[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// get returns what read reads of key, in a call of its own or of somebody else's.
func (s *shared[T]) get(key string, read func() (T, error)) (T, error) {
	s.mu.Lock()
	k := s.keys[key]
	if k == nil {
		k = &sharedKey[T]{turn: make(chan struct{}, 1)}
		if s.keys == nil {
			s.keys = map[string]*sharedKey[T]{}
		}
		s.keys[key] = k
	}
	k.users++
	r, first := k.next, k.next == nil
	if first {
		r = &sharedRead[T]{done: make(chan struct{})}
		k.next = r
	}
	s.mu.Unlock()
	defer s.leave(key, k)
	if first {
		s.read(k, r, read)
	}
	<-r.done
	return r.value, r.err
}

// read waits for its turn, until when others may join, and reads.
func (s *shared[T]) read(k *sharedKey[T], r *sharedRead[T], read func() (T, error)) {
	k.turn <- struct{}{}
	defer func() { <-k.turn }()
	defer close(r.done)
	s.mu.Lock()
	k.next = nil
	s.mu.Unlock()
	r.value, r.err = read()
}

func (s *shared[T]) leave(key string, k *sharedKey[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.users--; k.users == 0 {
		delete(s.keys, key)
	}
}
