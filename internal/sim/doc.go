// Package sim contains the simulation test of the whole service: nodes as package app composes them, on one
// database, called concurrently, under injected faults.
//
// A simulation goes in steps. In each, the clocks of the nodes move, at most one fault is
// set, several operations run concurrently over HTTP (delivered once or several times, with an
// Idempotency-Key or without, interrupted, with the answer lost), the fault ends, and the step
// settles: a call whose outcome is unknown has had its effect by then or never has it. Then
// everything is read and checked:
//
//   - The runs of each player, and each duel, have a history that is linearizable
//     (github.com/anishathalye/porcupine) by a sequential model, which is written from the
//     specification and shares no code with the service. A call without an answer may have
//     had its effect or not. The models also decide what each answer must show to its caller,
//     and what it must not.
//   - A request under one Idempotency-Key has its effect once, and one answer.
//   - No answer, event or log line contains a seed before its throw, another player's
//     move, salt or commitment before its time, a password, a token or a key.
//   - The chain, read block by block and applied by hand, has every acknowledged
//     transaction, and gives every account the coins and tokens that the service reports, every
//     token one owner, every run one end, every duel one settlement and an escrow of its
//     stakes; every returned checkpoint belongs to this log; GET /api/chain/verify returns
//     valid.
//   - A cup decides every game once, pairs no two players twice and closes once with the hash of its table; a
//     result is void once, for the reason that its operator gave, and restored once.
//   - Achievements agree with the chain: every end is reported.
//   - Doctor finds nothing: ratings, boards, market and portfolios follow from the facts.
//   - A follower of events that reconnects, to this node or another, receives each event once
//     and in order: every block, and its own last duel.
//   - A session returns its own account, and an ended session 401.
//   - No call is answered with 500, and with 503 only while a fault is set.
//
// The package consists of tests. The seed fixes the schedule; the order of concurrent calls is
// up to the machine, so every check holds for every order, and a seed that failed may have to
// be run again. docs/simulation.md says how, and which planted faults it finds.
package sim
