package adminpage

import (
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"time"
)

// tokens keeps values for the holders of random texts, each until its time has passed. It keeps the hashes of the
// texts, so a dump of the memory opens nothing. It is bounded: a token too many ends the oldest one. The lock of Page
// guards it.
type tokens[T any] struct {
	life time.Duration
	most int
	list []token[T] // the oldest first
}

// token is one value of tokens.
type token[T any] struct {
	hash    [sha256.Size]byte
	expires time.Time
	value   T
}

// add returns a new token for a value.
func (k *tokens[T]) add(now time.Time, value T) string {
	text := rand.Text()
	k.list = slices.DeleteFunc(k.list, func(t token[T]) bool { return !now.Before(t.expires) })
	if len(k.list) == k.most {
		k.list = slices.Delete(k.list, 0, 1)
	}
	k.list = append(k.list, token[T]{sha256.Sum256([]byte(text)), now.Add(k.life), value})
	return text
}

// get returns the value of a token.
func (k *tokens[T]) get(now time.Time, text string) (value T, ok bool) {
	if i := k.find(text); i >= 0 && now.Before(k.list[i].expires) {
		return k.list[i].value, true
	}
	return value, false
}

// take returns the value of a token and ends it: of several calls one has the value.
func (k *tokens[T]) take(now time.Time, text string) (value T, ok bool) {
	value, ok = k.get(now, text)
	if i := k.find(text); i >= 0 {
		k.list = slices.Delete(k.list, i, i+1)
	}
	return value, ok
}

// find returns the index of a token, -1 for none. It compares hashes, so its time says nothing about a token.
func (k *tokens[T]) find(text string) int {
	hash := sha256.Sum256([]byte(text))
	return slices.IndexFunc(k.list, func(t token[T]) bool { return t.hash == hash })
}
