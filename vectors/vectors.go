// Package vectors holds test vectors for verifiers: honest proofs of every shape and proofs with one
// tampered value, each with the expected result, and plain values for the single steps of a verifier.
//
// The files are for verifiers in any language:
//
//	index.json      each proof: a description, the verdict, the checks that fail (the one
//	                under test first) and those that end in a note, the key to pin, and
//	                the keys of the witnesses to require
//	run/, duel/     the proofs; some are not even JSON
//	receipts.json   receipts of some of these proofs, honest and contradictory, with the verdict
//	                and the result of the check receipts
//	chains.json     each chain: a description, the result, and the figures of its games
//	chain/          exports of chains, in which only the games can be wrong
//	values.json     seeds, moves, hashes, trees, addresses, texts that are JSON or
//	                canonical JSON or neither, keys, signatures
//
// vectors/gen generates the files, always the same bytes, and its test compares them with the
// committed ones. Section 9 of docs/protocol.md explains their use.
package vectors

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed index.json receipts.json values.json chains.json run duel chain
var files embed.FS

// Vector is a proof with the expected result of its verification.
type Vector struct {
	File  string `json:"file"`  // path below vectors/
	About string `json:"about"` // one line
	Valid bool   `json:"valid"` // Verdict is VALID
	// Verdict is VALID, PENDING or NOT VALID; only receipts can make it CONTRADICTED.
	Verdict string   `json:"verdict"`
	Fails   []string `json:"fails"` // ids of the failing checks, the one under test first; none unless NOT VALID
	Notes   []string `json:"notes"` // ids of the checks that end in a note
	Key     *string  `json:"key"`   // verifier key to pin; nil for none
	// Witnesses are the keys of witnesses, of which Quorum must have cosigned the checkpoint, all when it is 0.
	Witnesses []string `json:"witnesses"`
	Quorum    int      `json:"quorum"`
	Proof     []byte   `json:"-"` // the content of File
}

// All returns every vector in the order of index.json. An error means that the embedded files are
// inconsistent.
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

// Chain is an export of a chain with the expected result of its verification.
type Chain struct {
	File  string          `json:"file"`  // path below vectors/
	About string          `json:"about"` // one line
	Valid bool            `json:"valid"`
	Audit json.RawMessage `json:"audit"` // figures of the games, null unless Valid
	Rules bool            `json:"rules"` // a transaction breaks the rules; otherwise only games can be wrong
	// Witnesses are the keys of the verifier's witnesses, Quorum how many must have cosigned, all if 0.
	Witnesses []string `json:"witnesses"`
	Quorum    int      `json:"quorum"`
	// WitnessesFrom is the height below which rules need no notice by these witnesses.
	WitnessesFrom int64  `json:"witnesses_from"`
	Export        []byte `json:"-"` // the content of File
}

// Chains returns every chain in the order of chains.json. An error means that the embedded files are
// inconsistent.
func Chains() ([]Chain, error) {
	data, err := files.ReadFile("chains.json")
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	var index struct {
		Vectors []Chain `json:"vectors"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, fmt.Errorf("vectors: chains.json: %w", err)
	}
	for i := range index.Vectors {
		c := &index.Vectors[i]
		if c.Export, err = files.ReadFile(c.File); err != nil {
			return nil, fmt.Errorf("vectors: %w", err)
		}
	}
	return index.Vectors, nil
}

// Values returns the content of values.json.
func Values() ([]byte, error) {
	data, err := files.ReadFile("values.json")
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	return data, nil
}

// Receipts is a proof with receipts and the expected result of its verification.
type Receipts struct {
	About   string   `json:"about"` // one line
	File    string   `json:"proof"` // path below vectors/
	Key     *string  `json:"key"`   // verifier key to pin; nil for none
	Lines   []string `json:"receipts"`
	Verdict string   `json:"verdict"` // of the report
	Result  string   `json:"result"`  // of the check receipts: pass, fail or note
	Text    string   `json:"text"`    // of the check receipts
	Proof   []byte   `json:"-"`       // the content of File
}

// AllReceipts returns the vectors of receipts in the order of receipts.json. An error means that the
// embedded files are inconsistent.
func AllReceipts() ([]Receipts, error) {
	data, err := files.ReadFile("receipts.json")
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	var list struct {
		Vectors []Receipts `json:"vectors"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("vectors: receipts.json: %w", err)
	}
	for i := range list.Vectors {
		v := &list.Vectors[i]
		if v.Proof, err = files.ReadFile(v.File); err != nil {
			return nil, fmt.Errorf("vectors: %w", err)
		}
	}
	return list.Vectors, nil
}
