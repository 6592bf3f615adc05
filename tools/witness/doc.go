// Package witness holds tests of internal/ledger/witness against the witness of
// transparency-dev: ours asks theirs, and theirs ours.
package witness
