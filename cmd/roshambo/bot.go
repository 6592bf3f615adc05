package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/program"
	"roshambo/client/strategy"
	"roshambo/game"
)

// botCommand plays ranked duels in the arena.
type botCommand struct {
	URL        string        `name:"url" help:"Base URL of the service." default:"http://127.0.0.1:8080" env:"ROSHAMBO_URL"`
	Key        string        `help:"The key of the bot, rsb_…; prefer the environment, which other users cannot read." env:"ROSHAMBO_KEY"`
	Strategy   string        `help:"The strategy; roshambo lab --list lists all." default:"iocaine"`
	Exec       string        `help:"A program that plays in place of --strategy, as in roshambo lab (docs/lab.md)." placeholder:"COMMAND"`
	MoveTime   time.Duration `help:"Time limit of the program's move; its first move has 10 seconds." default:"1s"`
	Cup        string        `help:"Join this cup for bots before it starts, and play its duels: its number, or the link of a private one, or number and code, 7#CODE." placeholder:"CUP"`
	Duels      int           `help:"Number of duels, ranked ones and those of a cup; 0 means until stopped." default:"0"`
	State      string        `help:"File for the committed move and salt, so that a restart loses no round." type:"path" placeholder:"FILE"`
	Receipts   string        `help:"File to which the service's signed statements are appended, evidence for verify --receipts." type:"path" placeholder:"FILE"`
	Challenges bool          `help:"Also accept challenges without a stake, and play them beside the ranked duels, one at a time."`
	BotVersion string        `help:"Name the version of the program on the bot's profile: letters, digits and . _ + -, at most 32." placeholder:"VERSION"`
	LogKey     string        `help:"The verifier key of the service's log, from a source you trust; by default the one that the service states." placeholder:"KEY"`
	Verbose    bool          `short:"v" help:"Log progress."`
}

// linger is the time for a duel in progress after a signal to stop. Most duels take less than a
// second; the longest wait is for an opponent that has disconnected.
const linger = time.Minute

// Run joins the cup, and plays until it has played enough or receives a signal: then it leaves the queue and
// finishes the duel in progress. The exit status is 2 for invalid options.
func (c *botCommand) Run(ctx context.Context, code *int) error {
	var seed strategy.Seed
	if _, err := rand.Read(seed[:]); err != nil {
		return err
	}
	// Each opponent meets moves from a seed of its own, so that none of them can learn from the
	// others' duels.
	pick := func(opponent string) (strategy.Strategy, error) {
		return strategy.New(c.Strategy, seed.Derive(opponent))
	}
	// Collect all invalid options, so that one start reports them together.
	_, err := pick("")
	var choose func(program.Turn) (game.Move, error)
	if c.Exec != "" {
		p, errProgram := program.Parse(c.Exec, c.MoveTime)
		if err = errors.Join(err, errProgram); errProgram == nil {
			player := p.Player(seed)
			defer player.Close()
			choose = player.Move
		}
	}
	if c.Key == "" {
		err = errors.Join(err, errors.New("the bot's key is missing: --key, or ROSHAMBO_KEY"))
	}
	if c.Duels < 0 {
		err = errors.Join(err, fmt.Errorf("%d duels, want 0 or more", c.Duels))
	}
	number, invite, errCup := c.parseCup()
	err = errors.Join(err, errCup)
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelInfo
	}
	// Retry without limit while the service restarts.
	caller, errClient := client.New(client.Options{URL: c.URL, Key: c.Key, RetryBudget: -1,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))})
	if err = errors.Join(err, errClient); err != nil {
		*code = 2
		return err
	}
	won, played := 0, 0
	bot, err := client.NewBot(client.BotOptions{
		Client: caller, Strategy: pick, Choose: choose, State: c.State, Linger: linger,
		Receipts: c.Receipts, VerifierKey: c.LogKey, Challenges: c.Challenges, Version: c.BotVersion,
		Ended: func(d *api.Duel) {
			played++
			result := client.Result(d)
			if result == "won" {
				won++
			}
			fmt.Printf("%s against %s, %d of %d won: %s/d/%s\n", result, opponent(d), won, played, c.URL, d.ID)
		},
	})
	if err != nil {
		return err
	}
	if number != 0 {
		if err := bot.JoinCup(ctx, number, invite); err != nil {
			return fmt.Errorf("join cup %d: %w%s", number, err, remedies[client.Code(err)])
		}
		fmt.Printf("in cup %d: %s/cups/%[1]d\n", number, strings.TrimSuffix(c.URL, "/"))
	}
	return bot.Run(ctx, c.Duels)
}

// parseCup returns the number in --cup, 0 for no cup, and the code after it. A link is good for its own service alone:
// the number would name another cup here.
func (c *botCommand) parseCup() (number int64, code string, err error) {
	if c.Cup == "" {
		return 0, "", nil
	}
	text := strings.TrimPrefix(c.Cup, strings.TrimSuffix(c.URL, "/")+"/cups/")
	text, code, _ = strings.Cut(text, "#")
	if number, err = strconv.ParseInt(text, 10, 64); err != nil || number < 1 {
		return 0, "", fmt.Errorf("%q is no cup, want its number, such as 7, with the code of a private one, 7#CODE, "+
			"or its link on %s", c.Cup, c.URL)
	}
	return number, code, nil
}

// remedies say what to do after a refusal to join a cup, by its code; the message of the service says why.
var remedies = map[string]string{
	"not_found":     "; /cups lists the public ones with their numbers",
	"forbidden":     "; choose another cup, or leave --cup out to play ranked duels",
	"cup_private":   "; the code follows the number: --cup 7#CODE",
	"cup_started":   "; choose another cup, or leave --cup out to play ranked duels",
	"cup_full":      "; choose another cup, or leave --cup out to play ranked duels",
	"limit_reached": "; choose another cup, or leave --cup out to play ranked duels",
	"in_cup":        "; leave the other cup first, with POST /api/cups/{number}/leave, or give its number",
}

// opponent returns the name of the caller's opponent.
func opponent(d *api.Duel) string {
	if d.You != nil && *d.You == api.DuelYouB {
		return d.A.Username
	}
	return d.B.Username
}
