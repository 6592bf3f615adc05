package apidiff

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

const root = "../../"

// dated matches the heading of a released version in CHANGELOG.md. The first one is the newest.
var dated = regexp.MustCompile(`(?m)^## (\S+), \d{4}-\d\d-\d\d$`)

// stricter are changes that oasdiff permits and docs/compatibility.md excludes.
var stricter = map[string]checker.Level{
	// An end without a time, which needs a sunset first. After its sunset oasdiff reports no removal.
	checker.APIPathRemovedWithDeprecationId:                  checker.ERR,
	checker.APIRemovedWithDeprecationId:                      checker.ERR,
	checker.RequestParameterRemovedWithDeprecationId:         checker.ERR,
	checker.RequestPropertyRemovedWithDeprecationId:          checker.ERR,
	checker.ResponseRequiredPropertyRemovedWithDeprecationId: checker.ERR,
	// Names of answers. Of an optional member oasdiff reports also the removal after its sunset: then this row goes for
	// that release.
	checker.ResponseOptionalPropertyRemovedId: checker.ERR,
	checker.ResponsePropertyBecameRequiredId:  checker.ERR,
	checker.OptionalResponseHeaderRemovedId:   checker.ERR,
	// The meaning of a request that leaves something out.
	checker.RequestParameterDefaultValueChangedId: checker.ERR,
	checker.RequestParameterDefaultValueRemovedId: checker.ERR,
	checker.RequestPropertyDefaultValueChangedId:  checker.ERR,
	checker.RequestPropertyDefaultValueRemovedId:  checker.ERR,
}

// TestContract: nothing in the contract breaks callers of the last released version. Before the first release nothing
// is stored that a caller could rely on.
func TestContract(t *testing.T) {
	t.Parallel()
	version := dated.FindSubmatch(read(t, "CHANGELOG.md"))
	if version == nil {
		if _, err := os.Stat(root + "released"); err == nil {
			t.Error("released has a version, and CHANGELOG.md has none with a date")
		}
		return
	}
	packed, err := gzip.NewReader(bytes.NewReader(read(t, "released/"+string(version[1])+"/openapi.yaml.gz")))
	if err != nil {
		t.Fatal(err)
	}
	base, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range breaks(t, base, read(t, "api/openapi.yaml")) {
		t.Errorf("callers of %s: %s", version[1], b)
	}
}

// edit replaces the first occurrence of a text in the contract.
type edit struct{ old, by string }

// TestPlanted: breaks that are planted into today's contract are named, and what docs/compatibility.md permits is not.
func TestPlanted(t *testing.T) {
	t.Parallel()
	contract := string(read(t, "api/openapi.yaml"))
	const path, operation, limit = "\n  /api/tiers:\n", "\n      operationId: getTiers\n",
		"\n            minimum: 1\n            maximum: 100\n            default: 20\n"
	gone := edit{path, "\n  /api/ladder:\n"}
	for name, tt := range map[string]struct {
		before, after edit
		want          string // the id of the break; "" for none
	}{
		"nothing":           {},
		"an operation ends": {after: gone, want: "api-path-removed-without-deprecation"},
		"an operation ends that was to end at no time": {edit{operation, operation + "      deprecated: true\n"}, gone,
			"api-path-removed-with-deprecation"},
		"an operation ends too soon": {edit{operation, operation +
			"      deprecated: true\n      x-sunset: \"2999-01-01\"\n"}, gone, "api-path-removed-before-sunset"},
		"an operation ends after its sunset": {before: edit{operation, operation +
			"      deprecated: true\n      x-sunset: \"2020-01-01\"\n"}, after: gone},
		"an operation comes": {after: edit{path, "\n  /api/ladder:\n    get:\n      operationId: ladder\n      responses:\n" +
			"        \"200\":\n          description: The ladder.\n" + path[1:]}},
		"a member of an answer ends": {after: edit{"\n        buyback_bps:\n", "\n        buyback:\n"},
			want: "response-required-property-removed"},
		"a member of an answer comes": {after: edit{"\n        buyback_bps:\n",
			"\n        colour:\n          type: string\n        buyback_bps:\n"}},
		"a parameter is required": {after: edit{"\n        - name: me\n          in: query\n          required: false\n",
			"\n        - name: me\n          in: query\n          required: true\n"}, want: "request-parameter-became-required"},
		"a bound is narrower": {after: edit{limit, strings.Replace(limit, "100", "50", 1)},
			want: "request-parameter-max-decreased"},
		"a bound is wider": {after: edit{limit, strings.Replace(limit, "100", "200", 1)}},
		"a default differs": {after: edit{limit, strings.Replace(limit, "20", "25", 1)},
			want: "request-parameter-default-value-changed"},
		"an open list grows": {after: edit{"\n          x-extensible-enum:\n",
			"\n          x-extensible-enum:\n            - later\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := tt.before.apply(t, contract)
			after := tt.after.apply(t, contract)
			found := strings.Join(breaks(t, []byte(before), []byte(after)), "\n")
			if tt.want == "" && found != "" || !strings.Contains(found, tt.want) {
				t.Errorf("got %q, want %q", found, tt.want)
			}
		})
	}
}

func (e edit) apply(t *testing.T, contract string) string {
	t.Helper()
	if !strings.Contains(contract, e.old) {
		t.Fatalf("the contract has not %q", e.old)
	}
	return strings.Replace(contract, e.old, e.by, 1)
}

// breaks returns the changes between two contracts that break callers, a line each with the id of oasdiff.
func breaks(t *testing.T, before, after []byte) (lines []string) {
	t.Helper()
	var specs [2]*load.SpecInfo
	for i, text := range [][]byte{before, after} {
		spec, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			t.Fatal(err)
		}
		specs[i] = &load.SpecInfo{Spec: spec, Source: load.NewFileSource("openapi.yaml")}
	}
	changes, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), specs[0], specs[1])
	if err != nil {
		t.Fatal(err)
	}
	config := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(stricter))
	for _, c := range checker.CheckBackwardCompatibility(config, changes, sources) {
		lines = append(lines, fmt.Sprintf("%s %s: %s (%s)", c.GetOperation(), c.GetPath(),
			c.GetUncolorizedText(checker.NewDefaultLocalizer()), c.GetId()))
	}
	return lines
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(root + file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
