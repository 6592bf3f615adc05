package preview

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// typeface is a font, parsed at first use.
type typeface func() *sfnt.Font

var (
	faceRegular typeface = sync.OnceValue(func() *sfnt.Font { return parse(goregular.TTF) })
	faceBold    typeface = sync.OnceValue(func() *sfnt.Font { return parse(gobold.TTF) })
)

func parse(ttf []byte) *sfnt.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic(fmt.Sprintf("preview: a font of golang.org/x/image: %v", err))
	}
	return f
}

// face returns the typeface at a size in pixels. A face has buffers of its own: callers do not
// share one.
func (t typeface) face(size float64) font.Face {
	f, err := opentype.NewFace(t(), &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(fmt.Sprintf("preview: a face of size %g: %v", size, err))
	}
	return f
}

// style is how a text is set: in a typeface, at a size in pixels, in a colour.
type style struct {
	typeface typeface
	size     float64
	colour   color.RGBA
}

// text sets a line of text. x is its left edge, y its baseline.
func (d *canvas) text(s style, x, y float64, text string) {
	drawer := font.Drawer{Dst: d.image, Src: image.NewUniform(s.colour), Face: s.typeface.face(s.size),
		Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}}
	drawer.DrawString(text)
}

// width returns the width of a line of text in pixels.
func width(t typeface, size float64, text string) float64 {
	return float64(font.MeasureString(t.face(size), text)) / 64
}

// maxText is the number of characters of a text that can matter: more never fit on a card.
const maxText = 200

// shorten returns a line of text that is at most so wide, with an ellipsis in place of the rest.
func shorten(t typeface, size, most float64, text string) string {
	runes := []rune(text)
	if len(runes) <= maxText && width(t, size, text) <= most {
		return text
	}
	runes = runes[:min(len(runes), maxText)]
	for len(runes) > 0 && width(t, size, string(runes)+"…") > most {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimRight(string(runes), " …") + "…"
}

// wrap breaks a text between words into lines that are at most so wide. A longer word is shortened.
func wrap(t typeface, size, most float64, text string) (lines []string) {
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "…"
	}
	for word := range strings.FieldsSeq(text) {
		if n := len(lines); n > 0 {
			if longer := lines[n-1] + " " + word; width(t, size, longer) <= most {
				lines[n-1] = longer
				continue
			}
		}
		lines = append(lines, shorten(t, size, most, word))
	}
	return lines
}
