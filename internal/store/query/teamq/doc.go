// Package teamq is made by sqlc from internal/service/team/queries.sql: one method for each
// query of teams, checked against the schema when it is made. Change the SQL, then
// run make gen.
package teamq
