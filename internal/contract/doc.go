// Package contract turns typed operations into an HTTP interface: strict
// reading, checks, filling, and the OpenAPI document, all from one struct.
package contract
