// A program for roshambo lab and roshambo bot: docs/lab.md describes the lines.
//
//     roshambo lab --exec "node bot.mts"   (Node.js 22.18; before that "npx tsx bot.mts")
import { createInterface } from "node:readline";

type Move = "rock" | "paper" | "scissors";
interface Turn {
  opponent: string;
  duel: string;
  round: number;
  history: { mine: Move; theirs: Move }[];
  seed: string;
}

const moves: Move[] = ["rock", "paper", "scissors"];

for await (const line of createInterface({ input: process.stdin })) {
  const turn = JSON.parse(line) as Turn;
  const count = (move: Move) => turn.history.filter(({ theirs }) => theirs === move).length;
  // Beat the opponent's most frequent move: each move is beaten by the next one.
  const frequent = moves.reduce((a, b) => (count(b) > count(a) ? b : a));
  const index = turn.history.length > 0 ? moves.indexOf(frequent) + 1 : parseInt(turn.seed.slice(0, 8), 16);
  console.log(JSON.stringify({ move: moves[index % 3] }));
}
