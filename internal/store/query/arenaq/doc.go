// Package arenaq is made by sqlc from internal/service/arena/queries.sql: one method for
// each query of the arena, checked against the schema when it is made. Change the
// SQL, then run make gen.
package arenaq
