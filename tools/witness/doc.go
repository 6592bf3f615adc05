// Package witness tests internal/ledger/witness for interoperability with the witness of
// transparency-dev, in both directions.
package witness
