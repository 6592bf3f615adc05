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
	"sync"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/platform/durable"
)

// Witness cosigns the checkpoints of some logs. It is an http.Handler.
type Witness struct {
	signer note.Signer              // of cosignatures
	logs   map[string]note.Verifier // by origin
	file   string
	log    *slog.Logger

	mu     sync.Mutex          // guards latest and the files
	latest map[string]cosigned // by origin
}

// cosigned is the last checkpoint of a log that the witness cosigned, or was about to cosign.
type cosigned struct {
	Size int64  `json:"size"`
	Root string `json:"root"` // base64
}

// Config configures a witness.
type Config struct {
	Signer note.Signer     // of cosignature/v1
	Logs   []note.Verifier // of the logs; the names are their origins
	File   string          // path of its state; a copy is kept beside it
	Logger *slog.Logger
}

// memory is the content of the state file and its copy.
type memory struct {
	Logs map[string]cosigned `json:"logs"` // by origin
	// Sum is the SHA-256 of Logs as JSON, in hex. It detects a changed byte, which could otherwise
	// turn a known log into an unknown one.
	Sum string `json:"sum"`
}

func (m *memory) sum() (string, error) {
	text, err := json.Marshal(m.Logs) // its keys are sorted
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// copyOf returns the path of the copy of a state file. If one of the two is restored from an older
// state, or emptied, the other one has the newer state.
func copyOf(file string) string { return file + ".copy" }

// Begin creates the state files of a new witness, unless they exist. It precedes the creation of
// the key: a key without its state must not sign.
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

// New opens a witness with its state. It fails if one of the two files is missing or damaged: an
// empty state would let the witness cosign another history than before.
func New(c Config) (*Witness, error) {
	w := &Witness{
		signer: c.Signer, logs: map[string]note.Verifier{}, file: c.File, log: c.Logger,
		latest: map[string]cosigned{},
	}
	for _, v := range c.Logs {
		if w.logs[v.Name()] != nil {
			return nil, fmt.Errorf("witness: two keys for the log %s", v.Name())
		}
		w.logs[v.Name()] = v
	}
	for _, path := range []string{c.File, copyOf(c.File)} {
		logs, err := readMemory(path)
		if err != nil {
			return nil, fmt.Errorf("witness: state: %w", err)
		}
		// A crash between the two writes leaves the copy one checkpoint ahead.
		for origin, last := range logs {
			known, ok := w.latest[origin]
			if ok && known.Size == last.Size && known.Root != last.Root {
				return nil, fmt.Errorf(
					"witness: %s and its copy hold different trees of %d entries of %s",
					c.File,
					last.Size,
					origin,
				)
			}
			if !ok || known.Size < last.Size {
				w.latest[origin] = last
			}
		}
	}
	return w, nil
}

// readMemory reads a state file and checks its sum.
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
		return nil, fmt.Errorf("%s: changed or damaged", path)
	}
	return m.Logs, nil
}

// writeMemory writes a state file durably.
func writeMemory(path string, logs map[string]cosigned) (err error) {
	m := memory{Logs: logs}
	if m.Sum, err = m.sum(); err != nil {
		return err
	}
	return durable.WriteJSON(path, 0o600, m)
}

// ServeHTTP serves POST /add-checkpoint.
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
		http.Error(out, "the body is too large or incomplete", http.StatusBadRequest)
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
		_, _ = out.Write(line) // a caller that has disconnected may retry
	}
}

// refusal is the answer to a checkpoint that is not cosigned.
type refusal struct {
	status int
	text   string
	size   int64 // of the last cosigned checkpoint; for wrongSize
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

// wrongSize is the text of the refusal whose answer is the size of the last cosigned checkpoint.
const wrongSize = "the old size is not that of the last checkpoint that was cosigned"

func refuse(status int, text string) error { return &refusal{status: status, text: text} }

// Add cosigns the checkpoint of a request and returns the signature line. Errors: *refusal for a
// checkpoint that it does not cosign.
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
	// Locked from the comparison to the write, so that requests cannot interleave.
	w.mu.Lock()
	defer w.mu.Unlock()
	last := w.latest[next.origin]
	if r.old != last.Size {
		return nil, &refusal{http.StatusConflict, wrongSize, last.Size}
	}
	if err := w.consistent(last, next, r.proof); err != nil {
		w.log.Warn("checkpoint refused", "origin", next.origin, "size", next.N, "last_size", last.Size, "error", err)
		return nil, err
	}
	// Store before signing. A crash before the store changes nothing. A crash between the store
	// and the answer loses a signature: the log repeats the request, learns the size from the
	// conflict, and gets a signature of the same tree or a larger one. In the opposite order a
	// crash could lose the memory of a published signature, and the witness could cosign another
	// history.
	w.latest[next.origin] = cosigned{next.N, next.Hash.String()}
	if err := w.store(); err != nil {
		w.latest[next.origin] = last
		return nil, err
	}
	return signatureLine(w.signer, signed.Text)
}

// open verifies the log's signature and returns the note and its tree.
func (w *Witness) open(checkpoint []byte) (*note.Note, tree, error) {
	origin, _, whole := bytes.Cut(checkpoint, []byte("\n"))
	verifier, ok := w.logs[string(origin)]
	if !ok || !whole {
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

// consistent checks that next extends the last cosigned checkpoint.
func (w *Witness) consistent(last cosigned, next tree, proof tlog.TreeProof) error {
	if last.Size == 0 || last.Size == next.N {
		if len(proof) > 0 {
			return refuse(http.StatusUnprocessableEntity, "a proof where none is needed")
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

// store writes the copy and then the state file, each atomically.
func (w *Witness) store() error {
	for _, path := range []string{copyOf(w.file), w.file} {
		if err := writeMemory(path, w.latest); err != nil {
			return fmt.Errorf("witness: state: %w", err)
		}
	}
	return nil
}

// signatureLine signs a text and returns the signature as a line of a note.
func signatureLine(s note.Signer, text string) ([]byte, error) {
	signature, err := s.Sign([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	b := binary.BigEndian.AppendUint32(nil, s.KeyHash())
	return fmt.Appendf(nil, "— %s %s\n", s.Name(), base64.StdEncoding.EncodeToString(append(b, signature...))), nil
}
