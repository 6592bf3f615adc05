package tokenart

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"testing"
)

// picture is what the page draws for a tier and a seed.
type picture struct {
	Tier   int64
	Seed   string
	Facets []Facet
}

// TestSameAsThePage compares every material with what web/src/art/tokenart.ts draws; a test
// of the page's holds it to the same file.
func TestSameAsThePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/gems.json")
	if err != nil {
		t.Fatal(err)
	}
	var pictures []picture
	if err := json.Unmarshal(text, &pictures); err != nil {
		t.Fatal(err)
	}
	if len(pictures) != len(cuts) {
		t.Fatalf("%d pictures of %d materials", len(pictures), len(cuts))
	}
	for _, p := range pictures {
		got := Facets(p.Tier, p.Seed)
		if len(got) != len(p.Facets) {
			t.Errorf("tier %d: %d facets, want %d", p.Tier, len(got), len(p.Facets))
			continue
		}
		for i := range got {
			if got[i] != p.Facets[i] {
				t.Errorf("tier %d, facet %d: got %+v, want %+v", p.Tier, i, got[i], p.Facets[i])
			}
		}
	}
}

// TestSVG: every token of every tier, and of none, is well-formed XML; and no two tokens
// look alike.
func TestSVG(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for token := range int64(500) {
		text := SVG(token%18, token)
		if seen[string(text)] {
			t.Errorf("token %d looks like another one", token)
		}
		seen[string(text)] = true
		d := xml.NewDecoder(bytes.NewReader(text))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("token %d: %v in %s", token, err, text)
			}
		}
	}
}
