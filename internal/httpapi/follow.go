package httpapi

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/account"
	"roshambo/internal/contract"
	"roshambo/internal/event"
)

func (a *API) followOperations() {
	op := contract.Operation{
		ID: "followEvents", Method: "GET", Path: "/api/events", Tag: "Events", Summary: "Follow what happens, as server-sent events",
		Description: followDescription, Security: anybody, Anonymous: true,
		Errors: may("unauthenticated", "too_many_streams"),
	}
	contract.AddStream(a.contract, op, "text/event-stream", a.followEvents)
}

const followDescription = `Each stored event has an ` + "`id`" + `, a number that grows. Who comes back with the last one as Last-Event-ID, as an EventSource does by itself, is told what has happened since, in order, once each. Events are kept for a day, and 100,000 at most.

| event | data |
|---|---|
| ready | the stream stands: {topics} |
| reset | what came after last_event_id is not kept any more: read anew what is followed; the stream goes on from now |
| block | a block was sealed: {height, hash, tx_count, time} |
| end | the session or key that opened the stream is no longer valid, and the stream ends: {reason} |

Comments come every 15 seconds and say that the connection stands. The topic account is the caller's own: nobody else can follow it.`

// defaultHeartbeat is the default of Config.Heartbeat: below the minute after which
// proxies give up on silent connections.
const defaultHeartbeat = 15 * time.Second

type followIn struct {
	Topics      []string `query:"topics" enum:"blocks,feed,duels,account" maxItems:"4" doc:"Those to follow; without any, all that the caller may follow. To follow several, repeat the name: topics=blocks&topics=feed."`
	Follow      bool     `query:"follow" default:"true" doc:"False ends the stream once everything was told that has happened so far."`
	LastEventID *int64   `header:"Last-Event-ID" min:"0" doc:"The id of the last event that the caller knows. Without, the stream begins now."`
	After       *int64   `query:"after" min:"0" doc:"The same, for callers that cannot set the header, which goes before it."`
}

// follower is an open stream, as it waits: its size counts, as there are thousands.
type follower struct {
	api    *API
	r      *http.Request
	caller *caller  // nil for nobody
	topics []string // of the log
	seq    int64    // told up to here
	once   bool     // tell what there is and end
	leave  func()   // gives its place to another one
}

func (a *API) followEvents(ctx context.Context, in *followIn) (contract.Stream, error) {
	e := exchangeOf(ctx)
	topics, err := followed(in.Topics, e.caller)
	if err != nil {
		return nil, err
	}
	var at []place
	if e.caller != nil {
		at = append(at, place{"account:" + e.caller.account.Address.String(), streamsPerAccount})
	}
	if a.RateLimit != nil { // an operator who wants no limits by address gets none here
		at = append(at, place{"ip:" + a.clients.key(e.r), streamsPerClient})
	}
	leave, err := a.places.take(at...)
	if err != nil {
		return nil, err
	}
	f := &follower{api: a, r: e.r, caller: e.caller, topics: topics, seq: a.Tail.Last(), once: !in.Follow, leave: leave}
	if after := cmp.Or(in.LastEventID, in.After); after != nil {
		f.seq = *after
	}
	return f.stream, nil
}

// followed returns the topics of the log that were named, or all that the caller may
// follow.
func followed(named []string, c *caller) ([]string, error) {
	if len(named) == 0 {
		named = []string{event.Blocks, event.Feed, event.Duels}
		if c != nil {
			named = append(named, "account")
		}
	}
	var topics []string
	for _, topic := range named {
		if topic == "account" {
			if c == nil {
				return nil, errUnauthenticated
			}
			topic = event.Account(c.account.Address)
		}
		if !slices.Contains(topics, topic) {
			topics = append(topics, topic)
		}
	}
	return topics, nil
}

// ReadyEvent is the first event of a stream.
type ReadyEvent struct {
	Topics []string `json:"topics"`
}

// ResetEvent says that events are missing.
type ResetEvent struct {
	LastEventID int64 `json:"last_event_id"`
}

// EndEvent says why a stream ends.
type EndEvent struct {
	Reason string `json:"reason"`
}

// stream tells what happens until the client goes, or the service stops.
func (f *follower) stream(ctx context.Context, w http.ResponseWriter) {
	defer f.leave()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies pass on what comes when it comes
	w.WriteHeader(http.StatusOK)
	if f.r.Method == http.MethodHead {
		return
	}
	out := &sseWriter{w: w}
	err := f.follow(ctx, out)
	if err == nil {
		err = out.flush()
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errSignedOut) {
		f.api.Logger.Debug("a stream ended", "error", err) // a client that was gone, or too slow
	}
}

// errSignedOut says that the session or key of a stream is valid no more.
var errSignedOut = errors.New("httpapi: signed out")

// follow tells everything until there is a reason to end the stream, which the client
// need not be told: it comes back and goes on where it was.
func (f *follower) follow(ctx context.Context, out *sseWriter) error {
	// Watched first and read then, so that nothing falls in between.
	told := f.api.Tail.Watch(f.topics...)
	defer told.Close()
	signed := f.api.Hub.Watch(f.signTopics()...)
	defer signed.Close()
	if err := f.begin(out); err != nil {
		return err
	}
	beat := time.NewTicker(f.api.Heartbeat)
	defer beat.Stop()
	for {
		if err := f.tell(ctx, out); err != nil || f.once {
			return err
		}
		var err error
		select {
		case <-told.C():
		case <-signed.C():
			err = f.checkSigned(ctx, out)
		case <-beat.C:
			out.text(":\n")
			out.id(f.seq) // it has moved on also where nothing was to be told
			out.text("\n")
			err = f.checkSigned(ctx, out)
		case <-f.api.draining:
			return nil
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// begin tells how the client should come back, and from where.
func (f *follower) begin(out *sseWriter) error {
	// Not all of them at once, when the service was restarted.
	out.text("retry: " + strconv.FormatInt(1000+rand.Int64N(3000), 10) + "\n") //nolint:forbidigo // nothing of the game depends on it
	out.id(f.seq)
	names := make([]string, len(f.topics))
	for i, topic := range f.topics {
		names[i], _, _ = strings.Cut(topic, ":")
	}
	return out.value("ready", ReadyEvent{names})
}

// tell sends what there is to be told.
func (f *follower) tell(ctx context.Context, out *sseWriter) error {
	for {
		list, upto, err := f.api.Tail.Read(ctx, f.seq, f.topics)
		if errors.Is(err, event.ErrGone) {
			body := ResetEvent{f.seq}
			f.seq = f.api.Tail.Last()
			out.id(f.seq)
			if err := out.value("reset", body); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		f.seq = upto
		for _, e := range list {
			out.id(e.Seq)
			out.event(e.Kind, e.Body)
		}
		if err := out.flush(); err != nil || len(list) == 0 {
			return err
		}
	}
}

// signTopics are woken when it may be that the caller is signed in no more.
func (f *follower) signTopics() []string {
	if f.caller == nil {
		return nil
	}
	return []string{signTopic(f.caller.account.Address)}
}

func signTopic(address chain.Address) string { return "signed:" + address.String() }

// signedOut has the streams of an account look whether their session or key still
// stands, because one may have ended. On other nodes they look with each heartbeat.
func (a *API) signedOut(address chain.Address) { a.Hub.Wake(signTopic(address)) }

// checkSigned ends the stream when the session or key that opened it stands no more.
func (f *follower) checkSigned(ctx context.Context, out *sseWriter) error {
	if f.caller == nil {
		return nil
	}
	c, err := f.api.authenticate(ctx, f.r)
	if err == nil && c.account.Address == f.caller.account.Address {
		return nil
	}
	if err != nil && !errors.Is(err, errUnauthenticated) && !errors.Is(err, account.ErrNoSession) && !errors.Is(err, errKey) {
		return err
	}
	return errors.Join(out.value("end", EndEvent{"signed_out"}), out.flush(), errSignedOut)
}
