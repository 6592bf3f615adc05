package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/server/preview"
	"roshambo/internal/service/account"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// PageHead is what the HTML of a page says about itself: in the tab, in search engines, and in the
// preview of its link. All texts are plain text, which may come from players. The zero PageHead
// stands for the head of the page's route.
type PageHead struct {
	Title       string // without the name of the site
	Description string
	Image       string // path of a picture
	Missing     bool   // the page shows something that does not exist: status 404
	Private     bool   // search engines must not list the page
}

// PicturePath is the prefix of the paths of pictures: the picture of the page with the path
// /token/7 is /og/token/7.png.
const PicturePath = "/og/"

// card is what a link to a page shows.
type card struct {
	preview.Card
	description string
	private     bool
}

// homeCard is the card of all pages that show nothing of their own.
var homeCard = card{Card: preview.Card{Kicker: "Provably fair", Title: "Rock, paper, scissors",
	Lines: []string{"The house seals its moves first.", "Then you throw, and your browser",
		"verifies every one of them."}}}

// describers describe the pages of one thing each, by the first segment of their paths, from the
// second one. They return an error that maps to status 404 for a thing that does not exist, and nil
// for a page without a card of its own.
var describers = map[string]func(a *API, ctx context.Context, tx *store.Tx, name string) (*card, error){
	"token": (*API).tokenCard, "d": (*API).duelCard, "r": (*API).runCard, "players": (*API).playerCard,
	"bots": (*API).botCard, "t": (*API).teamCard, "block": (*API).blockCard, "tx": (*API).txCard,
	"address": (*API).addressCard, "cups": (*API).cupCard,
}

// describePage returns the card of the page at a path, nil for a page that shows no single thing.
// Errors: those that map to 404 when the thing does not exist.
func (a *API) describePage(ctx context.Context, path string) (out *card, err error) {
	parts := strings.Split(path, "/")
	if len(parts) != 3 || parts[2] == "" || describers[parts[1]] == nil {
		return nil, nil
	}
	err = a.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		out, err = describers[parts[1]](a, ctx, tx, parts[2])
		return err
	})
	return out, err
}

// PictureOf returns what the picture of the page at a path shows. Errors: contract.ErrNotFound and others that
// map to 404 when there is nothing to show.
func (a *API) PictureOf(ctx context.Context, path string) (*preview.Card, error) {
	if path == "/home" {
		return &homeCard.Card, nil
	}
	c, err := a.describePage(ctx, path)
	if err == nil && c == nil {
		err = contract.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return &c.Card, nil
}

// PageHead returns the head of the page at a path. When the database does not answer, it is the
// head of the route: the page reports the outage itself.
func (a *API) PageHead(ctx context.Context, path string) *PageHead {
	c, err := a.describePage(ctx, path)
	switch {
	case err != nil && describe(err).status == http.StatusNotFound:
		return &PageHead{Title: "Not found", Missing: true}
	case err != nil:
		return &PageHead{}
	case c == nil:
		return &PageHead{Image: PicturePath + "home.png?v=" + homeCard.ID()}
	}
	return &PageHead{Title: c.Title, Description: c.description, Private: c.private,
		Image: PicturePath + strings.TrimPrefix((&url.URL{Path: path}).EscapedPath(), "/") + ".png?v=" + c.ID()}
}

// tokenCard describes a token.
func (a *API) tokenCard(ctx context.Context, tx *store.Tx, name string) (*card, error) {
	id, err := number(name)
	if err != nil || strings.HasPrefix(name, "#") {
		return nil, ledger.ErrNotFound
	}
	token, _, err := a.Ledger.Token(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	w := wireToken(a.Ledger.Rules(), id, token.Tier, token.Bound)
	state := "It was destroyed."
	if token.Owner != (chain.Address{}) {
		owner, err := a.nameOf(ctx, tx, token.Owner)
		if err != nil {
			return nil, err
		}
		state = "It belongs to " + owner + "."
	}
	prices := fmt.Sprintf("Base value %s, house pays %s coins.", grouped(w.Value),
		grouped(a.Ledger.Rules().BuybackPrice(token.Tier)))
	return &card{
		Card: preview.Card{Kicker: "Token", Title: fmt.Sprintf("%s #%d", w.Material, id), Lines: []string{prices, state},
			Gem: &preview.Gem{Tier: token.Tier, ID: id}},
		description: prices + " " + state + " Won in a run that anyone can verify.",
	}, nil
}

// runCard describes a run against the house.
func (a *API) runCard(ctx context.Context, tx *store.Tx, id string) (*card, error) {
	r, err := a.Runs.Get(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	name, err := a.nameOf(ctx, tx, r.Account)
	if err != nil {
		return nil, err
	}
	c := &card{Card: preview.Card{Kicker: "Receipt of a run", Lines: []string{
		fmt.Sprintf("Cleared %d of %d tiers in %d throws.", r.Cleared, len(a.Ledger.Rules().Tiers), r.Throws),
		"Every throw can be verified."}}}
	switch r.Status {
	case run.Claimed:
		tier := wireTier(a.Ledger.Rules(), r.Cleared)
		c.Title = fmt.Sprintf("%s claimed %s", name, tier.Material)
		if r.TokenID != nil {
			c.Gem = &preview.Gem{Tier: r.Cleared, ID: *r.TokenID}
		}
	case run.Lost:
		c.Title = name + " lost to the house"
	case run.Abandoned:
		c.Title = name + " gave up a run"
	case run.Void:
		c.Title = "A run of " + name + " was void"
	case run.Active, run.Deciding:
		c.Title, c.private = name+" is playing the house", true
	}
	c.description = strings.Join(c.Lines, " ")
	return c, nil
}

// duelCard describes a duel as spectators see it. Deadlines that have passed are applied by the
// page's own request.
func (a *API) duelCard(ctx context.Context, tx *store.Tx, name string) (*card, error) {
	code, ok := duel.ParseCode(name)
	if !ok {
		return nil, duel.ErrNotFound
	}
	d, _, err := a.Duels.Get(ctx, tx, code)
	if err != nil {
		return nil, err
	}
	c := &card{Card: preview.Card{Kicker: "Duel, best of five", Versus: true}, private: true}
	if d.Stake > 0 {
		c.Lines = append(c.Lines, fmt.Sprintf("Stake: %s coins each.", grouped(d.Stake)))
	}
	score := d.Score()
	switch {
	case d.Status == duel.Open:
		c.Title = d.A.Username + " challenges you"
		c.Lines = append(c.Lines, "Both players seal their hands first.")
	case d.B.Address == (chain.Address{}):
		c.Title = "A duel of " + d.A.Username
		c.Lines = append(c.Lines, "It found no opponent.")
	default:
		c.Title = d.A.Username + " vs. " + d.B.Username
		c.Moves = fmt.Sprintf("%d : %d", score.WinsA, score.WinsB)
		c.Lines = append(c.Lines, duelResult(d))
	}
	c.description = strings.Join(c.Lines, " ")
	return c, nil
}

// duelResult says how a duel with two players stands.
func duelResult(d *duel.Duel) string {
	switch {
	case !d.Status.Over():
		return "The duel is on."
	case d.Winner == game.NoSide:
		return "The duel ended in a draw."
	case d.Winner == game.A:
		return d.A.Username + " won the duel."
	}
	return d.B.Username + " won the duel."
}

// playerCard describes a player.
func (a *API) playerCard(ctx context.Context, tx *store.Tx, name string) (*card, error) {
	found, err := a.find(ctx, tx, name)
	if err != nil {
		return nil, err
	}
	kind := "Player"
	switch found.Kind {
	case chain.Bot:
		kind = "Bot"
	case chain.Guest:
		kind = "Guest"
	}
	since := fmt.Sprintf("%s since %s.", kind, found.CreatedAt.Format("2 January 2006"))
	return &card{Card: preview.Card{Kicker: kind, Title: found.Username, Lines: []string{since, found.Address.Short()}},
		description: since + " Runs, duels and tokens of " + found.Username + ", all of them verifiable."}, nil
}

// botCard describes a bot of the arena.
func (a *API) botCard(ctx context.Context, tx *store.Tx, name string) (*card, error) {
	c, err := a.playerCard(ctx, tx, name)
	if err != nil {
		return nil, err
	}
	if c.Kicker != "Bot" {
		return nil, account.ErrNotFound
	}
	c.Kicker = "Bot of the arena"
	return c, nil
}

// teamCard describes a team.
func (a *API) teamCard(ctx context.Context, tx *store.Tx, slug string) (*card, error) {
	t, err := a.Teams.BySlug(ctx, tx, slug)
	if err != nil {
		return nil, err
	}
	members := fmt.Sprintf("%d members.", t.Members)
	if t.Members == 1 {
		members = "1 member."
	}
	return &card{Card: preview.Card{Kicker: "Team", Title: t.Name, Lines: []string{members}}, private: t.Private,
		description: "A team of " + members}, nil
}

// blockCard describes a block, by its height or its hash.
func (a *API) blockCard(ctx context.Context, tx *store.Tx, name string) (*card, error) {
	height, err := number(name)
	if _, malformed := chain.ParseHash(name); malformed == nil {
		heights, err := a.Ledger.FindBlocks(ctx, tx, strings.ToLower(name), 1)
		if err != nil {
			return nil, err
		}
		if len(heights) == 0 {
			return nil, ledger.ErrNotFound
		}
		height = heights[0]
	} else if err != nil {
		return nil, ledger.ErrNotFound
	}
	b, err := a.Ledger.Block(ctx, tx, height)
	if err != nil {
		return nil, err
	}
	count := fmt.Sprintf("%s transactions.", grouped(wireHeader(b).TxCount))
	return &card{Card: preview.Card{Kicker: "Block", Title: "Block " + strconv.FormatInt(height, 10),
		Lines: []string{count}},
		description: count + " Your browser verifies the block against the signed log."}, nil
}

// txCard describes a transaction.
func (a *API) txCard(ctx context.Context, tx *store.Tx, name string) (*card, error) {
	hash, err := chain.ParseHash(name)
	if err != nil {
		return nil, ledger.ErrNotFound
	}
	r, err := a.Ledger.Tx(ctx, tx, hash)
	if err != nil {
		return nil, err
	}
	return &card{Card: preview.Card{Kicker: "Transaction", Title: "Transaction " + hash.String()[:8],
		Lines: []string{string(r.Parsed.Kind())}}, description: "A transaction of the chain: " + string(r.Parsed.Kind()) +
		"."}, nil
}

// addressCard describes an address of the chain.
func (a *API) addressCard(ctx context.Context, tx *store.Tx, name string) (*card, error) {
	address, err := chain.ParseAddress(name)
	if err != nil {
		return nil, ledger.ErrNotFound
	}
	if _, _, err := a.Ledger.Account(ctx, tx, address); err != nil {
		return nil, err
	}
	return &card{Card: preview.Card{Kicker: "Address", Title: address.Short(),
		Lines: []string{"An address of the chain."}},
		description: "Balance, tokens and transactions of " + address.Short() + "."}, nil
}

// nameOf returns the username of an account, or its short address when it has none.
func (a *API) nameOf(ctx context.Context, tx *store.Tx, address chain.Address) (string, error) {
	owner, err := a.Accounts.Get(ctx, tx, address)
	if err != nil && !errors.Is(err, account.ErrNotFound) {
		return "", err
	}
	// An address without an account, or without a name, is known by its short form.
	if owner.Username == "" {
		return address.Short(), nil
	}
	return owner.Username, nil
}

// grouped writes a number with its thousands apart, as the page does: 12,345.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// cupCard describes a cup in the head of its page and in the preview of its link, which is how people
// are invited.
func (a *API) cupCard(ctx context.Context, tx *store.Tx, name string) (*card, error) {
	n, err := number(name)
	if err != nil {
		return nil, cup.ErrNotFound
	}
	c, err := a.Cups.Get(ctx, tx, n)
	if err != nil {
		return nil, err
	}
	title, lines := fmt.Sprintf("Cup %d", c.Number), []string{fmt.Sprintf("%d players.", c.Players)}
	if c.Kind == cup.Bots {
		title = "Bot " + strings.ToLower(title)
	}
	switch c.Status {
	case cup.Open:
		lines = append(lines, "Starts on "+c.StartsAt.Format("2 January, 15:04 UTC."))
	case cup.Running:
		lines = append(lines, fmt.Sprintf("Round %d of %d.", c.Round, c.Rounds))
	case cup.Finished:
		winners, err := a.Cups.Winners(ctx, tx, n, n)
		if err != nil {
			return nil, err
		}
		for _, p := range winners[n] {
			lines = append(lines, p.Username+" won.")
		}
	case cup.Cancelled:
		lines = append(lines, "Cancelled.")
	}
	return &card{Card: preview.Card{Kicker: "Cup", Title: title, Lines: lines},
		description: "Rock, paper, scissors in rounds. " + strings.Join(lines, " ")}, nil
}
