package httpapi

import (
	"context"
	"sync"
	"sync/atomic"

	"roshambo/contract"
	"roshambo/internal/platform/event"
	"roshambo/internal/store"
)

// stands are where the duels stand that streams of this node watch. A step wakes all who
// watch its duel at once, which may be thousands; the first of them reads the duel, and
// the others find what it has read.
type stands struct {
	mu   sync.Mutex // guards list, and users of what is in it
	list map[string]*stand
}

// stand is where one duel stands.
type stand struct {
	code  string
	users int
	step  *event.Watch
	stale atomic.Bool // the duel has made a step since it was read last

	mu      sync.Mutex // guards what follows, and is held by the one who reads it
	version int64
	body    string // of its event
}

// take returns the stand of a duel, which the caller gives back. From then on each step
// of the duel wakes event.Duel(code) of a.streams.
func (a *API) takeStand(code string) *stand {
	a.stands.mu.Lock()
	defer a.stands.mu.Unlock()
	s := a.stands.list[code]
	if s == nil {
		s = &stand{code: code}
		s.stale.Store(true)
		s.step = a.Hub.OnWake(func() {
			s.stale.Store(true) // before anybody is woken who would look
			a.streams.Wake(event.Duel(code))
		}, event.Duel(code))
		if a.stands.list == nil {
			a.stands.list = map[string]*stand{}
		}
		a.stands.list[code] = s
	}
	s.users++
	return s
}

func (a *API) leaveStand(s *stand) {
	a.stands.mu.Lock()
	defer a.stands.mu.Unlock()
	if s.users--; s.users == 0 {
		s.step.Close()
		delete(a.stands.list, s.code)
	}
}

// look returns the duel's version and the body of its event: not older than the last
// step that the caller can know of.
func (s *stand) look(ctx context.Context, a *API) (version int64, body string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stale.Swap(false) {
		return s.version, s.body, nil
	}
	// Others wait for this read: it does not end with its reader.
	err = a.DB.View(context.WithoutCancel(ctx), func(ctx context.Context, tx *store.Tx) error {
		d, _, err := a.Duels.Get(ctx, tx, s.code)
		if err != nil {
			return err
		}
		text, err := contract.Encode(DuelEvent{d.Code, d.Version, string(d.Status)})
		s.version, s.body = d.Version, string(text)
		return err
	})
	if err != nil {
		s.stale.Store(true)
	}
	return s.version, s.body, err
}
