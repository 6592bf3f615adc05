// Package tile names the tiles of a log and its bundles of entries by their paths, and encodes the
// bundles, as c2sp.org/tlog-tiles defines them. The service serves them by this package, and so does
// a mirror; publiclog asks for them by the same names.
package tile

import (
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// A full tile has Width hashes, or entries, which is 1 << Height.
const (
	Height = 8
	Width  = 1 << Height
)

// levels bounds the levels of tiles: a log has less than 2^63 entries.
const levels = 8

// Parse returns the tile that a path below /log/ names, for example tile/0/x001/067, and whether the
// path names its entries, as tile/entries/000.p/5 does. ok is false for a malformed path, and for a tile
// that a log of size entries has not reached.
func Parse(path string, size int64) (t tlog.Tile, entries, ok bool) {
	rest, ok := strings.CutPrefix(path, "tile/")
	if !ok {
		return t, false, false
	}
	if number, bundle := strings.CutPrefix(rest, "entries/"); bundle {
		rest, entries = "0/"+number, true
	}
	// Package tlog parses an older format, with the height in front.
	t, err := tlog.ParseTilePath(fmt.Sprintf("tile/%d/%s", Height, rest))
	if err != nil || t.L < 0 || t.L >= levels {
		return t, false, false
	}
	// The number of hashes of the level: level 0 has one for each entry, each level above one for Width
	// below.
	have := size >> (Height * t.L)
	return t, entries, t.N <= have>>Height && t.N<<Height+int64(t.W) <= have
}

// Name returns the number of a tile as paths have it: x001/x234/067.
func Name(n int64) string {
	name := fmt.Sprintf("%03d", n%1000)
	for n /= 1000; n > 0; n /= 1000 {
		name = fmt.Sprintf("x%03d/%s", n%1000, name)
	}
	return name
}

// AppendEntry appends an entry to a bundle: its length in 2 bytes big-endian, then the entry.
func AppendEntry(bundle, entry []byte) []byte {
	bundle = binary.BigEndian.AppendUint16(bundle, uint16(min(len(entry), 1<<16-1))) // bounded here
	return append(bundle, entry...)
}
