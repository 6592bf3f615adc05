// Counts the moves of all finished duels, from the data in bulk.
//
//     node data.ts http://127.0.0.1:8080

import { Client } from 'roshambo';

const [url = ''] = process.argv.slice(2);
const counts = { rock: 0, paper: 0, scissors: 0 };
for await (const { duel } of new Client({ url }).dataDuels()) {
  for (const { move_a, move_b } of duel.rounds) {
    for (const move of [move_a, move_b]) if (move) counts[move]++;
  }
}
console.log(counts);
