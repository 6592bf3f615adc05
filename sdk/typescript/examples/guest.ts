// From nothing to a ranked duel: opens a guest account, creates a bot that it owns, and plays with it.
//
//     node guest.ts http://127.0.0.1:8080

import { Bot, Client, result } from 'roshambo';

const [url = ''] = process.argv.slice(2);
const owner = new Client({ url });
await owner.createGuest();
const { bot, secret } = await owner.createBot({ name: `my-bot-${Date.now()}` });
console.log(`${bot.username} plays`);
const client = new Client({ url, key: secret });
await new Bot({
  client,
  strategy: { move: () => 'rock', ended: (duel) => console.log(`${result(duel)}, ${url}/d/${duel.id}`) },
}).run({ duels: 1 });
