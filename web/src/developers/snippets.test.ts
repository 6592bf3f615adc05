// Runs the programs of the developer page against a server that has one tie and then a loss.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { curl, joinCommands, python } from './snippets.ts';

interface Sent {
  client_seed?: string;
  entropy?: string;
}

/**
 * Runs a program in an empty folder and returns the bodies of its requests. The first `refused` requests get 503.
 */
async function sentBy(
  command: string,
  program: (base: string, key: string) => string,
  { folder = '', refused = 0 } = {},
): Promise<Sent[]> {
  const cwd = folder || (await mkdtemp(join(tmpdir(), 'program-')));
  const sent: Sent[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (text: Buffer) => (body += text.toString()));
    request.on('end', () => {
      if (request.method === 'POST') sent.push(JSON.parse(body) as Sent);
      if (sent.length <= refused && request.method === 'POST') {
        response.writeHead(503).end('{"code":"unavailable"}');
        return;
      }
      const run = { id: 'one', status: sent.length < 3 + refused ? 'active' : 'lost' };
      response.end(JSON.stringify({ run, outcome: 'tie', throw: { move: 'rock', house_move: 'rock' } }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  try {
    await promisify(execFile)(command, ['-c', program(base, 'key')], { cwd });
  } finally {
    server.close();
  }
  return sent;
}

const fresh = /^[0-9a-f]{16}$/;

test('the Python program sends a fresh seed with its run and fresh entropy with each throw', async () => {
  const [start, ...throws] = await sentBy('python3', python);
  expect(start?.client_seed).toMatch(fresh);
  for (const { entropy } of throws) expect(entropy).toMatch(fresh);
  expect(new Set([start?.client_seed, ...throws.map(({ entropy }) => entropy)]).size).toBe(3);
});

test('the Python program keeps each text before it sends it, and repeats it as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'program-'));
  const [refused, start, ...throws] = await sentBy('python3', python, { folder, refused: 1 });
  expect(start).toEqual(refused);
  const kept = (await readFile(join(folder, 'sent.txt'), 'utf8')).trim().split('\n');
  expect(kept.map((line) => JSON.parse(line.slice(line.indexOf(' '))) as Sent)).toEqual([start, ...throws]);
});

test('the commands send a fresh seed', async () => {
  const seeds = (await Promise.all([sentBy('bash', curl), sentBy('bash', curl)])).flat();
  expect(seeds).toHaveLength(2);
  for (const { client_seed } of seeds) expect(client_seed).toMatch(fresh);
  expect(seeds[0]).not.toEqual(seeds[1]);
});

test('the commands keep the seed before they send it, and repeat it as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'program-'));
  const [refused, start] = await sentBy('bash', curl, { folder, refused: 1 });
  expect(start).toEqual(refused);
  expect(await readFile(join(folder, 'sent.txt'), 'utf8')).toEqual(`${start?.client_seed ?? ''}\n`);
});

test('a bot joins a private cup with the code of its link, and a public one without', async () => {
  const base = 'https://roshambo.example';
  expect(joinCommands(base, 7, '7B7B7B7B')).toEqual([
    `roshambo bot --url ${base} --exec "python3 my.py" --cup '${base}/cups/7#7B7B7B7B'`,
    `curl -X POST -H "Authorization: Bearer $ROSHAMBO_KEY" --json '{"code":"7B7B7B7B"}' ${base}/api/cups/7/join`,
  ]);
  expect(joinCommands(base, 7, ' 7B7B-7B7B')).toEqual(joinCommands(base, 7, '7B7B7B7B'));
  expect(joinCommands(base, 7, null)).toEqual([
    `roshambo bot --url ${base} --exec "python3 my.py" --cup 7`,
    `curl -X POST -H "Authorization: Bearer $ROSHAMBO_KEY" ${base}/api/cups/7/join`,
  ]);
  const command = (base: string, key: string) =>
    `ROSHAMBO_KEY=${key}; ${joinCommands(base, 7, '7b7b7b7b')[1] ?? ''}`;
  expect(await sentBy('bash', command)).toEqual([{ code: '7b7b7b7b' }]);
});

test.each(['', '7B7B', "7B7B'; id '", '7B7B7B7B\n', '%27$(id)', '7B7B7B7B7'])(
  'what is no code is in no command: %j',
  (code) => {
    expect(joinCommands('https://roshambo.example', 7, code)).toEqual([]);
  },
);
