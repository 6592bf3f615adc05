package docpage

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxResults bounds the sections that a search shows. A reader in need of more of them adds a word.
const maxResults = 30

// excerptLength is the length of an excerpt, in bytes.
const excerptLength = 180

// result is a section that a search has found. Its excerpt is plain text.
type result struct {
	Document *document
	Section  *section
	Excerpt  string
	inTitle  int // how many of the words its heading contains
}

// search returns the sections of documents that contain all words of a query, in any case and also as parts of other
// words: those with more of them in their heading first, then in the order of the documents. Translations come after
// all originals, and only those whose original has no such section: commands and names are the same in all languages.
// There are some hundred kilobytes of text, which are read through: no index is needed.
func search(documents []*document, query string) (results []result) {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil
	}
	has := map[string]bool{} // by name
	for _, d := range documents {
		if d.Language != english && has[strings.TrimSuffix(d.Name, "."+d.Language)] {
			continue
		}
		for _, section := range d.sections {
			if r, found := section.match(words); found {
				r.Document, has[d.Name] = d, true
				results = append(results, r)
			}
		}
	}
	slices.SortStableFunc(results, func(a, b result) int { return cmp.Compare(b.inTitle, a.inTitle) })
	return results[:min(len(results), maxResults)]
}

// match reports whether a section contains all words, which are in lower case.
func (s *section) match(words []string) (r result, found bool) {
	title := strings.ToLower(s.Title)
	for _, word := range words {
		if !strings.Contains(s.lower, word) {
			return r, false
		}
		if strings.Contains(title, word) {
			r.inTitle++
		}
	}
	r.Section, r.Excerpt = s, s.excerpt(words[0])
	return r, true
}

// excerpt returns the part of the text around the first place of a word, or the beginning.
func (s *section) excerpt(word string) string {
	body := strings.Join(strings.Fields(s.text.String()), " ")
	at := strings.Index(strings.ToLower(body), word) // lower case may have another length: a place to begin, no more
	// A third of it before the word shows what the word belongs to. Both ends move back to the beginning of a letter.
	from := max(min(at, len(body))-excerptLength/3, 0)
	to := min(from+excerptLength, len(body))
	for from > 0 && !utf8.RuneStart(body[from]) {
		from--
	}
	for to < len(body) && !utf8.RuneStart(body[to]) {
		to--
	}
	excerpt := body[from:to]
	if from > 0 {
		excerpt = "…" + excerpt
	}
	if to < len(body) {
		excerpt += "…"
	}
	return excerpt
}
