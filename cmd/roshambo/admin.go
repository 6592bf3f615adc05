package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"roshambo/internal/app"
)

// adminCommand acts on accounts as an operator, through the admin address of a running service.
type adminCommand struct {
	Admin    string `help:"Base URL of the service's admin address (--admin-listen)." default:"http://127.0.0.1:9090" env:"ROSHAMBO_ADMIN_URL"`
	Data     string `help:"Folder of the service's keys, unless ROSHAMBO_KEYS has them." default:"${data}" env:"ROSHAMBO_DATA" type:"path"`
	Operator string `help:"Your name, for the log of acts." default:"${operator}" env:"ROSHAMBO_OPERATOR"`

	Account  adminAccount  `cmd:"" help:"Look an account up, by its name or address."`
	Freeze   adminFreeze   `cmd:"" help:"Suspend the sessions of an account and refuse its keys, its bots and signing in."`
	Unfreeze adminUnfreeze `cmd:"" help:"Admit a frozen account again."`
	Rename   adminRename   `cmd:"" help:"Replace an abusive name by a generated one."`
	Restore  adminRestore  `cmd:"" name:"restore-name" help:"Give an account a name back that was replaced."`
	Hide     adminHide     `cmd:"" help:"Hide the name of a team, with a public reason, or an item of the feed."`
	Unhide   adminUnhide   `cmd:"" help:"Show the name of a team or an item of the feed again."`
	Void     adminVoid     `cmd:"" help:"Declare the result of a rated duel or of a daily run void, with a public reason."`

	RestoreResult adminRestoreResult `cmd:"" help:"Take a void back, once, before the season closes."`
	Flows         adminFlows         `cmd:"" help:"List the largest value flows between accounts."`
	Clusters      adminClusters      `cmd:"" help:"List the accounts that value flows or owners connect."`
	Log           adminLog           `cmd:"" help:"Verify the log of acts and list its newest entries."`
}

// call calls the operators' API and prints the answer. The exit status is 2 without keys.
func (c *adminCommand) call(ctx context.Context, code *int, method, path string, body map[string]string) error {
	answer, err := c.ask(ctx, code, method, path, body)
	if err != nil {
		return err
	}
	fmt.Println(answer)
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

// confirmed makes a call that the service refuses until it has the name of what it hits: it shows the refusal, asks for
// the name and calls again, unless body has the name already.
func (c *adminCommand) confirmed(ctx context.Context, code *int, path string, body map[string]string) error {
	answer, err := c.ask(ctx, code, http.MethodPost, path, body)
	if err == nil {
		fmt.Println(answer)
		return nil
	}
	if body["confirm"] != "" || !strings.Contains(err.Error(), `"hits"`) {
		return err
	}
	fmt.Fprintf(os.Stderr, "%v\nType the name to confirm: ", err)
	name, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return fmt.Errorf("not confirmed: %w", err)
	}
	body["confirm"] = strings.TrimSpace(name)
	return c.call(ctx, code, http.MethodPost, path, body)
}

// adminAccount looks an account up.
type adminAccount struct {
	Account string `arg:"" help:"Name or address."`
}

// Run prints the account.
func (c *adminAccount) Run(ctx context.Context, code *int, all *cli) error {
	return all.Admin.call(ctx, code, http.MethodGet, "account?account="+url.QueryEscape(c.Account), nil)
}

// adminAct is an act on an account with a reason.
type adminAct struct {
	Account string `arg:"" help:"Name or address."`
	Reason  string `help:"Why, for the log of acts: 3 to 300 bytes." required:""`
}

func (c *adminAct) body() map[string]string {
	return map[string]string{"account": c.Account, "reason": c.Reason}
}

// adminConfirmed is an act that takes something away.
type adminConfirmed struct {
	adminAct

	Confirm string `help:"The username, in place of the question."`
}

func (c *adminConfirmed) body() map[string]string {
	return map[string]string{"account": c.Account, "reason": c.Reason, "confirm": c.Confirm}
}

// adminFreeze freezes an account.
type adminFreeze struct{ adminConfirmed }

// Run prints the accounts that it has frozen.
func (c *adminFreeze) Run(ctx context.Context, code *int, all *cli) error {
	return all.Admin.confirmed(ctx, code, "freeze", c.body())
}

// adminUnfreeze unfreezes an account.
type adminUnfreeze struct{ adminAct }

// Run prints the accounts that were frozen.
func (c *adminUnfreeze) Run(ctx context.Context, code *int, all *cli) error {
	return all.Admin.call(ctx, code, http.MethodPost, "unfreeze", c.body())
}

// adminRename withdraws a name.
type adminRename struct{ adminConfirmed }

// Run prints the new name.
func (c *adminRename) Run(ctx context.Context, code *int, all *cli) error {
	return all.Admin.confirmed(ctx, code, "rename", c.body())
}

// adminRestore restores a name.
type adminRestore struct {
	Account string `arg:"" help:"Name or address."`
	Name    string `arg:"" help:"The name that the account gets back."`
	Reason  string `help:"Why, for the log of acts: 3 to 300 bytes." required:""`
}

// Run prints the restored name.
func (c *adminRestore) Run(ctx context.Context, code *int, all *cli) error {
	return all.Admin.call(ctx, code, http.MethodPost, "restore-name",
		map[string]string{"account": c.Account, "name": c.Name, "reason": c.Reason})
}

// adminUnhide shows a hidden thing again.
type adminUnhide struct {
	Kind   string `arg:"" enum:"team,feed" help:"team or feed."`
	ID     string `arg:"" help:"Slug of the team, or id of the item."`
	Reason string `help:"Why: 3 to 300 bytes; public for a team." required:""`
}

// Run prints the shown name.
func (c *adminUnhide) Run(ctx context.Context, code *int, all *cli) error {
	return all.Admin.call(ctx, code, http.MethodPost, "unhide", map[string]string{c.Kind: c.ID, "reason": c.Reason})
}

// adminHide hides the name of a team, or an item of the feed.
type adminHide struct {
	adminUnhide

	Confirm string `help:"The name of the team, in place of the question."`
}

// Run prints the generated name.
func (c *adminHide) Run(ctx context.Context, code *int, all *cli) error {
	return all.Admin.confirmed(ctx, code, "hide",
		map[string]string{c.Kind: c.ID, "reason": c.Reason, "confirm": c.Confirm})
}

// adminVoid declares a result void.
type adminVoid struct {
	Game   string `arg:"" enum:"duel,run" help:"duel or run."`
	ID     string `arg:"" help:"Code of the rated duel, or id of the daily run."`
	Reason string `help:"Why, shown to everyone: 3 to 300 bytes." required:""`

	Confirm string `help:"The username of a player, in place of the question."`
}

func (c *adminVoid) body() map[string]string {
	return map[string]string{c.Game: c.ID, "reason": c.Reason, "confirm": c.Confirm}
}

// Run prints the transaction that declares it.
func (c *adminVoid) Run(ctx context.Context, code *int, all *cli) error {
	return all.Admin.confirmed(ctx, code, "void", c.body())
}

// adminRestoreResult takes a void back.
type adminRestoreResult struct {
	adminVoid
}

// Run prints the transaction that restores the result.
func (c *adminRestoreResult) Run(ctx context.Context, code *int, all *cli) error {
	return all.Admin.confirmed(ctx, code, "restore-result", c.body())
}

// adminFlows lists value flows.
type adminFlows struct {
	Hours int `help:"Length of the period until now, in hours." default:"24"`
	Limit int `help:"Number of pairs." default:"50"`
}

// Run prints the flows, the largest first.
func (c *adminFlows) Run(ctx context.Context, code *int, all *cli) error {
	q := url.Values{"hours": {strconv.Itoa(c.Hours)}, "limit": {strconv.Itoa(c.Limit)}}
	return all.Admin.call(ctx, code, http.MethodGet, "flows?"+q.Encode(), nil)
}

// adminClusters lists connected accounts.
type adminClusters struct {
	Hours int `help:"Length of the period until now, in hours." default:"24"`
	Coins int `help:"Ignore pairs with less coins." default:"1"`
	Limit int `help:"Number of clusters." default:"20"`
}

// Run prints the clusters, the richest first.
func (c *adminClusters) Run(ctx context.Context, code *int, all *cli) error {
	q := url.Values{"hours": {strconv.Itoa(c.Hours)}, "coins": {strconv.Itoa(c.Coins)}, "limit": {strconv.Itoa(c.Limit)}}
	return all.Admin.call(ctx, code, http.MethodGet, "clusters?"+q.Encode(), nil)
}

// adminLog lists acts.
type adminLog struct {
	Limit int `help:"Number of entries." default:"50"`
}

// Run prints the entries, the newest first.
func (c *adminLog) Run(ctx context.Context, code *int, all *cli) error {
	return all.Admin.call(ctx, code, http.MethodGet, "log?limit="+strconv.Itoa(c.Limit), nil)
}
