// Runs the programs of the developer page against a server that has one tie and then a loss.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { curl, python } from './snippets.ts';

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
