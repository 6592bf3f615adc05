package app

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"strings"

	"roshambo/internal/server/adminpage"
)

// OperatorCommands lists the acts of operators once: the commands of `roshambo admin`, the calls of the operators' API
// and the forms of the operators' page. Each field is an act, whose fields are its arguments (arg) and flags. The tags
// are the command line's tags, which the page reads, too.
type OperatorCommands struct {
	Account struct {
		Account string `arg:"" help:"Name or address."`
	} `cmd:"" help:"Look an account up, by its name or address."`
	Freeze   operatorConfirmed `cmd:"" help:"Suspend the sessions of an account and refuse its keys, its bots and signing in."`
	Unfreeze operatorReasoned  `cmd:"" help:"Admit a frozen account again."`
	Rename   operatorConfirmed `cmd:"" help:"Replace an abusive name by a generated one."`
	Restore  struct {
		Account string `arg:"" help:"Name or address."`
		Name    string `arg:"" help:"The name that the account gets back."`
		Reason  string `help:"Why, for the log of acts: 3 to 300 bytes." required:""`
	} `cmd:"" name:"restore-name" help:"Give an account a name back that was replaced."`
	Hide struct {
		operatorThing

		Confirm string `help:"The name of the team or the cup, the username of the bot, or that in the item (its kind if it has none), as confirmation."`
	} `cmd:"" help:"Hide the name of a team or a cup, version and description of a bot, with a public reason, or an item of the feed."`
	Unhide        operatorThing  `cmd:"" help:"Show the name of a team or a cup, the words of a bot, or an item of the feed, again."`
	Void          operatorResult `cmd:"" help:"Declare the result of a rated duel or of a daily run void, with a public reason."`
	RestoreResult operatorResult `cmd:"" name:"restore-result" help:"Take a void back, once, before the season closes."`

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

// operatorReasoned has the arguments of an act on an account with a reason.
type operatorReasoned struct {
	Account string `arg:"" help:"Name or address."`
	Reason  string `help:"Why, for the log of acts: 3 to 300 bytes." required:""`
}

// operatorConfirmed has the arguments of an act that takes something away from an account.
type operatorConfirmed struct {
	operatorReasoned

	Confirm string `help:"The username of the account, as confirmation."`
}

// operatorThing has the arguments of an act on the name of a team or a cup, on the words of a bot, or on an item of the
// feed.
type operatorThing struct {
	Kind   string `arg:"" enum:"team,cup,bot,feed" help:"team, cup, bot or feed."`
	ID     string `arg:"" help:"Slug of the team, number of the cup, name or address of the bot, or id of the item."`
	Reason string `help:"Why: 3 to 300 bytes; public but for an item." required:""`
}

// operatorResult has the arguments of an act on the result of a game.
type operatorResult struct {
	Game   string `arg:"" enum:"duel,run" help:"duel or run."`
	ID     string `arg:"" help:"Code of the rated duel, or id of the daily run."`
	Reason string `help:"Why, shown to everyone: 3 to 300 bytes." required:""`

	Confirm string `help:"The username of a player of the game, as confirmation."`
}

// operatorAct is a call of the operators' API.
type operatorAct struct {
	reads bool // changes nothing but the log of acts, which has reads, too
	do    func(*operatorCall, context.Context) (any, error)
}

// operatorActs are the calls of the operators' API by name: the acts of OperatorCommands, and open, which makes the
// link that opens their page.
var operatorActs = map[string]operatorAct{
	"account": {reads: true, do: (*operatorCall).account}, "freeze": {do: (*operatorCall).freeze},
	"unfreeze": {do: (*operatorCall).unfreeze}, "rename": {do: (*operatorCall).rename},
	"restore-name": {do: (*operatorCall).restoreName}, "hide": {do: (*operatorCall).hide},
	"unhide": {do: (*operatorCall).hide}, "void": {do: (*operatorCall).void},
	"restore-result": {do: (*operatorCall).restoreResult}, "flows": {reads: true, do: (*operatorCall).flows},
	"clusters": {reads: true, do: (*operatorCall).clusters}, "log": {reads: true, do: (*operatorCall).log},
	"open": {do: (*operatorCall).open},
}

// OperatorReads reports whether an act of OperatorCommands only reads: its call is a GET.
func OperatorReads(act string) bool { return operatorActs[act].reads }

// OperatorArguments returns the arguments of a command or a form as its call takes them: a thing and a game are named
// by their kind, {"team": SLUG} for {"kind": "team", "id": SLUG}. The kind is one of its enum.
func OperatorArguments(given map[string]string) map[string]string {
	arguments := maps.Clone(given)
	for _, name := range []string{"kind", "game"} {
		if kind, ok := given[name]; ok {
			delete(arguments, name)
			delete(arguments, "id")
			arguments[kind] = given["id"]
		}
	}
	return arguments
}

// operatorForms returns the acts of OperatorCommands as the page shows them.
func operatorForms() (acts []adminpage.Act) {
	for command := range reflect.TypeFor[OperatorCommands]().Fields() {
		name := cmp.Or(command.Tag.Get("name"), strings.ToLower(command.Name))
		act := adminpage.Act{Name: name, Help: command.Tag.Get("help"), Reads: OperatorReads(name)}
		for _, f := range reflect.VisibleFields(command.Type) {
			if f.Anonymous { // its own fields follow
				continue
			}
			_, isArgument := f.Tag.Lookup("arg")
			_, isRequired := f.Tag.Lookup("required")
			field := adminpage.Field{Name: strings.ToLower(f.Name), Help: f.Tag.Get("help"), Default: f.Tag.Get("default"),
				Required: isArgument || isRequired, Number: f.Type.Kind() == reflect.Int}
			if options := f.Tag.Get("enum"); options != "" {
				field.Options = strings.Split(options, ",")
			}
			switch field.Name {
			case "reason", "confirm":
				field.Required = true // the page has no later question
				act.Confirmation = append(act.Confirmation, field)
			default:
				act.Fields = append(act.Fields, field)
			}
		}
		acts = append(acts, act)
	}
	return acts
}
