package api

import (
	"context"
	"net/http"
	"strings"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/contract"
	"roshambo/game"
	"roshambo/internal/server/embed"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// Pages of other sites show a duel or a cup in a frame (package embed). An embed shows what every visitor with its code
// or number may read: a private cup too, of which only joining needs the code, and a duel that is in no list. It has no
// caller, and reads no cookie.

// EmbedPath is the prefix of the paths of embeds: /embed/duel/{code} and /embed/cup/{number}.
const EmbedPath = "/embed/"

// SendEmbed answers a request below EmbedPath in a language of embed.Language. Errors, before anything is written:
// those that map to status 404 when there is no such duel or cup, and others.
func (a *API) SendEmbed(w http.ResponseWriter, r *http.Request, language string) error {
	kind, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, EmbedPath), "/")
	key := kind + "/" + strings.ToUpper(name) + "/" + language // codes have no case
	found, since := a.embeds.find(key, a.Now())
	if found == nil {
		read := embedders[kind]
		if read == nil {
			return contract.ErrNotFound
		}
		var view embedView
		err := a.DB.View(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
			view, err = read(a, ctx, tx, name)
			return err
		})
		if err != nil {
			return err
		}
		html := view.HTML(language)
		found = &embedded{document{"text/html; charset=utf-8", html, withGzip(html)}, a.Now()}
		a.embeds.keep(key, found, since)
	}
	found.send(w, r)
	return nil
}

// embedView is what an embed shows.
type embedView interface {
	HTML(language string) []byte
}

// embedders read what embeds show, by the first segment of their paths, from the second one. They return an error that
// maps to status 404 for a thing that does not exist.
var embedders = map[string]func(a *API, ctx context.Context, tx *store.Tx, name string) (embedView, error){
	"duel": (*API).embedDuel, "cup": (*API).embedCup,
}

// embedDuel reads a duel as spectators see it.
func (a *API) embedDuel(ctx context.Context, tx *store.Tx, name string) (embedView, error) {
	code, ok := duel.ParseCode(name)
	if !ok {
		return nil, duel.ErrNotFound
	}
	d, _, err := a.Duels.Get(ctx, tx, code)
	if err != nil {
		return nil, err
	}
	score := d.Score()
	out := &embed.Duel{Code: d.Code, A: d.A.Username, B: d.B.Username, Won: [2]int{score.WinsA, score.WinsB}}
	switch d.Status {
	case duel.Open:
		out.State = embed.Waiting
	case duel.Active:
		out.State = embed.Playing
	case duel.Finished:
		out.State = embed.Over
		out.Winner = map[game.Side]string{game.A: d.A.Username, game.B: d.B.Username}[d.Winner]
	case duel.Expired:
		out.State = embed.Lapsed
	case duel.Cancelled, duel.Declined, duel.Void:
		out.State = embed.Cancelled
	}
	for _, r := range d.RoundsFor(game.NoSide) {
		out.Rounds = append(out.Rounds, embedRound(&r))
	}
	if d.Rated && d.Status == duel.Finished {
		voided, err := voidOf(ctx, tx, chain.DuelGameID(d.Code))
		if err != nil {
			return nil, err
		}
		if voided != nil {
			out.State = embed.Void
		}
	}
	return out, nil
}

// embedRound returns a round as spectators see it.
func embedRound(r *duel.RoundView) embed.Round {
	out := embed.Round{Number: r.N}
	if r.Decided {
		out.Result = r.Outcome.String()
	}
	for i := range r.Hands {
		if h := &r.Hands[i]; h.HasMove {
			out.Hands[i].Move = h.Move.String()
		}
		out.Hands[i].Sealed = r.Hands[i].Committed
	}
	return out
}

// embedCup reads a cup as spectators see it, with the pairings of its newest round.
func (a *API) embedCup(ctx context.Context, tx *store.Tx, name string) (embedView, error) {
	n, err := number(name)
	if err != nil || strings.HasPrefix(name, "#") {
		return nil, cup.ErrNotFound
	}
	c, err := a.Cups.Get(ctx, tx, n)
	if err != nil {
		return nil, err
	}
	players, err := a.Cups.Players(ctx, tx, n)
	if err != nil {
		return nil, err
	}
	games, _, err := a.Cups.Games(ctx, tx, n)
	if err != nil {
		return nil, err
	}
	out := &embed.Cup{Number: c.Number, Name: c.Name, Bots: c.Kind == cup.Bots, ByHand: c.ByHand, StartsAt: c.StartsAt,
		Round: c.Round, Rounds: c.Rounds}
	switch c.Status {
	case cup.Open:
		out.State = embed.Waiting
	case cup.Running:
		out.State = embed.Playing
		if c.Paused(tx.Now()) {
			out.State = embed.Paused
		}
	case cup.Finished:
		out.State = embed.Over
	case cup.Cancelled:
		out.State = embed.Cancelled
	}
	names := map[string]string{}
	for _, r := range cupTable(c, players, games) {
		names[r.Address] = r.Username
		out.Table = append(out.Table, embed.Row{Rank: r.Rank, Name: r.Username, Points: embed.Halves(r.Points),
			Buchholz: embed.Halves(r.Buchholz), Out: r.Out})
		if c.Status == cup.Finished && r.Rank == 1 {
			out.Winners = append(out.Winners, r.Username)
		}
	}
	for i := range games {
		if games[i].Round == c.Round {
			out.Pairings = append(out.Pairings, embedPairing(&games[i], names))
		}
	}
	return out, nil
}

// embedPairing returns a pairing with the names of the players by address.
func embedPairing(g *tables.Game, names map[string]string) embed.Pairing {
	out := embed.Pairing{A: names[g.A.String()]}
	if g.B != (chain.Address{}) {
		out.B = names[g.B.String()]
	}
	switch {
	case g.Over && out.B != "":
		out.Score = embed.Halves(g.APoints) + " : " + embed.Halves(g.BPoints)
	case g.Over:
		out.Score = embed.Halves(g.APoints)
	}
	return out
}
