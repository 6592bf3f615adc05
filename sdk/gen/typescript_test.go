package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// partsContract is a contract with one operation.
const partsContract = `
info: {version: "1.2.3"}
paths:
  /api/things/{name}/parts:
    get:
      tags: [Things]
      summary: Parts of a thing
      description: Parts of a thing
      operationId: listParts
      parameters:
        - {name: name, in: path, required: true, description: "Ends with */.", schema: {type: string}}
        - {name: sort-by, in: query, schema: {type: string, enum: [age, size]}}
        - {name: cursor, in: query, schema: {type: string}}
      responses:
        "200": {content: {application/json: {schema: {$ref: "#/components/schemas/PartsOut"}}}}
components:
  schemas:
    PartsOut:
      type: object
      required: [parts, next]
      properties:
        parts: {type: array, items: {type: [string, "null"], enum: [a, b, null]}}
        next: {type: [string, "null"]}
        kind: {type: string, x-extensible-enum: [new]}
`

func TestTypeScript(t *testing.T) {
	t.Parallel()
	c, err := readContract([]byte(partsContract))
	if err != nil {
		t.Fatal(err)
	}
	files, err := typescript(c)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]string{
		"types.ts": {"/** The answer of listParts. */\nexport interface PartsOut {\n  parts: ('a' | 'b' | null)[];\n  next: string | null;\n" +
			"  kind?: 'new' | (string & {});\n}\n"},
		"operations.ts": {
			"export const contract = '1.2.3';",
			"export interface ListPartsQuery {\n  'sort-by'?: 'age' | 'size' | undefined;\n  cursor?: string | undefined;\n}\n",
			"  /**\n   * Parts of a thing.\n",
			"   * @param name - Ends with * /.\n", // the end of a comment
			"  listParts(\n    name: string,\n    query: ListPartsQuery = {},\n    options: CallOptions = {},\n" +
				"  ): Paged<PartsOut, 'a' | 'b' | null> {\n",
			"path: `/api/things/${segment(name)}/parts`,",
			"}, (page) => page.parts);",
		},
	} {
		for _, text := range want {
			if got := string(files[typescriptHome+file]); !strings.Contains(got, text) {
				t.Errorf("%s lacks %q:\n%s", file, text, got)
			}
		}
	}
}

func TestTypeScriptHeader(t *testing.T) {
	t.Parallel()
	text := strings.Replace(partsContract, "name: sort-by, in: query", "name: sort-by, in: header", 1)
	c, err := readContract([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := typescript(c); err == nil {
		t.Error("an operation with a header that no method sends is generated")
	}
}

// TestTypeScriptVersion checks that the package has the version of the contract.
func TestTypeScriptVersion(t *testing.T) {
	t.Parallel()
	contract, err := os.ReadFile("../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := readContract(contract)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../typescript/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pkg struct{ Version string }
	if err := json.Unmarshal(text, &pkg); err != nil || pkg.Version != c.version {
		t.Errorf("the package has the version %s, the contract %s; %v", pkg.Version, c.version, err)
	}
}
