package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"roshambo/canon"
	"roshambo/chain"
	"roshambo/contract"
	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// duelOperations registers the operations on duels.
func (a *API) duelOperations() {
	op := func(id, method, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: method, Path: path, Tag: "Duels", Summary: summary, Errors: may(errors...)}
	}
	mine := func(o contract.Operation) contract.Operation {
		o.Security, o.OptionalBody = anyScheme, true
		o.Errors = append(o.Errors, may("unauthenticated", "csrf_failed", "conflict")...)
		return o
	}
	step := func(o contract.Operation) contract.Operation {
		o = mine(o)
		o.OptionalBody = false
		o.Errors = append(o.Errors, may("not_found", "forbidden", "duel_moved_on", "not_your_turn")...)
		return o
	}
	public := func(o contract.Operation) contract.Operation {
		o.Security, o.Anonymous = anyScheme, true
		return o
	}
	add(a, public(op("listDuels", "GET", "/api/duels", "Duels, the newest first", "bad_request",
		"unauthenticated")), (*call).listDuels)
	add(a, mine(op("createDuel", "POST", "/api/duels", "Open a duel that can be joined by its code",
		"not_found", "insufficient_funds", "limit_reached", "no_challenge", "quiet_hours",
		"challenge_limit")), (*call).createDuel)
	add(a, mine(op("spar", "POST", "/api/duels/spar", "Practise against the sparring bot",
		"limit_reached")), (*call).spar)
	get := public(op("getDuel", "GET", "/api/duels/{code}",
		"A duel as the caller may see it; passed deadlines are applied",
		"not_found", "unauthenticated"))
	get.Description = fmt.Sprintf("With Prefer: wait=N the answer is delayed until the duel has changed. For a side that "+
		"has to commit or reveal, the wait ends %d seconds before its deadline; later, the answer comes at once, without "+
		"Preference-Applied.", stepMargin/time.Second)
	add(a, get, (*call).getDuel)
	add(a, mine(op("joinDuel", "POST", "/api/duels/{code}/join", "Join an open duel",
		"not_found", "forbidden", "own_duel", "duel_full", "duel_closed", "insufficient_funds", "opponent_short",
		"limit_reached")),
		(*call).joinDuel)
	add(a, mine(op("cancelDuel", "POST", "/api/duels/{code}/cancel",
		"Cancel an open duel and get the stake back, or decline a challenge",
		"not_found", "forbidden", "duel_full", "duel_closed")), (*call).cancelDuel)
	commit := step(op("commitDuel", "POST", "/api/duels/{code}/commit", "Commit to a move"))
	commit.Description = "Binds the caller to a move in the current round: the SHA-256 of `move:salt`, in hex. The salt " +
		"has at most 512 bytes: a longer one cannot be revealed. A commitment that the caller has made before in this " +
		"duel is accepted with a warning. Equal commitments of both sides make the round void; it is replayed. " +
		stepWaits
	add(a, commit, (*call).commitDuel)
	reveal := step(op("revealDuel", "POST", "/api/duels/{code}/reveal", "Reveal the committed move",
		"commitment_mismatch"))
	reveal.Description = "Once both sides have committed. The second reveal decides the round; a side that does not " +
		"reveal by the deadline forfeits it. A salt that JSON must escape may count as several calls: of 512 control " +
		"characters as six. " + stepWaits
	add(a, reveal, (*call).revealDuel)
	a.duelEndOperations(mine, op)
	a.quickOperations()
	a.opponentOperations(mine, op)
	add(a, contract.Operation{
		ID: "getDuelProof", Method: "GET", Path: "/api/duels/{code}/proof", Tag: "Duels",
		Summary: "The proof of a duel, for offline verification",
		Description: "A bundle of format roshambo/duel-proof/v1 (docs/protocol.md). It contains decided rounds only. A " +
			"duel without an opponent has none.",
		Errors: may("not_found"),
	}, (*call).getDuelProof)
}

// stepWaits describes Prefer: wait in the steps of a duel.
const stepWaits = "With Prefer: wait=N the answer is delayed until the other side has moved: the step is stored " +
	"before, and a repetition waits anew. When too many calls wait, the answer comes at once."

// CreateDuelIn is the body of POST /api/duels.
type CreateDuelIn struct {
	Stake       int64  `json:"stake" min:"0" max:"2147483647" default:"0" doc:"Of each side, in coins: the winner gets both."`
	Listed      bool   `json:"listed" default:"true" doc:"False: in no public list, so that only its code joins. Both stakes of an unlisted duel move when it is joined."`
	Lives       string `json:"lives" enum:"minutes,day" default:"minutes" doc:"How long it waits for an opponent: ten minutes or a day. A day needs listed: false and no stake, which a creator who has left would lose. A duel that is joined after more than ten minutes gives both sides ten minutes for the first commitment."`
	MoveSeconds *int64 `json:"move_seconds" min:"5" max:"300" doc:"The time for each commitment and each reveal; without it 15 seconds between bots, else 60. It needs listed: false and no stake."`
	// Opponent makes the duel a challenge.
	Opponent string `json:"opponent,omitempty" maxLength:"64" doc:"Username or address of the only player who may join, with listed: false: a person or bot that takes challenges of the caller (challenges of GET /api/players/{name} and GET /api/arena/bots/{name}). The player gets the event duel_challenge. At most 5 are open, one of them between the same two players, and the same player can be challenged again after ten minutes."`
}

// terms checks the terms of a new duel and reads the invited player.
func (a *call) terms(ctx context.Context, tx *store.Tx, in *CreateDuelIn) (t duel.Terms, err error) {
	t = duel.Terms{Stake: in.Stake, Unlisted: !in.Listed, Day: in.Lives == "day",
		Step: time.Duration(deref(in.MoveSeconds)) * time.Second}
	if in.Opponent != "" {
		found, err := a.find(ctx, tx, in.Opponent)
		if err != nil {
			return t, err
		}
		t.Invited = duel.Player{Address: found.Address, Username: found.Username, Kind: found.Kind}
	}
	return t, nil
}

// Broken implements contract.Ruled: it refuses terms that exclude each other.
func (in *CreateDuelIn) Broken() string {
	chosen, challenge := in.Lives == "day" || in.MoveSeconds != nil, in.Opponent != ""
	switch {
	case chosen && in.Stake > 0:
		return "a duel that lives for a day or has move_seconds has no stake"
	case in.Listed && chosen:
		return "a duel that lives for a day or has move_seconds needs listed: false"
	case in.Listed && challenge:
		return "a duel for one opponent needs listed: false"
	}
	return ""
}

// createDuel opens a duel and takes the caller's stake, unless the duel is unlisted.
func (a *call) createDuel(ctx context.Context, in *body[CreateDuelIn]) (*DuelOut, error) {
	if err := a.staking(in.Body.Stake); err != nil {
		return nil, err
	}
	a.meets = in.Body.Opponent
	return a.changeDuel(ctx, stakeOfA, func(ctx context.Context, tx *store.Tx, c *caller) (*duel.Duel, error) {
		terms, err := a.terms(ctx, tx, &in.Body)
		if err != nil {
			return nil, err
		}
		return a.Duels.Create(ctx, tx, c.player(), terms)
	})
}

// spar starts a practice duel against the sparring bot.
func (a *call) spar(ctx context.Context, _ *none) (*DuelOut, error) {
	return a.changeDuel(ctx, settlement, func(ctx context.Context, tx *store.Tx, c *caller) (*duel.Duel, error) {
		return a.Duels.StartSparring(ctx, tx, c.player())
	})
}

// joinDuel makes the caller the opponent in an open duel and takes the stake.
func (a *call) joinDuel(ctx context.Context, in *duelIn) (*DuelOut, error) {
	return a.changeDuel(ctx, stakeOfB, func(ctx context.Context, tx *store.Tx, c *caller) (*duel.Duel, error) {
		d, err := a.Duels.Join(ctx, tx, c.player(), in.Code)
		if err != nil {
			return nil, err
		}
		return d, a.staking(d.Stake) // an error rolls the join back
	})
}

// cancelDuel cancels an open duel of the caller and returns the stake, or declines one that is for the caller.
func (a *call) cancelDuel(ctx context.Context, in *duelIn) (*DuelOut, error) {
	return a.changeDuel(ctx, settlement, func(ctx context.Context, tx *store.Tx, c *caller) (*duel.Duel, error) {
		return a.Duels.Cancel(ctx, tx, c.address, in.Code)
	})
}

// CommitIn is the body of a commit.
type CommitIn struct {
	Commitment string `json:"commitment" required:"true" pattern:"^[0-9a-fA-F]{64}$" example:"8b24bd62f7caa52e255276b31db59d07690d1b094f559106109b9a00ee6d146a" doc:"Lowercase hex SHA-256 of move:salt. Use a new salt for every round, of at most 512 bytes."`
	Round      int64  `json:"round" min:"0" max:"60" default:"0" doc:"The round of the call, which is refused in any other; 0 is the current round."`
}

// commitIn is the input of commitDuel.
type commitIn struct {
	Code string `path:"code" doc:"8 characters, in any case."`
	Body CommitIn
}

// commitDuel stores the caller's commitment for the current round.
func (a *call) commitDuel(ctx context.Context, in *commitIn) (*DuelOut, error) {
	commitment, err := chain.ParseHash(strings.ToLower(in.Body.Commitment))
	if err != nil {
		return nil, err // unreachable: the contract has checked the pattern
	}
	note := func(out *DuelOut, d *duel.Duel, side game.Side) {
		out.SaltMaxBytes = chain.MaxSalt
		if d.Repeats(side, commitment) {
			out.Warning = "You made this commitment before in this duel: the opponent can guess the move. Use a new salt " +
				"for every round."
		}
	}
	return a.stepDuel(ctx, note, func(ctx context.Context, tx *store.Tx, c *caller) (*duel.Duel, error) {
		step := duel.Step{Caller: c.address, Code: in.Code, Round: int(in.Body.Round)}
		return a.Duels.Commit(ctx, tx, step, commitment)
	})
}

// RevealIn is the body of a reveal.
type RevealIn struct {
	Move  string `json:"move" required:"true" enum:"rock,paper,scissors" example:"rock"`
	Salt  string `json:"salt" required:"true" maxLength:"512" secret:"true" example:"5f2c1e9ab47d03866e1f90d2c4b8a715" doc:"The salt of the commitment: at most 512 bytes of UTF-8, without U+0000. An empty salt hides nothing, because there are only three moves to try: use a random one of at least 16 bytes."`
	Round int64  `json:"round" min:"0" max:"60" default:"0" doc:"As in a commit."`
}

// revealIn is the input of revealDuel.
type revealIn struct {
	Code string `path:"code" doc:"8 characters, in any case."`
	Body RevealIn
}

// revealDuel opens the caller's commitment. The second reveal decides the round.
func (a *call) revealDuel(ctx context.Context, in *revealIn) (*DuelOut, error) {
	if len(in.Body.Salt) > chain.MaxSalt { // in bytes, of which a character has up to four
		return nil, contract.InvalidValue([]any{"body", "salt"},
			fmt.Sprintf("a salt has at most %d bytes", chain.MaxSalt), "[redacted]")
	}
	for range escapes(in.Body.Salt) {
		if err := a.w.CountAgain(); err != nil {
			return nil, err
		}
	}
	hand := duel.Hand{Move: moves[in.Body.Move], Salt: in.Body.Salt}
	note := func(out *DuelOut, d *duel.Duel, side game.Side) {
		switch {
		case hand.Salt == "":
			out.Warning = "The salt was empty: the opponent could derive the move from the commitment. Use a random " +
				"salt for every round."
		case d.RepeatsSalt(side, hand.Salt):
			out.Warning = "You used this salt before in this duel: the opponent can derive the move from the commitment. " +
				"Use a new salt for every round."
		}
	}
	return a.stepDuel(ctx, note, func(ctx context.Context, tx *store.Tx, c *caller) (*duel.Duel, error) {
		step := duel.Step{Caller: c.address, Code: in.Code, Round: int(in.Body.Round)}
		return a.Duels.Reveal(ctx, tx, step, hand)
	})
}

// escapes returns as how many further calls the reveal of a salt counts: one for each KiB that its escapes in JSON
// make the service keep, in the duel and in the public log. Five for 512 control characters, and none for the few
// quotes or backslashes of a random text.
func escapes(salt string) int {
	added := 2 * (len(canon.AppendString(nil, salt)) - len(`""`) - len(salt))
	return (added + 768) >> 10
}

// GetDuelOut is the answer to GET /api/duels/{code}.
type GetDuelOut struct {
	Duel     Duel      `json:"duel"`
	Receipts []Receipt `json:"receipts,omitempty" doc:"With Prefer: receipt: the current round's, as soon as both sides have committed. Reveal nothing without it."`
}

// getDuelIn names a duel and the version that a waiting caller knows.
type getDuelIn struct {
	Code    string `path:"code" doc:"8 characters, in any case."`
	Version *int64 `query:"version" min:"0" doc:"The version that the caller knows: with Prefer: wait the answer is delayed while that is the duel's. Default: the version at arrival."`
	// A side that waits and asks for it learns of the other side's coming and going.
	Watching *string `query:"watching" enum:"none,a,b,both" doc:"For a side: the sides that the caller knows to watch. With Prefer: wait the answer is delayed only while that is so. By default no coming or going ends the wait."`
	Salts    bool    `query:"salts" default:"true" doc:"With false the rounds have no salts, which are most of a long duel's bytes."`
}

// getDuel reads a duel as the caller may see it and, with Prefer: wait, waits for its next version
// or its next deadline.
func (a *call) getDuel(ctx context.Context, in *getDuelIn) (*GetDuelOut, error) {
	code, ok := duel.ParseCode(in.Code)
	if !ok {
		return nil, duel.ErrNotFound
	}
	me, known := a.viewer(), in.Version
	leave := func() {}
	defer func() { leave() }()
	attends := game.NoSide // the caller's side, once it is marked as present
	topics := []string{event.Duel(code)}
	if in.Watching != nil { // otherwise the answer would be no news to a caller that waits for the next version
		topics = append(topics, event.Presence(code))
	}
	return longPoll(ctx, a, topics, func(ctx context.Context) (s stream.Poll[GetDuelOut], err error) {
		d, err := a.current(ctx, code)
		if err != nil {
			return s, err
		}
		you := d.Side(me)
		if attends != you {
			attends, leave = you, a.attend(d, you)
		}
		w := wireDuel(d, me)
		if !in.Salts {
			w.withoutSalts()
		}
		w.Presence = a.presenceAt(d, you)
		if known == nil {
			known = &d.Version
		}
		receipts, err := a.receipts(roundStatements(d, a.Now())...)
		if err != nil {
			return s, err
		}
		s.Changed = in.Watching != nil && w.Presence != nil && w.Presence.watching() != *in.Watching
		if d.Rated && d.Status == duel.Finished {
			w.Voided, err = read(ctx, a, func(ctx context.Context, tx *store.Tx) (*Voided, error) {
				return voidOf(ctx, tx, chain.DuelGameID(d.Code))
			})
		}
		s.Out, s.Changed = &GetDuelOut{Duel: w, Receipts: receipts}, s.Changed || d.Version != *known
		if !d.Status.Over() {
			s.RetryAt = d.Deadline
		}
		if own := d.OwnDeadline(you); !own.IsZero() {
			s.Until = own.Add(-stepMargin)
		}
		return s, err
	})
}

// listDuelsIn filters and pages duels.
type listDuelsIn struct {
	Status *string `query:"status" enum:"open,active,finished" doc:"Only duels of this status; all by default."`
	Mine   bool    `query:"mine" default:"false" doc:"Only the caller's duels."`
	ForMe  bool    `query:"for_me" default:"false" doc:"Only open duels that are for the caller alone: the challenges that wait for an answer. The other filters do not apply."`
	Limit  int64   `query:"limit" default:"20" min:"1" max:"100"`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// DuelsOut is a page of duels.
type DuelsOut struct {
	Duels []Duel  `json:"duels" doc:"Each with its last round only."`
	Next  *string `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// listDuels reads a page of duels, of any status or of one. Each has its last round only.
func (a *call) listDuels(ctx context.Context, in *listDuelsIn) (*DuelsOut, error) {
	me, f := a.viewer(), duel.Filter{Count: in.Limit + 1}
	name := cursorDuels // the cursor belongs to this list, filters and their account included
	if in.Status != nil {
		f.Status = duel.Status(*in.Status)
		name += "-" + *in.Status
	}
	if in.Mine {
		if me == (chain.Address{}) {
			return nil, errUnauthenticated
		}
		f.Of = me
		name = listOf(name+"-mine", me)
	}
	if in.ForMe {
		if me == (chain.Address{}) {
			return nil, errUnauthenticated
		}
		f = duel.Filter{For: me, Status: duel.Open, Count: f.Count}
		name = listOf(cursorDuels+"-for-me", me)
	}
	var err error
	if f.Before, err = parseCursor(in.Cursor, name); err != nil {
		return nil, err
	}
	// As reading one duel does: a duel belongs to the list of the status that its deadlines give it.
	if err := a.Duels.ApplyDue(ctx); err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*DuelsOut, error) {
		list, err := a.Duels.List(ctx, tx, f)
		if err != nil {
			return nil, err
		}
		list, more := page(list, in.Limit)
		out := &DuelsOut{Duels: []Duel{}}
		for _, d := range list {
			if f.Status == "" || d.Status == f.Status { // a passed deadline may have changed the status
				w := wireDuel(d, me)
				w.Rounds = w.Rounds[max(0, len(w.Rounds)-1):]
				w.withoutSalts()
				out.Duels = append(out.Duels, w)
			}
		}
		if more {
			out.Next = cursor(name, list[len(list)-1].Seq())
		}
		return out, markVoid(ctx, tx, out.Duels)
	})
}

// markVoid adds the declarations that results are void to the duels of a list, by one query: no
// declaration is older than the oldest result. The latest results need few of them; a page of old
// results reads all declarations since, which are as rare as the operators' acts.
func markVoid(ctx context.Context, tx *store.Tx, duels []Duel) error {
	rated := map[string]*Duel{}
	var oldest time.Time
	for i := range duels {
		d := &duels[i]
		if !d.Rated || d.Status != string(duel.Finished) {
			continue
		}
		rated[chain.DuelGameID(d.ID)] = d
		if oldest.IsZero() || d.FinishedAt.Before(oldest) {
			oldest = d.FinishedAt.Time
		}
	}
	return eachVoid(ctx, tx, oldest, func(game string, v *Voided) {
		if d := rated[game]; d != nil {
			d.Voided = v
		}
	})
}
