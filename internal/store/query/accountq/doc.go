// Package accountq is made by sqlc from internal/service/account/queries.sql: one method for
// each query of accounts, checked against the schema when it is made. Change the
// SQL, then run make gen.
package accountq
