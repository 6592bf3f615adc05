// Command mutate measures how well tests detect mistakes: it plants one mistake at a time (a
// mutant) and runs the tests. A mutant that passes them has survived: either a test is missing,
// or the mistake has no effect, which is then recorded with the reason.
//
//	go -C tools/mutate run . -packages internal/service/run,internal/service/duel -n 10 -seed 1
//
// # Mistakes
//
//   - remove: a statement (a call, an assignment, a deferred or started call) is removed
//   - drop: an error is dropped; "if err != nil { return err }" continues, a returned error
//     becomes nil
//   - negate: a condition is negated, && becomes || and vice versa
//   - bound: < becomes <=, > becomes >=, and vice versa
//   - arithmetic: + becomes -, * becomes /, and vice versa
//   - constant: an integer is incremented, true becomes false
//
// Log statements, prefetches, values that are returned beside an error, capacities of slices, and code outside
// of functions are left unchanged. The seed determines which mistakes are planted. One that does
// not compile is replaced by the next. Mistakes are planted by an overlay: no file of the tree
// changes.
//
// Compiling and linking a package's tests takes longer than most of the tests, so it is done once for
// all mutants: each is a copy of its function, which the function calls instead of its own body if an
// environment variable names the mutant.
//
// # Tests
//
// The package's own tests run first, with -test.short and fixed seeds. Mutants that pass them run
// against the tests of a package above that cover the package as well (dependants). All of them run on
// SQLite, and those that find nothing again on PostgreSQL if ROSHAMBO_TEST_POSTGRES has its address:
//
//	tools/with-postgres go -C tools/mutate run .
//
// A test that fails, panics or exceeds the time limit kills the mutant.
//
// # Equivalents
//
// The file equivalent.txt lists mistakes without effect. They are not planted. An entry is
// matched by package, function and source line, not by line number; an entry that matches nothing
// is an error. An empty line separates entries:
//
//	internal/service/run Service.Throw
//	- the line as it is
//	+ the line with the mistake, empty if it is removed
//	The reason.
//
// The exit status is 1 if a package scores below -min percent or an entry matches nothing, and 2
// if nothing could be measured.
package main
