// Package apidiff compares api/openapi.yaml with the contract of the last version in CHANGELOG.md, which
// tools/keep-version has stored below released, and names what breaks callers. It holds the API to
// docs/compatibility.md; the comparison is oasdiff's.
package apidiff
