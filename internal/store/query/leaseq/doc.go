// Package leaseq is made by sqlc from internal/platform/lease/queries.sql: one method for each
// query of leases, checked against the schema when it is made. Change the SQL, then
// run make gen.
package leaseq
