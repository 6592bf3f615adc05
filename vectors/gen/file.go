package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// vector is a proof and what a verifier must find.
type vector struct {
	file  string // without the ending
	about string
	fails string   // the checks that fail, parted by spaces, the one that the vector is about first; "" when valid
	notes string   // the checks that end in a note beside those that every such proof has
	free  bool     // no key is pinned
	key   string   // another key than the house's is pinned
	by    []string // keys of the witnesses that must have cosigned
	make  script
}

// script makes a proof as a file.
type script interface{ make(name string) []byte }

// entry is a vector as index.json lists it.
type entry struct {
	File  string   `json:"file"`
	About string   `json:"about"`
	Valid bool     `json:"valid"`
	Fails []string `json:"fails"`
	Notes []string `json:"notes"`
	Key   *string  `json:"key"`
	By    []string `json:"witnesses"`
}

// makeAll makes every file, by its name below vectors/.
func makeAll() (map[string][]byte, error) {
	files := map[string][]byte{}
	var index []entry
	for _, list := range [][]vector{
		validRuns(), lyingRuns(), lyingEnds(), lyingChains(), lyingCheckpoints(), cosignedRuns(), lyingCosignatures(), brokenRuns(), duels(), lyingDuels(),
	} {
		for _, v := range list {
			name := v.file + ".json"
			if files[name] != nil {
				return nil, fmt.Errorf("%s is there twice", name)
			}
			files[name] = v.make.make(v.file)
			index = append(index, v.entry(name))
		}
	}
	var err error
	if files["index.json"], err = indented(object{"format": "roshambo/vectors/v1", "vectors": index}); err != nil {
		return nil, err
	}
	files["values.json"], err = indented(values())
	return files, err
}

func (v *vector) entry(name string) entry {
	e := entry{
		File: name, About: v.about, Valid: v.fails == "", Fails: strings.Fields(v.fails), Notes: strings.Fields(v.notes),
		By: append([]string{}, v.by...),
	}
	if !v.free {
		e.Key = &v.key
		if v.key == "" {
			h := newHouse()
			key := verifierKey(h.name, h.key)
			e.Key = &key
		}
	}
	return e
}

// finish writes a proof as a file, and changes the text as change says.
func finish(p object, change func(string) string) []byte {
	data, err := indented(p)
	if err != nil {
		panic(fmt.Sprintf("gen: %v", err))
	}
	if change != nil {
		data = []byte(change(string(data)))
	}
	return data
}

// indented writes JSON for people to read, with its members sorted.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return b.Bytes(), err
}
