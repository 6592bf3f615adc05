// The real server, built from this tree (or the program that ROSHAMBO_BINARY names), on a free port and a folder of its
// own, for as long as the tests run: one for each of the files that run side by side, so that neither meets the other's
// players. A test may start more of them.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';

/** Files of tests that run side by side: one more than the processors of a small machine, as they often wait for a block. */
export const workers = 3;

/** How long anything that is waited for may take, in milliseconds. */
export const patience = 90_000;

declare module 'vitest' {
  interface ProvidedContext {
    /** The servers, one for each worker: address without a slash at the end, and data folder. */
    servers: { base: string; data: string }[];
    /** The program itself. */
    binary: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Pictures of the time before.
  rmSync(path.resolve(import.meta.dirname, '../test-results'), { recursive: true, force: true });
  const folder = mkdtempSync(path.join(tmpdir(), 'roshambo-e2e-'));
  const binary = process.env.ROSHAMBO_BINARY ?? build();
  const data = Array.from({ length: project.config.maxWorkers }, (_, i) => path.join(folder, `data-${i}`));
  const servers = await Promise.all(data.map((place) => serve(binary, place)));
  project.provide(
    'servers',
    servers.map(({ base }, i) => ({ base, data: data[i] ?? '' })),
  );
  project.provide('binary', binary);
  return async () => {
    await Promise.all(servers.map(({ stop }) => stop()));
    rmSync(folder, { recursive: true, force: true });
  };
}

export interface Server {
  /** Its address, without a slash at the end. */
  base: string;
  stop: () => Promise<void>;
}

/** Starts a server on a data folder, on a free port unless one is given. */
export async function serve(binary: string, data: string, port = '0'): Promise<Server> {
  const listen = `127.0.0.1:${port}`;
  const server = spawn(binary, ['serve', '--listen', listen, '--rate-limit', '0', '--data', data]);
  const lines: string[] = [];
  const base = await new Promise<string>((found, failed) => {
    for (const stream of [server.stdout, server.stderr]) {
      createInterface(stream).on('line', (line) => {
        lines.push(line);
        const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
        if (address) found(address);
      });
    }
    server.once('exit', (code) => {
      failed(new Error(`the server stopped with ${String(code)}:\n${lines.join('\n')}`));
    });
  });
  const stop = async () => {
    const gone = once(server, 'exit');
    server.kill('SIGTERM');
    await gone;
  };
  return { base, stop };
}

/**
 * Builds the program where the last one was built: Go compiles only what has changed, and links only when anything has.
 */
function build(): string {
  const root = path.resolve(import.meta.dirname, '../..');
  const binary = path.join(root, '.cache/e2e/roshambo');
  execFileSync('go', ['build', '-o', binary, './cmd/roshambo'], { cwd: root, stdio: 'inherit' });
  return binary;
}
