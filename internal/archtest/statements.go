package archtest

import (
	"go/ast"
	"regexp"
	"strings"
)

// unfailing are functions with a transaction that need no line in statements tests, with the
// reason.
var unfailing = map[string]string{
	"internal/service/score.Service.TeamJoined": "its statements fail where package team calls it",
	"internal/service/score.Service.TeamClosed": "its statements fail where package team calls it",
	"internal/server/api.API.ReplaceName":       "its statements fail where deleteAccount calls it",
	"internal/service/market.Service.Posted":    "the ledger calls it for each transaction that these tests post",
	"internal/service/portfolio.Service.Posted": "the ledger calls it for each transaction that these tests post",
}

// Statements requires that a package with statements tests (storetest.Statements) runs each of its
// exported functions that take a transaction with each statement failing: an error that such a
// function drops is found there and nowhere else.
func Statements(t *Tree) (problems []Problem) {
	tests := map[string]string{}
	for f := range t.goFiles {
		if f.Test() && strings.Contains(f.Text, "storetest.Statements") || strings.Contains(f.Path, "/statements_") {
			tests[f.Package()] += f.Text
		}
	}
	// Names alone are compared: the tests call methods of fixtures that embed the service.
	for f := range t.goFiles {
		text, tested := tests[f.Package()]
		if !tested || !f.Shipped() || f.Generated() {
			continue
		}
		for _, decl := range f.Syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			// A statement that is read ahead and fails does so again where it is needed.
			if !ok || !fn.Name.IsExported() || !takesTransaction(fn) || strings.HasPrefix(fn.Name.Name, "Prefetch") {
				continue
			}
			if _, known := unfailing[f.Package()+"."+qualified(fn)]; known {
				continue
			}
			if !regexp.MustCompile(`\.` + fn.Name.Name + `\b`).MatchString(text) {
				problems = append(problems, Problem{f.Path, f.Line(fn.Pos()),
					fn.Name.Name + " has no line in TestEachStatement: no test fails its statements"})
			}
		}
	}
	return problems
}

// takesTransaction reports whether a function has a context and a transaction, as all do that run
// statements.
func takesTransaction(fn *ast.FuncDecl) bool {
	context, transaction := false, false
	for _, field := range fn.Type.Params.List {
		switch p := field.Type.(type) {
		case *ast.SelectorExpr:
			context = context || p.Sel.Name == "Context"
		case *ast.StarExpr:
			s, ok := p.X.(*ast.SelectorExpr)
			transaction = transaction || ok && s.Sel.Name == "Tx"
		}
	}
	return context && transaction
}

// qualified returns Receiver.Name, or Name.
func qualified(fn *ast.FuncDecl) string {
	if fn.Recv != nil {
		switch t := fn.Recv.List[0].Type.(type) {
		case *ast.StarExpr:
			if id, ok := t.X.(*ast.Ident); ok {
				return id.Name + "." + fn.Name.Name
			}
		case *ast.Ident:
			return t.Name + "." + fn.Name.Name
		}
	}
	return fn.Name.Name
}
