package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// chosen is the environment variable that chooses the mutant of a test binary, by its number.
const chosen = "ROSHAMBO_MUTANT"

// chooser is the file that is added to a package with mutants.
const chooser = `package %s

import (
	"os"
	"strconv"
)

var mutantChosen, _ = strconv.Atoi(os.Getenv("` + chosen + `"))
`

// plant writes the files of a package with all mutants of a list to folder, and returns an overlay
// that replaces the originals by them. Each mutant is a copy of its function, which the function
// calls instead of its own body if the mutant is chosen.
func plant(root, folder string, list []*mutant) (overlay string, err error) {
	replaced := map[string]string{}
	write := func(path string, text []byte) error {
		planted := filepath.Join(folder, filepath.Base(path))
		replaced[filepath.Join(root, path)] = planted
		return os.WriteFile(planted, text, 0o600)
	}
	files := map[*source][]*mutant{}
	for _, m := range list {
		files[m.source] = append(files[m.source], m)
	}
	for s, of := range files {
		if err := write(s.path, s.with(of)); err != nil {
			return "", err
		}
	}
	text := fmt.Sprintf(chooser, list[0].source.packageName)
	if err := write(filepath.Join(list[0].pkg, "mutant_chosen.go"), []byte(text)); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o600)
}

// insertion is a text to insert at an offset, in place of length bytes.
type insertion struct {
	at, length int
	text       string
}

// with returns the text of the file with mutants.
func (s *source) with(list []*mutant) []byte {
	var changes []insertion
	functions := map[*ast.FuncDecl][]*mutant{}
	for _, m := range list {
		functions[m.decl] = append(functions[m.decl], m)
	}
	for decl, of := range functions {
		changes = append(changes, s.dispatch(decl, of)...)
	}
	slices.SortStableFunc(changes, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	end := 0
	for _, c := range changes {
		b.Write(s.text[end:c.at])
		b.WriteString(c.text)
		end = c.at + c.length
	}
	b.Write(s.text[end:])
	for _, m := range list {
		name := s.offset(m.decl.Name.Pos())
		// The line directive names the mutant in the compiler's errors.
		fmt.Fprintf(&b, "\n//line mutant%d.go:1\n%s%s%s%s%s\n", m.number, s.text[s.offset(m.decl.Pos()):name],
			m.copyName(), s.text[name+len(m.decl.Name.Name):m.from], m.text, s.text[m.to:s.offset(m.decl.End())])
	}
	return []byte(b.String())
}

// copyName is the name of the function with the mistake.
func (m *mutant) copyName() string { return fmt.Sprintf("mutant%d%s", m.number, m.decl.Name.Name) }

// dispatch returns what makes a function call the chosen copy, with a name for each parameter.
func (s *source) dispatch(decl *ast.FuncDecl, list []*mutant) (changes []insertion) {
	receiver := ""
	if decl.Recv != nil {
		names, _, named := s.name(decl.Recv.List, "mutantReceiver")
		receiver, changes = names[0]+".", named
	}
	arguments, variadic, named := s.name(decl.Type.Params.List, "mutantParameter")
	changes = append(changes, named...)
	types := ""
	if p := decl.Type.TypeParams; p != nil {
		names, _, _ := s.name(p.List, "")
		types = "[" + strings.Join(names, ", ") + "]"
	}
	call := types + "(" + strings.Join(arguments, ", ") + variadic + ")"
	before, after := "return ", ""
	if decl.Type.Results == nil {
		before, after = "", "; return"
	}
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, " if mutantChosen == %d { %s%s%s%s%s }; ", m.number, before, receiver, m.copyName(), call, after)
	}
	return append(changes, insertion{at: s.offset(decl.Body.Lbrace) + 1, text: b.String()})
}

// name returns the names of parameters, "..." if the last one is variadic, and what names those
// without a name.
func (s *source) name(list []*ast.Field, prefix string) (names []string, variadic string, changes []insertion) {
	for _, f := range list {
		if _, ok := f.Type.(*ast.Ellipsis); ok {
			variadic = "..."
		}
		if len(f.Names) == 0 {
			names = append(names, prefix+strconv.Itoa(len(names)))
			changes = append(changes, insertion{at: s.offset(f.Type.Pos()), text: names[len(names)-1] + " "})
		}
		for _, n := range f.Names {
			name := n.Name
			if name == "_" {
				name = prefix + strconv.Itoa(len(names))
				changes = append(changes, insertion{at: s.offset(n.Pos()), length: 1, text: name})
			}
			names = append(names, name)
		}
	}
	return names, variadic, changes
}

var namedByCompiler = regexp.MustCompile(`\bmutant(\d+)\.go:\d+`)

// uncompiled returns the numbers of the mutants that the compiler's output names.
func uncompiled(output string) map[int]bool {
	numbers := map[int]bool{}
	for _, match := range namedByCompiler.FindAllStringSubmatch(output, -1) {
		if n, err := strconv.Atoi(match[1]); err == nil {
			numbers[n] = true
		}
	}
	return numbers
}
