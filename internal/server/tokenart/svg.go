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

// Seed returns the text that a token's picture is made of.
func Seed(token int64) string { return "token/" + strconv.FormatInt(token, 10) }
