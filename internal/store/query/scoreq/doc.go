// Package scoreq is made by sqlc from internal/service/score/queries.sql: one method for
// each query of boards, seasons and achievements, checked against the schema when it
// is made. Change the SQL, then run make gen.
package scoreq
