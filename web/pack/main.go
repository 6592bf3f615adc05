// Command pack writes the brotli form of each file of the built page beside it (web/dist/**/*.br),
// for package web to embed. The page is packed when it is built, as the best compression takes
// seconds. The encoder is pinned in go.mod, so that the same page gives the same bytes everywhere;
// encoders in Node.js and operating systems differ by version.
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/andybalholm/brotli"
)

// kinds are the extensions of the files that brotli makes smaller.
var kinds = map[string]bool{".css": true, ".html": true, ".js": true, ".svg": true, ".webmanifest": true}

func main() {
	folder := "web/dist"
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if err := filepath.WalkDir(folder, pack); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack writes the packed form of one file. index.html differs by request and has none.
func pack(name string, entry fs.DirEntry, err error) error {
	if err != nil || entry.IsDir() || !kinds[filepath.Ext(name)] || entry.Name() == "index.html" {
		return err
	}
	body, err := os.ReadFile(name) // a file below the folder that the caller names
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, brotli.BestCompression)
	if _, err := w.Write(body); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(name+".br", b.Bytes(), 0o644) // as public as the page
}
