// Package api holds the contract of the service, made from its operations by
// `roshambo openapi` and committed, so that a change of the contract shows in review.
package api

import _ "embed"

// YAML is the interface description, OpenAPI 3.1.
//
//go:embed openapi.yaml
var YAML []byte
