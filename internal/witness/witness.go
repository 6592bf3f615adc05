package witness

import (
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
	File   string          // what it has seen
	Logger *slog.Logger
}

// Begin makes the file of a witness that has seen nothing, unless it is there. It comes
// before its key: a key without its memory must not sign.
func Begin(file string) error {
	_, err := os.Stat(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return replaceFile(file, []byte("{}\n"))
}

// New reads what the witness has seen. Without that it fails: to begin anew could cosign
// another history than before.
func New(c Config) (*Witness, error) {
	w := &Witness{signer: c.Signer, logs: map[string]note.Verifier{}, file: c.File, log: c.Logger, seen: map[string]cosigned{}}
	for _, v := range c.Logs {
		if w.logs[v.Name()] != nil {
			return nil, fmt.Errorf("witness: two keys for the log %s", v.Name())
		}
		w.logs[v.Name()] = v
	}
	text, err := os.ReadFile(c.File)
	if err != nil {
		return nil, fmt.Errorf("witness: what was seen: %w", err)
	}
	if err := json.Unmarshal(text, &w.seen); err != nil {
		return nil, fmt.Errorf("witness: %s: %w", c.File, err)
	}
	return w, nil
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

// store writes what was seen, so that it is either there whole or not at all.
func (w *Witness) store() error {
	text, err := json.MarshalIndent(w.seen, "", "  ")
	if err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	if err := replaceFile(w.file, append(text, '\n')); err != nil {
		return fmt.Errorf("witness: what was seen: %w", err)
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
