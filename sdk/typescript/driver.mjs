// The driver of sdk/conformance for this package: it does the tasks of its standard input, all at once.

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  AnswerError,
  Bot,
  Client,
  ConnectionError,
  House,
  metaOf,
  ReceiptError,
  result,
  ServiceError,
  silentLogger,
  TextsError,
} from './dist/index.js';
import { fileReceipts, fileState } from './dist/node.js';

const stores = ({ folder }, state) => ({
  state: fileState(join(folder, state)),
  receipts: fileReceipts(join(folder, 'receipts.jsonl')),
});

/** Returns the first items of an iterator, all without a number. */
async function list(items, form, most = Infinity) {
  const found = [];
  for await (const item of items) {
    found.push(form(item));
    if (found.length === most) break;
  }
  return found;
}

/** Returns a strategy that always plays rock, and notes the results. */
const rock = (results) => ({ move: () => 'rock', ended: (duel) => void results.push(result(duel)) });

const commands = {
  me: async (client) => (await client.getMe()).account.username,
  bot: async (client, task, name) => (await client.createBot({ name })).secret,
  guest: async (client) => (await client.createGuest()).account.username,
  head: async (client, task, height) => (await client.getHead({ height: Number(height) }, { wait: 20 })).head.height,
  meta: async (client, task, height) => {
    const answer = await client.getHead({ height: Number(height) }, { wait: 20 });
    const { requestId, rateLimit, held, replayed } = metaOf(answer);
    return { request_id: requestId, rate_limit: rateLimit, held, replayed };
  },
  runs: (client) => list(client.listRuns({ limit: 2 }), ({ id }) => id),
  data: (client) => list(client.dataDuels(), ({ cursor }) => cursor),
  events: (client, task, n) =>
    list(client.followEvents({ topics: ['feed'] }), ({ event, id }) => [event, id], Number(n)),
  play: async (client, task, n, version) => {
    const results = [];
    await new Bot({ client, strategy: rock(results), ...stores(task, 'bot.json'), version }).run({ duels: Number(n) });
    return results;
  },
  duel: async (client, task, code) => {
    const results = [];
    const { duel } = await client.getDuel(code);
    await new Bot({ client, strategy: rock(results), ...stores(task, 'bot.json') }).play(duel);
    return results;
  },
  run: async (client, task) => {
    const house = new House({ client, ...stores(task, 'runs.json') });
    let { run } = await house.start({ move: 'rock', then: 'claim' });
    while (run.status === 'active') ({ run } = await house.throw(run, { move: 'rock', then: 'claim' }));
    return run.status;
  },
  verify: (client, task, code, key) => client.verifyDuel(code, { key }),
};

/** Returns an error of the package as the table has it; null for any other one. */
function known(error) {
  if (error instanceof ServiceError) {
    const { status, code, requestId, retryAfter } = error;
    return { type: 'service', status, code, request_id: requestId ?? '', retry_after: retryAfter };
  }
  if (error instanceof ConnectionError) return { type: 'connection' };
  if (error instanceof ReceiptError) return { type: 'receipt' };
  if (error instanceof TextsError) return { type: 'texts' };
  if (error instanceof AnswerError) return { type: 'answer' };
  return null;
}

async function work(task) {
  try {
    const { url, key, budget } = task;
    const client = new Client({ url, key, retryBudget: budget < 0 ? Infinity : budget, logger: silentLogger });
    const done = await commands[task.command](client, task, ...task.arguments);
    console.log(JSON.stringify({ id: task.id, result: done }));
  } catch (error) {
    // No row of the table expects an error without a name of ours: the task fails at once, with the reason.
    const about = known(error);
    console.log(JSON.stringify({ id: task.id, error: about ?? { type: String(error?.name) } }));
    if (!about) {
      console.error(`task ${task.id}: ${task.command}`, error);
      process.exitCode = 1;
    }
  }
}

const tasks = [];
for await (const line of createInterface(process.stdin)) tasks.push(work(JSON.parse(line)));
await Promise.all(tasks);
