package preview

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"sync"
	"testing"

	"roshambo/internal/server/tokenart"
)

// drawn draws a card and decodes the picture.
func drawn(t *testing.T, c *Card) image.Image {
	t.Helper()
	b, err := PNG(c)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if got := picture.Bounds(); got != image.Rect(0, 0, Width, Height) || len(b) > 150_000 {
		t.Fatalf("%+v: got a picture of %v in %d bytes, want 1200 × 630 in at most 150,000", c, got, len(b))
	}
	return picture
}

// inked counts the pixels of a colour within a box.
func inked(picture image.Image, c color.RGBA, box image.Rectangle) (n int) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if color.RGBAModel.Convert(picture.At(x, y)) == c {
				n++
			}
		}
	}
	return n
}

var (
	titleBox = image.Rect(margin, 170, margin+textWidth, 280)
	rightBox = image.Rect(margin+textWidth+1, 0, Width, 500)
	leftBox  = image.Rect(0, 0, margin, 500)
)

func TestTitleIsDrawnWithinItsColumn(t *testing.T) {
	t.Parallel()
	for _, title := range []string{
		"Gold #7", "ada challenges you", "Жанна вс. Ωμέγα", strings.Repeat("W", 32), strings.Repeat("word ", 40),
		strings.Repeat("x", 100_000), "日本語", "a\u202eb\x00c\nd", "👋 </svg><script>",
	} {
		picture := drawn(t, &Card{Title: title, Lines: []string{title, title, title, title}, Versus: true})
		if n := inked(picture, ink, titleBox); n < 50 {
			t.Errorf("title %.40q: got %d pixels of ink, want a headline", title, n)
		}
		if n := inked(picture, ink, rightBox) + inked(picture, soft, rightBox) + inked(picture, ink, leftBox); n > 0 {
			t.Errorf("title %.40q: got %d pixels of text outside of its column", title, n)
		}
	}
	if n := inked(drawn(t, &Card{}), ink, titleBox); n > 0 {
		t.Errorf("without a title: got %d pixels of ink", n)
	}
}

func TestGemHasTheColoursOfThePage(t *testing.T) {
	t.Parallel()
	for tier := int64(1); tier <= 16; tier++ {
		picture := drawn(t, &Card{Title: "x", Gem: &Gem{Tier: tier, ID: 7}})
		facets := tokenart.Facets(tier, tokenart.Seed(7))
		table := colour(facets[len(facets)-1].Fill) // the last facet lies in the middle
		if got := color.RGBAModel.Convert(picture.At(drawingX+drawing/2, drawingY+drawing/2)); got != table {
			t.Errorf("tier %d: got %v in the middle of the gem, want %v, %s", tier, got, table, facets[len(facets)-1].Fill)
		}
	}
}

func TestColour(t *testing.T) {
	t.Parallel()
	// Computed by a browser.
	for text, want := range map[string]color.RGBA{
		"hsl(0 100% 50.0%)": {255, 0, 0, 255}, "hsl(120 100% 25.1%)": {0, 128, 0, 255}, "hsl(-60 50% 40.0%)": {153, 51, 153,
			255},
		"hsl(213 0% 60.0%)": {153, 153, 153, 255},
	} {
		if got := colour(text); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

func TestPicturesAreBounded(t *testing.T) {
	t.Parallel()
	var p Pictures
	small := []byte("x")
	for i := range 3 * maxKept {
		p.keep((&Card{Title: fmt.Sprint(i)}).ID(), small)
		p.Find(&Card{Title: "0"}) // used again and again: stays
	}
	if p.order.Len() != maxKept || len(p.byID) != maxKept {
		t.Errorf("got %d pictures under %d names, want %d", p.order.Len(), len(p.byID), maxKept)
	}
	for title, want := range map[string]bool{"0": true, "1": false, fmt.Sprint(3*maxKept - 1): true} {
		if _, got := p.Find(&Card{Title: title}); got != want {
			t.Errorf("picture %s: kept %v, want %v", title, got, want)
		}
	}
}

func TestOneCardIsDrawnOnce(t *testing.T) {
	t.Parallel()
	var p Pictures
	c := &Card{Title: "ada"}
	pictures := make([][]byte, 8)
	var group sync.WaitGroup
	for i := range pictures {
		group.Go(func() {
			var err error
			if pictures[i], err = p.Draw(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, b := range pictures {
		if &b[0] != &pictures[0][0] {
			t.Fatal("got another picture, want the one that was drawn first")
		}
	}
}

func TestCallersBeyondTheQueueAreRefused(t *testing.T) {
	t.Parallel()
	var p Pictures
	if _, err := p.Draw(t.Context(), &Card{}); err != nil {
		t.Fatal(err)
	}
	p.drawing <- struct{}{} // a picture that never ends
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var group sync.WaitGroup
	for range maxWaiting {
		p.waiting <- struct{}{}
	}
	if _, err := p.Draw(ctx, &Card{Title: "y"}); !errors.Is(err, ErrBusy) {
		t.Errorf("with a full queue: got %v, want ErrBusy", err)
	}
	<-p.waiting
	group.Go(func() {
		if _, err := p.Draw(ctx, &Card{Title: "y"}); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that leaves: got %v, want its context's error", err)
		}
	})
	stop()
	group.Wait()
	if len(p.waiting) != maxWaiting-1 {
		t.Errorf("got %d callers in the queue, want %d: the one that left gave its place back", len(p.waiting), maxWaiting-1)
	}
}

func BenchmarkPNG(b *testing.B) {
	for b.Loop() {
		if _, err := PNG(&Card{Kicker: "Token", Title: "Stardust #7", Lines: []string{"one", "two"},
			Gem: &Gem{16, 7}}); err != nil {
			b.Fatal(err)
		}
	}
}
