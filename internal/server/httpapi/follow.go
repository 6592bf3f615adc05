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
	"roshambo/internal/platform/limit"
	"roshambo/internal/store"
)

// Streams of events. A stream sends the stored events of its topics from a position on, and the
// states of the duels that it watches. It owns no goroutine but its request's, and while it waits
// it holds neither a transaction nor a buffer. It wakes up when
//
//   - an event of one of its topics was stored (Tail.Watch);
//   - a watched duel made a step, or its session may have ended (API.streams);
//   - the heartbeat is due, which also checks the session;
//   - the service drains, or the client disconnects: the stream ends.
//
// The position is the id of the last event sent. It goes to the client with every event and
// heartbeat, and comes back as Last-Event-ID.

// followOperations registers the stream of events.
func (a *API) followOperations() {
	op := contract.Operation{
		ID: "followEvents", Method: "GET", Path: "/api/events", Tag: "Events", Summary: "Follow events as server-sent events",
		Description: followDescription, Security: anyScheme, Anonymous: true, Events: Events{},
		Errors: may("unauthenticated", "not_found", "too_many_streams"),
	}
	contract.AddStream(a.contract, op, "text/event-stream", a.followEvents)
}

const followDescription = `Each event has the name of a member of Events and, as its data, the JSON of that member. Each stored event has an ` + "`id`" + `, an increasing number. A client that reconnects with the last one as Last-Event-ID, as an EventSource does, receives every later event once, in order. Events are kept for a day, at most 100,000.

Events for a side, a bot, a seller or an owner belong to the topic account, which only that caller can follow. Blocks belong to blocks, duels in the lobby to duels, listings to market, cups to cups. A comment every 15 seconds keeps the connection alive.`

// Events are the kinds of events of a stream, each with its data. A response has the data of one kind at a time:
// the type only describes them, to clients and to the tests.
type Events struct {
	Ready         *ReadyEvent    `json:"ready,omitempty" doc:"The stream has started."`
	Reset         *ResetEvent    `json:"reset,omitempty" doc:"Later events than this one are no longer available: read the followed state again. The stream continues from now."`
	End           *EndEvent      `json:"end,omitempty" doc:"The session or key that opened the stream is no longer valid, and the stream ends."`
	Duel          *DuelEvent     `json:"duel,omitempty" doc:"A named duel, or one of the caller's own, has changed. It has no id: a new stream starts with the state of each."`
	Presence      *PresenceEvent `json:"presence,omitempty" doc:"To a side of a named duel, which it plays as a person: which sides have the duel open. The side itself has it open while its stream names the duel. It has no id."`
	Block         *BlockEvent    `json:"block,omitempty" doc:"A block was sealed."`
	DuelCreated   *LobbyEvent    `json:"duel_created,omitempty" doc:"In the lobby, and to its side."`
	DuelJoined    *LobbyEvent    `json:"duel_joined,omitempty" doc:"In the lobby, and to the sides."`
	DuelExpired   *LobbyEvent    `json:"duel_expired,omitempty" doc:"In the lobby, and to its side."`
	DuelCancelled *LobbyEvent    `json:"duel_cancelled,omitempty" doc:"In the lobby, and to its side."`
	DuelStarted   *LobbyEvent    `json:"duel_started,omitempty" doc:"To the sides of a duel that the service paired."`
	DuelFinished  *LobbyEvent    `json:"duel_finished,omitempty" doc:"To the sides."`
	DuelRematch   *LobbyEvent    `json:"duel_rematch,omitempty" doc:"To the side that is offered a rematch."`
	Cup           *CupEvent      `json:"cup,omitempty" doc:"A cup was opened, joined, left, paired or closed."`
	CupResult     *CupEvent      `json:"cup_result,omitempty" doc:"A game of the cup is over."`
	Matched       *MatchedEvent  `json:"matched,omitempty" doc:"To a player who waits in a queue, or a bot in a cup: its duel."`
	Feed          *FeedEvent     `json:"feed,omitempty" doc:"A notable event, as in GET /api/feed."`
	Listing       *ListingEvent  `json:"listing,omitempty" doc:"A listing opened, was sold or was cancelled."`
	Sold          *ListingEvent  `json:"sold,omitempty" doc:"To the seller."`
	Offer         *OfferEvent    `json:"offer,omitempty" doc:"To the owner of a token: an offer of the house opened or closed."`
}

// LobbyEvent reports a duel that opened, began or ended.
type LobbyEvent struct {
	Code    string `json:"code"`
	Kind    string `json:"kind" known:"open,spar,ranked,quick,cup"`
	Status  string `json:"status" known:"open,active,finished,expired,cancelled"`
	Version int64  `json:"version"`
	Stake   int64  `json:"stake"`
}

// CupEvent reports a cup that has changed.
type CupEvent struct {
	Number  int64  `json:"number"`
	Status  string `json:"status"`
	Round   int64  `json:"round"`
	Players int64  `json:"players"`
}

// MatchedEvent reports the duel of a player who waited.
type MatchedEvent struct {
	Duel string `json:"duel" doc:"Its code."`
}

// defaultHeartbeat is the default of Config.Heartbeat: below the minute after which
// proxies give up on silent connections.
const defaultHeartbeat = 15 * time.Second

// followIn selects topics, duels and the position where the stream starts.
type followIn struct {
	Topics      []string `query:"topics" enum:"blocks,feed,duels,market,cups,account" maxItems:"6" doc:"Topics to follow; all that the caller may follow by default. For several, repeat the name: topics=blocks&topics=feed."`
	Duel        []string `query:"duel" maxItems:"8" doc:"Codes of duels of any players whose every step is sent. The caller's own need not be named."`
	Follow      bool     `query:"follow" default:"true" doc:"False ends the stream once all stored events were sent."`
	LastEventID *int64   `header:"Last-Event-ID" min:"0" doc:"The id of the last event that the caller knows; without it, the stream starts now."`
	After       *int64   `query:"after" min:"0" doc:"The same, for callers that cannot set the header, which takes precedence."`
}

// follower is an open stream while it waits. There may be thousands, so its size matters.
type follower struct {
	api     *API
	r       *http.Request
	caller  *caller        // nil when not signed in; this stream's own once it runs
	topics  []string       // of the log
	duels   *duelWatch     // the duels whose every step it sends
	at      event.Position // the position of the last event that was sent
	once    bool           // end once every stored event was sent
	release func()         // returns its slots of the quota
}

// followEvents checks the topics and duels, acquires the stream's quota and returns the stream,
// which starts after Last-Event-ID or now.
func (a *API) followEvents(ctx context.Context, in *followIn) (contract.Stream, error) {
	e := stateOf(ctx)
	topics, err := topicsOf(in.Topics, e.caller)
	if err != nil {
		return nil, err
	}
	duels := &duelWatch{api: a}
	if e.caller != nil {
		duels.extraTopics = []string{sessionTopic(e.caller.address)}
		if slices.Contains(topics, event.Account(e.caller.address)) {
			duels.owner = &e.caller.address
		}
	}
	if err := duels.name(ctx, in.Duel); err != nil {
		return nil, err
	}
	release, err := a.acquireStream(e)
	if err != nil {
		return nil, err
	}
	f := &follower{api: a, r: e.r, caller: e.caller, topics: topics, duels: duels, at: a.Tail.Last(), once: !in.Follow,
		release: release}
	if after := cmp.Or(in.LastEventID, in.After); after != nil {
		f.at = event.ParseID(*after)
	}
	return f.stream, nil
}

// acquireStream counts the caller's stream against the quotas of its account and its network
// address. Errors: errStreams.
func (a *API) acquireStream(e *requestState) (release func(), err error) {
	var slots []quotaSlot
	if e.caller != nil {
		slots = append(slots, quotaSlot{name: "account:" + e.caller.address.String(), max: streamsPerAccount})
	}
	if a.RateLimit != nil { // without a limit on requests by address, there is none on streams
		most := streamsPerClient
		if a.isShared(e.r) {
			most *= limit.SharedTimes
		}
		for _, level := range limit.AppendLevels(nil, a.clients.address(e.r), most) {
			slots = append(slots, quotaSlot{name: "ip:" + level.Prefix.String(), max: level.Max})
		}
	}
	return a.quota.acquire(slots...)
}

// topicsOf returns the log's topics for the names in the query; without names, all that the caller
// may follow. Errors: errUnauthenticated for account without a session.
func topicsOf(named []string, c *caller) ([]string, error) {
	if len(named) == 0 {
		named = []string{event.Blocks, event.Feed, event.Duels, event.Market, event.Cups}
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
			topic = event.Account(c.address)
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
	responseOf(w).waited = true
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies must pass each event on at once
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
		f.api.Logger.Debug("a stream ended", "error", err) // the client has disconnected, or reads too slowly
	}
}

// errSignedOut reports that the session or key of a stream is no longer valid.
var errSignedOut = errors.New("httpapi: signed out")

// follow sends every event until the stream ends. It sends no reason for the end: a client
// reconnects and resumes at its last event.
func (f *follower) follow(ctx context.Context, out *sseWriter) error {
	// The watch begins before the first read, so that no event falls in between.
	posted := f.api.Tail.Watch(f.topics...)
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
	beat := time.NewTicker(f.api.Heartbeat)
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
		if err := f.duels.send(ctx, out, changed); err != nil || f.once {
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
			if f.api.Used != nil && !isInProcess(ctx) {
				f.api.Used()
			}
			out.text(":\n")
			out.id(f.at.ID()) // the position advances past events of other topics, too
			out.text("\n")
			if err := f.checkSession(ctx, out); err != nil {
				return err
			}
		case <-f.api.draining:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// begin sends the delay before a reconnection and the position where the stream starts.
func (f *follower) begin(out *sseWriter) error {
	// The delay is random, so that the clients of a restarted node do not return all at once.
	out.text("retry: " + strconv.FormatInt(1000+rand.Int64N(3000), 10) + "\n") //nolint:forbidigo // nothing of the game depends on it
	out.id(f.at.ID())
	names := make([]string, len(f.topics))
	for i, topic := range f.topics {
		names[i], _, _ = strings.Cut(topic, ":")
	}
	return out.value("ready", ReadyEvent{Topics: names})
}

// send sends the stored events after f.at and advances f.at. rewatch reports that the set of the
// caller's own duels may have changed.
func (f *follower) send(ctx context.Context, out *sseWriter) (rewatch bool, err error) {
	for {
		list, upto, err := f.api.Tail.Read(ctx, f.at, f.topics)
		if errors.Is(err, event.ErrGone) {
			list, upto, rewatch = nil, f.api.Tail.Last(), true
			out.id(upto.ID())
			err = out.value("reset", ResetEvent{LastEventID: f.at.ID()})
		}
		if err != nil {
			return rewatch, err
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

// sessionTopic is woken when a session or key of an account may have ended.
func sessionTopic(address chain.Address) string { return "signed:" + address.String() }

// sessionsMayHaveEnded is called with the error of a use case that ends sessions or keys of an
// account. Unless err proves that nothing was stored, it makes all nodes check the account's
// streams.
func (a *API) sessionsMayHaveEnded(err error, address chain.Address) {
	if err == nil || errors.Is(err, store.ErrUnavailable) {
		a.publishSignedOut(address)
	}
}

// publishSignedOut makes the streams of an account, on every node, check their session or key.
func (a *API) publishSignedOut(address chain.Address) {
	a.RecheckSessions(address)
	if a.PublishSignedOut != nil {
		a.PublishSignedOut(address.String())
	}
}

// RecheckSessions makes this node's streams of an account check their session or key. It is
// called when another node reports that one may have ended.
func (a *API) RecheckSessions(address chain.Address) { a.streams.Wake(sessionTopic(address)) }

// RecheckAllSessions makes all streams of this node check their session or key. It is called
// when this node may have missed such a report.
func (a *API) RecheckAllSessions() { a.streams.WakeAll() }

// checkSession returns errSignedOut, after sending an end event, when the session or key that
// opened the stream is no longer valid.
func (f *follower) checkSession(ctx context.Context, out *sseWriter) error {
	if f.caller == nil {
		return nil
	}
	if err := f.api.authoriseAlone(ctx, f.caller); err == nil || !isRefusal(err) {
		return err
	}
	return errors.Join(out.value("end", EndEvent{Reason: "signed_out"}), out.flush(), errSignedOut)
}
