// Package vectors holds proofs of every shape, honest ones and ones that lie in
// one place, each with what a verifier must find; and plain values to find out
// where a verifier goes wrong.
//
// The files are for verifiers in any language:
//
//	index.json      each proof: what it is about, whether it is valid, the checks
//	                that fail (the one it is about first) and those that end in a
//	                note, the key to pin, and those of the witnesses to ask for
//	run/, duel/     the proofs; some are not even JSON
//	values.json     seeds, moves, hashes, trees, addresses, texts that are JSON or
//	                canonical JSON or neither, keys, signatures
//
// They are made by vectors/gen, always the same, and compared in its test.
package vectors

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed index.json values.json run duel
var files embed.FS

// Vector is a proof and what a verifier must find.
type Vector struct {
	File  string   `json:"file"`
	About string   `json:"about"`
	Valid bool     `json:"valid"`
	Fails []string `json:"fails"` // ids of the checks that fail, the one it is about first; none when valid
	Notes []string `json:"notes"` // ids of the checks that end in a note
	Key   *string  `json:"key"`   // verifier key to pin; nil for none
	// Witnesses are the keys of the witnesses that must have cosigned the checkpoint.
	Witnesses []string `json:"witnesses"`
	Proof     []byte   `json:"-"` // the file
}

// All returns every vector, those of one kind together. The order and the files
// are the same every time.
func All() ([]Vector, error) {
	data, err := files.ReadFile("index.json")
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	var index struct {
		Vectors []Vector `json:"vectors"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, fmt.Errorf("vectors: index.json: %w", err)
	}
	for i := range index.Vectors {
		v := &index.Vectors[i]
		if v.Proof, err = files.ReadFile(v.File); err != nil {
			return nil, fmt.Errorf("vectors: %w", err)
		}
	}
	return index.Vectors, nil
}

// Values returns values.json.
func Values() ([]byte, error) {
	data, err := files.ReadFile("values.json")
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	return data, nil
}
