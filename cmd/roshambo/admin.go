package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"roshambo/internal/app"
)

// adminCommand acts on accounts as an operator, through the admin address of a running service.
type adminCommand struct {
	Admin    string `help:"Base URL of the service's admin address (--admin-listen)." default:"http://127.0.0.1:9090" env:"ROSHAMBO_ADMIN_URL"`
	Data     string `help:"Folder of the service's keys, unless ROSHAMBO_KEYS has them." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Operator string `help:"Your name, for the log of acts." default:"${operator}" env:"ROSHAMBO_OPERATOR"`

	Account struct {
		Account string `arg:"" help:"Name or address."`
	} `cmd:"" help:"Look an account up, by its name or address."`
	Freeze   adminConfirmed `cmd:"" help:"Suspend the sessions of an account and refuse its keys, its bots and signing in."`
	Unfreeze adminAct       `cmd:"" help:"Admit a frozen account again."`
	Rename   adminConfirmed `cmd:"" help:"Replace an abusive name by a generated one."`
	Restore  struct {
		Account string `arg:"" help:"Name or address."`
		Name    string `arg:"" help:"The name that the account gets back."`
		Reason  string `help:"Why, for the log of acts: 3 to 300 bytes." required:""`
	} `cmd:"" name:"restore-name" help:"Give an account a name back that was replaced."`
	Hide struct {
		adminThing

		Confirm string `help:"The name of the team or the cup, or the username of the bot or in the item, in place of the question."`
	} `cmd:"" help:"Hide the name of a team or a cup, version and description of a bot, with a public reason, or an item of the feed."`
	Unhide        adminThing  `cmd:"" help:"Show the name of a team or a cup, the words of a bot, or an item of the feed, again."`
	Void          adminResult `cmd:"" help:"Declare the result of a rated duel or of a daily run void, with a public reason."`
	RestoreResult adminResult `cmd:"" help:"Take a void back, once, before the season closes."`

	Flows struct {
		Hours int `help:"Length of the period until now, in hours." default:"24"`
		Limit int `help:"Number of pairs." default:"50"`
	} `cmd:"" help:"List the largest value flows between accounts."`
	Clusters struct {
		Hours int `help:"Length of the period until now, in hours." default:"24"`
		Coins int `help:"Ignore pairs with less coins." default:"1"`
		Limit int `help:"Number of clusters." default:"20"`
	} `cmd:"" help:"List the accounts that value flows or owners connect."`
	Log struct {
		Limit int `help:"Number of entries." default:"50"`
	} `cmd:"" help:"Verify the log of acts and list its newest entries."`
}

// adminAct is an act on an account with a reason.
type adminAct struct {
	Account string `arg:"" help:"Name or address."`
	Reason  string `help:"Why, for the log of acts: 3 to 300 bytes." required:""`
}

// adminConfirmed is an act that takes something away.
type adminConfirmed struct {
	adminAct

	Confirm string `help:"The username, in place of the question."`
}

// adminThing is an act on the name of a team or a cup, on the words of a bot, or on an item of the feed.
type adminThing struct {
	Kind   string `arg:"" enum:"team,cup,bot,feed" help:"team, cup, bot or feed."`
	ID     string `arg:"" help:"Slug of the team, number of the cup, name or address of the bot, or id of the item."`
	Reason string `help:"Why: 3 to 300 bytes; public but for an item." required:""`
}

// adminResult is an act on the result of a game.
type adminResult struct {
	Game   string `arg:"" enum:"duel,run" help:"duel or run."`
	ID     string `arg:"" help:"Code of the rated duel, or id of the daily run."`
	Reason string `help:"Why, shown to everyone: 3 to 300 bytes." required:""`

	Confirm string `help:"The username of a player, in place of the question."`
}

// adminReads are the commands that only read.
var adminReads = []string{"account", "flows", "clusters", "log"}

// Run calls the operators' API and prints the answer. The name of the command is that of the call, and its
// arguments and flags are the parameters. A call that the service refuses until it has the name of what it hits
// is made again with the name, for which Run asks. The exit status is 2 without keys.
func (c *adminCommand) Run(ctx context.Context, code *int, parsed *kong.Context) error {
	command := parsed.Selected()
	if len(command.Children) > 0 { // admin alone, which kong takes for a command, as it has this method
		*code = 2
		return errors.New("name what to do: roshambo admin --help lists it")
	}
	parameters := slices.Clone(command.Positional)
	for _, flag := range command.Flags {
		parameters = append(parameters, flag.Value)
	}
	body, query := map[string]string{}, url.Values{}
	for _, p := range parameters {
		body[p.Name] = fmt.Sprint(p.Target.Interface())
		query.Set(p.Name, body[p.Name])
	}
	if id, ok := body["id"]; ok { // the call names it by the kind of the thing
		kind := parameters[0].Name
		body[body[kind]] = id
		delete(body, kind)
		delete(body, "id")
	}
	if slices.Contains(adminReads, command.Name) {
		return c.print(c.ask(ctx, code, http.MethodGet, command.Name+"?"+query.Encode(), nil))
	}
	answer, err := c.ask(ctx, code, http.MethodPost, command.Name, body)
	if err == nil || body["confirm"] != "" || !strings.Contains(err.Error(), `"hits"`) {
		return c.print(answer, err)
	}
	fmt.Fprintf(os.Stderr, "%v\nType the name to confirm: ", err)
	name, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return fmt.Errorf("not confirmed: %w", err)
	}
	body["confirm"] = strings.TrimSpace(name)
	return c.print(c.ask(ctx, code, http.MethodPost, command.Name, body))
}

// ask calls the operators' API and returns the answer.
func (c *adminCommand) ask(
	ctx context.Context, code *int, method, path string, body map[string]string,
) (string, error) {
	token, err := app.ReadOperatorToken(c.Data, os.Getenv(app.KeysEnv))
	if err != nil {
		*code = 2
		return "", err
	}
	return app.OperatorCall{Address: c.Admin, Token: token, Operator: c.Operator, Method: method, Path: path,
		Body: body}.Do(ctx)
}

// print prints the answer of a call, and returns its error.
func (*adminCommand) print(answer string, err error) error {
	if err == nil {
		fmt.Println(answer)
	}
	return err
}
