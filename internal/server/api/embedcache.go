package api

import (
	"sync"
	"time"
)

// embedFresh is how long an embed is reused, so that the database does not notice how many visitors the page of another
// site has. Their scripts ask every 16 seconds.
const embedFresh = 5 * time.Second

// maxEmbeds bounds the memory of embeds: some ten kilobytes each.
const maxEmbeds = 256

// embeds are the embeds that were read last, by path and language. The zero value is ready.
type embeds struct {
	mu    sync.Mutex // guards the fields below
	since int64      // how often it was cleared
	pages map[string]*embedded
}

// embedded is an embed, and when it was read.
type embedded struct {
	document

	at time.Time
}

// find returns the embed of a key that is fresh, nil for none, and the state in which keep keeps another one.
func (e *embeds) find(key string, now time.Time) (*embedded, int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	found := e.pages[key]
	if found != nil && (now.Before(found.at) || now.Sub(found.at) >= embedFresh) {
		found = nil
	}
	return found, e.since
}

// keep keeps an embed that was read after find, unless a name was withdrawn meanwhile.
func (e *embeds) keep(key string, page *embedded, since int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.since != since {
		return
	}
	if e.pages == nil || len(e.pages) >= maxEmbeds {
		e.pages = map[string]*embedded{}
	}
	e.pages[key] = page
}

// clear forgets all embeds: one of them may show a name that was withdrawn.
func (e *embeds) clear() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.since++
	e.pages = nil
}
