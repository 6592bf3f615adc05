package api

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/platform/limit"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/arena"
	"roshambo/internal/store"
)

// A bot's loop is one call: POST /api/arena/queue with Prefer: wait enters the queue, waits for a
// match and returns the duel; repeated after the duel, it enters again. Entries expire after 10
// seconds without a call, so a bot that has crashed is never matched.

// arenaOperations registers the operations of the arena. The queue is for bots' keys alone.
func (a *API) arenaOperations() {
	op := func(id, method, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: method, Path: path, Tag: "Arena", Summary: summary, Errors: may(errors...)}
	}
	forBots := func(o contract.Operation) contract.Operation {
		o.Security = []string{botScheme}
		o.Errors = append(o.Errors, may("unauthenticated", "bots_only", "conflict")...)
		return o
	}
	// queue enters the calling bot into the queue and, with Prefer: wait, waits for its match. Only
	// the first poll enters: the later ones renew, so that a waiting call does not bring back a bot
	// that has left.
	queue := forBots(op("queue", "POST", "/api/arena/queue",
		"Enter the queue for a ranked duel, or get the duel that was found; in a cup, its next game"))
	queue.Description = fmt.Sprintf("A bot that is in an unfinished ranked duel gets that one. Otherwise it enters the "+
		"queue, or stays in it: for %d seconds after its last call. With Prefer: wait=N the answer is delayed until an "+
		"opponent is found; a waiting call renews the entry. "+
		"Opponents are matched by rating, in a window that widens with the wait. Bots of one owner never meet, and the "+
		"same two do not meet twice in a row while another bot waits. A bot in a cup that runs or starts within a minute "+
		"gets its games there instead, and no ranked duels.", arena.QueueTimeout/time.Second)
	add(a, queue, (*call).queue)
	add(a, forBots(op("leaveQueue", "POST", "/api/arena/leave",
		"Leave the queue, and get the duel that was found before: it continues")), (*call).leaveQueue)
	board := op("arenaLeaderboard", "GET", "/api/arena/leaderboard", "Bots by rating", "bad_request", "unauthenticated")
	board.Security, board.Anonymous = anyScheme, true
	add(a, board, (*call).arenaLeaderboard)
	add(a, op("getCrosstable", "GET", "/api/arena/crosstable",
		"The best bots and their records against one another"), (*call).getCrosstable)
	add(a, op("getArenaBot", "GET", "/api/arena/bots/{name}", "A bot with its rating and state",
		"not_found"), (*call).getArenaBot)
	add(a, op("listBotDuels", "GET", "/api/arena/bots/{name}/duels",
		"A bot's rated duels, the newest first", "not_found", "bad_request"), (*call).listBotDuels)
	add(a, op("listBotOpponents", "GET", "/api/arena/bots/{name}/opponents",
		"A bot's record against each opponent, the most frequent first",
		"not_found", "bad_request"), (*call).listBotOpponents)
	add(a, op("listBotRatings", "GET", "/api/arena/bots/{name}/ratings",
		"The course of a bot's rating, for a chart", "not_found"), (*call).listBotRatings)
	add(a, op("listBotVersions", "GET", "/api/arena/bots/{name}/versions",
		"The versions of a bot, and what each did for its rating", "not_found"), (*call).listBotVersions)
}

// QueueOut is the answer to POST /api/arena/queue.
type QueueOut struct {
	Status   string `json:"status" enum:"matched,waiting,left" doc:"left: only for a waiting call whose bot has left the queue."`
	Duel     *Duel  `json:"duel" doc:"Once matched."`
	WaitedMS *int64 `json:"waited_ms" doc:"While waiting: since it entered the queue."`
	Window   *int64 `json:"window" doc:"While waiting: the current largest rating difference to an opponent, in points."`
	Waiting  *int64 `json:"waiting" doc:"While waiting: number of other bots in the queue."`
}

func (o *QueueOut) held() *Duel { return o.Duel }

// renewal is how long before its entry in the queue expires a waiting call renews it.
const renewal = 2 * time.Second

// queue puts the calling bot into the queue, or tells its duel. A call that is held counts as polling.
func (a *call) queue(ctx context.Context, _ *none) (*QueueOut, error) {
	bot := a.caller.address
	network, renew := a.network(), true // false: it waits for a cup, and enters afterwards
	ask := func(ctx context.Context, tx *store.Tx, bot chain.Address) (arena.QueueStatus, error) {
		return a.Arena.JoinQueue(ctx, tx, bot, network)
	}
	return longPoll(ctx, a, []string{event.Account(bot)}, func(ctx context.Context) (s stream.Poll[QueueOut], err error) {
		s.Out, err = write(ctx, a, func(ctx context.Context, tx *store.Tx) (*QueueOut, error) {
			place, err := ask(ctx, tx, bot)
			if err != nil {
				return nil, err
			}
			s.Changed, s.RetryAt = !place.Waiting, place.ExpiresAt.Add(-renewal)
			renew = !place.Cup
			return a.wirePlace(ctx, tx, place, bot)
		})
		if renew { // later polls only renew: a bot that has left must stay out
			ask = a.Arena.StayInQueue
		}
		if err == nil {
			err = inTime(ctx, a, &s, bot)
		}
		return s, err
	})
}

// wirePlace returns the wire form of a bot's state in the queue.
func (a *API) wirePlace(ctx context.Context, tx *store.Tx, p arena.QueueStatus, bot chain.Address) (*QueueOut, error) {
	switch {
	case p.Duel != "":
		d, _, err := a.Duels.Get(ctx, tx, p.Duel)
		if err != nil {
			return nil, err
		}
		w := wireDuel(d, bot)
		return &QueueOut{Status: "matched", Duel: &w}, nil
	case p.Waiting:
		waited := p.Waited.Milliseconds()
		return &QueueOut{Status: "waiting", WaitedMS: &waited, Window: &p.Window, Waiting: &p.Others}, nil
	}
	return &QueueOut{Status: "left"}, nil
}

// LeaveOut is the answer to a call that leaves a queue.
type LeaveOut struct {
	Left bool  `json:"left" doc:"Whether the caller was in the queue."`
	Duel *Duel `json:"duel" doc:"The duel that was found before, or the bot's game in a cup. It continues: play it, or its rounds are forfeited. Null without one."`
}

func (o *LeaveOut) held() *Duel { return o.Duel }

// leaveQueue removes the calling bot from the queue. A duel that has been found continues, and is in the
// answer: a bot that stops would not learn of it otherwise.
func (a *call) leaveQueue(ctx context.Context, _ *none) (*LeaveOut, error) {
	bot := a.caller.address
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*LeaveOut, error) {
		left, err := a.Arena.LeaveQueue(ctx, tx, bot)
		if err != nil {
			return nil, err
		}
		place, err := a.Arena.StayInQueue(ctx, tx, bot)
		if err != nil {
			return nil, err
		}
		return a.leaveOut(ctx, tx, left, place, bot)
	})
}

// leaveOut returns the answer to a caller that has left a queue, or was not in it, and whose state is
// place now.
func (a *API) leaveOut(
	ctx context.Context, tx *store.Tx, left bool, place arena.QueueStatus, me chain.Address,
) (*LeaveOut, error) {
	if left {
		tx.AfterCommit(func() { a.Hub.Wake(event.Account(me)) }) // ends the caller's waiting call
	}
	found, err := a.wirePlace(ctx, tx, place, me)
	if err != nil {
		return nil, err
	}
	return &LeaveOut{Left: left, Duel: found.Duel}, nil
}

// arenaLeaderboardIn selects a page of the rating table.
type arenaLeaderboardIn struct {
	Limit  int64   `query:"limit" default:"50" min:"1" max:"200"`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// ArenaLeaderboardOut is a page of bots.
type ArenaLeaderboardOut struct {
	Rows []ArenaRow `json:"rows" doc:"The best first."`
	Me   *ArenaRow  `json:"me" doc:"The caller's own row when it is a bot that has played."`
	Next *string    `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// arenaLeaderboard reads a page of bots by rating, and the caller's row when it is a rated bot.
func (a *call) arenaLeaderboard(ctx context.Context, in *arenaLeaderboardIn) (*ArenaLeaderboardOut, error) {
	after, err := parseBoardCursor(cursorArena, in.Cursor)
	if err != nil {
		return nil, err
	}
	me := a.viewer()
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*ArenaLeaderboardOut, error) {
		rows, err := a.Arena.Table(ctx, tx, arena.Bots, after, in.Limit+1)
		if err != nil {
			return nil, err
		}
		out := &ArenaLeaderboardOut{}
		out.Rows, out.Next = paged(rows, in.Limit, wireArenaRow, func(r arena.Row) *string {
			return boardCursor(cursorArena, r)
		})
		if me == (chain.Address{}) {
			return out, nil
		}
		own, err := a.Arena.Standing(ctx, tx, arena.Bots, me)
		if err != nil {
			return nil, err
		}
		// The own row may lie beyond the page.
		if own.Player.Record != nil {
			out.Me = new(wireArenaRow(own))
		}
		return out, nil
	})
}

// network returns a keyed hash of the network that a bot's request comes from, for comparison with
// others: an IPv4 address, or the /48 of an IPv6 address, which one customer may control. It
// returns nil for addresses that are not compared.
func (a *call) network() []byte {
	if !a.charges(a.w.Client) {
		return nil
	}
	levels := limit.AppendLevels(nil, a.w.Client.Charged, 1) // all unknown ones count as one
	return fairshare.Hash(a.NetworkKey, "queue", levels[len(levels)-1].Prefix)[:16]
}
