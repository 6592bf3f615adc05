package tokenart

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
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

// TestShape measures the tables of silver tokens, which are round and cut without chance: a shape covers a third of
// the widths, and all are about as frequent.
func TestShape(t *testing.T) {
	t.Parallel()
	var count [len(Shapes)]int
	for token := range int64(3000) {
		facets := Facets(8, Seed(token))
		x, _, _ := strings.Cut(facets[len(facets)-1].Points, ",") // the first corner is above the centre
		_, y, _ := strings.Cut(strings.Fields(facets[len(facets)-1].Points)[0], ",")
		top, err := strconv.ParseFloat(y, 64)
		if x != "50.00" || err != nil {
			t.Fatalf("token %d: the table begins at %s,%s", token, x, y)
		}
		scale, n := (50-top)/roundRadius, Shape(token)
		if least := 0.44 + 0.04*float64(n); scale < least-0.001 || scale > least+0.041 {
			t.Errorf("token %d is %s with a table of %.3f", token, Shapes[n], scale)
		}
		count[n]++
	}
	for n, tokens := range count {
		if tokens < 900 {
			t.Errorf("%d of 3000 tokens are %s", tokens, Shapes[n])
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
