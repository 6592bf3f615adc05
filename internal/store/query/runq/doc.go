// Package runq is made by sqlc from internal/service/run/queries.sql: one method for
// each query of runs, checked against the schema when it is made. Change the
// SQL, then run make gen.
package runq
