package client

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"roshambo/client/api"
	"roshambo/client/program"
	"roshambo/client/strategy"
	"roshambo/game"
)

// Bot plays ranked duels: it queues, commits, reveals, and queues again.
//
//	b, err := client.NewBot(client.BotOptions{Client: c, Strategy: pick, State: "bot.json"})
//	err = b.Run(ctx, 10)
//
// It does not poll: the service holds requests for the queue, for steps and for a duel until
// something changes, so a round costs two calls. While less than a third of the request limit is left, it asks
// for no other ranked duel, and plays only the duels of its cups, so that a duel in play always has the calls
// that it needs. It waits for a service that restarts, within the client's RetryBudget. It reveals only with the
// house's signature under both commitments of the round, and returns ErrReceipt without. It stores the move and
// the salt of a commitment in State before it sends the commitment, so a killed bot can continue. It gives an attempt
// up before the deadline of its step, sooner in a duel with shorter steps. A Bot must not be used concurrently.
type Bot struct {
	BotOptions
	// hand is the hand that is committed, or about to be; nil before the first round.
	hand   *hand
	memory memory
	notary notary
	// looked is whether Run has looked for a duel that an earlier instance has left, and prepared whether it has done
	// what comes after. recalls is whether the memory was empty at the beginning of Run.
	looked, prepared, recalls bool
}

// BotOptions configure a Bot. Client is required, and Strategy for Run and Play.
type BotOptions struct {
	// Client must have the key of a bot (rsb_…); for PlayRound the key of any player.
	Client *Client
	// Strategy returns a new strategy for duels against the opponent with that address.
	Strategy func(opponent string) (strategy.Strategy, error)
	// Choose, if not nil, chooses the moves in place of the strategies. After an error Run and Play return it, and
	// the deadlines decide the duel.
	Choose func(program.Turn) (game.Move, error)
	// State is the file in which the bot stores its hand. With "" the hand is in memory
	// only, and a restart between commit and reveal loses the round.
	State string
	// Receipts is the file to which the bot appends the house's signed statements, a line for each
	// round (docs/protocol.md, section 11): evidence if the proof of a duel later differs, for
	// roshambo verify --receipts. A signed one that states something else than the answer is kept too, before the
	// error. With "" they are checked and not kept.
	Receipts string
	// VerifierKey is the trusted key of the service's log; "" takes the one that the service states.
	VerifierKey string
	// WithoutReceipts lets the bot reveal without the service's signature under both commitments. It
	// is for bots of the house itself.
	WithoutReceipts bool
	// Challenges lets Run accept and play challenges beside the ranked duels: one at a time, those without a stake alone,
	// in calls that ranked duels leave of the request limit. So a challenge delays and forfeits no other duel, whatever
	// its other side does. Whose challenges reach the bot, its owner chooses (POST /api/duels/challenges). Strategy,
	// Choose and Ended are not called concurrently. The hand of a challenge is in a file of its own beside State.
	Challenges bool
	// Version is the version of the program, which Run names before it asks for its first ranked duel: letters, digits and
	// . _ + -, at most 32. Each change of the bot's rating names it. With "" the version that the service has stays.
	Version string
	// Linger is how long a duel may continue after Run's context is done.
	Linger time.Duration
	// Ended, if not nil, is called once with each duel that Play has played to its end, also within Run.
	Ended func(*api.Duel)
	// Rand is the source of random salts; nil means crypto/rand.
	Rand io.Reader
	// Salt, if not nil, derives salts instead, from a secret and the round. Other parties
	// must not be able to compute them. An instance with the same secret, but without
	// State, can then recover the hand behind a commitment and continue for this bot.
	Salt func(duel string, round int64) string
}

// houseHold is the hold of bots of the house, which call within its process: no connection is lost.
const houseHold = 25 * time.Second

// hold returns how long the bot asks the service to hold an answer.
func (b *Bot) hold(of bounds) time.Duration {
	if b.WithoutReceipts {
		return houseHold
	}
	return of.hold
}

// errNoStrategy reports a call of Run or Play without a strategy.
var errNoStrategy = errors.New("client: Run and Play need a Strategy")

// NewBot returns a bot that continues from o.State.
func NewBot(o BotOptions) (*Bot, error) {
	if o.Client == nil {
		return nil, errors.New("client: a bot needs a Client")
	}
	if o.Strategy == nil {
		o.Strategy = func(string) (strategy.Strategy, error) { return nil, errNoStrategy }
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Challenges {
		o = oneAtATime(o)
	}
	b := &Bot{BotOptions: o}
	var err error
	if b.notary, err = newNotary(o.Receipts, o.VerifierKey); err != nil {
		return nil, err
	}
	b.hand, err = readHand(o.State)
	return b, err
}

// Play plays a duel to its end, in the arena or elsewhere, and returns its final state;
// on error, the last state that it received.
func (b *Bot) Play(ctx context.Context, d *api.Duel) (*api.Duel, error) {
	ctx = asSteps(ctx, boundsOf(d))
	me, them, err := sides(d)
	if err != nil {
		return d, err
	}
	opponent, err := b.memory.opponent(them.Address, b.Strategy)
	if err != nil {
		return d, err
	}
	pick := func(d *api.Duel, r *api.DuelRound) (game.Move, error) { return b.choose(d, r, me, opponent) }
	for d.Status == api.DuelStatusActive {
		next, err := b.advance(ctx, d, me, pick)
		if err != nil {
			return d, err
		}
		d = next
	}
	opponent.record(d, me)
	b.Client.calls.log.Info("finished", "duel", d.ID, "result", Result(d), "wins_a", d.Wins.A, "wins_b", d.Wins.B)
	if b.Ended != nil {
		b.Ended(d)
	}
	return d, nil
}

// picker chooses the move of a round in which the bot has no hand yet.
type picker func(d *api.Duel, r *api.DuelRound) (game.Move, error)

// advance does the next step of one side and returns the duel after it. A step that is refused has no effect: the
// duel is read again.
func (b *Bot) advance(ctx context.Context, d *api.Duel, me string, pick picker) (*api.Duel, error) {
	next, err := b.step(ctx, d, me, pick)
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusConflict {
		b.Client.calls.log.Debug("refused", "duel", d.ID, "code", clip(e.Code))
		return b.refused(ctx, d, e.Code)
	}
	return next, err
}

// refused returns the duel to continue with after a step got 409 with that code.
func (b *Bot) refused(ctx context.Context, d *api.Duel, code string) (*api.Duel, error) {
	if code == "conflict" { // the step had no effect
		return d, sleep(ctx, firstWait)
	}
	// The duel has moved on, by a deadline or by an earlier attempt of this step: reload
	// it.
	return b.wait(ctx, d)
}

// step does the next step of one side: commit or reveal, each answered once the other side has moved too, or
// wait for it.
func (b *Bot) step(ctx context.Context, d *api.Duel, me string, pick picker) (*api.Duel, error) {
	r := &d.Rounds[len(d.Rounds)-1]
	b.recoverHand(d, r, me)
	switch {
	case !flag(r.Committed, me):
		if err := b.prepareHand(d, r, pick); err != nil {
			return nil, err
		}
		in := api.CommitIn{Commitment: b.hand.commitment(), Round: &r.Round}
		out, err := Read(b.Client.API.CommitDuel(ctx, d.ID, in, b.prefer(b.hold(boundsOf(d)))))
		if err != nil {
			return nil, err
		}
		return &out.Duel, b.keep(ctx, &out.Duel, out.Receipts)
	case r.Committed.A && r.Committed.B && !r.YouRevealed && b.hand.matches(d, r, me):
		if err := b.receipted(ctx, d, r); err != nil {
			return nil, err
		}
		out, err := Read(b.Client.API.RevealDuel(ctx, d.ID, api.RevealIn{
			Move: api.RevealInMove(b.hand.Move), Salt: b.hand.Salt, Round: &r.Round,
		}, b.prefer(b.hold(boundsOf(d)))))
		if err != nil {
			return nil, err
		}
		// While the other side has not revealed, the service signs the round again: it must be the same one.
		return &out.Duel, b.keep(ctx, &out.Duel, out.Receipts)
	}
	return b.wait(ctx, d)
}

// wait returns the duel when it has changed since d, or when the long poll ends.
func (b *Bot) wait(ctx context.Context, d *api.Duel) (*api.Duel, error) {
	out, err := Read(b.Client.API.GetDuel(ctx, d.ID, &api.GetDuelParams{Version: &d.Version},
		b.prefer(b.hold(boundsOf(d)))))
	if err != nil {
		return nil, err
	}
	return &out.Duel, b.keep(ctx, &out.Duel, out.Receipts)
}

// prepareHand ensures that the bot has a hand for the round, and that it is stored.
func (b *Bot) prepareHand(d *api.Duel, r *api.DuelRound, pick picker) error {
	if b.hand != nil && b.hand.Duel == d.ID && b.hand.Round == r.Round {
		return nil // the commitment may have been sent; sending it again has no effect
	}
	salt, err := b.salt(d, r)
	if err != nil {
		return err
	}
	move, err := pick(d, r)
	if err != nil {
		return err
	}
	h := &hand{Duel: d.ID, Round: r.Round, Move: move.String(), Salt: salt}
	if err := writeState(b.State, h); err != nil {
		return err
	}
	b.hand = h
	return nil
}

// choose returns the move for the current round of a duel.
func (b *Bot) choose(d *api.Duel, r *api.DuelRound, me string, p *opponent) (game.Move, error) {
	if b.Choose == nil {
		return p.next(d, me), nil
	}
	them := d.A.Username
	if me == "a" {
		them = d.B.Username // sides has required both
	}
	return b.Choose(program.Turn{Opponent: them, Duel: d.ID, Round: int(r.Round), Rounds: rounds(d, me)})
}

// salt returns a salt for the round: 32 random bytes in hexadecimal, or the result of Salt.
func (b *Bot) salt(d *api.Duel, r *api.DuelRound) (string, error) {
	if b.Salt != nil {
		return b.Salt(d.ID, r.Round), nil
	}
	var salt [32]byte
	if _, err := io.ReadFull(b.Rand, salt[:]); err != nil {
		return "", fmt.Errorf("draw a salt: %w", err)
	}
	return hex.EncodeToString(salt[:]), nil
}

// recoverHand restores the hand that another instance of this bot has committed to. It
// requires derived salts: of the three moves, one yields the commitment.
func (b *Bot) recoverHand(d *api.Duel, r *api.DuelRound, me string) {
	if b.Salt == nil || !flag(r.Committed, me) || r.YouRevealed || b.hand.matches(d, r, me) {
		return
	}
	salt := b.Salt(d.ID, r.Round)
	for _, move := range []game.Move{game.Rock, game.Paper, game.Scissors} {
		if h := (&hand{Duel: d.ID, Round: r.Round, Move: move.String(), Salt: salt}); h.matches(d, r, me) {
			b.hand = h
		}
	}
}

// commitment returns the commitment to a hand: SHA-256 of move:salt in hexadecimal.
func (h *hand) commitment() string {
	digest := sha256.Sum256([]byte(h.Move + ":" + h.Salt))
	return hex.EncodeToString(digest[:])
}

// matches reports whether a side has committed to this hand in a round. It has not if
// another program plays with the same key.
func (h *hand) matches(d *api.Duel, r *api.DuelRound, me string) bool {
	theirs := r.CommitmentA
	if me == "b" {
		theirs = r.CommitmentB
	}
	return h != nil && h.Duel == d.ID && h.Round == r.Round && theirs != nil && *theirs == h.commitment()
}

// sides returns the caller's side of a duel and the opponent. It returns an error for a
// duel that the caller only watches, or that has no opponent yet.
func sides(d *api.Duel) (me string, them *api.DuelSide, err error) {
	switch {
	case d.You == nil:
		return "", nil, fmt.Errorf("client: duel %s is watched, not played", d.ID)
	case d.B == nil:
		return "", nil, fmt.Errorf("client: duel %s has no opponent yet", d.ID)
	case *d.You == api.DuelYouA:
		return "a", d.B, nil
	}
	return "b", &d.A, nil
}

// flag returns the flag of one side.
func flag(f api.DuelFlags, side string) bool {
	if side == "a" {
		return f.A
	}
	return f.B
}

// Result returns the caller's result of a finished duel: "won", "lost" or "drawn".
func Result(d *api.Duel) string {
	switch {
	case d.Winner == nil:
		return "drawn"
	case d.You != nil && string(*d.Winner) == string(*d.You):
		return "won"
	}
	return "lost"
}

// rounds returns the rounds of a duel that both sides revealed, as one side saw them. A
// missed round contains no information about the opponent's strategy.
func rounds(d *api.Duel, me string) []strategy.Round {
	var list []strategy.Round
	for _, r := range d.Rounds {
		if r.Outcome == api.DuelRoundOutcomePending || r.MoveA == nil || r.MoveB == nil {
			continue
		}
		a, errA := game.ParseMove(string(*r.MoveA))
		b, errB := game.ParseMove(string(*r.MoveB))
		switch {
		case errA != nil || errB != nil:
		case me == "a":
			list = append(list, strategy.Round{Mine: a, Theirs: b})
		default:
			list = append(list, strategy.Round{Mine: b, Theirs: a})
		}
	}
	return list
}
