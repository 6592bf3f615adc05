// Package witness requests cosignatures of the log's checkpoints from independent witnesses, and
// is such a witness itself: both sides of c2sp.org/tlog-witness.
//
// A witness cosigns checkpoints of logs, each only when it is consistent with the last one that it
// has cosigned. A service alone could show each visitor a different log. A verifier that trusts
// one of several witnesses knows that all readers are shown the same log.
//
//	Witness    cosigns; roshambo witness serves it
//	Client     requests cosignatures from a witness
//	Collector  requests cosignatures of a log's newest checkpoint from all its witnesses
//
// A cosignature is a line of the signed note (c2sp.org/tlog-cosignature, Ed25519).
package witness

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// addPath is the path of add-checkpoint below the URL of a witness.
const addPath = "/add-checkpoint"

const (
	// maxProof is the most lines of a consistency proof.
	maxProof = 63
	// maxRequest and maxAnswer bound the bodies that are read, in bytes.
	maxRequest = 64 << 10
	maxAnswer  = 16 << 10
	// sizeType is the content type of the conflict answer, which states the witness's size.
	sizeType = "text/x.tlog.size"
)

// request is the body of add-checkpoint.
type request struct {
	old        int64 // size of the last cosigned checkpoint; 0 for none
	proof      tlog.TreeProof
	checkpoint []byte // signed note
}

var errRequest = errors.New("witness: malformed body of add-checkpoint")

// body encodes a request: the old size, the proof, an empty line, the checkpoint.
func (r *request) body() []byte {
	b := fmt.Appendf(nil, "old %d\n", r.old)
	for _, h := range r.proof {
		b = append(base64.StdEncoding.AppendEncode(b, h[:]), '\n')
	}
	return append(append(b, '\n'), r.checkpoint...)
}

// parseRequest decodes a body. It accepts exactly the encoding of body.
func parseRequest(body []byte) (*request, error) {
	head, checkpoint, ok := bytes.Cut(body, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	size, isOld := strings.CutPrefix(lines[0], "old ")
	old, okSize := parseSize(size)
	if !ok || !isOld || !okSize || len(lines)-1 > maxProof {
		return nil, errRequest
	}
	r := &request{old: old, checkpoint: checkpoint}
	for _, line := range lines[1:] {
		h, err := tlog.ParseHash(line)
		if err != nil || h.String() != line {
			return nil, errRequest
		}
		r.proof = append(r.proof, h)
	}
	return r, nil
}

// parseSize parses a size: decimal, without leading zeros.
func parseSize(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0 && strconv.FormatInt(n, 10) == s
}

// tree is the content of a checkpoint.
type tree struct {
	origin string
	tlog.Tree
}

// parseTree parses the text of a checkpoint (c2sp.org/tlog-checkpoint). Lines after the third are
// extensions, which it ignores.
func parseTree(text string) (t tree, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] == "" || lines[len(lines)-1] != "" {
		return tree{}, errors.New("witness: not a checkpoint")
	}
	size, ok := parseSize(lines[1])
	hash, err := tlog.ParseHash(lines[2])
	if !ok || err != nil || hash.String() != lines[2] {
		return tree{}, errors.New("witness: not a checkpoint")
	}
	return tree{lines[0], tlog.Tree{N: size, Hash: hash}}, nil
}
