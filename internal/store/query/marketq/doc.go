// Package marketq is made by sqlc from internal/service/market/queries.sql: one method for
// each query of the market, checked against the schema when it is made. Change the
// SQL, then run make gen.
package marketq
