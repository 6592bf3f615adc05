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
	"roshambo/contract"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

func (a *API) followOperations() {
	op := contract.Operation{
		ID: "followEvents", Method: "GET", Path: "/api/events", Tag: "Events", Summary: "Follow what happens, as server-sent events",
		Description: followDescription, Security: anybody, Anonymous: true,
		Errors: may("unauthenticated", "not_found", "too_many_streams"),
	}
	contract.AddStream(a.contract, op, "text/event-stream", a.followEvents)
}

const followDescription = `Each stored event has an ` + "`id`" + `, a number that grows. Who comes back with the last one as Last-Event-ID, as an EventSource does by itself, is told what has happened since, in order, once each. Events are kept for a day, and 100,000 at most.

| event | data |
|---|---|
| ready | the stream stands: {topics} |
| reset | what came after last_event_id is not kept any more, or the database has lost it: read anew what is followed; the stream goes on from now |
| block | a block was sealed: {height, hash, tx_count, time} |
| duel | a duel that was named, or one of the caller's own, has moved on: {code, version, status}. It has no id: who comes back is told where each of them stands |
| duel_created, duel_joined, duel_expired, duel_cancelled | in the lobby, and to the sides: {code, kind, status, version, stake} |
| duel_started, duel_finished | to the sides: the same |
| matched | to a bot in the queue: {duel}, the code of its duel |
| feed | something notable happened: as an event of GET /api/feed |
| listing | a listing of the market came, was sold or went: {listing_id, token_id, tier, price, seller, status} |
| sold | to the seller: the same |
| offer | to the owner of a token, of an offer of the house: {offer_id, token_id, price, status, expires_at} |
| end | the session or key that opened the stream is no longer valid, and the stream ends: {reason} |

What is said to a side, a bot, a seller or an owner belongs to the topic account, which is the caller's own: nobody else can follow it. A block belongs to blocks, a duel in the lobby to duels, a listing to market. Comments come every 15 seconds and say that the connection stands.`

// defaultHeartbeat is the default of Config.Heartbeat: below the minute after which
// proxies give up on silent connections.
const defaultHeartbeat = 15 * time.Second

type followIn struct {
	Topics      []string `query:"topics" enum:"blocks,feed,duels,market,account" maxItems:"5" doc:"Those to follow; without any, all that the caller may follow. To follow several, repeat the name: topics=blocks&topics=feed."`
	Duel        []string `query:"duel" maxItems:"8" doc:"Codes of duels whose every step is to be told, whoever plays them. Those of the caller's own need no naming."`
	Follow      bool     `query:"follow" default:"true" doc:"False ends the stream once everything was told that has happened so far."`
	LastEventID *int64   `header:"Last-Event-ID" min:"0" doc:"The id of the last event that the caller knows. Without, the stream begins now."`
	After       *int64   `query:"after" min:"0" doc:"The same, for callers that cannot set the header, which goes before it."`
}

// follower is an open stream, as it waits: its size counts, as there are thousands.
type follower struct {
	api    *API
	r      *http.Request
	caller *caller        // nil for nobody
	topics []string       // of the log
	steps  *steps         // of duels
	at     event.Position // sent up to here
	once   bool           // tell what there is and end
	leave  func()         // gives its place to another one
}

func (a *API) followEvents(ctx context.Context, in *followIn) (contract.Stream, error) {
	e := exchangeOf(ctx)
	topics, err := topicsOf(in.Topics, e.caller)
	if err != nil {
		return nil, err
	}
	steps := &steps{api: a}
	if e.caller != nil {
		steps.more = []string{signTopic(e.caller.account.Address)}
		if slices.Contains(topics, event.Account(e.caller.account.Address)) {
			steps.mine = &e.caller.account.Address
		}
	}
	if err := steps.name(ctx, in.Duel); err != nil {
		return nil, err
	}
	leave, err := a.place(e)
	if err != nil {
		return nil, err
	}
	f := &follower{api: a, r: e.r, caller: e.caller, topics: topics, steps: steps, at: a.Tail.Last(), once: !in.Follow, leave: leave}
	if after := cmp.Or(in.LastEventID, in.After); after != nil {
		f.at = event.ParseID(*after)
	}
	return f.stream, nil
}

// place takes a place for the caller's stream.
func (a *API) place(e *exchange) (leave func(), err error) {
	var at []place
	if e.caller != nil {
		at = append(at, place{"account:" + e.caller.account.Address.String(), streamsPerAccount})
	}
	if a.RateLimit != nil { // an operator who wants no limits by address gets none here
		at = append(at, place{"ip:" + a.clients.key(e.r), streamsPerClient})
	}
	return a.places.take(at...)
}

// topicsOf returns the topics of the log that were named, or all that the caller may
// follow.
func topicsOf(named []string, c *caller) ([]string, error) {
	if len(named) == 0 {
		named = []string{event.Blocks, event.Feed, event.Duels, event.Market}
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
	responseOf(w).waited = true
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
	defer f.steps.close()
	stand, err := f.steps.watch(ctx)
	if err == nil {
		err = f.begin(out)
	}
	if err == nil { // it may have been signed out before its wake-ups came here
		err = f.checkSigned(ctx, out)
	}
	beat := time.NewTicker(f.api.Heartbeat)
	defer beat.Stop()
	for err == nil {
		var changed bool
		if changed, err = f.tell(ctx, out); changed && err == nil {
			stand, err = f.steps.watch(ctx)
		}
		if err == nil {
			err = f.steps.tell(ctx, out, stand)
		}
		if err != nil || f.once {
			return err
		}
		stand = nil
		select {
		case <-told.C():
		case <-f.steps.woken.C():
			topics := f.steps.woken.Woken()
			stand = codesOf(topics)
			if len(stand) < len(topics) {
				err = f.checkSigned(ctx, out)
			}
		case <-beat.C:
			out.text(":\n")
			out.id(f.at.ID()) // it has moved on also where nothing was to be told
			out.text("\n")
			err = f.checkSigned(ctx, out)
		case <-f.api.draining:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
	return err
}

// begin tells how the client should come back, and from where.
func (f *follower) begin(out *sseWriter) error {
	// Not all of them at once, when the service was restarted.
	out.text("retry: " + strconv.FormatInt(1000+rand.Int64N(3000), 10) + "\n") //nolint:forbidigo // nothing of the game depends on it
	out.id(f.at.ID())
	names := make([]string, len(f.topics))
	for i, topic := range f.topics {
		names[i], _, _ = strings.Cut(topic, ":")
	}
	return out.value("ready", ReadyEvent{names})
}

// tell sends what there is to be told, and says whether the caller may have other duels
// than before.
func (f *follower) tell(ctx context.Context, out *sseWriter) (changed bool, err error) {
	for {
		list, upto, err := f.api.Tail.Read(ctx, f.at, f.topics)
		if errors.Is(err, event.ErrGone) {
			list, upto, changed = nil, f.api.Tail.Last(), true
			out.id(upto.ID())
			err = out.value("reset", ResetEvent{f.at.ID()})
		}
		if err != nil {
			return changed, err
		}
		for _, e := range list {
			out.id(e.ID())
			out.event(e.Kind, e.Body)
			changed = changed || changesOwn(e)
		}
		f.at = upto
		if err := out.flush(); err != nil || len(list) == 0 {
			return changed, err
		}
	}
}

// signTopic is woken when it may be that an account is signed in no more.
func signTopic(address chain.Address) string { return "signed:" + address.String() }

// maySignOut is called after what ends sessions or keys of an account. Unless nothing was
// stored for certain, one may have ended.
func (a *API) maySignOut(err error, address chain.Address) {
	if err == nil || errors.Is(err, store.ErrUnavailable) {
		a.signedOut(address)
	}
}

// signedOut has the streams of an account, on every node, look whether their session or
// key still stands, because one may have ended.
func (a *API) signedOut(address chain.Address) {
	a.SignedOut(address)
	if a.TellSigned != nil {
		a.TellSigned(address.String())
	}
}

// SignedOut is told that a session or key of an account may have ended on another node.
func (a *API) SignedOut(address chain.Address) { a.streams.Wake(signTopic(address)) }

// CheckSigned has all streams look whether their session or key still stands: this node
// may not have been told of one that has ended.
func (a *API) CheckSigned() { a.streams.WakeAll() }

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
