// Package tokenart renders tokens as SVG pictures: the sixteen materials as cut stones from above, with an
// outline, a girdle turned by half a facet, and a table. Each facet is lit from the upper
// left; noise made of the token's own name decides cut and sparkle, so that no two tokens
// look alike and the same one always looks the same. It is decoration and proves nothing.
//
// The page draws the same picture (web/src/art/tokenart.ts); testdata/gems.json holds both to
// one answer.
package tokenart

import (
	"math"
	"strconv"
	"unicode/utf16"
)

// cut is how a material is cut.
type cut struct {
	corners int // of the outline
	// radius of the outline for an angle, in units of 100; nil for a round stone.
	radius func(angle float64) float64
	rough  float64 // how far a corner may stray: raw materials are rough, cut stones are not
	turn   float64 // of the outline in radians, so that square cuts stand on their side

	hue, saturation, lightness float64
	gloss                      float64 // contrast between the facets in the light and those in the shade
	play                       float64 // hue difference from facet to facet; 6 when 0
}

// cuts are the materials from tier 1 on.
var cuts = [...]cut{
	{corners: 7, rough: 0.16, hue: 14, saturation: 45, lightness: 52, gloss: 8},                        // clay
	{corners: 6, rough: 0.06, turn: 0.52, hue: 31, saturation: 44, lightness: 44, gloss: 12},           // wood
	{corners: 8, rough: 0.13, hue: 215, saturation: 6, lightness: 56, gloss: 12},                       // stone
	{corners: 6, rough: 0.02, hue: 19, saturation: 58, lightness: 50, gloss: 18},                       // copper
	{corners: 6, rough: 0.02, turn: 0.52, hue: 36, saturation: 54, lightness: 42, gloss: 18},           // bronze
	{corners: 8, rough: 0.02, turn: 0.39, hue: 214, saturation: 9, lightness: 40, gloss: 16},           // iron
	{corners: 8, hue: 208, saturation: 20, lightness: 58, gloss: 20},                                   // steel
	{corners: 10, hue: 212, saturation: 14, lightness: 74, gloss: 17},                                  // silver
	{corners: 10, turn: 0.31, hue: 43, saturation: 78, lightness: 54, gloss: 19},                       // gold
	{corners: 12, hue: 186, saturation: 16, lightness: 80, gloss: 14},                                  // platinum
	{corners: 8, turn: 0.39, radius: oval(38, 47), hue: 155, saturation: 68, lightness: 40, gloss: 19}, // emerald
	{corners: 12, radius: oval(47, 39), hue: 221, saturation: 72, lightness: 48, gloss: 20},            // sapphire
	{corners: 8, hue: 346, saturation: 70, lightness: 47, gloss: 20},                                   // ruby
	{corners: 16, hue: 196, saturation: 58, lightness: 82, gloss: 15, play: 36},                        // diamond
	{corners: 7, rough: 0.2, hue: 265, saturation: 22, lightness: 25, gloss: 19, play: 20},             // obsidian
	{corners: 16, radius: star(34, 8), hue: 268, saturation: 62, lightness: 62, gloss: 18, play: 120},  // stardust
}

func oval(rx, ry float64) func(float64) float64 {
	return func(angle float64) float64 {
		return rx * ry / math.Hypot(ry*math.Cos(angle), rx*math.Sin(angle))
	}
}

func star(inner, rays float64) func(float64) float64 {
	return func(angle float64) float64 {
		return inner + (48-inner)*(0.5+0.5*math.Cos(angle*rays))
	}
}

const (
	light       = -2.2 // radians: upper left in a picture whose y axis points down
	roundRadius = 47
	usualPlay   = 6
)

// noise is a stream of numbers in [0, 1) fixed by a text: FNV-1a to start, mulberry32 to
// go on.
type noise struct{ state uint32 }

func newNoise(text string) noise {
	n := noise{0x811c9dc5}
	for _, unit := range utf16.Encode([]rune(text)) {
		n.state = (n.state ^ uint32(unit)) * 0x01000193
	}
	return n
}

func (n *noise) next() float64 {
	n.state += 0x6d2b79f5
	t := n.state
	t = (t ^ t>>15) * (1 | t)
	t = (t + (t^t>>7)*(61|t)) ^ t
	return float64(t^t>>14) / (1 << 32)
}

// Facet is a polygon of one colour.
type Facet struct {
	Points string `json:"points"` // as an SVG attribute
	Fill   string `json:"fill"`
}

type point struct{ x, y float64 }

// Facets returns the facets of a picture in a box of 100 × 100, the outermost first. Any
// tier outside 1 to 16 is drawn as clay.
func Facets(tier int64, seed string) []Facet {
	c := &cuts[0]
	if tier >= 1 && tier <= int64(len(cuts)) {
		c = &cuts[tier-1]
	}
	s := stone{cut: c, noise: newNoise(seed), step: 2 * math.Pi / float64(c.corners), turn: c.turn - math.Pi/2}
	s.shape()
	for i := range c.corners {
		j := (i + 1) % c.corners
		angle := s.turn + (float64(i)+0.5)*s.step
		o, p, g, h, t, u := s.outline[i], s.outline[j], s.girdle[i], s.girdle[j], s.table[i], s.table[j]
		s.add(angle, 1, o, p, g)
		s.add(angle+s.step/2, 0.9, g, p, h)
		s.add(angle, 0.5, t, u, g)
		s.add(angle+s.step/2, 0.6, g, u, h)
	}
	s.add(light, 0.55, s.table...)
	return s.facets
}

// stone is a picture on its way. The order in which it draws numbers is the picture.
type stone struct {
	*cut
	noise
	step, turn             float64
	outline, girdle, table []point
	facets                 []Facet
}

// shape places the corners.
func (s *stone) shape() {
	tableScale := 0.44 + s.next()*0.12
	for i := range s.corners {
		angle := s.turn + float64(i)*s.step
		s.outline = append(s.outline, s.at(angle, 1-s.rough*s.next()))
		s.girdle = append(s.girdle, s.at(angle+s.step/2, 0.74+(s.next()-0.5)*(0.06+s.rough)))
		s.table = append(s.table, s.at(angle, tableScale*(1+(s.next()-0.5)*s.rough)))
	}
}

func (s *stone) at(angle, scale float64) point {
	r := roundRadius * scale
	if s.radius != nil {
		r = s.radius(angle-s.turn) * scale
	}
	return point{50 + r*math.Cos(angle), 50 + r*math.Sin(angle)}
}

func (s *stone) add(angle, weight float64, points ...point) {
	var text []byte
	for i, p := range points {
		if i > 0 {
			text = append(text, ' ')
		}
		text = append(fixed(text, p.x, 2), ',')
		text = fixed(text, p.y, 2)
	}
	s.facets = append(s.facets, Facet{string(text), s.shade(angle, weight)})
}

// shade returns the colour of a facet that looks towards an angle.
func (s *stone) shade(angle, weight float64) string {
	lit := math.Cos(angle-light)*s.gloss*weight + (s.next()-0.5)*s.gloss*0.9
	play := s.play
	if play == 0 {
		play = usualPlay
	}
	hue := s.hue + (s.next()-0.5)*play
	text := fixed([]byte("hsl("), hue, 0)
	text = strconv.AppendFloat(append(text, ' '), s.saturation, 'f', -1, 64)
	text = fixed(append(text, "% "...), max(6, min(97, s.lightness+lit)), 1)
	return string(append(text, "%)"...))
}

// fixed appends a number with so many decimals.
func fixed(text []byte, v float64, decimals int) []byte {
	return strconv.AppendFloat(text, v, 'f', decimals, 64)
}
