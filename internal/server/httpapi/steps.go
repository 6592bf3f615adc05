package httpapi

import (
	"context"
	"math"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// maxOwn is how many duels of the caller's own a stream tells the steps of, by status.
const maxOwn = duel.MaxUnfinished + 1

// steps are the duels whose every step a stream tells: those that were named, and the
// caller's own that go on. A step is not in the log. What is told is where the duel
// stands, once at the beginning and then whenever that has changed: nothing is lost by
// an interruption, and what was told before is not told again.
type steps struct {
	api   *API
	named []string       // codes
	mine  *chain.Address // whose own duels; nil for nobody's
	more  []string       // topics that are watched besides
	duels map[string]*followed
	woken *event.Watch // of all of them
}

// followed is a duel that a stream tells of.
type followed struct {
	stand *stand
	told  int64 // version; noVersion for none so far
}

// noVersion is less than the version of any duel.
const noVersion = -1

// DuelEvent says where a duel stands: it was another version before.
type DuelEvent struct {
	Code    string `json:"code"`
	Version int64  `json:"version"`
	Status  string `json:"status"`
}

// name adds duels by their codes. Errors: duel.ErrNotFound.
func (s *steps) name(ctx context.Context, codes []string) error {
	for _, text := range codes {
		code, ok := duel.ParseCode(text)
		if !ok {
			return duel.ErrNotFound
		}
		s.named = append(s.named, code)
	}
	if len(codes) == 0 {
		return nil
	}
	return s.api.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, code := range s.named { // a few
			if _, _, err := s.api.Duels.Get(ctx, tx, code); err != nil {
				return err
			}
		}
		return nil
	})
}

// own returns the codes of the caller's duels that are not over.
func (s *steps) own(ctx context.Context) (codes []string, err error) {
	if s.mine == nil {
		return nil, nil
	}
	err = s.api.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		codes = nil
		for _, status := range []duel.Status{duel.Open, duel.Active} {
			list, err := s.api.Duels.List(ctx, tx, duel.Filter{Of: *s.mine, Status: status, Before: math.MaxInt64, Count: maxOwn})
			if err != nil {
				return err
			}
			for _, d := range list {
				codes = append(codes, d.Code)
			}
		}
		return nil
	})
	return codes, err
}

// watch begins to watch all of the duels, instead of those that it watched before, and
// returns their codes: where they stand has to be told, as it may have changed meanwhile.
func (s *steps) watch(ctx context.Context) ([]string, error) {
	codes, err := s.own(ctx)
	if err != nil {
		return nil, err
	}
	codes = append(codes, s.named...)
	slices.Sort(codes)
	codes = slices.Compact(codes)
	duels, topics := make(map[string]*followed, len(codes)), slices.Clone(s.more)
	for _, code := range codes {
		duels[code] = &followed{s.api.takeStand(code), noVersion}
		if before, ok := s.duels[code]; ok {
			duels[code].told = before.told
		}
		topics = append(topics, event.Duel(code))
	}
	s.leave()
	// A wake-up that waits to be taken is handed on: the stream may have to end.
	s.duels, s.woken = duels, s.api.streams.Rewatch(s.woken, topics...)
	return codes, nil
}

// close ends the watching.
func (s *steps) close() {
	s.leave()
	if s.woken != nil {
		s.woken.Close()
	}
}

// leave gives the duels back.
func (s *steps) leave() {
	for _, d := range s.duels {
		s.api.leaveStand(d.stand)
	}
	s.duels = nil
}

// tell adds where the duels stand, unless it was told before.
func (s *steps) tell(ctx context.Context, out *sseWriter, codes []string) error {
	for _, code := range codes {
		d := s.duels[code]
		version, body, err := d.stand.look(ctx, s.api)
		if err != nil {
			return err
		}
		if version != d.told {
			d.told = version
			out.event("duel", body)
		}
	}
	return out.flush()
}

// codesOf returns the codes in topics of duels.
func codesOf(topics []string) []string {
	var codes []string
	for _, topic := range topics {
		if code, ok := strings.CutPrefix(topic, event.Duel("")); ok {
			codes = append(codes, code)
		}
	}
	return codes
}

// changesOwn says whether an event may mean that the caller has other duels than before.
func changesOwn(e *event.Stored) bool {
	return strings.HasPrefix(e.Topic, "account:") && strings.HasPrefix(e.Kind, "duel_")
}
