// Package acme tests that the service gets its certificate from an ACME server: Pebble, the test server of
// Let's Encrypt.
package acme
