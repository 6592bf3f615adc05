package api

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
)

// Cups: the service opens one for bots each day, people open the others, as their hosts (cuphost.go). An answer
// holds the whole cup, which is small: a page that follows the topic cups reads it again after each event. The table
// is computed from the games for each answer, so it is never behind them.

// cupOperations registers the operations of cups.
func (a *API) cupOperations() {
	public := func(id, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: "GET", Path: path, Tag: "Cups", Summary: summary, Security: anyScheme,
			Anonymous: true, Errors: may(append(errors, "unauthenticated")...)}
	}
	list := public("listCups", "/api/cups", "Cups, the newest first", "bad_request")
	list.Description = "A cup is a tournament over ordinary duels without a stake. The service opens one for bots " +
		"each day; people with a secured account open others. Private cups are in no list. docs/cups.md explains pairings " +
		"and the table."
	add(a, list, (*call).listCups)
	add(a, public("getCup", "/api/cups/{number}", "A cup with its table, its pairings and, once it is "+
		"over, the text that its hash on the chain pins", "not_found"), (*call).getCup)
	join := cupCall("joinCup", "/api/cups/{number}/join", "Join a cup before it starts", "not_found", "forbidden",
		"cup_private", "cup_started", "cup_full", "in_cup", "limit_reached")
	join.Description = "One public network address has a quarter of the seats, beside accounts, and owners of bots, that have " +
		"been secured for 3 days; a private cup has no such share. Bots join cups for bots, " +
		"one of each owner; people those for people. A bot gets its games from " +
		"POST /api/arena/queue; people see theirs among their duels. A player who takes no step in a game is not paired again."
	join.OptionalBody = true
	add(a, join, (*call).joinCup)
	leave := cupCall("leaveCup", "/api/cups/{number}/leave",
		"Leave a cup; once it has started, from the next round on", "not_found", "not_in_cup")
	leave.OptionalBody = true
	add(a, leave, (*call).leaveCup)
	add(a, contract.Operation{
		ID: "listPlayerCups", Method: "GET", Path: "/api/players/{name}/cups", Tag: "Account",
		Summary: "A player's places in the last hundred finished public cups, the newest first", Errors: may("not_found"),
	}, (*call).listPlayerCups)
}

// cupCall returns an operation that changes a cup for its caller.
func cupCall(id, path, summary string, errors ...string) contract.Operation {
	return contract.Operation{ID: id, Method: "POST", Path: path, Tag: "Cups", Summary: summary, Security: anyScheme,
		Errors: may(append(errors, "unauthenticated", "csrf_failed", "conflict")...)}
}

// Cup is a cup in a list. The number of players is what visitors ask first, so it is in the cup's row;
// winners come from the places that the final table gave, in one query for all cups of a page.
type Cup struct {
	Number       int64        `json:"number"`
	Kind         string       `json:"kind" known:"bots,people" doc:"Who plays it."`
	Status       string       `json:"status" enum:"open,running,finished,cancelled" doc:"open: until starts_at it can be joined; cancelled: fewer than two players at the start, none but the house's bots, or not started by its host."`
	Name         *string      `json:"name" doc:"Null for none, and while an operator hides it."`
	HiddenReason *string      `json:"hidden_reason" doc:"Why an operator has hidden its name; null while it shows."`
	Creator      *PlayerName  `json:"creator" doc:"Its host; null for the service."`
	CreatedAt    Time         `json:"created_at"`
	StartsAt     Time         `json:"starts_at" doc:"Of a cup by hand: when it is cancelled, unless its host starts it before."`
	EndedAt      *Time        `json:"ended_at"`
	Players      int64        `json:"players" doc:"Who have joined: at most 64. The house's bots join at the start."`
	Rounds       int64        `json:"rounds" doc:"Planned; 0 before the start."`
	Round        int64        `json:"round" doc:"The last one that was paired."`
	System       string       `json:"system" known:"swiss,round_robin"`
	Private      bool         `json:"private" doc:"Whether joining requires its code."`
	Seats        int64        `json:"seats" doc:"For players, the house's bots not counted: at most 64."`
	HouseBots    bool         `json:"house_bots" doc:"Whether the house's bots join at the start."`
	ByHand       bool         `json:"by_hand" doc:"Whether it waits for its host to start it."`
	Paused       bool         `json:"paused" doc:"Whether the next round waits for its host, until a day after the start at most."`
	MoveSeconds  *int64       `json:"move_seconds" doc:"The time for each step of its duels; null for that of any duel."`
	ReplayMissed bool         `json:"replay_missed" doc:"Whether a duel that a side has missed is played once more."`
	Winners      []PlayerName `json:"winners" doc:"Once it is finished; several share the first place."`
}

// wireCup returns the wire form of a cup. The creator's name is the current one, as everywhere but in
// duels, which keep the names of their day.
func (a *API) wireCup(ctx context.Context, tx *store.Tx, c *cup.Cup, winners []cup.Player) (Cup, error) {
	out := Cup{Number: c.Number, Kind: string(c.Kind), Status: string(c.Status), CreatedAt: Time{c.CreatedAt},
		Name: given(c.Name), HiddenReason: given(c.HiddenReason), System: c.System, Private: c.Private(), Seats: c.Seats,
		HouseBots: c.HouseBots, ByHand: c.ByHand,
		Paused: c.Paused(tx.Now()), MoveSeconds: given(int64(c.Step / time.Second)), ReplayMissed: c.Replay,
		StartsAt: Time{c.StartsAt}, EndedAt: optionalTime(c.EndedAt), Players: c.Players, Rounds: c.Rounds, Round: c.Round,
		Winners: mapped(winners, func(p cup.Player) PlayerName { return wireName(p.Address, p.Username) })}
	if c.Creator == nil {
		return out, nil
	}
	creator, err := a.Accounts.Get(ctx, tx, *c.Creator)
	out.Creator = new(wireName(creator.Address, creator.Username))
	return out, err
}

// listCupsIn selects a page of cups. Open and running cups are among the newest, so the first page has
// all that a visitor can join or watch.
type listCupsIn struct {
	Limit  int64   `query:"limit" default:"20" min:"1" max:"50"`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// CupsOut is a page of cups.
type CupsOut struct {
	Cups   []Cup   `json:"cups"`
	Own    *int64  `json:"own" doc:"The number of the unfinished cup that the caller is in; null without one."`
	Hosted []Cup   `json:"hosted" doc:"The caller's own unfinished cups, private ones as well."`
	Next   *string `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// listCups reads a page of cups. Callers also learn which cup they are in, so that a page can lead
// them back to it.
func (a *call) listCups(ctx context.Context, in *listCupsIn) (*CupsOut, error) {
	before, err := parseCursor(in.Cursor, cursorCups)
	if err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*CupsOut, error) {
		list, err := a.Cups.List(ctx, tx, before, in.Limit+1)
		if err != nil {
			return nil, err
		}
		list, more := page(list, in.Limit)
		out := &CupsOut{Cups: make([]Cup, len(list)), Hosted: []Cup{}}
		if len(list) > 0 {
			winners, err := a.Cups.Winners(ctx, tx, list[len(list)-1].Number, list[0].Number)
			if err != nil {
				return nil, err
			}
			for i, c := range list {
				if out.Cups[i], err = a.wireCup(ctx, tx, c, winners[c.Number]); err != nil {
					return nil, err
				}
			}
		}
		if more {
			out.Next = cursor(cursorCups, list[len(list)-1].Number)
		}
		return out, a.ownCups(ctx, tx, out)
	})
}

// ownCups adds what a list of cups has for its caller alone.
func (a *call) ownCups(ctx context.Context, tx *store.Tx, out *CupsOut) error {
	me := a.viewer()
	if me == (chain.Address{}) {
		return nil
	}
	seat, err := a.Cups.SeatOf(ctx, tx, me)
	if err != nil {
		return err
	}
	out.Own = given(seat.Cup)
	hosted, err := a.Cups.HostedBy(ctx, tx, me)
	for i := range hosted {
		var c Cup
		if c, err = a.wireCup(ctx, tx, hosted[i], nil); err != nil {
			break
		}
		out.Hosted = append(out.Hosted, c)
	}
	return err
}

// CupOut is a cup with its table and pairings. It is the answer of every operation on a cup, so that a
// page needs no second request after joining.
type CupOut struct {
	Cup      Cup       `json:"cup"`
	Table    []CupRow  `json:"table" doc:"The best first; before the start in the order of joining."`
	Games    []CupGame `json:"games" doc:"Round by round."`
	NextAt   *Time     `json:"next_at" doc:"When the next round is paired, or the cup closed; null while games go on or the cup is paused."`
	Host     bool      `json:"host" doc:"Whether the caller is the cup's host."`
	Code     *string   `json:"code" doc:"The code with which one joins a private cup; null unless the caller is its host, with a session or a key that may play."`
	You      *string   `json:"you" enum:"in,out" doc:"in: the caller plays, or has played to the end; out: it has withdrawn or not shown up; null for others."`
	YourDuel *string   `json:"your_duel" doc:"The code of the caller's game in the current round."`
	Seed     *CupSeed  `json:"seed" doc:"Once it has started."`
	Final    *CupFinal `json:"final" doc:"Once it is finished."`
}

// CupRow is a row of a cup's table. Points are whole numbers: twice those that the page shows.
type CupRow struct {
	Rank int64 `json:"rank" doc:"Players with equal points and Buchholz share it."`
	PlayerName
	Kind     string `json:"kind" known:"guest,account,bot"`
	Points   int64  `json:"points" doc:"2 for a win and for a bye, 1 for a draw."`
	Buchholz int64  `json:"buchholz" doc:"The sum of the opponents' points; a bye adds none."`
	Out      bool   `json:"out" doc:"It has withdrawn or not shown up, and is not paired again. It stays so in a finished cup."`
}

// CupGame is a pairing. It names players by address, because the table of the same answer has their
// names: a round robin of 64 has 2,016 games.
type CupGame struct {
	Round   int64   `json:"round"`
	Board   int64   `json:"board"`
	A       string  `json:"a" doc:"Address."`
	B       *string `json:"b" doc:"Address; null for a bye."`
	Duel    *string `json:"duel" doc:"Code; null for a bye."`
	APoints *int64  `json:"a_points" doc:"Null while the duel goes on."`
	BPoints *int64  `json:"b_points"`
}

// CupSeed decides the pairings among equal players. A check of the cup needs both: the hash for the lots,
// and the height to see that the block is older than the first round.
type CupSeed struct {
	Hash   string `json:"hash" doc:"The hash of the newest block at the start."`
	Height int64  `json:"height" doc:"Of that block."`
}

// CupFinal is the hashed table of a finished cup. Raw is what verifiers hash, so it is passed on as it
// is stored, not encoded again.
type CupFinal struct {
	Raw       string `json:"raw" doc:"Players, pairings and seed, as hashed: canonical JSON (docs/cups.md)."`
	TableHash string `json:"table_hash" doc:"SHA-256 of \"roshambo/cup/v1\\n\" and raw."`
	TxHash    string `json:"tx_hash" doc:"The cup.close transaction, which holds the hash."`
}

// cupOut reads the table and the pairings of a cup, and what the caller has to do in it: the game that
// waits for it, and when the next one may begin. Spectators get the same without their own part.
func (a *call) cupOut(ctx context.Context, tx *store.Tx, c *cup.Cup) (*CupOut, error) {
	winners, err := a.Cups.Winners(ctx, tx, c.Number, c.Number)
	if err != nil {
		return nil, err
	}
	head, err := a.wireCup(ctx, tx, c, winners[c.Number])
	if err != nil {
		return nil, err
	}
	players, err := a.Cups.Players(ctx, tx, c.Number)
	if err != nil {
		return nil, err
	}
	games, last, err := a.Cups.Games(ctx, tx, c.Number)
	if err != nil {
		return nil, err
	}
	out := &CupOut{Cup: head, Table: cupTable(c, players, games), Games: make([]CupGame, len(games))}
	me, going := a.viewer(), false
	for i := range games {
		g := &games[i]
		out.Games[i] = wireCupGame(g)
		going = going || !g.Over
		if !g.Over && (g.A == me || g.B == me) {
			out.YourDuel = &g.Duel
		}
	}
	for _, p := range players {
		if p.Address == me {
			you := "in"
			if p.Withdrawn {
				you = "out"
			}
			out.You = &you
		}
	}
	if out.Host = c.Creator != nil && *c.Creator == me; out.Host {
		out.Code = given(c.Code)
	}
	if !going {
		out.NextAt = optionalTime(c.NextRound(last, tx.Now()))
	}
	if c.Round > 0 {
		out.Seed = &CupSeed{Hash: c.Seed.String(), Height: c.SeedHeight}
	}
	if c.Status == cup.Finished {
		out.Final = &CupFinal{Raw: c.Raw, TableHash: c.Hash.String(), TxHash: c.Tx.String()}
	}
	return out, nil
}

// cupTable returns the table of a cup. Before the first round, which draws the seed, it is the list of
// players.
func cupTable(c *cup.Cup, players []cup.Player, games []tables.Game) []CupRow {
	rows, byAddress := make([]CupRow, 0, len(players)), map[chain.Address]cup.Player{}
	var addresses []chain.Address
	for _, p := range players {
		byAddress[p.Address] = p
		addresses = append(addresses, p.Address)
	}
	table := tables.Table(addresses, games, c.Seed)
	if c.Round == 0 {
		table = table[:0]
		for _, p := range players {
			table = append(table, tables.Row{Address: p.Address, Rank: 1})
		}
	}
	for _, r := range table {
		p := byAddress[r.Address]
		rows = append(rows, CupRow{Rank: r.Rank, PlayerName: wireName(p.Address, p.Username), Kind: string(p.Kind),
			Points: r.Points, Buchholz: r.Buchholz, Out: p.Withdrawn})
	}
	return rows
}

// wireCupGame returns the wire form of a pairing. Points are null while the duel goes on; its score is
// the duel's own affair.
func wireCupGame(g *tables.Game) CupGame {
	out := CupGame{Round: g.Round, Board: g.Board, A: g.A.String()}
	if g.B != (chain.Address{}) {
		out.B, out.Duel = new(g.B.String()), &g.Duel
	}
	if g.Over {
		out.APoints, out.BPoints = &g.APoints, &g.BPoints
	}
	return out
}

// cupIn names a cup. Numbers count from 1 over both kinds.
type cupIn struct {
	Number int64 `path:"number" min:"1" max:"2147483647"`
}

// getCup reads a cup in one snapshot, so that table, games and state belong together.
func (a *call) getCup(ctx context.Context, in *cupIn) (*CupOut, error) {
	out, err := read(ctx, a, func(ctx context.Context, tx *store.Tx) (*CupOut, error) {
		c, err := a.Cups.Get(ctx, tx, in.Number)
		if err != nil {
			return nil, err
		}
		return a.cupOut(ctx, tx, c)
	})
	// The code lets its bearer act, so a key that may only read does not get it. read has authorised the caller.
	if err == nil && out.Code != nil && !a.caller.scopes.Has(account.ScopePlay) {
		out.Code = nil
	}
	return out, err
}

// joinCupIn is the input of joinCup.
type joinCupIn struct {
	Number int64 `path:"number" min:"1" max:"2147483647"`
	Body   JoinCupIn
}

// JoinCupIn is the body of POST /api/cups/{number}/join.
type JoinCupIn struct {
	Code *string `json:"code" maxLength:"16" secret:"true" doc:"The code of a private cup, in any case."`
}

// joinCup makes the caller a player of a cup. Joining is free: an account is in one unfinished cup,
// and its network has a share of the seats.
func (a *call) joinCup(ctx context.Context, in *joinCupIn) (*CupOut, error) {
	return a.changeCup(ctx, func(ctx context.Context, tx *store.Tx, e cup.Entrant) (*cup.Cup, error) {
		return a.Cups.Join(ctx, tx, e, in.Number, deref(in.Body.Code))
	})
}

// leaveCup takes the caller out of a cup. Its game in progress goes on: leaving must not be a way to
// take a loss back.
func (a *call) leaveCup(ctx context.Context, in *cupIn) (*CupOut, error) {
	return a.changeCup(ctx, func(ctx context.Context, tx *store.Tx, e cup.Entrant) (*cup.Cup, error) {
		return a.Cups.Leave(ctx, tx, e.Address, in.Number)
	})
}

// changeCup runs a use case for the caller and answers with the cup. A bot acts with its owner, since
// an owner has one bot in a cup; whether an account is secured is what the chain says.
func (a *call) changeCup(ctx context.Context,
	change func(context.Context, *store.Tx, cup.Entrant) (*cup.Cup, error)) (*CupOut, error) {
	caller := a.caller
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*CupOut, error) {
		me := caller.player()
		state, _, err := a.Ledger.Account(ctx, tx, me.Address)
		if err != nil {
			return nil, fmt.Errorf("api: account of a player: %w", err)
		}
		e := cup.Entrant{Address: me.Address, Kind: me.Kind, Secured: state.SecuredAt != 0}
		secured := state.SecuredAt
		if e.Kind == chain.Bot {
			owner, err := a.Accounts.Party(ctx, tx, me.Address)
			if err != nil {
				return nil, err
			}
			if owner != me.Address {
				e.Owner = &owner
				if state, _, err = a.Ledger.Account(ctx, tx, owner); err != nil {
					return nil, fmt.Errorf("api: account of an owner: %w", err)
				}
				secured = state.SecuredAt
			}
		}
		e.Settled = secured != 0 && tx.Now().UnixMilli() >= secured+chain.SecureFor
		c, err := change(ctx, tx, e)
		if err != nil {
			return nil, err
		}
		return a.cupOut(ctx, tx, c)
	})
}

// PlayerCupsOut is the answer to GET /api/players/{name}/cups.
type PlayerCupsOut struct {
	Cups []PlayerCup `json:"cups"`
}

// PlayerCup is a player's place in a finished cup. A place means little without the number of players,
// so both are here.
type PlayerCup struct {
	Number  int64  `json:"number"`
	Kind    string `json:"kind" known:"bots,people"`
	EndedAt Time   `json:"ended_at"`
	Rank    int64  `json:"rank"`
	Players int64  `json:"players"`
}

// playerCups bounds the number of places in an answer.
const playerCups = 100

// listPlayerCups reads a player's places, for the profile: of every cup that the player was in at its
// end or has left on the way, but for cancelled and private ones.
func (a *call) listPlayerCups(ctx context.Context, in *botIn) (*PlayerCupsOut, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*PlayerCupsOut, error) {
		found, err := a.find(ctx, tx, in.Name)
		if err != nil {
			return nil, err
		}
		places, err := a.Cups.PlacesOf(ctx, tx, found.Address, playerCups)
		return &PlayerCupsOut{mapped(places, func(p cup.Place) PlayerCup {
			return PlayerCup{p.Number, string(p.Kind), Time{p.EndedAt}, p.Rank, p.Players}
		})}, err
	})
}
