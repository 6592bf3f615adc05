// Package ledgerq is made by sqlc from internal/ledger/queries.sql: one method for
// each query of the ledger, checked against the schema when it is made. Change the
// SQL, then run make gen.
package ledgerq
