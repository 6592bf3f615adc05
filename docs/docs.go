// Package docs embeds the documents, so that the service can show them.
package docs

import "embed"

// Files are the documents in Markdown, by their paths in this folder.
//
//go:embed *.md adr/*.md
var Files embed.FS
