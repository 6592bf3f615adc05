package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutant is one mistake in one file.
type mutant struct {
	pkg, file string // folder and file, from the root
	function  string // Receiver.Name, or Name
	kind      string
	line      int
	was, is   string // the source line, without and with the mistake
	from, to  int    // offsets of the replaced text
	text      string // the replacement

	number int // of the package's mutants, from 1; 0 while it is not planted
	decl   *ast.FuncDecl
	source *source
}

// source is a parsed file.
type source struct {
	pkg, path   string
	packageName string
	text        []byte
	set         *token.FileSet
	function    *ast.FuncDecl
	besides     map[ast.Expr]bool // constants that are returned beside an error
	capacities  map[ast.Expr]bool // capacities of slices, which have no effect
	mutants     []*mutant
}

// mutantsOf returns all mistakes that can be planted in a package, in the order of its files.
func mutantsOf(root, pkg string) (list []*mutant, err error) {
	files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		// The tests are built without the files of other builds, such as those with the tag nightly.
		if built, err := build.Default.MatchFile(filepath.Dir(file), filepath.Base(file)); err != nil {
			return nil, err
		} else if !built {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := mutantsIn(pkg, filepath.Join(pkg, filepath.Base(file)), text)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no file to plant a mistake in", pkg)
	}
	return list, nil
}

func mutantsIn(pkg, path string, text []byte) ([]*mutant, error) {
	s := &source{pkg: pkg, path: path, text: text, set: token.NewFileSet(), besides: map[ast.Expr]bool{},
		capacities: map[ast.Expr]bool{}}
	file, err := parser.ParseFile(s.set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s.packageName = file.Name.Name
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		s.function = fn
		ast.Inspect(fn.Body, s.visit)
	}
	// By position, so that the order does not depend on the traversal.
	slices.SortStableFunc(s.mutants, func(a, b *mutant) int { return a.from - b.from })
	return s.mutants, nil
}

func (s *source) visit(n ast.Node) bool {
	if logs(n) || prefetches(n) {
		return false
	}
	if e, ok := n.(ast.Expr); ok && s.capacities[e] {
		return false
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		if fn, ok := n.Fun.(*ast.Ident); ok && fn.Name == "make" && len(n.Args) == 3 {
			s.capacities[n.Args[2]] = true
		}
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
		s.replace("remove", n, "")
	case *ast.AssignStmt:
		s.assignment(n)
	case *ast.IfStmt:
		s.condition(n)
	case *ast.CaseClause:
		s.cases(n)
	case *ast.ForStmt:
		if n.Cond != nil {
			s.replace("negate", n.Cond, "!("+s.read(n.Cond)+")")
		}
	case *ast.ReturnStmt:
		s.result(n)
	case *ast.BinaryExpr:
		s.operator(n)
	case *ast.BasicLit:
		if s.besides[n] {
			return false
		}
		if v, err := strconv.ParseInt(n.Value, 0, 64); n.Kind == token.INT && err == nil {
			s.replace("constant", n, strconv.FormatInt(v+1, 10))
		}
	case *ast.Ident:
		if opposite, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok && !s.besides[n] {
			s.replace("constant", n, opposite)
		}
	}
	return true
}

// logs reports whether a statement only writes to a log, which tests need not cover.
func logs(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		for _, s := range n.Body.List {
			if !logs(s) {
				return false
			}
		}
		return n.Else == nil && len(n.Body.List) > 0
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Debug", "Info", "Warn", "Error"}, method.Sel.Name) {
			return false
		}
		to, ok := method.X.(*ast.SelectorExpr)
		return ok && (to.Sel.Name == "log" || strings.EqualFold(to.Sel.Name, "logger"))
	}
	return false
}

// prefetches reports whether a statement only reads ahead: a query that was not prefetched runs where
// it is called.
func prefetches(n ast.Node) bool {
	statement, ok := n.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := statement.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	name := ""
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		name = fn.Name
	case *ast.SelectorExpr:
		name = fn.Sel.Name
	}
	return strings.HasPrefix(strings.ToLower(name), "prefetch")
}

// assignment removes a change of a variable, but not its declaration.
func (s *source) assignment(n *ast.AssignStmt) {
	switch n.Tok {
	case token.DEFINE:
	case token.ADD_ASSIGN:
		s.replace("remove", n, "")
		s.token("arithmetic", n.TokPos, "+=", "-=")
	case token.SUB_ASSIGN:
		s.replace("remove", n, "")
		s.token("arithmetic", n.TokPos, "-=", "+=")
	default:
		s.replace("remove", n, "")
	}
}

// condition drops the error that an if statement checks, or negates its condition.
func (s *source) condition(n *ast.IfStmt) {
	name, isErr := asksForError(n.Cond)
	if isErr && n.Else == nil && leaves(n.Body) {
		s.replace("drop", n.Body, "{ _ = "+name+" }")
	}
	if !isErr {
		s.replace("negate", n.Cond, "!("+s.read(n.Cond)+")")
	}
}

// asksForError reports whether a condition is "name != nil" for an error, and returns the name.
func asksForError(cond ast.Expr) (name string, yes bool) {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ {
		return "", false
	}
	x, ok := b.X.(*ast.Ident)
	y, none := b.Y.(*ast.Ident)
	if !ok || !none || y.Name != "nil" || !strings.HasPrefix(x.Name, "err") {
		return "", false
	}
	return x.Name, true
}

// leaves reports whether a block ends with return, continue, break or a panic.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// cases negates the conditions of a switch without a tag; in other switches cases are values.
func (s *source) cases(n *ast.CaseClause) {
	for _, e := range n.List {
		if b, ok := e.(*ast.BinaryExpr); ok {
			if _, isErr := asksForError(b); !isErr {
				s.replace("negate", b, "!("+s.read(b)+")")
			}
		}
	}
}

// result drops the error that a function returns.
func (s *source) result(n *ast.ReturnStmt) {
	results := s.function.Type.Results
	if len(n.Results) == 0 || results == nil {
		return
	}
	last, ok := results.List[len(results.List)-1].Type.(*ast.Ident)
	if !ok || last.Name != "error" {
		return
	}
	e := n.Results[len(n.Results)-1]
	if none, ok := e.(*ast.Ident); !ok || none.Name != "nil" {
		for _, r := range n.Results { // callers ignore values beside an error
			s.besides[r] = true
		}
	}
	switch e := e.(type) {
	case *ast.Ident:
		if strings.HasPrefix(e.Name, "err") || strings.HasPrefix(e.Name, "Err") {
			s.replace("drop", e, "nil")
		}
	case *ast.CallExpr:
		if len(n.Results) == 1 && results.NumFields() == 1 {
			s.replace("drop", n, "_ = "+s.read(e)+"; return nil")
		}
	}
}

// swapped maps operators to their replacements.
var swapped = map[token.Token]struct{ kind, to string }{
	token.LSS: {"bound", "<="}, token.LEQ: {"bound", "<"}, token.GTR: {"bound", ">="}, token.GEQ: {"bound", ">"},
	token.LAND: {"negate", "||"}, token.LOR: {"negate", "&&"}, token.EQL: {"negate", "!="},
	token.ADD: {"arithmetic", "-"}, token.SUB: {"arithmetic", "+"},
	token.MUL: {"arithmetic", "/"}, token.QUO: {"arithmetic", "*"}, token.REM: {"arithmetic", "*"},
}

func (s *source) operator(n *ast.BinaryExpr) {
	if to, ok := swapped[n.Op]; ok {
		s.token(to.kind, n.OpPos, n.Op.String(), to.to)
	}
}

// read returns the text of a node.
func (s *source) read(n ast.Node) string {
	return string(s.text[s.offset(n.Pos()):s.offset(n.End())])
}

func (s *source) offset(p token.Pos) int { return s.set.Position(p).Offset }

func (s *source) replace(kind string, n ast.Node, by string) {
	s.add(kind, s.offset(n.Pos()), s.offset(n.End()), by)
}

func (s *source) token(kind string, at token.Pos, was, is string) {
	from := s.offset(at)
	s.add(kind, from, from+len(was), is)
}

func (s *source) add(kind string, from, to int, text string) {
	m := &mutant{
		pkg: s.pkg, file: s.path, function: nameOf(s.function), kind: kind, from: from, to: to, text: text,
		decl: s.function, source: s,
	}
	start := bytes.LastIndexByte(s.text[:from], '\n') + 1
	end := to + max(0, bytes.IndexByte(append(s.text[to:len(s.text):len(s.text)], '\n'), '\n'))
	m.line = bytes.Count(s.text[:from], []byte{'\n'}) + 1
	m.was = oneLine(string(s.text[start:end]))
	m.is = oneLine(string(s.text[start:from]) + text + string(s.text[to:end]))
	s.mutants = append(s.mutants, m)
}

// oneLine joins lines and collapses white space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// nameOf returns Receiver.Name, or Name.
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if g, ok := t.(*ast.IndexExpr); ok {
		t = g.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}
