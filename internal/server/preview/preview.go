// Package preview draws the pictures that chats and social networks show for a link to the page: a
// card of 1200 × 630 pixels with a headline, some lines of text and a drawing.
//
// The drawings are the same as on the page, made of the same polygons (package tokenart); texts
// are set in the Go fonts, which hold Latin, Greek and Cyrillic. Shapes and glyphs are filled by
// golang.org/x/image/vector. There is no parser of SVG in between: texts of players reach the
// rasterizer as glyphs, never as markup.
package preview

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"strings"

	"roshambo/internal/server/tokenart"
)

// Width and Height are the size of a picture in pixels.
const (
	Width  = 1200
	Height = 630
)

// Card is the content of a picture. Texts that are too long are shortened.
type Card struct {
	Kicker string   // what it is, such as "Duel"
	Title  string   // at most two lines
	Lines  []string // at most three lines
	Gem    *Gem     // the drawing; nil draws a sealed envelope
	Versus bool     // draws two envelopes, for a duel
	Moves  string   // with Versus: what lies between the envelopes, such as "3 : 1"
}

// Gem is a token to draw.
type Gem struct {
	Tier int64 // 1 to 16
	ID   int64
}

// The colours of the page in the dark theme.
var (
	felt      = color.RGBA{0x14, 0x21, 0x1d, 0xff}
	feltEdge  = color.RGBA{0x1d, 0x31, 0x2b, 0xff}
	ink       = color.RGBA{0xef, 0xec, 0xe5, 0xff}
	soft      = color.RGBA{0xaa, 0xa5, 0x99, 0xff}
	accent    = color.RGBA{0x45, 0xcd, 0xb1, 0xff}
	paper     = color.RGBA{0xd9, 0xcd, 0xb2, 0xff}
	paperLine = color.RGBA{0x6d, 0x60, 0x45, 0xff}
	wax       = color.RGBA{0x1f, 0x9a, 0x83, 0xff}
	waxDark   = color.RGBA{0x0e, 0x6a, 0x59, 0xff}
)

// The layout: a column of text, the drawing beside it, the brand below.
const (
	margin     = 80
	textWidth  = 640
	drawingX   = 780 // left edge
	drawingY   = 120
	drawing    = 340 // width and height
	brandY     = 565 // baseline
	titleLines = 2
	maxLines   = 3
)

// PNG draws a card.
func PNG(c *Card) ([]byte, error) {
	d := newCanvas(Width, Height, felt)
	d.fill(feltEdge, rectangle(0, 500, Width, Height-500))
	d.drawing(c)
	y := 165.0
	d.text(style{faceBold, 30, accent}, margin, y, shorten(faceBold, 30, textWidth, c.Kicker))
	size, lines := fitTitle(c.Title)
	for _, line := range lines {
		y += size * 1.15
		d.text(style{faceBold, size, ink}, margin, y, line)
	}
	y += 16
	for _, line := range c.Lines[:min(maxLines, len(c.Lines))] {
		y += 44
		d.text(style{faceRegular, 32, soft}, margin, y, shorten(faceRegular, 32, textWidth, line))
	}
	d.envelope(margin, brandY-34, 56)
	d.text(style{faceBold, 38, ink}, margin+76, brandY, "Roshambo")
	d.text(style{faceRegular, 26, soft}, margin+290, brandY, "The house seals its moves first.")
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, d.image); err != nil {
		return nil, fmt.Errorf("preview: %w", err)
	}
	return b.Bytes(), nil
}

// fitTitle breaks a title into lines, and chooses the largest size at which they fit.
func fitTitle(title string) (size float64, lines []string) {
	for _, size = range []float64{84, 72, 60, 50} {
		if lines = wrap(faceBold, size, textWidth, title); len(lines) <= titleLines {
			return size, lines
		}
	}
	lines = lines[:titleLines]
	lines[titleLines-1] = shorten(faceBold, size, textWidth, lines[titleLines-1]+"…")
	return size, lines
}

// drawing draws the picture beside the text.
func (d *canvas) drawing(c *Card) {
	switch {
	case c.Gem != nil:
		for _, f := range tokenart.Facets(c.Gem.Tier, tokenart.Seed(c.Gem.ID)) {
			d.facet(f)
		}
	case c.Versus:
		d.envelope(drawingX-10, drawingY+90, 150)
		d.envelope(drawingX+200, drawingY+90, 150)
		if c.Moves != "" {
			d.text(style{faceBold, 64, ink}, drawingX+170-width(faceBold, 64, c.Moves)/2, drawingY+310, c.Moves)
		}
	default:
		d.envelope(drawingX, drawingY+50, drawing)
	}
}

// facet fills one facet of a gem, scaled from its box of 100 × 100. The rest of the facet's edge
// lies below its neighbours.
func (d *canvas) facet(f tokenart.Facet) {
	var outline path
	for pair := range strings.FieldsSeq(f.Points) {
		var x, y float64
		if _, err := fmt.Sscanf(pair, "%g,%g", &x, &y); err != nil {
			panic(fmt.Sprintf("preview: tokenart made the point %q", pair))
		}
		outline = append(outline, point{drawingX + x*drawing/100, drawingY + y*drawing/100})
	}
	d.fill(colour(f.Fill), outline)
}

// envelope draws a sealed envelope of a width, whose upper left corner is at x and y.
func (d *canvas) envelope(x, y, w float64) {
	unit := w / 30
	h := 22 * unit
	line := math.Max(2, 1.4*unit)
	d.fill(paperLine, rounded(x, y, w, h, 3.4*unit))
	d.fill(paper, rounded(x+line, y+line, w-2*line, h-2*line, 3.4*unit-line/2))
	d.fill(paperLine, stroke(line, point{x + 1.6*unit, y + 2.4*unit}, point{x + w/2, y + 13*unit}))
	d.fill(paperLine, stroke(line, point{x + w - 1.6*unit, y + 2.4*unit}, point{x + w/2, y + 13*unit}))
	d.fill(waxDark, circle(x+w/2, y+13.2*unit, 5.4*unit))
	d.fill(wax, circle(x+w/2, y+13.2*unit, 4.6*unit))
}

// colour parses the colours of tokenart: hsl(hue saturation% lightness%).
func colour(text string) color.RGBA {
	var h, s, l float64
	if _, err := fmt.Sscanf(text, "hsl(%g %g%% %g%%)", &h, &s, &l); err != nil {
		panic(fmt.Sprintf("preview: tokenart made the colour %q", text))
	}
	s, l = s/100, l/100
	// https://www.w3.org/TR/css-color-4/#hsl-to-rgb
	channel := func(n float64) uint8 {
		k := math.Mod(math.Mod(n+h/30, 12)+12, 12)
		a := s * math.Min(l, 1-l)
		return uint8(math.Round(255 * (l - a*math.Max(-1, math.Min(math.Min(k-3, 9-k), 1)))))
	}
	return color.RGBA{channel(0), channel(8), channel(4), 0xff}
}
