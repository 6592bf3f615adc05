package archtest

import "go/ast"

// dating are the packages whose use cases store times.
var dating = []string{"internal/service", "internal/platform/idempotency"}

// nodeClocks are functions of these packages, and functions with a transaction elsewhere, that read this node's
// estimate of the time, with the reason. None of them stores it.
var nodeClocks = map[string]string{
	"internal/platform/event.Relay.sendProbe":           "when the probe was sent",
	"internal/service/account.Service.AuthoriseAssumed": "decides access, and stores nothing",
	"internal/service/account.Service.loadKey":          "decides access, and stores nothing",
	"internal/service/account.Service.loadSession":      "decides access, and stores nothing",
	"internal/service/account.Service.recent":           "decides access, and stores nothing",
	"internal/service/account.Service.Remembered":       "a memory of this node",
	"internal/service/account.Service.remember":         "a memory of this node",
	"internal/service/account.Service.isNoted":          "a memory of this node",
	"internal/service/account.Service.NoteUse":          "when this node noted it, which it stores nowhere",
	"internal/service/account.Service.DropKnownClients": "a memory of this node",
	"internal/service/account.Service.now":              "known clients are a memory of this node",
	"internal/service/account.Service.CheckLogin":       "known clients are a memory of this node",
	"internal/service/account.Service.charges":          "known clients are a memory of this node",
	"internal/service/account.Hasher.withSlot":          "the duration of a hash",
	"internal/service/arena.Service.MatchLoop":          "the duration of a pass",
	"internal/service/duel.Service.dropPairs":           "once a day on this node",
	"internal/service/score.Service.reported":           "how often this node notifies the others",
	"internal/service/score.Service.RunCompactor":       "once a day on this node",
}

// Clocks requires that use cases date what they store by their transaction: COMMIT compares Tx.Now with the
// database's clock, and another clock may be wrong.
func Clocks(t *Tree) (problems []Problem) {
	for f := range t.goFiles {
		if f.Test() || f.Generated() || !within(f.Package(), "internal") || within(f.Package(), "internal/ledger") ||
			within(f.Package(), "internal/store") {
			continue
		}
		for _, decl := range f.Syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil || nodeClocks[f.Package()+"."+qualified(fn)] != "" {
				continue
			}
			c := clockReads{file: f}
			c.walk(fn.Body, dates(f.Package()) || hasTransaction(fn.Type))
			problems = append(problems, c.problems...)
		}
	}
	return problems
}

// dates reports whether a package is one of dating.
func dates(pkg string) bool {
	for _, one := range dating {
		if within(pkg, one) {
			return true
		}
	}
	return false
}

// clockReads finds the calls of Now or now of other values than transactions.
type clockReads struct {
	file     *File
	problems []Problem
}

// walk inspects the body of a function. checked says that calls in it are problems, as a transaction is at hand.
func (c *clockReads) walk(body ast.Node, checked bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit:
			c.walk(x.Body, checked || hasTransaction(x.Type))
			return false
		case *ast.CallExpr:
			sel, ok := x.Fun.(*ast.SelectorExpr)
			if !checked || !ok || len(x.Args) > 0 || sel.Sel.Name != "Now" && sel.Sel.Name != "now" {
				return true
			}
			if of, ok := sel.X.(*ast.Ident); !ok || of.Name != "tx" {
				c.problems = append(c.problems, Problem{c.file.Path, c.file.Line(x.Pos()),
					"a node's clock: a use case takes the time of its transaction, tx.Now()"})
			}
		}
		return true
	})
}

// hasTransaction reports whether a function has a transaction.
func hasTransaction(f *ast.FuncType) bool {
	for _, field := range f.Params.List {
		if star, ok := field.Type.(*ast.StarExpr); ok {
			if pkg, name, ok := selector(star.X); ok && pkg == "store" && name == "Tx" {
				return true
			}
		}
	}
	return false
}
