package web

import _ "embed"

// tokens has the design tokens of the page, and shared the classes that its components share.
var (
	//go:embed src/styles/tokens.css
	tokens string
	//go:embed src/styles/base.css
	shared string
)

// Tokens returns the design tokens of the page: colours, sizes and durations as variables of CSS.
func Tokens() string { return tokens }

// Styles returns the design tokens of the page and the classes that its components share, as a style sheet for pages
// that Vite does not build.
func Styles() string { return tokens + shared }
