package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/limit"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// followOperations registers the stream of events.
func (a *API) followOperations() {
	op := contract.Operation{
		ID: "followEvents", Method: "GET", Path: "/api/events", Tag: "Events", Summary: "Follow events as server-sent events",
		Description: followDescription, Security: anyScheme, Anonymous: true, Events: Events{},
		Errors: may("unauthenticated", "not_found", "too_many_streams"),
	}
	addStream(a, op, "text/event-stream", (*call).followEvents)
}

const followDescription = `Each event has the name of a member of Events and, as its data, the JSON of that member. Each stored event has an ` + "`id`" + `, an increasing number. A client that reconnects with the last one as Last-Event-ID, as an EventSource does, receives every later event once, in order. Events are kept for a day, at most 100,000.

Events for a side, a bot, a seller or an owner belong to the topic account, which only that caller can follow. Blocks belong to blocks, duels in the lobby to duels, listings to market, cups to cups. A comment every 15 seconds keeps the connection alive.`

// Events are the kinds of events of a stream, each with its data. A response has the data of one kind at a time:
// the type only describes them, to clients and to the tests.
type Events struct {
	Ready         *stream.ReadyEvent `json:"ready,omitempty" doc:"The stream has started."`
	Reset         *stream.ResetEvent `json:"reset,omitempty" doc:"Later events than this one are no longer available: read the followed state again. The stream continues from now."`
	End           *stream.EndEvent   `json:"end,omitempty" doc:"The session or key that opened the stream is no longer valid, and the stream ends."`
	Duel          *DuelEvent         `json:"duel,omitempty" doc:"A named duel, or one of the caller's own, has changed. It has no id: a new stream starts with the state of each."`
	Presence      *PresenceEvent     `json:"presence,omitempty" doc:"To a side of a named duel, which it plays as a person: which sides have the duel open. The side itself has it open while its stream names the duel. It has no id."`
	Block         *BlockEvent        `json:"block,omitempty" doc:"A block was sealed."`
	DuelCreated   *LobbyEvent        `json:"duel_created,omitempty" doc:"In the lobby, and to its side."`
	DuelJoined    *LobbyEvent        `json:"duel_joined,omitempty" doc:"In the lobby, and to the sides."`
	DuelExpired   *LobbyEvent        `json:"duel_expired,omitempty" doc:"In the lobby, and to its side."`
	DuelCancelled *LobbyEvent        `json:"duel_cancelled,omitempty" doc:"In the lobby, and to its side."`
	DuelStarted   *LobbyEvent        `json:"duel_started,omitempty" doc:"To the sides of a duel that the service paired."`
	DuelFinished  *LobbyEvent        `json:"duel_finished,omitempty" doc:"To the sides."`
	DuelRematch   *LobbyEvent        `json:"duel_rematch,omitempty" doc:"To the side that is offered a rematch."`
	DuelChallenge *LobbyEvent        `json:"duel_challenge,omitempty" doc:"To the player whom an open duel is for alone. Its end is reported as to its side."`
	Emote         *EmoteEvent        `json:"emote,omitempty" doc:"To both sides of a duel: one of them says something."`
	Cup           *CupEvent          `json:"cup,omitempty" doc:"A cup was opened, joined, left, paired or closed."`
	CupResult     *CupEvent          `json:"cup_result,omitempty" doc:"A game of the cup is over."`
	Matched       *MatchedEvent      `json:"matched,omitempty" doc:"To a player who waits in a queue, or a bot in a cup: its duel."`
	Feed          *FeedEvent         `json:"feed,omitempty" doc:"A notable event, as in GET /api/feed."`
	Listing       *ListingEvent      `json:"listing,omitempty" doc:"A listing opened, was sold or was cancelled."`
	Sold          *ListingEvent      `json:"sold,omitempty" doc:"To the seller."`
	Offer         *OfferEvent        `json:"offer,omitempty" doc:"To the owner of a token: an offer of the house opened or closed."`
	KeyEnded      *KeyEndedEvent     `json:"key_ended,omitempty" doc:"To the owner of a bot: the host of a cup has ended the bot's key. POST /api/bots/{address}/rotate makes a fresh one."`
}

// LobbyEvent reports a duel that opened, began or ended.
type LobbyEvent struct {
	Code    string `json:"code"`
	Kind    string `json:"kind" known:"open,spar,ranked,quick,cup"`
	Status  string `json:"status" known:"open,active,finished,expired,cancelled"`
	Version int64  `json:"version"`
	Stake   int64  `json:"stake"`
}

// DuelEvent reports the state of a duel after a step.
type DuelEvent struct {
	Code    string      `json:"code"`
	Version int64       `json:"version"`
	Status  string      `json:"status"`
	Rounds  []DuelRound `json:"rounds,omitempty" doc:"The newest two, as spectators see them, without salts: a spectator who knows the state before needs no read."`
	Wins    *DuelWins   `json:"wins,omitempty"`
}

// duelEvent returns the event of a duel: what spectators see, as it is the same for all of them.
func duelEvent(d *duel.Duel) any {
	seen := wireDuel(d, chain.Address{})
	seen.withoutSalts()
	return DuelEvent{Code: d.Code, Version: d.Version, Status: string(d.Status),
		Rounds: seen.Rounds[max(0, len(seen.Rounds)-2):], Wins: &seen.Wins}
}

// PresenceEvent reports which sides of a duel have it open.
type PresenceEvent struct {
	Code     string       `json:"code"`
	Presence DuelPresence `json:"presence"`
}

// EmoteEvent reports what a side of a duel says.
type EmoteEvent struct {
	Code  string `json:"code"`
	Side  string `json:"side" enum:"a,b"`
	Emote string `json:"emote" known:"hello,nice,thanks,oops"`
}

// CupEvent reports a cup that has changed.
type CupEvent struct {
	Number  int64  `json:"number"`
	Status  string `json:"status"`
	Round   int64  `json:"round"`
	Players int64  `json:"players"`
}

// KeyEndedEvent reports the key of a bot that the host of a cup has ended.
type KeyEndedEvent struct {
	Bot string `json:"bot" doc:"Its address."`
	Cup int64  `json:"cup" doc:"The number of the cup."`
}

// MatchedEvent reports the duel of a player who waited.
type MatchedEvent struct {
	Duel string `json:"duel" doc:"Its code."`
}

// followIn selects topics, duels and the position where the stream starts.
type followIn struct {
	Topics      []string `query:"topics" enum:"blocks,feed,duels,market,cups,account" maxItems:"6" doc:"Topics to follow; all that the caller may follow by default. For several, repeat the name: topics=blocks&topics=feed."`
	Duel        []string `query:"duel" maxItems:"8" doc:"Codes of duels of any players whose every step is sent. The caller's own need not be named."`
	Follow      bool     `query:"follow" default:"true" doc:"False ends the stream once all stored events were sent."`
	LastEventID *int64   `header:"Last-Event-ID" min:"0" doc:"The id of the last event that the caller knows; without it, the stream starts now."`
	After       *int64   `query:"after" min:"0" doc:"The same, for callers that cannot set the header, which takes precedence."`
}

// followEvents checks the topics and returns the stream, which starts after Last-Event-ID or now.
func (a *call) followEvents(ctx context.Context, in *followIn) (contract.Stream, error) {
	c := a.caller
	topics, err := topicsOf(in.Topics, c)
	if err != nil {
		return nil, err
	}
	f := stream.Follow{Topics: topics, Duels: in.Duel, After: cmp.Or(in.LastEventID, in.After), Once: !in.Follow,
		Head: a.r.Method == http.MethodHead, Inside: a.w.Client.Inside, Slots: a.slots()}
	if c != nil {
		f.Account = &c.address
		f.SignedOut = func(ctx context.Context) (bool, error) {
			if err := a.authoriseAlone(ctx, c); !isRefusal(err) {
				return false, err
			}
			return true, nil
		}
		f.Attend = a.attends
	}
	out, err := a.Streams.Follow(ctx, f)
	a.w.Waited = err == nil
	return out, err
}

// attends implements stream.Follow.Attend for the caller.
func (a *call) attends(d *duel.Duel) (leave func(), there func() (sides string, event any)) {
	you := d.Side(a.caller.address)
	if a.Presence == nil || you == game.NoSide || playsAsBot(d, you) {
		return nil, nil
	}
	return a.attend(d, you), func() (string, any) {
		p := a.presenceAt(d, you)
		return p.watching(), PresenceEvent{Code: d.Code, Presence: *p}
	}
}

// slots returns what a stream of the caller counts against: the quotas of its account and its network
// address.
func (a *call) slots() (slots []stream.Slot) {
	if a.caller != nil {
		slots = append(slots, stream.Slot{Name: "account:" + a.caller.address.String(), Max: stream.PerAccount})
	}
	if a.RateLimit != nil { // without a limit on requests by address, there is none on streams
		most := stream.PerClient
		if a.w.Client.Shared {
			most *= limit.SharedTimes
		}
		for _, level := range limit.AppendLevels(nil, a.w.Client.Address, most) {
			slots = append(slots, stream.Slot{Name: "ip:" + level.Prefix.String(), Max: level.Max})
		}
	}
	return slots
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
	a.Streams.RecheckSessions(address)
	if a.PublishSignedOut != nil {
		a.PublishSignedOut(address.String())
	}
}
