package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// equivalent is a mistake that is known to have no effect.
type equivalent struct {
	pkg, function string
	was, is       string
	reason        string
}

// matches reports whether e describes the mutant.
func (e equivalent) matches(m *mutant) bool {
	return e.pkg == m.pkg && e.function == m.function && e.was == m.was && e.is == m.is
}

// readEquivalents reads the file of equivalents. A missing file is empty.
func readEquivalents(path string) ([]equivalent, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseEquivalents(string(text))
}

func parseEquivalents(text string) (list []equivalent, err error) {
	for entry := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(strings.Trim(entry, "\n"), "\n")
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "#") })
		if strings.Join(lines, "") == "" {
			continue
		}
		if len(lines) < 4 || !strings.HasPrefix(lines[1], "-") || !strings.HasPrefix(lines[2], "+") {
			return nil, fmt.Errorf("an entry is a package and function, a line with -, one with + and the reason: %q", entry)
		}
		pkg, function, ok := strings.Cut(lines[0], " ")
		reason := strings.TrimSpace(strings.Join(lines[3:], " "))
		if !ok || reason == "" {
			return nil, fmt.Errorf("an entry without a function or a reason: %q", entry)
		}
		list = append(list, equivalent{pkg, function, oneLine(lines[1][1:]), oneLine(lines[2][1:]), reason})
	}
	return list, nil
}

// without returns the mutants that have no entry, and an error that names the entries of their
// package without a mutant.
func without(list []*mutant, known []equivalent, pkg string) ([]*mutant, error) {
	var err error
	for _, e := range known {
		if e.pkg == pkg && !slices.ContainsFunc(list, e.matches) {
			err = errors.Join(err, fmt.Errorf("an equivalent fits nothing any more: %s %s\n- %s\n+ %s", e.pkg, e.function, e.was,
				e.is))
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(m *mutant) bool {
		return slices.ContainsFunc(known, func(e equivalent) bool { return e.matches(m) })
	}), err
}
