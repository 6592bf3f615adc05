// Package docs embeds the documents of this folder and their pictures, for the service, which serves them, and for
// agents, which read the documents as resources.
package docs

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed *.md adr/*.md pictures/*.svg
var files embed.FS

// All returns the documents by their names, such as bots.md and adr/README.md. A link that leads out of this folder,
// into the source, is a name there: readers of a service have no source beside the documents.
var All = sync.OnceValue(func() map[string][]byte {
	all := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		text, err := files.ReadFile(name)
		all[name] = withoutLinksOut(name, text)
		return err
	})
	if err != nil {
		panic(err) // the files are in the program
	}
	return all
})

// Pictures returns the pictures in the documents by their names, such as pictures/sealed.svg: SVG without words, so
// that they are the same in each language.
var Pictures = sync.OnceValue(func() map[string][]byte {
	names, err := fs.Glob(files, "pictures/*.svg")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	all := map[string][]byte{}
	for _, name := range names {
		if all[name], err = files.ReadFile(name); err != nil {
			panic(err) // the files are in the program
		}
	}
	return all
})

// link finds the relative links of a document to files.
var link = regexp.MustCompile(`\[([^\[\]]*)\]\(([^()#:\s]+)(?:#[^()\s]*)?\)`)

// withoutLinksOut replaces the links of a document that lead out of this folder.
func withoutLinksOut(name string, text []byte) []byte {
	return link.ReplaceAllFunc(text, func(found []byte) []byte {
		parts := link.FindSubmatch(found)
		to, out := strings.CutPrefix(path.Join(path.Dir(name), string(parts[2])), "../")
		if !out {
			return found
		}
		return fmt.Appendf(nil, "%s (`%s` in the source)", parts[1], to)
	})
}

// Title returns the heading of a document.
func Title(text []byte) string {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return strings.TrimPrefix(string(first), "# ")
}

// first are the documents that a program or an agent that plays reads first.
var first = []string{"agents.md", "tutorial.md", "bots.md", "cups.md", "lab.md", "fair.md", "verify.md", "errors.md",
	"events.md", "data.md", "identity.md", "protocol.md"}

// Index returns llms.txt (llmstxt.org): where a language model finds what.
func Index() []byte {
	b := bytes.NewBufferString(`# Roshambo

> Provably fair Rock-Paper-Scissors: guests play the house, players and bots duel by commit and reveal, bots play a
> rated arena and cups. Every game can be verified offline. Coins and tokens are virtual and worth no money.

An agent plays with ` + "`roshambo mcp`" + `, a server of the Model Context Protocol on its own machine, and reads at /mcp
of this service: see Agents below. Other programs call the HTTP API with a key.

## Contract

- [A part of the API](/api/openapi.json?tags=Runs,Duels): OpenAPI 3.1 of the operations with these tags
- [The whole API](/api/openapi.json): OpenAPI 3.1

## Documents

`)
	all := All()
	for _, name := range first {
		fmt.Fprintf(b, "- [%s](/docs/%s)\n", Title(all[name]), name)
	}
	b.WriteString("\n## Optional\n\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(first, name) && !strings.Contains(name, "/") {
			fmt.Fprintf(b, "- [%s](/docs/%s)\n", Title(all[name]), name)
		}
	}
	return b.Bytes()
}
