// Package portfolioq is made by sqlc from internal/service/portfolio/queries.sql: one method for
// each query of portfolios, checked against the schema when it is made. Change the SQL,
// then run make gen.
package portfolioq
