package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net"
	"net/http"
	"regexp"
	"strings"
)

// Head is what the HTML of a page says about itself, for link previews, search engines and the
// title of the tab. All texts are plain text, which may come from players.
type Head struct {
	Title       string // without the name of the site; "" is the title of the route
	Description string // one or two sentences; "" is the site's
	Image       string // path of a picture of 1200 × 630 pixels; "" for none
	Missing     bool   // the page shows something that does not exist: status 404
	Private     bool   // search engines must not list the page
}

// site and description are the name of the site and what it says of itself.
const (
	site        = "Roshambo"
	description = "Rock, paper, scissors against a house that seals its moves first. Free to play, and you can verify " +
		"every throw."
)

// The part of index.html that depends on the page, between two comments.
const (
	headBegin = "<!-- head -->"
	headEnd   = "<!-- /head -->"
)

// template is index.html around the part that depends on the page.
type template struct{ before, after []byte }

// newTemplate splits index.html.
func newTemplate(index []byte) (template, error) {
	before, rest, found := bytes.Cut(index, []byte(headBegin))
	_, after, closed := bytes.Cut(rest, []byte(headEnd))
	if !found || !closed {
		return template{}, fmt.Errorf("index.html lacks %s or %s", headBegin, headEnd)
	}
	return template{before, after}, nil
}

// render returns index.html with the head of the page at an address. origin is the site's origin as
// browsers see it, "" when unknown: link previews need absolute addresses.
func (t template) render(h *Head, origin, address string) []byte {
	title := site
	if h.Title != "" {
		title = h.Title + " · " + site
	}
	text := h.Description
	if text == "" {
		text = description
	}
	var b bytes.Buffer
	b.Grow(len(t.before) + len(t.after) + 1024)
	b.Write(t.before)
	tag := func(format, value string) { fmt.Fprintf(&b, format+"\n    ", html.EscapeString(value)) }
	tag("<title>%s</title>", title)
	tag(`<meta name="description" content="%s" />`, text)
	if h.Missing || h.Private {
		tag(`<meta name="robots" content="%s" />`, "noindex")
	}
	if !h.Missing {
		tag(`<meta property="og:site_name" content="%s" />`, site)
		tag(`<meta property="og:type" content="%s" />`, "website")
		tag(`<meta property="og:title" content="%s" />`, title)
		tag(`<meta property="og:description" content="%s" />`, text)
		if origin != "" {
			tag(`<meta property="og:url" content="%s" />`, origin+address)
		}
	}
	if !h.Missing && h.Image != "" && origin != "" {
		tag(`<meta property="og:image" content="%s" />`, origin+h.Image)
		tag(`<meta property="og:image:width" content="%s" />`, "1200")
		tag(`<meta property="og:image:height" content="%s" />`, "630")
		tag(`<meta property="og:image:alt" content="%s" />`, title)
		tag(`<meta name="twitter:card" content="%s" />`, "summary_large_image")
	}
	b.Write(t.after)
	return b.Bytes()
}

// rendered finds what render writes between before and after: texts in tags that load nothing.
var rendered = regexp.MustCompile(`<title>[^<>]*</title>\n    ` +
	`(?:<meta (?:name|property)="(?:description|robots|og:[a-z_:]+|twitter:card)" content="[^"<>]*" />\n    )+`)

// Canonical returns a document, or index.html of a build, without what depends on the page and the visitor: its
// head, and the mark for visitors without a session. Documents of one build have one canonical form, and a
// document that has it contains nothing else but texts.
func Canonical(document []byte) []byte {
	if t, err := newTemplate(document); err == nil {
		return append(bytes.Clone(t.before), t.after...)
	}
	document = bytes.Replace(document, []byte(noSessionRoot), []byte(root), 1)
	if at := rendered.FindIndex(document); at != nil {
		return append(bytes.Clone(document[:at[0]]), document[at[1]:]...)
	}
	return document
}

// inlineScript and inlineStyle find the scripts and style sheets inside a page.
var (
	inlineScript = regexp.MustCompile(`(?s)<script(?: type="importmap")?>(.*?)</script>`)
	inlineStyle  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
)

// PolicyFor returns the Content-Security-Policy of a page: resources of this site only, and of the
// inline scripts and styles only those that the page was built with, by their hashes. Trusted Types come from
// three policies: Svelte's, which creates templates that are fixed at build time and never contain data, one
// for the service worker's address, and one for the verifier's worker, which starts from a Blob whose content
// the page has compared with the digest of its build.
func PolicyFor(page []byte) string {
	var b strings.Builder
	b.WriteString("default-src 'none'; script-src 'self'")
	hashes := func(inline *regexp.Regexp) {
		for _, found := range inline.FindAllSubmatch(page, -1) {
			sum := sha256.Sum256(found[1])
			b.WriteString(" 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
		}
	}
	hashes(inlineScript)
	b.WriteString("; style-src 'self'")
	hashes(inlineStyle)
	b.WriteString("; img-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self' blob:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types svelte-trusted-html roshambo-worker roshambo-verifier")
	return b.String()
}

// OriginOf returns the origin that browsers use: the configured one, else the address on which the request
// arrived when the client used that or localhost, else "". A host that only the client names is repeated
// nowhere: a cache or a preview would keep it for others.
func OriginOf(configured string, r *http.Request) string {
	if configured != "" {
		return configured
	}
	here, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return ""
	}
	_, port, err := net.SplitHostPort(here.String())
	if err != nil || r.Host != here.String() && r.Host != net.JoinHostPort("localhost", port) {
		return ""
	}
	return "http://" + r.Host
}

// serveRobots tells search engines what to read: the page, and not the API.
func (p *Page) serveRobots(w http.ResponseWriter, r *http.Request) {
	text := "User-agent: *\nDisallow: /api/\nDisallow: /log/\nDisallow: /embed/\nDisallow: /link\nAllow: /\n"
	if origin := OriginOf(p.Origin, r); origin != "" {
		text += "\nSitemap: " + origin + "/sitemap.xml\n"
	}
	p.generated("text/plain; charset=utf-8", []byte(text)).send(w, r, http.StatusOK)
}

// serveSitemap lists the public pages that always exist.
func (p *Page) serveSitemap(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	origin := OriginOf(p.Origin, r)
	for i := range p.routes {
		if route := &p.routes[i]; !route.Private && !strings.Contains(route.Path, ":") {
			fmt.Fprintf(&b, "  <url><loc>%s</loc></url>\n", html.EscapeString(origin+route.Path))
		}
	}
	b.WriteString("</urlset>\n")
	p.generated("application/xml; charset=utf-8", b.Bytes()).send(w, r, http.StatusOK)
}

// generated returns a file with a body that depends on the request.
func (p *Page) generated(kind string, body []byte) *file {
	sum := sha256.Sum256(body)
	return &file{contentType: kind, cacheControl: revalidate, etag: hex.EncodeToString(sum[:12]), plain: body}
}
