// Package sim simulates the whole service: nodes as package app puts them together, on one
// database, asked by many at the same time, while what can go wrong goes wrong.
//
// A simulation goes in steps. Before each, the clocks of the nodes are turned, each its own
// way and now and then back; something is broken, or nothing: commits that fail, stored or
// not, closures that run twice, connections to PostgreSQL that are cut anywhere, behind a COMMIT
// above all, a node that dies at its n-th commit or is stopped and started. Then some deeds of every kind are done at once, over HTTP: delivered once, twice,
// to one node or another, at once or one after the other, with an Idempotency-Key or
// without, broken off, with the answer lost, and some that are old once more. Then all nodes
// are mended, and what everybody would see is read and held against what must be:
//
//   - The runs of each player, and each duel, have a history that is linearizable
//     (github.com/anishathalye/porcupine) by a sequential model, which is written from the
//     specification and shares no code with the service. What nobody heard the end of may
//     have happened or not. The models also say what each answer must show to its caller,
//     and what it must not.
//   - A request under one Idempotency-Key has its effect once, and one answer.
//   - No answer, event or line of a log holds a seed that was not thrown for, another's
//     move, salt or commitment before its time, a password, a token, a key.
//   - The chain, read block by block and kept by hand, has what was answered, gives
//     everybody the coins and tokens that the service says they have, every token one owner,
//     every run one end, every duel one settlement and an escrow of what is staked; every
//     checkpoint that was handed out is of this log; GET /api/chain/verify says valid.
//   - What the chain says that somebody has done, runs ended and claimed, tokens sold and
//     bought, they are told that they have done: whatever ends is reported.
//   - Doctor finds nothing: ratings, boards, market and portfolios are what follows from the
//     facts.
//   - Who follows events and comes back, to another node or the same, is told each once and
//     in order, of every block and of its own last duel.
//   - Sessions that are over let nobody in.
//   - Nothing is answered with 500, and with 503 only where something was broken.
//
// The package consists of tests. What follows from the seed is the schedule; what happens at
// the same time is up to the machine, so a seed that fails once may have to be tried a few
// times. docs/simulation.md says how, and which mistakes it was shown to find.
package sim
