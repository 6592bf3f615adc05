// Command mutate measures what the tests of a package see: it plants one mistake at a time
// and runs the tests. A mistake that they pass with is a survivor: either a test is missing,
// or the mistake makes no difference, which is then written down with the reason.
//
//	go -C tools/mutate run . -packages internal/service/run,internal/service/duel -n 10 -seed 1
//
// # Mistakes
//
//   - remove: a statement (a call, an assignment, a deferred or started call) is left out
//   - drop: an error is dropped; "if err != nil { return err }" goes on, a return of an
//     error returns nil
//   - negate: a condition is the opposite, && is || and the other way round
//   - bound: < is <=, > is >=, and the other way round
//   - arithmetic: + is -, * is /, and the other way round
//   - constant: a whole number is one more, true is false
//
// What is only logged, what is returned beside an error and what stands outside of functions
// is left as it is. Which of them are planted follows from the seed. One that does not compile is replaced by
// the next. Mistakes are planted by an overlay: no file of the tree is changed.
//
// # What kills
//
// The package's own tests run first, with -test.short and at the fixed seeds. What they pass
// is given to the tests of a package above that are meant to see it (dependants). A test that
// fails, panics or does not end within the time limit kills.
//
// # Equivalents
//
// The file equivalent.txt names the mistakes that make no difference. They are not planted.
// An entry is found by its package, function and lines, not by a line number; one that fits
// nothing any more is an error. Entries are separated by an empty line:
//
//	internal/service/run Service.Throw
//	- the line as it is
//	+ the line with the mistake, nothing when it was removed
//	The reason.
//
// The exit code is 1 when a package scores less than -min percent, or an entry fits nothing,
// and 2 when nothing could be measured.
package main
