package main

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// openapi is the part of the contract that names codes: as the values of the member code, and with their statuses in
// the descriptions of responses.
type openapi struct {
	Paths      map[string]map[string]struct{ Responses map[string]response }
	Components struct {
		Responses map[string]response
		Schemas   struct {
			Error struct {
				Properties struct {
					Code struct {
						Values []string `yaml:"x-extensible-enum"`
					}
				}
			} `yaml:"Error"`
		}
	}
}

// response is a response of an operation, or a reference to one that several operations share.
type response struct {
	Ref         string `yaml:"$ref"`
	Description string
}

// described matches a code in the description of a response.
var described = regexp.MustCompile("`([a-z_]+)`: ")

// readStatuses returns the status of each code.
func readStatuses(contract []byte) (map[string]int, error) {
	var doc openapi
	if err := yaml.Unmarshal(contract, &doc); err != nil {
		return nil, err
	}
	statuses := map[string]int{}
	for path, operations := range doc.Paths {
		for _, operation := range operations {
			for status, r := range operation.Responses {
				if r.Ref != "" {
					r = doc.Components.Responses[r.Ref[strings.LastIndex(r.Ref, "/")+1:]]
				}
				for _, m := range described.FindAllStringSubmatch(r.Description, -1) {
					n, err := strconv.Atoi(status)
					if known := statuses[m[1]]; err != nil || http.StatusText(n) == "" || known != 0 && known != n {
						return nil, fmt.Errorf("%s: %s has status %s, elsewhere %d", path, m[1], status, known)
					}
					statuses[m[1]] = n
				}
			}
		}
	}
	for code := range statuses {
		if !slices.Contains(doc.Components.Schemas.Error.Properties.Code.Values, code) {
			return nil, fmt.Errorf("%s is no value of the member code", code)
		}
	}
	for _, code := range doc.Components.Schemas.Error.Properties.Code.Values {
		if statuses[code] == 0 {
			return nil, fmt.Errorf("no response has the code %s", code)
		}
	}
	return statuses, nil
}
