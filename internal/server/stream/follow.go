package stream

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/platform/event"
)

// Streams of events. A stream sends the stored events of its topics from a position on, and the
// states of the duels that it watches. It owns no goroutine but its request's, and while it waits
// it holds neither a transaction nor a buffer. It wakes up when
//
//   - an event of one of its topics was stored (Tail.Watch);
//   - a watched duel made a step, or its session may have ended (duelCache.woken);
//   - the heartbeat is due, which also checks the session;
//   - the service drains, or the client disconnects: the stream ends.
//
// Events for the caller alone (of its account, of its own duels) are sent after a check of the session. Other
// events wake thousands of streams at once and are public: they cost no check.
//
// The position is the id of the last event sent. It goes to the client with every event and
// heartbeat, and comes back as Last-Event-ID.

// Follow says what a stream sends, and for which caller.
type Follow struct {
	Topics []string // of the log
	Duels  []string // codes of duels whose every step is sent
	After  *int64   // the id of the last event that the caller knows; nil starts now
	Once   bool     // end once every stored event was sent
	Head   bool     // send the headers alone
	Inside bool     // the caller is within the process
	Slots  []Slot   // of the quota
	// Account is the caller's, and SignedOut reports whether its session or key is no longer valid. Both are
	// nil for a caller that is not signed in.
	Account   *chain.Address
	SignedOut func(ctx context.Context) (bool, error)
	Attend    Attendance // nil if no presence is shown
}

// follower is an open stream while it waits. There may be thousands, so its size matters.
type follower struct {
	Follow

	streams *Streams
	duels   *duelWatch     // the duels whose every step it sends
	at      event.Position // the position of the last event that was sent
	release func()         // returns its slots of the quota
}

// Follow checks the duels, acquires the stream's quota and returns the stream, which also sends every step
// of the caller's own unfinished duels if it follows the account. Errors: duel.ErrNotFound, ErrQuota.
func (s *Streams) Follow(ctx context.Context, in Follow) (contract.Stream, error) {
	duels := &duelWatch{cache: &s.duels}
	if in.Account != nil {
		duels.extraTopics = []string{sessionTopic(*in.Account)}
		if slices.Contains(in.Topics, event.Account(*in.Account)) {
			duels.owner, duels.attend = in.Account, in.Attend
		}
	}
	if err := duels.name(ctx, in.Duels); err != nil {
		return nil, err
	}
	release, err := s.Acquire(in.Slots...)
	if err != nil {
		return nil, err
	}
	f := &follower{Follow: in, streams: s, duels: duels, at: s.Tail.Last(), release: release}
	if in.After != nil {
		f.at = event.ParseID(*in.After)
	}
	return f.stream, nil
}

// ReadyEvent is the first event of a stream.
type ReadyEvent struct {
	Topics []string `json:"topics"`
}

// ResetEvent reports that events after an id are lost to the stream.
type ResetEvent struct {
	LastEventID int64 `json:"last_event_id"`
}

// EndEvent reports why a stream ends.
type EndEvent struct {
	Reason string `json:"reason"`
}

// stream sends events until the client disconnects or the service stops.
func (f *follower) stream(ctx context.Context, w http.ResponseWriter) {
	defer f.release()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies must pass each event on at once
	w.WriteHeader(http.StatusOK)
	if f.Head {
		return
	}
	out := &writer{w: w}
	err := f.follow(ctx, out)
	if err == nil {
		err = out.flush()
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errSignedOut) {
		f.streams.Logger.Debug("a stream ended", "error", err) // the client has disconnected, or reads too slowly
	}
}

// errSignedOut reports that the session or key of a stream is no longer valid.
var errSignedOut = errors.New("stream: signed out")

// follow sends every event until the stream ends. It sends no reason for the end: a client
// reconnects and resumes at its last event.
func (f *follower) follow(ctx context.Context, out *writer) error {
	// The watch begins before the first read, so that no event falls in between.
	posted := f.streams.Tail.Watch(f.Topics...)
	defer posted.Close()
	defer f.duels.close()
	changed, err := f.duels.watch(ctx)
	if err != nil {
		return err
	}
	if err := f.begin(out); err != nil {
		return err
	}
	if err := f.checkSession(ctx, out); err != nil { // it may have ended before the watch began
		return err
	}
	beat := time.NewTicker(f.streams.Heartbeat)
	defer beat.Stop()
	for {
		rewatch, err := f.send(ctx, out)
		if err != nil {
			return err
		}
		// The set of own duels may have changed: watch them before they are read, so that no step is missed.
		if rewatch {
			if changed, err = f.duels.watch(ctx); err != nil {
				return err
			}
		}
		if err := f.duels.send(ctx, out, changed, f.checkSession); err != nil || f.Once {
			return err
		}
		changed = nil
		select {
		case <-posted.C():
		case <-f.duels.woken.C():
			topics := f.duels.woken.Woken()
			changed = codesOf(topics)
			if len(changed) < len(topics) { // one of them is the topic of the session
				if err := f.checkSession(ctx, out); err != nil {
					return err
				}
			}
		case <-beat.C:
			if f.streams.Used != nil && !f.Inside {
				f.streams.Used()
			}
			out.text(":\n")
			out.id(f.at.ID()) // the position advances past events of other topics, too
			out.text("\n")
			if err := f.checkSession(ctx, out); err != nil {
				return err
			}
		case <-f.streams.draining:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// begin sends the delay before a reconnection and the position where the stream starts.
func (f *follower) begin(out *writer) error {
	// The delay is random, so that the clients of a restarted node do not return all at once.
	out.text("retry: " + strconv.FormatInt(1000+rand.Int64N(3000), 10) + "\n") //nolint:forbidigo // nothing of the game depends on it
	out.id(f.at.ID())
	names := make([]string, len(f.Topics))
	for i, topic := range f.Topics {
		names[i], _, _ = strings.Cut(topic, ":")
	}
	return out.value("ready", ReadyEvent{Topics: names})
}

// send sends the stored events after f.at and advances f.at. rewatch reports that the set of the
// caller's own duels may have changed.
func (f *follower) send(ctx context.Context, out *writer) (rewatch bool, err error) {
	for {
		list, upto, err := f.streams.Tail.Read(ctx, f.at, f.Topics)
		if errors.Is(err, event.ErrGone) {
			list, upto, rewatch = nil, f.streams.Tail.Last(), true
			out.id(upto.ID())
			err = out.value("reset", ResetEvent{LastEventID: f.at.ID()})
		}
		if err != nil {
			return rewatch, err
		}
		if slices.ContainsFunc(list, ofAccount) {
			if err := f.checkSession(ctx, out); err != nil {
				return rewatch, err
			}
		}
		for _, e := range list {
			out.id(e.ID())
			out.event(e.Kind, e.Body)
			rewatch = rewatch || changesOwn(e)
		}
		f.at = upto
		if err := out.flush(); err != nil || len(list) == 0 {
			return rewatch, err
		}
	}
}

// checkSession returns errSignedOut, after sending an end event, when the session or key that
// opened the stream is no longer valid.
func (f *follower) checkSession(ctx context.Context, out *writer) error {
	if f.SignedOut == nil {
		return nil
	}
	if over, err := f.SignedOut(ctx); err != nil || !over {
		return err
	}
	return errors.Join(out.value("end", EndEvent{Reason: "signed_out"}), out.flush(), errSignedOut)
}
