package preview

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/vector"
)

// canvas is a picture in progress.
type canvas struct{ image *image.RGBA }

func newCanvas(w, h int, background color.RGBA) *canvas {
	d := &canvas{image.NewRGBA(image.Rect(0, 0, w, h))}
	for i := 0; i < len(d.image.Pix); i += 4 {
		d.image.Pix[i], d.image.Pix[i+1], d.image.Pix[i+2], d.image.Pix[i+3] = background.R, background.G, background.B, 0xff
	}
	return d
}

// point is a position in pixels; y points down.
type point struct{ x, y float64 }

// path is the outline of a polygon, which closes by itself.
type path []point

// fill fills a polygon. The rasterizer covers the polygon's box only.
func (d *canvas) fill(c color.RGBA, outline path) {
	box := outline.box().Intersect(d.image.Bounds())
	if box.Empty() {
		return
	}
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	for i, p := range outline {
		x, y := float32(p.x-float64(box.Min.X)), float32(p.y-float64(box.Min.Y))
		if i == 0 {
			r.MoveTo(x, y)
		} else {
			r.LineTo(x, y)
		}
	}
	r.ClosePath()
	r.Draw(d.image, box, image.NewUniform(c), image.Point{})
}

// box returns the smallest rectangle of whole pixels that holds the path.
func (p path) box() image.Rectangle {
	if len(p) == 0 {
		return image.Rectangle{}
	}
	low, high := p[0], p[0]
	for _, q := range p[1:] {
		low = point{math.Min(low.x, q.x), math.Min(low.y, q.y)}
		high = point{math.Max(high.x, q.x), math.Max(high.y, q.y)}
	}
	return image.Rect(int(math.Floor(low.x)), int(math.Floor(low.y)), int(math.Ceil(high.x)), int(math.Ceil(high.y)))
}

// rectangle returns a rectangle.
func rectangle(x, y, w, h float64) path {
	return path{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}
}

// arcSteps is the number of straight lines in a quarter of a circle.
const arcSteps = 12

// arc appends a quarter of a circle around a centre; quarter 0 runs from above to the right.
func (p path) arc(x, y, radius float64, quarter int) path {
	for i := range arcSteps + 1 {
		angle := (float64(quarter-1) + float64(i)/arcSteps) * math.Pi / 2
		p = append(p, point{x + radius*math.Cos(angle), y + radius*math.Sin(angle)})
	}
	return p
}

// rounded returns a rectangle with round corners.
func rounded(x, y, w, h, radius float64) path {
	return path(nil).arc(x+w-radius, y+radius, radius, 0).arc(x+w-radius, y+h-radius, radius, 1).
		arc(x+radius, y+h-radius, radius, 2).arc(x+radius, y+radius, radius, 3)
}

// circle returns a circle around a centre.
func circle(x, y, radius float64) path {
	return path(nil).arc(x, y, radius, 0).arc(x, y, radius, 1).arc(x, y, radius, 2).arc(x, y, radius, 3)
}

// stroke returns a straight line of a thickness.
func stroke(thickness float64, from, to point) path {
	length := math.Hypot(to.x-from.x, to.y-from.y)
	dx, dy := (to.y-from.y)/length*thickness/2, (from.x-to.x)/length*thickness/2
	return path{{from.x + dx, from.y + dy}, {to.x + dx, to.y + dy}, {to.x - dx, to.y - dy}, {from.x - dx, from.y - dy}}
}
