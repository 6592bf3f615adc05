package docpage

import (
	"bytes"
	"html/template"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Prefix is the path of the index; documents are below it.
const Prefix = "/docs"

// english is the language of documents without a language in their names, such as fair.de.
const english = "en"

// languages are the codes of translations, as the page has them.
var languages = []string{"de", "es", "fr", "ja"}

// document is one document, rendered when the site is made: a request only fills in the page around it.
type document struct {
	Name     string // path below docs without extension
	Title    string // its first heading
	Language string // code of ISO 639-1
	Body     template.HTML
	Contents []*section // its sections of level 2
	markdown []byte
	sections []*section
}

// section is a heading with the text up to the next heading.
type section struct {
	Title string
	ID    string // the anchor; "" for the text before the first heading
	level int
	text  strings.Builder
	lower string // Title, a line feed and text, in lower case
}

// markdown parses what the documents use of GitHub's Markdown. HTML in a document is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// render fills in the document; has reports whether there is a document of a name, for links.
func (d *document) render(has func(name string) bool) error {
	d.Language = english
	if _, code, found := strings.Cut(path.Base(d.Name), "."); found && slices.Contains(languages, code) {
		d.Language = code
	}
	ids := parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{})))
	root := markdown.Parser().Parse(text.NewReader(d.markdown), ids)
	d.relink(root, has)
	d.divide(root)
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, d.markdown, root); err != nil {
		return err
	}
	// The renderer escapes these signs in texts, so only tags are replaced.
	// Wide tables and examples scroll by themselves, also with the keyboard.
	html := strings.NewReplacer("<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>",
		"<pre>", `<pre tabindex="0">`).Replace(body.String())
	d.Body = template.HTML(html) // our own documents, rendered without raw HTML
	return nil
}

// relink makes links to documents lead to their pages, and pictures to their files. Links to pages of the service,
// which begin with a slash, and to other sites stay; package docs has replaced links to files that no service has.
func (d *document) relink(root ast.Node, has func(name string) bool) {
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if picture, ok := n.(*ast.Image); ok && entering {
			picture.Destination = []byte(path.Join(Prefix, path.Dir(d.Name), string(picture.Destination)))
		}
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		file, fragment, found := strings.Cut(string(link.Destination), "#")
		name, isText := strings.CutSuffix(path.Join(path.Dir(d.Name), file), ".md")
		if isText && has(name) {
			to := Prefix + "/" + name
			if found {
				to += "#" + fragment
			}
			link.Destination = []byte(to)
		}
		return ast.WalkContinue, nil
	})
}

// divide collects title, contents and sections. Headings are children of the root, as the documents quote none.
func (d *document) divide(root ast.Node) {
	s := &section{}
	d.sections = append(d.sections, s)
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		heading, ok := n.(*ast.Heading)
		if !ok {
			d.appendText(&s.text, n)
			continue
		}
		s = &section{level: heading.Level}
		d.appendText(&s.text, n)
		s.Title = strings.TrimSpace(s.text.String())
		s.text.Reset()
		if id, found := heading.AttributeString("id"); found {
			if value, ok := id.([]byte); ok {
				s.ID = string(value)
			}
		}
		d.sections = append(d.sections, s)
		switch {
		case d.Title == "":
			d.Title = s.Title
		case s.level == 2:
			d.Contents = append(d.Contents, s)
		}
	}
	for _, s := range d.sections {
		s.lower = strings.ToLower(s.Title + "\n" + s.text.String())
	}
	if d.Title == "" {
		d.Title = d.Name
	}
}

// appendText appends the text of a node as a reader sees it, without its markup and with a space between two of its
// blocks, so that words of neighbouring cells of a table stay apart.
func (d *document) appendText(b *strings.Builder, n ast.Node) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(d.markdown))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				for i := range n.Lines().Len() {
					line := n.Lines().At(i)
					b.Write(line.Value(d.markdown))
				}
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
}

// anchors names headings as GitHub does, so that links within the repository lead to the same places there: lower
// case, spaces become hyphens, signs are dropped, and repetitions are numbered. It implements parser.IDs.
type anchors struct{ used map[string]int }

// Generate implements parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			b.WriteRune(r)
		}
	}
	if a.used == nil {
		a.used = map[string]int{}
	}
	id := b.String()
	n := a.used[id]
	a.used[id]++
	if n > 0 {
		id += "-" + strconv.Itoa(n)
	}
	return []byte(id)
}

// Put implements parser.IDs; no document sets an id of its own.
func (a *anchors) Put([]byte) {}
