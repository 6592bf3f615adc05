package client

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"roshambo/client/api"
	"roshambo/client/strategy"
	"roshambo/game"
)

// Bot plays ranked duels: it queues, commits, reveals, and queues again.
//
//	b, err := client.NewBot(client.BotOptions{Client: c, Strategy: pick, State: "bot.json"})
//	err = b.Run(ctx, 10)
//
// It never polls: each look at the queue and at a duel is held by the service until
// there is news. A service that restarts is waited for, as far as the client's Patience
// goes. What must not be lost when the bot itself is killed, the move and the salt that
// it has committed to, is in State before the service hears of the commitment.
type Bot struct {
	BotOptions
	hand   *hand // what it has committed to, or is about to
	copied bool  // the hand that Salt gives is not taken
	memory memory
}

// BotOptions say who plays, and how.
type BotOptions struct {
	Client *Client
	// Strategy returns a new strategy for duels with an opponent, named by its address.
	Strategy func(opponent string) (strategy.Strategy, error)
	// State is the file where the bot keeps its hand; "" keeps it in memory, and a
	// restart between commit and reveal loses that round.
	State string
	// Linger is how much longer a duel under way may take when Run's context ends.
	Linger time.Duration
	// Finished, when set, is told of each duel of Run's that is over.
	Finished func(*api.Duel)
	// Log, when set, is told what goes on.
	Log *slog.Logger
	// Rand is where salts come from; nil is crypto/rand.
	Rand io.Reader
	// Salt, when set, is where salts come from instead: it follows from a secret and from
	// the round, and nobody else can tell it. Then whoever plays on for this bot, with the
	// same secret and without its State, finds the hand that it has committed to.
	Salt func(duel string, round int64) string
}

// hold is how long the bot asks the service to hold an answer.
const hold = 25 * time.Second

// NewBot returns a bot that is ready to go on where it was when it was last stopped.
func NewBot(o BotOptions) (*Bot, error) {
	if o.Client == nil || o.Strategy == nil {
		return nil, errors.New("client: a bot needs a Client and a Strategy")
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Bot{BotOptions: o}
	var err error
	b.hand, err = readHand(o.State)
	return b, err
}

// Play plays a duel to its end, one of the arena or any other, and returns it as it
// ended; with an error, as it was seen last.
func (b *Bot) Play(ctx context.Context, d *api.Duel) (*api.Duel, error) {
	me, them, err := sides(d)
	if err != nil {
		return d, err
	}
	player, err := b.memory.player(them.Address, b.Strategy)
	if err != nil {
		return d, err
	}
	for d.Status == api.DuelStatusActive {
		next, err := b.step(ctx, d, me, player)
		if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusConflict {
			b.Log.Debug("refused", "duel", d.ID, "code", e.Code)
			next, err = b.refused(ctx, d, e.Code)
		}
		if err != nil {
			return d, err
		}
		d = next
	}
	player.keep(d, me)
	return d, nil
}

// refused returns where a duel stands when a step of it was refused.
func (b *Bot) refused(ctx context.Context, d *api.Duel, code string) (*api.Duel, error) {
	switch code {
	case "commitment_copied":
		b.hand, b.copied = nil, true // a salt that is drawn makes another one
		return d, nil
	case "conflict": // nothing came of it
		return d, sleep(ctx, firstWait)
	}
	// It has moved on: a deadline, or another try of ours. Look where it stands.
	return b.look(ctx, d)
}

// step does what is next to do for a side: commit, reveal, or wait for the other.
func (b *Bot) step(ctx context.Context, d *api.Duel, me string, p *player) (*api.Duel, error) {
	r := &d.Rounds[len(d.Rounds)-1]
	b.find(d, r, me)
	switch {
	case !flag(r.Committed, me):
		if err := b.deal(d, r, me, p); err != nil {
			return nil, err
		}
		out, err := Read[api.DuelOut](b.Client.API.CommitDuel(ctx, d.ID, api.CommitIn{Commitment: b.hand.commitment(), Round: &r.Round}))
		return duelOf(out, err)
	case r.Committed.A && r.Committed.B && !r.YouRevealed && b.hand.is(d, r, me):
		out, err := Read[api.DuelOut](b.Client.API.RevealDuel(ctx, d.ID, api.RevealIn{
			Move: api.RevealInMove(b.hand.Move), Salt: b.hand.Salt, Round: &r.Round,
		}))
		return duelOf(out, err)
	}
	return b.look(ctx, d)
}

func duelOf(out *api.DuelOut, err error) (*api.Duel, error) {
	if err != nil {
		return nil, err
	}
	return &out.Duel, nil
}

// look returns the duel once it is another than d, or is held no longer.
func (b *Bot) look(ctx context.Context, d *api.Duel) (*api.Duel, error) {
	out, err := Read[api.GetDuelOut](b.Client.API.GetDuel(ctx, d.ID, &api.GetDuelParams{Version: &d.Version}, Wait(hold)))
	if err != nil {
		return nil, err
	}
	return &out.Duel, nil
}

// deal sees to it that the bot holds a hand for the round, on disk too.
func (b *Bot) deal(d *api.Duel, r *api.DuelRound, me string, p *player) error {
	if b.hand != nil && b.hand.Duel == d.ID && b.hand.Round == r.Round {
		return nil // the commitment may have got there, or not: the same one does no harm
	}
	salt, err := b.salt(d, r)
	if err != nil {
		return err
	}
	h := &hand{Duel: d.ID, Round: r.Round, Move: p.next(d, me).String(), Salt: salt}
	if err := h.write(b.State); err != nil {
		return err
	}
	b.hand = h
	return nil
}

// salt returns a salt for the round.
func (b *Bot) salt(d *api.Duel, r *api.DuelRound) (string, error) {
	if b.Salt != nil && !b.copied {
		return b.Salt(d.ID, r.Round), nil
	}
	b.copied = false
	var salt [32]byte
	if _, err := io.ReadFull(b.Rand, salt[:]); err != nil {
		return "", fmt.Errorf("draw a salt: %w", err)
	}
	return hex.EncodeToString(salt[:]), nil
}

// find finds the hand that was committed to by who played for this bot before, if salts
// follow from a secret: of three moves the commitment says which.
func (b *Bot) find(d *api.Duel, r *api.DuelRound, me string) {
	if b.Salt == nil || !flag(r.Committed, me) || r.YouRevealed || b.hand.is(d, r, me) {
		return
	}
	salt := b.Salt(d.ID, r.Round)
	for _, move := range []game.Move{game.Rock, game.Paper, game.Scissors} {
		if h := (&hand{Duel: d.ID, Round: r.Round, Move: move.String(), Salt: salt}); h.is(d, r, me) {
			b.hand = h
		}
	}
}

// commitment is what is shown of a hand before both are in.
func (h *hand) commitment() string {
	digest := sha256.Sum256([]byte(h.Move + ":" + h.Salt))
	return hex.EncodeToString(digest[:])
}

// is says whether the hand is the one that a side has committed to in a round. It is not
// when somebody else plays with the same key.
func (h *hand) is(d *api.Duel, r *api.DuelRound, me string) bool {
	theirs := r.CommitmentA
	if me == "b" {
		theirs = r.CommitmentB
	}
	return h != nil && h.Duel == d.ID && h.Round == r.Round && theirs != nil && *theirs == h.commitment()
}

// sides returns which side of a duel is the caller's, and who the other one is.
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

func flag(f api.DuelFlags, side string) bool {
	if side == "a" {
		return f.A
	}
	return f.B
}

// Result says how a duel ended for the caller: won, lost or drawn.
func Result(d *api.Duel) string {
	switch {
	case d.Winner == nil:
		return "drawn"
	case d.You != nil && string(*d.Winner) == string(*d.You):
		return "won"
	}
	return "lost"
}

// rounds returns the rounds of a duel that were played out, as a side saw them: those
// that somebody missed tell nothing of how the other side plays.
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
