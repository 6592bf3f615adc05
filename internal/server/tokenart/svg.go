package tokenart

import "strconv"

// SVG draws a token as a file of its own.
func SVG(tier, token int64) []byte {
	text := []byte(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="400" height="400" role="img" aria-label="Token `)
	text = strconv.AppendInt(text, token, 10)
	text = append(text, `" stroke-width="0.7" stroke-linejoin="round">`...)
	for _, f := range Facets(tier, Seed(token)) {
		// Neighbours overlap slightly, so that there are no seams between them.
		text = append(text, `<polygon points="`+f.Points+`" fill="`+f.Fill+`" stroke="`+f.Fill+`"/>`...)
	}
	return append(text, "</svg>\n"...)
}

// Shapes are the kinds of tables, the flat tops of the stones, from the narrowest third to the widest.
var Shapes = [...]string{"narrow", "medium", "wide"}

// Shape returns the index in Shapes of a token's table: its width is the first number that the picture draws.
func Shape(token int64) int {
	n := newNoise(Seed(token))
	return int(n.next() * float64(len(Shapes)))
}

// Seed returns the text that a token's picture is made of.
func Seed(token int64) string { return "token/" + strconv.FormatInt(token, 10) }
