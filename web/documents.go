package web

import (
	"sync"

	"roshambo/docs"
)

// documentsPath is the path below which the documents of the repository are served as Markdown, with their pictures,
// and indexPath the path of the list of them for language models (llmstxt.org).
const (
	documentsPath = "/docs/"
	indexPath     = "/llms.txt"
)

// addDocuments adds the documents and their pictures.
func (p *Page) addDocuments() {
	for name, text := range docs.All() {
		p.addText(documentsPath+name, "text/markdown; charset=utf-8", text)
	}
	for name, picture := range docs.Pictures() {
		p.addText(documentsPath+name, "image/svg+xml", picture)
	}
	p.addText(indexPath, "text/plain; charset=utf-8", docs.Index())
}

// addText adds a text file.
func (p *Page) addText(address, kind string, content []byte) {
	f := p.generated(kind, content)
	f.gzipped = sync.OnceValue(func() []byte { return packed(content) })
	p.files[address] = f
}
