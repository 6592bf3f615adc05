package agent

import (
	"cmp"
	"context"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool describes a tool to the model and to the program that runs it.
type tool struct {
	name, title string
	// about says what the tool does, when it waits, and what to call next.
	about string
	kind  kind
}

// kind is what a tool does to the account, from which its annotations follow.
type kind int

// The kinds of tools.
const (
	reads  kind = iota // changes nothing
	local              // changes nothing and asks no service
	waits              // plays a round on that has begun
	sets               // changes a setting of the caller
	plays              // changes games of the caller
	spends             // may give up something: coins, a token, a duel
)

// annotations are hints for the program of the agent, which may ask a person before a call that spends.
func (k kind) annotations(title string) *mcp.ToolAnnotations {
	readOnly, spends, open := k == reads || k == local, k == spends, k != local
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: readOnly, IdempotentHint: readOnly || k == waits || k == sets,
		DestructiveHint: &spends, OpenWorldHint: &open}
}

// choices are the types of inputs that have few values.
var choices = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[Move]():  oneOf(Rock, Paper, Scissors),
	reflect.TypeFor[Start](): oneOf(Spar, Ranked, CupGame, Challenge, Open, Join),
	reflect.TypeFor[Takes](): oneOf(TakesNone, TakesMet, TakesAll),
	reflect.TypeFor[Entry](): oneOf(FreeEntry, FeeEntry, BurnEntry, DailyEntry),
	reflect.TypeFor[Then]():  oneOf(Claim, Continue),
	reflect.TypeFor[Board](): oneOf(BotsBoard, WeekBoard, AllBoard, DailyBoard, DuelsBoard, TeamsBoard),
}

// oneOf returns the schema of a text that is one of a list.
func oneOf[T ~string](values ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// add adds a tool. The schemas of its input and output follow from their types; the library refuses other input
// before do is called. The service's own server gets the tools of hostedTools alone. It panics if a type has no schema,
// which is a mistake of the program.
func add[In, Out any](a *Agent, t tool, do func(*Agent, context.Context, In) (*Out, error)) {
	if a.hosted != nil {
		about, offered := hostedTools[t.name]
		if !offered {
			return
		}
		t.about = cmp.Or(about, t.about)
	}
	in, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: choices})
	if err != nil {
		panic(err)
	}
	mcp.AddTool(a.server, &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, InputSchema: in, Annotations: t.kind.annotations(t.title),
	}, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, *Out, error) {
		a := a.of(ctx)
		out, err := do(a, ctx, in)
		if err != nil {
			return nil, nil, a.explain(t.name, err)
		}
		a.advise(out)
		return nil, out, nil
	})
}

// none is the input of a tool without parameters.
type none struct{}
