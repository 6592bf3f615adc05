// Package api embeds the OpenAPI 3.1 document of the service (openapi.yaml). `roshambo openapi`
// generates it from the operations; it is committed, so that a change of the contract shows in
// review.
package api

import _ "embed"

// YAML is the interface description, OpenAPI 3.1.
//
//go:embed openapi.yaml
var YAML []byte
