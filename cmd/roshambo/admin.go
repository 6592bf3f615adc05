package main

import (
	"bufio"
	"context"
	"encoding/json"
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

	Open struct{} `cmd:"" help:"Print a link that opens the operators' page for one browser: good once, for a minute, for an hour."`
	app.OperatorCommands
}

// Run calls the operators' API and prints the answer. The command has the name of the call, and its arguments
// and flags are the parameters. A call that the service refuses until it has the name of what it hits is made
// again with the name, for which Run asks. The exit status is 2 without keys.
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
	given, query := map[string]string{}, url.Values{}
	for _, p := range parameters {
		given[p.Name] = fmt.Sprint(p.Target.Interface())
		query.Set(p.Name, given[p.Name])
	}
	body := app.OperatorArguments(given)
	switch {
	case command.Name == "open":
		return c.open(ctx, code)
	case app.OperatorReads(command.Name):
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

// open prints a link to the operators' page: on the standard output the link alone.
func (c *adminCommand) open(ctx context.Context, code *int) error {
	answer, err := c.ask(ctx, code, http.MethodPost, "open", map[string]string{})
	if err != nil {
		return err
	}
	var link struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal([]byte(answer), &link); err != nil {
		return fmt.Errorf("the answer has no link: %w", err)
	}
	fmt.Fprintln(os.Stderr, "Open this link in a browser within a minute. It is good once, at this node:")
	fmt.Println(strings.TrimSuffix(c.Admin, "/") + link.Path)
	return nil
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
