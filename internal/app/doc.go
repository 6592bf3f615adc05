// Package app composes the service and runs it. It is the only package that knows all others.
//
// The process of a node:
//
//   - config, keys, store: options, secrets of the chain, the database and its engine
//   - build, nodes: composes the services; wires the relay and the leases between nodes
//   - adapter_*: what one service needs of another, as that one's interface
//   - app, background: serves, drains and stops; the loops of a node
//   - connections, files_*, limits, memlimit, memory, quiet: bounds of connections, calls, memory and log
//   - admin, health, measure, tracing, version: the admin address, with metrics, traces and profiles
//   - asking, headfile, recovering: detects a database that was rolled back, and recovers from lost blocks
//   - witness: collects the cosignatures of witnesses
//
// The operators:
//
//   - operator, operator_name, operator_void, operator_refused: the operators' API
//   - operator_call: the command `roshambo admin`, which calls it
//   - audit, backup, doctor, leftovers, recovery: the commands on a data folder or a database
//   - witness_serve, contract: the commands `roshambo witness` and `roshambo openapi`
//
// The house:
//
//   - house, attention: its bots, and whether the service has users for them to play
package app
