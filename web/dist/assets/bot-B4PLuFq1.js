var e=`// A bot for the arena, on the package roshambo (sdk/typescript).
//
//     ROSHAMBO_KEY=rsb_… npx --yes tsx bot.mts http://127.0.0.1:8080 3
//
// plays three ranked duels with the key of a bot, and prints the result of each. Change move. Ctrl-C ends the duel in play,
// within a minute, and leaves the queue.

import { Bot, Client, result, sides, type Duel, type History, type Move } from 'roshambo';
import { fileReceipts, fileState } from 'roshambo/node';

const moves: readonly Move[] = ['rock', 'paper', 'scissors'];

/** Beats the most frequent of the opponent's last ten moves, and plays at random one time in five. */
const strategy = {
  move(history: History): Move {
    const recent = history.slice(-10).map(({ theirs }) => theirs);
    const random = Math.floor(3 * Math.random());
    if (recent.length === 0 || Math.random() < 0.2) return moves[random] ?? 'rock';
    const count = (move: Move): number => recent.filter((one) => one === move).length;
    const most = moves.reduce((a, b) => (count(b) > count(a) ? b : a));
    return moves[(moves.indexOf(most) + 1) % 3] ?? 'rock';
  },
  ended(duel: Duel): void {
    const { wins } = duel;
    console.log(\`\${result(duel)} against \${sides(duel).them.username}, \${wins.a}:\${wins.b}, \${url}/d/\${duel.id}\`);
  },
};

const [url = '', duels = '1'] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
try {
  const client = new Client({ url, key: process.env['ROSHAMBO_KEY'] ?? '', retryBudget: Infinity });
  const stores = { state: fileState('bot.json'), receipts: fileReceipts('receipts.jsonl') };
  await new Bot({ client, strategy, ...stores, linger: 60 }).run({ duels: Number(duels), signal: stop.signal });
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}
`;export{e as default};