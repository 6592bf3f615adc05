package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// vector is a proof with the expected result of its verification.
type vector struct {
	// file is the path below vectors/, without .json. It seeds the keys and salts of the script.
	file string
	// about is a line for index.json.
	about string
	// fails are the ids of the failing checks, separated by spaces, the one under test first; ""
	// for a valid or pending proof.
	fails string
	// pending marks a proof with a claim that is in no block. Without a failing check its verdict is
	// PENDING.
	pending bool
	// notes are the ids of the checks that end in a note, separated by spaces.
	notes string
	// unpinned marks a vector that is verified without a pinned key.
	unpinned bool
	// key is the pinned key when it is not the house's.
	key string
	// emptyKey marks a vector that pins "", which is no key.
	emptyKey bool
	// witnesses are the keys of witnesses, of which quorum must have cosigned; all when it is 0.
	witnesses []string
	quorum    int
	// make is the script of the proof.
	make script
}

// script describes a proof. make returns the proof's file; name seeds its keys and salts.
type script interface{ make(name string) []byte }

// entry is a vector as index.json lists it.
type entry struct {
	File      string   `json:"file"`
	About     string   `json:"about"`
	Valid     bool     `json:"valid"`
	Verdict   string   `json:"verdict"`
	Fails     []string `json:"fails"`
	Notes     []string `json:"notes"`
	Key       *string  `json:"key"`
	Witnesses []string `json:"witnesses"`
	Quorum    int      `json:"quorum"`
}

// makeAll returns the content of every file by its path below vectors/. It returns an error when two
// vectors have one file.
func makeAll() (map[string][]byte, error) {
	files := map[string][]byte{}
	// The order of the lists is the order of index.json.
	var index []entry
	for _, list := range [][]vector{
		validRuns(), tamperedRuns(), tamperedEnds(), tamperedChains(), tamperedCheckpoints(), unanchoredRuns(),
		cosignedRuns(),
		tamperedCosignatures(), brokenRuns(), duels(), tamperedDuels(), boundedProofs(),
	} {
		for _, v := range list {
			name := v.file + ".json"
			if files[name] != nil {
				return nil, fmt.Errorf("two vectors have the file %s", name)
			}
			files[name] = v.make.make(v.file)
			index = append(index, v.entry(name))
		}
	}
	chains := chainVectors()
	for i := range chains {
		v := &chains[i]
		if files[v.File] != nil {
			return nil, fmt.Errorf("two vectors have the file %s", v.File)
		}
		s := newGameScript()
		v.lie(s)
		text, record := s.exportOf()
		if files[v.File] = []byte(text); v.Valid {
			v.Audit = exactAudit(record)
		}
	}
	var err error
	if files["chains.json"], err = indented(object{"format": "roshambo/chain-vectors/v1", "vectors": chains}); err != nil {
		return nil, err
	}
	if files["index.json"], err = indented(object{"format": "roshambo/vectors/v1", "vectors": index}); err != nil {
		return nil, err
	}
	receipts := object{"format": "roshambo/receipt-vectors/v1", "vectors": receiptVectors(files)}
	if files["receipts.json"], err = indented(receipts); err != nil {
		return nil, err
	}
	files["values.json"], err = indented(values())
	return files, err
}

// entry returns the vector's entry in index.json.
func (v *vector) entry(name string) entry {
	e := entry{
		File: name, About: v.about, Verdict: v.verdict(), Valid: v.verdict() == "VALID",
		Fails: strings.Fields(v.fails), Notes: strings.Fields(v.notes),
		Witnesses: append([]string{}, v.witnesses...), Quorum: v.quorum,
	}
	// The key is null for an unpinned vector, by default the house's.
	if !v.unpinned {
		e.Key = &v.key
		if v.key == "" && !v.emptyKey {
			h := newHouse()
			key := verifierKey(h.name, h.key)
			e.Key = &key
		}
	}
	return e
}

// verdict returns the expected verdict.
func (v *vector) verdict() string {
	switch {
	case v.fails != "":
		return "NOT VALID"
	case v.pending:
		return "PENDING"
	}
	return "VALID"
}

// encode returns the proof as a file. change, which may be nil, tampers with the text.
func encode(p object, change func(string) string) []byte {
	data, err := indented(p)
	if err != nil {
		panic(fmt.Sprintf("gen: %v", err))
	}
	if change != nil {
		data = []byte(change(string(data)))
	}
	return data
}

// indented returns v as JSON with indentation and sorted members.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return b.Bytes(), err
}
