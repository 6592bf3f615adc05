package witness

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Witness cosigns the checkpoints of some logs. It is an http.Handler.
type Witness struct {
	signer note.Signer              // of cosignatures
	logs   map[string]note.Verifier // by origin
	file   string
	log    *slog.Logger

	mu   sync.Mutex          // guards seen, and what is in the file
	seen map[string]cosigned // by origin
}

// cosigned is the last checkpoint that was cosigned, or was about to be.
type cosigned struct {
	Size int64  `json:"size"`
	Root string `json:"root"` // base64
}

// Config is what a witness needs.
type Config struct {
	Signer note.Signer     // of cosignature/v1
	Logs   []note.Verifier // whose names are the logs' origins
	File   string          // what it has seen; a copy lies beside it
	Logger *slog.Logger
}

// memory is what the file and its copy hold.
type memory struct {
	Logs map[string]cosigned `json:"logs"` // by origin
	Sum  string              `json:"sum"`  // SHA-256 of Logs as JSON, in hex: a changed byte must not make a log one that was never seen
}

func (m *memory) sum() (string, error) {
	text, err := json.Marshal(m.Logs) // its keys are sorted
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// copyOf returns where the copy of a file lies. One of the two that is put back from an older
// state, or emptied, is made up for by the other.
func copyOf(file string) string { return file + ".copy" }

// Begin makes the files of a witness that has seen nothing, unless they are there. It comes
// before its key: a key without its memory must not sign.
func Begin(file string) error {
	for _, path := range []string{copyOf(file), file} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return err
			}
			continue
		}
		if err := writeMemory(path, map[string]cosigned{}); err != nil {
			return err
		}
	}
	return nil
}

// New reads what the witness has seen. Without both files it fails, or when one was changed: to
// begin anew could cosign another history than before.
func New(c Config) (*Witness, error) {
	w := &Witness{signer: c.Signer, logs: map[string]note.Verifier{}, file: c.File, log: c.Logger, seen: map[string]cosigned{}}
	for _, v := range c.Logs {
		if w.logs[v.Name()] != nil {
			return nil, fmt.Errorf("witness: two keys for the log %s", v.Name())
		}
		w.logs[v.Name()] = v
	}
	for _, path := range []string{c.File, copyOf(c.File)} {
		logs, err := readMemory(path)
		if err != nil {
			return nil, fmt.Errorf("witness: what was seen: %w", err)
		}
		// A crash between the two leaves the copy one checkpoint ahead.
		for origin, last := range logs {
			known, ok := w.seen[origin]
			if ok && known.Size == last.Size && known.Root != last.Root {
				return nil, fmt.Errorf("witness: %s and its copy hold different trees of %d entries of %s", c.File, last.Size, origin)
			}
			if !ok || known.Size < last.Size {
				w.seen[origin] = last
			}
		}
	}
	return w, nil
}

func readMemory(path string) (map[string]cosigned, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m memory
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if sum, err := m.sum(); err != nil || sum != m.Sum || m.Logs == nil {
		return nil, fmt.Errorf("%s: it was changed, or is damaged", path)
	}
	return m.Logs, nil
}

func writeMemory(path string, logs map[string]cosigned) (err error) {
	m := memory{Logs: logs}
	if m.Sum, err = m.sum(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(path, append(text, '\n'))
}

// ServeHTTP serves add-checkpoint.
func (w *Witness) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	if in.URL.Path != addPath {
		http.NotFound(out, in)
		return
	}
	if in.Method != http.MethodPost {
		out.Header().Set("Allow", http.MethodPost)
		http.Error(out, "POST it", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(out, in.Body, maxRequest))
	if err != nil {
		http.Error(out, "the body is too large, or was not sent", http.StatusBadRequest)
		return
	}
	line, err := w.Add(body)
	var no *refusal
	switch {
	case errors.As(err, &no):
		no.write(out)
	case err != nil:
		w.log.Error("cosigning", "error", err)
		http.Error(out, "internal", http.StatusInternalServerError)
	default:
		out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = out.Write(line) // the caller has gone away, and can ask again
	}
}

// refusal is why a checkpoint is not cosigned.
type refusal struct {
	status int
	text   string
	size   int64 // that is known; with a text of its own
}

func (r *refusal) Error() string { return "witness: " + r.text }

func (r *refusal) write(out http.ResponseWriter) {
	if r.text == wrongSize {
		out.Header().Set("Content-Type", sizeType)
		out.WriteHeader(r.status)
		_, _ = fmt.Fprintf(out, "%d\n", r.size)
		return
	}
	http.Error(out, r.text, r.status)
}

// wrongSize is the refusal that tells the size that is known.
const wrongSize = "the old size is not that of the last checkpoint that was cosigned"

func refuse(status int, text string) error { return &refusal{status: status, text: text} }

// Add cosigns the checkpoint of a request, and returns the signature line.
func (w *Witness) Add(body []byte) (line []byte, err error) {
	r, err := parseRequest(body)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, err.Error())
	}
	signed, next, err := w.open(r.checkpoint)
	if err != nil {
		return nil, err
	}
	if r.old > next.N {
		return nil, refuse(http.StatusBadRequest, "the old size is larger than the checkpoint's")
	}
	// One at a time: what was seen is compared and replaced as one step.
	w.mu.Lock()
	defer w.mu.Unlock()
	last := w.seen[next.origin]
	if r.old != last.Size {
		return nil, &refusal{http.StatusConflict, wrongSize, last.Size}
	}
	if err := w.consistent(last, next, r.proof); err != nil {
		w.log.Warn("not cosigned", "origin", next.origin, "size", next.N, "seen", last.Size, "why", err)
		return nil, err
	}
	// A crash before the store leaves all as it was. A crash after it, and before the
	// answer, leaves a checkpoint that is taken for cosigned though nobody has the
	// cosignature: the log is told its size when it asks again, and gets one for the
	// same tree or a longer one. The other way round, a cosignature could be out for a
	// tree that is not remembered, and another history be cosigned beside it.
	w.seen[next.origin] = cosigned{next.N, next.Hash.String()}
	if err := w.store(); err != nil {
		w.seen[next.origin] = last
		return nil, err
	}
	return signatureLine(w.signer, signed.Text)
}

// open checks the log's signature.
func (w *Witness) open(checkpoint []byte) (*note.Note, tree, error) {
	origin, _, _ := cutLine(checkpoint)
	verifier, ok := w.logs[origin]
	if !ok {
		return nil, tree{}, refuse(http.StatusNotFound, "the log is not known here")
	}
	signed, err := note.Open(checkpoint, note.VerifierList(verifier))
	if err != nil {
		return nil, tree{}, refuse(http.StatusForbidden, "the checkpoint is not signed by the log")
	}
	next, err := parseTree(signed.Text)
	if err != nil {
		return nil, tree{}, refuse(http.StatusBadRequest, err.Error())
	}
	return signed, next, nil
}

// consistent checks that next goes on from what was seen.
func (w *Witness) consistent(last cosigned, next tree, proof tlog.TreeProof) error {
	if last.Size == 0 || last.Size == next.N {
		if len(proof) > 0 {
			return refuse(http.StatusUnprocessableEntity, "a proof where there is nothing to prove")
		}
		if last.Size > 0 && last.Root != next.Hash.String() {
			return refuse(http.StatusConflict, "another tree of the same size was cosigned")
		}
		return nil
	}
	root, err := tlog.ParseHash(last.Root)
	if err != nil {
		return fmt.Errorf("witness: %s: %w", w.file, err)
	}
	if tlog.CheckTree(proof, next.N, next.Hash, last.Size, root) != nil {
		return refuse(http.StatusUnprocessableEntity, "the consistency proof does not hold")
	}
	return nil
}

// store writes what was seen, each file so that it is either there whole or not at all.
func (w *Witness) store() error {
	for _, path := range []string{copyOf(w.file), w.file} {
		if err := writeMemory(path, w.seen); err != nil {
			return fmt.Errorf("witness: what was seen: %w", err)
		}
	}
	return nil
}

// replaceFile writes a file, durably, in one step.
func replaceFile(path string, text []byte) error {
	folder := filepath.Dir(path)
	f, err := os.CreateTemp(folder, filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// signatureLine signs a text and returns the line for its note.
func signatureLine(s note.Signer, text string) ([]byte, error) {
	signature, err := s.Sign([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	b := binary.BigEndian.AppendUint32(nil, s.KeyHash())
	return fmt.Appendf(nil, "— %s %s\n", s.Name(), base64.StdEncoding.EncodeToString(append(b, signature...))), nil
}

// cutLine returns the first line of a text.
func cutLine(text []byte) (line string, rest []byte, ok bool) {
	for i, c := range text {
		if c == '\n' {
			return string(text[:i]), text[i+1:], true
		}
	}
	return "", nil, false
}
