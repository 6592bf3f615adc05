package web

import (
	"sync"

	"roshambo/docs"
)

// documentsPath is the path below which the documents of the repository are served as Markdown, and indexPath the
// path of the list of them for language models (llmstxt.org).
const (
	documentsPath = "/docs/"
	indexPath     = "/llms.txt"
)

// addDocuments adds the documents.
func (p *Page) addDocuments() {
	for name, text := range docs.All() {
		p.addText(documentsPath+name, "text/markdown; charset=utf-8", text)
	}
	p.addText(indexPath, "text/plain; charset=utf-8", docs.Index())
}

// addText adds a text file.
func (p *Page) addText(address, kind string, content []byte) {
	f := p.generated(kind, content)
	f.gzipped = sync.OnceValue(func() []byte { return packed(content) })
	p.files[address] = f
}
