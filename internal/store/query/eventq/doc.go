// Package eventq is made by sqlc from internal/platform/event/queries.sql: one method for
// each query of events, checked against the schema when it is made. Change the
// SQL, then run make gen.
package eventq
