package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/verify"
)

// The verifiers are served below this path: verify.py and verify.ts, this program, which verifies as
// `roshambo verify`, and a list of their digests in the format of sha256sum.
const (
	verifiersPath = "/verify/"
	sumsPath      = verifiersPath + "SHA256SUMS"
)

// programPath names the system for which this program is built.
var programPath = verifiersPath + "roshambo-" + runtime.GOOS + "-" + runtime.GOARCH

// IsProgram reports whether the file of this program is served at a path: it is large.
func IsProgram(address string) bool { return address == programPath }

// addVerifiers adds the verifiers that are one text file.
func (p *Page) addVerifiers() {
	for name, content := range verify.Standalone() {
		p.addText(verifiersPath+name, "text/plain; charset=utf-8", content)
	}
}

// serveSums sends the digests of the verifiers. Without a file of this program, its line is left out.
func (p *Page) serveSums(w http.ResponseWriter, r *http.Request) {
	var b strings.Builder
	standalone := verify.Standalone()
	for _, name := range slices.Sorted(maps.Keys(standalone)) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(standalone[name]), name)
	}
	if p.program.open() == nil {
		fmt.Fprintf(&b, "%s  %s\n", p.program.digest, path.Base(programPath))
	}
	p.generated("text/plain; charset=utf-8", []byte(b.String())).send(w, r, http.StatusOK)
}

// program is the file of this program. It stays open, so that the file that is sent is the one that runs,
// also after an update.
type program struct {
	once   sync.Once
	file   *os.File
	size   int64
	digest string // SHA-256 in hex
	err    error

	sending atomic.Int32 // how many callers receive it
}

// maxSending bounds the callers that receive the program at the same time: it has some 50 MB. The server in front
// bounds the callers of one address.
const maxSending = 8

// serve sends the program. While too many callers receive it, others are told to come back.
func (p *program) serve(w http.ResponseWriter, r *http.Request) {
	defer p.sending.Add(-1)
	if p.sending.Add(1) > maxSending {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "Too many downloads. Try again in a minute.", http.StatusServiceUnavailable)
		return
	}
	if p.open() != nil {
		http.Error(w, "File not found.", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", revalidate)
	h.Set("Content-Disposition", `attachment; filename="`+path.Base(programPath)+`"`)
	h.Set("Content-Type", "application/octet-stream")
	h.Set("ETag", `"`+p.digest[:24]+`"`)
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(p.file, 0, p.size))
}

// open opens the file at the first call, and reports why it could not.
func (p *program) open() error {
	p.once.Do(func() { p.err = p.read() })
	return p.err
}

func (p *program) read() error {
	file, err := os.Open("/proc/self/exe") // on Linux the file that runs, although another may have its name now
	if err != nil {
		name, findErr := os.Executable()
		if findErr != nil {
			return findErr
		}
		if file, err = os.Open(name); err != nil {
			return err
		}
	}
	sum := sha256.New()
	if p.size, err = io.Copy(sum, file); err != nil {
		return err
	}
	p.file, p.digest = file, hex.EncodeToString(sum.Sum(nil))
	return nil
}
