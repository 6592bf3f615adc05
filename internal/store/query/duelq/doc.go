// Package duelq is made by sqlc from internal/service/duel/queries.sql: one method for
// each query of duels, checked against the schema when it is made. Change the
// SQL, then run make gen.
package duelq
