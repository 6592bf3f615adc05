package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/lab"
	"roshambo/client/strategy"
	"roshambo/verify"
)

// addReadTools adds the tools that read about players, verify and experiment.
func (a *Agent) addReadTools() {
	add(a, tool{"leaderboard", "Leaderboard", "The best of a board, and your own place.", reads}, (*Agent).leaderboard)
	add(a, tool{"bot_profile", "Profile of a bot", "A bot with its rating, record and state, and what its owner says about " +
		"it.", reads}, (*Agent).botProfile)
	add(a, tool{"opponent_history", "History of an opponent", "How a player has moved in the newest rated duels, to find " +
		"patterns.", reads}, (*Agent).opponentHistory)
	add(a, tool{"verify", "Verify a proof", "Check the proof of a finished duel or run on this machine, by the " +
		"verifier of this program, with the receipts that this server has kept: every check with its result, and the " +
		"verdict.", reads}, (*Agent).verify)
	add(a, tool{"lab", "Play strategies offline", "Without strategies: list those of the catalogue. With two to eight of " +
		"them: play a tournament on this machine, of at most 500 duels of each pair, by the rules of the service.", local}, (*Agent).lab)
}

// Board is a leaderboard.
type Board string

// The boards.
const (
	BotsBoard  Board = "bots"
	WeekBoard  Board = "week"
	AllBoard   Board = "all"
	DailyBoard Board = "daily"
	DuelsBoard Board = "duels"
	TeamsBoard Board = "teams"
)

// LeaderboardIn selects rows of a board.
type LeaderboardIn struct {
	Board Board `json:"board,omitempty" jsonschema:"bots, the default: bots by rating; duels: people by rating; week and all: points; daily: the daily challenge; teams"`
	Limit int64 `json:"limit,omitempty" jsonschema:"the number of rows, 10 by default and 50 at most"`
}

// BoardOut is a board.
type BoardOut struct {
	Board string     `json:"board"`
	Rows  []BoardRow `json:"rows"`
	You   *BoardRow  `json:"you,omitempty" jsonschema:"your own row"`
}

// BoardRow is a row of a board.
type BoardRow struct {
	Rank    int64  `json:"rank"`
	Name    Words  `json:"name"`
	Address string `json:"address,omitempty"`
	Kind    string `json:"kind"`
	Value   int64  `json:"value" jsonschema:"points, tiers of the daily challenge, or the rating"`
}

// leaderboard reads a board.
func (a *Agent) leaderboard(ctx context.Context, in LeaderboardIn) (*BoardOut, error) {
	board, limit := api.GetLeaderboardParamsBoardBots, int64(10)
	if in.Board != "" {
		board = api.GetLeaderboardParamsBoard(in.Board)
	}
	if in.Limit != 0 {
		limit = min(max(in.Limit, 1), 50)
	}
	list, err := client.Read[api.LeaderboardOut](a.calls.API.GetLeaderboard(ctx,
		&api.GetLeaderboardParams{Board: &board, Limit: &limit}))
	if err != nil {
		return nil, err
	}
	row := func(r *api.BoardRow) BoardRow {
		return BoardRow{Rank: r.Rank, Name: words(r.Name), Address: plain(deref(r.Address)), Kind: plain(r.Kind),
			Value: r.Value}
	}
	out := &BoardOut{Board: plain(list.Board), Rows: []BoardRow{}}
	for i := range list.Rows {
		out.Rows = append(out.Rows, row(&list.Rows[i]))
	}
	if list.Me != nil {
		own := row(list.Me)
		out.You = &own
	}
	return out, nil
}

// NameIn names a player or bot.
type NameIn struct {
	Name string `json:"name" jsonschema:"the username or address"`
}

// BotOut is a bot.
type BotOut struct {
	Bot         Player `json:"bot"`
	Owner       *Words `json:"owner,omitempty" jsonschema:"absent for bots of the house"`
	House       bool   `json:"house" jsonschema:"one of the service's own bots"`
	Version     *Words `json:"version,omitempty" jsonschema:"of its program, as its owner says"`
	Description *Words `json:"description,omitempty" jsonschema:"as its owner says"`
	Takes       string `json:"takes_challenges" jsonschema:"whose challenges by name it takes: none, met or all"`
	State       string `json:"state" jsonschema:"waiting, in a ranked duel, or neither"`
	Rating      int64  `json:"rating"`
	Deviation   int64  `json:"deviation" jsonschema:"the true strength is within two of it, in 19 of 20 cases"`
	Provisional bool   `json:"provisional"`
	Rank        *int64 `json:"rank,omitempty"`
	Wins        int64  `json:"wins"`
	Losses      int64  `json:"losses"`
	Draws       int64  `json:"draws"`
}

// botProfile reads a bot.
func (a *Agent) botProfile(ctx context.Context, in NameIn) (*BotOut, error) {
	out, err := client.Read[api.ArenaBotOut](a.public.API.GetArenaBot(ctx, in.Name))
	if err != nil {
		return nil, err
	}
	b := &out.Bot
	var description *Words
	if b.Description != nil {
		description = new(clipped(*b.Description, maxDescription))
	}
	return &BotOut{Bot: *player(b.Address, "bot", b.Username), Owner: wordsOf(b.Owner), House: b.House,
		Version: wordsOf(b.Version), Description: description, Takes: plain(b.Challenges.Takes), State: plain(b.State),
		Rating: int64(b.Rating), Deviation: int64(b.Deviation), Provisional: b.Provisional, Rank: b.Rank, Wins: b.Wins,
		Losses: b.Losses, Draws: b.Draws}, nil
}

// HistoryIn selects duels of a player.
type HistoryIn struct {
	Name  string `json:"name" jsonschema:"the username or address of the player or bot"`
	Duels int64  `json:"duels,omitempty" jsonschema:"the number of duels, 5 by default and 10 at most"`
}

// HistoryOut is how a player has moved.
type HistoryOut struct {
	Rock     int64         `json:"rock" jsonschema:"how often the player revealed rock in these duels"`
	Paper    int64         `json:"paper"`
	Scissors int64         `json:"scissors"`
	Duels    []HistoryDuel `json:"duels" jsonschema:"the newest first"`
}

// HistoryDuel is a duel of a player.
type HistoryDuel struct {
	Duel     string         `json:"duel" jsonschema:"its code"`
	Opponent Player         `json:"opponent"`
	Outcome  string         `json:"outcome" jsonschema:"win, loss or draw, for the player"`
	Rounds   []HistoryRound `json:"rounds"`
}

// HistoryRound is a round of such a duel.
type HistoryRound struct {
	Move    Move   `json:"move,omitempty" jsonschema:"of the player; absent if it was not revealed"`
	Against Move   `json:"against,omitempty"`
	Result  string `json:"result" jsonschema:"won, lost, tie or void, for the player"`
}

// opponentHistory reads the newest rated duels of a player.
func (a *Agent) opponentHistory(ctx context.Context, in HistoryIn) (*HistoryOut, error) {
	limit := int64(5)
	if in.Duels != 0 {
		limit = min(max(in.Duels, 1), 10)
	}
	list, err := client.Read[api.BotDuelsOut](a.public.API.ListPlayerDuels(ctx, in.Name,
		&api.ListPlayerDuelsParams{Limit: &limit}))
	if err != nil {
		return nil, err
	}
	out := &HistoryOut{Duels: []HistoryDuel{}}
	for i := range list.Duels {
		rated := &list.Duels[i]
		if rated.Outcome == api.BotDuelOutcomeVoid || rated.Outcome == api.BotDuelOutcomeRestored {
			continue // an operator's correction of a duel that has a line of its own
		}
		d, err := a.read(ctx, rated.ID)
		if err != nil {
			return nil, err
		}
		side := SideA
		if d.A.Address == rated.Opponent.Address {
			side = SideB
		}
		out.Duels = append(out.Duels, HistoryDuel{Duel: plain(rated.ID), Opponent: *named(&rated.Opponent),
			Outcome: plain(rated.Outcome), Rounds: out.count(d, side)})
	}
	return out, nil
}

// count returns the rounds of a duel as one side saw them, and counts its moves.
func (h *HistoryOut) count(d *api.Duel, side Side) []HistoryRound {
	rounds := []HistoryRound{}
	for i := range d.Rounds {
		r := viewRound(&d.Rounds[i])
		one := HistoryRound{Move: r.MoveA, Against: r.MoveB, Result: roundResult(&d.Rounds[i], side)}
		if side == SideB {
			one.Move, one.Against = r.MoveB, r.MoveA
		}
		switch one.Move {
		case Rock:
			h.Rock++
		case Paper:
			h.Paper++
		case Scissors:
			h.Scissors++
		}
		rounds = append(rounds, one)
	}
	return rounds
}

// VerifyIn names what to verify: one of its members.
type VerifyIn struct {
	Duel  string `json:"duel,omitempty" jsonschema:"the code of a duel"`
	Run   string `json:"run,omitempty" jsonschema:"the id of a run"`
	Proof string `json:"proof,omitempty" jsonschema:"the text of a proof from elsewhere"`
}

// VerifyOut is a report.
type VerifyOut struct {
	Verdict string   `json:"verdict" jsonschema:"VALID; PENDING: consistent, and not yet in a block; NOT VALID; CONTRADICTED: the service signed something else before"`
	Pending []string `json:"pending" jsonschema:"the parts that are in no block yet"`
	Checks  []Check  `json:"checks"`
	Next    string   `json:"next" jsonschema:"what the verdict means for you"`
}

// Check is a check of the verifier.
type Check struct {
	ID     string `json:"id"`
	Result string `json:"result" jsonschema:"pass, fail, or note: not a fault, but something to know"`
	// Text may quote the proof, in which players and the service chose texts.
	Text Words `json:"text"`
}

// verify checks a proof on this machine.
func (a *Agent) verify(ctx context.Context, in VerifyIn) (*VerifyOut, error) {
	var proof []byte
	var err error
	switch {
	case in.Duel != "" && in.Run == "" && in.Proof == "":
		proof, err = a.duelProof(ctx, a.calls, in.Duel)
	case in.Run != "" && in.Duel == "" && in.Proof == "":
		proof, err = a.runProof(ctx, a.calls, in.Run)
	case in.Proof != "" && in.Duel == "" && in.Run == "":
		proof = []byte(in.Proof)
	default:
		return nil, hintf("Name one of duel, run and proof.")
	}
	if err != nil {
		return nil, err
	}
	o := verify.Options{}
	if a.VerifierKey != "" {
		o.Key = &a.VerifierKey
	}
	if a.hosted == nil {
		if o.Receipts, err = os.ReadFile(a.receiptsFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	report := verify.Proof(proof, o)
	out := &VerifyOut{Verdict: string(report.Verdict), Pending: report.Pending, Checks: []Check{}}
	for _, c := range report.Checks {
		out.Checks = append(out.Checks, Check{c.ID, string(c.Result), clipped(c.Text, maxCheck)})
	}
	a.measureVerdict(in, &report)
	switch report.Verdict {
	case verify.Valid:
		out.Next = "The proof is valid."
	case verify.Pending:
		out.Next = "The proof is consistent, and a part of it is in no block yet. A game that is over is in one within " +
			"seconds: call verify again."
	case verify.Contradicted:
		out.Next = "The service signed something else while the game went on. Stop playing, and inform the person you " +
			"work for: the receipts in this server's folder are evidence."
	default:
		out.Next = "The proof is not valid: do not trust its result. Inform the person you work for."
	}
	return out, nil
}

// duelProof reads the proof of a duel, as it is.
func (a *Agent) duelProof(ctx context.Context, c *client.Client, code string) ([]byte, error) {
	if !duelCode.MatchString(code) {
		return nil, hintf("The code of a duel is 8 letters and digits.")
	}
	return client.ReadText(c.API.GetDuelProof(ctx, code))
}

// runProof reads the proof of a run, as it is.
func (a *Agent) runProof(ctx context.Context, c *client.Client, id string) ([]byte, error) {
	if !plainText.MatchString(id) {
		return nil, hintf("The id of a run has letters, digits and hyphens.")
	}
	return client.ReadText(c.API.GetRunProof(ctx, id))
}

// LabIn selects strategies.
type LabIn struct {
	Strategies []string `json:"strategies,omitempty" jsonschema:"two or more names of the catalogue; without any, the catalogue is listed"`
	Duels      int64    `json:"duels,omitempty" jsonschema:"duels of each pair; by default 100, or the most that this server plays"`
	Seed       string   `json:"seed,omitempty" jsonschema:"the same text gives the same moves"`
}

// LabOut is the catalogue, or the result of a tournament.
type LabOut struct {
	Catalogue []LabStrategy `json:"catalogue,omitempty"`
	Standings []LabStanding `json:"standings,omitempty" jsonschema:"the best first"`
}

// LabStrategy is a strategy of the catalogue.
type LabStrategy struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// LabStanding is the result of a strategy.
type LabStanding struct {
	Name           string  `json:"name"`
	Score          float64 `json:"score" jsonschema:"the share of its duels that it won, 0 to 1; a draw counts half"`
	Points         float64 `json:"points" jsonschema:"rounds won minus lost, per round"`
	Exploitability float64 `json:"exploitability" jsonschema:"points per round of an opponent that knows its code, 0 to 1"`
}

// labBounds bound the work of a tournament.
type labBounds struct {
	entrants, duels int
	exploit         int // rounds that measure exploitability
	workers         int // 0: all processors
}

// ownLab takes seconds on one machine.
var ownLab = labBounds{entrants: 8, duels: 500, exploit: 200}

// lab lists the strategies or plays them.
func (a *Agent) lab(ctx context.Context, in LabIn) (*LabOut, error) {
	out := &LabOut{}
	if len(in.Strategies) == 0 {
		for _, e := range strategy.Catalogue() {
			out.Catalogue = append(out.Catalogue, LabStrategy{e.Name, e.About})
		}
		return out, nil
	}
	bounds := ownLab
	if a.hosted != nil {
		bounds = hostedLab
	}
	number := hintf("Name two to %d different strategies.", bounds.entrants)
	if len(in.Strategies) > bounds.entrants {
		return nil, number // before anything is computed for each of them
	}
	if a.hosted != nil {
		if _, err := a.me(ctx); err != nil { // a tournament is work for the caller alone: the service has to know the caller
			return nil, err
		}
		end, err := a.hosted.beginLab()
		if err != nil {
			return nil, err
		}
		defer end()
	}
	duels := min(100, bounds.duels)
	if in.Duels != 0 {
		duels = int(min(max(in.Duels, 1), int64(bounds.duels)))
	}
	o := lab.Options{Duels: duels, Exploit: bounds.exploit, Workers: bounds.workers,
		Seed: strategy.Seed{}.Derive("agent " + in.Seed)}
	for _, name := range in.Strategies {
		e, err := lab.Named(name)
		if err != nil {
			return nil, hintf("A strategy is not in the catalogue. Call lab without strategies for their names.")
		}
		o.Entrants = append(o.Entrants, e)
	}
	if o.Check() != nil {
		return nil, number
	}
	result, err := lab.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, s := range result.Standings {
		out.Standings = append(out.Standings, LabStanding{s.Name, s.Score, s.Points, s.Exploitability})
	}
	return out, nil
}
