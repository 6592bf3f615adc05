// The real server, built from this tree (or the program in ROSHAMBO_BINARY), with a free port and a data folder of its
// own. Each worker has one server, so that test files that run in parallel do not share players. A test may start more.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';

/**
 * The number of parallel test files: one more than the processors of a small machine, as tests often wait for a block.
 */
export const workers = 3;

/** The timeout of every wait in milliseconds. */
export const waitTimeout = 90_000;

declare module 'vitest' {
  interface ProvidedContext {
    /** The servers, one for each worker: address without a trailing slash, and data folder. */
    servers: { base: string; data: string }[];
    /** The path of the server's binary. */
    binary: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Remove the screenshots of earlier runs.
  rmSync(path.resolve(import.meta.dirname, '../test-results'), { recursive: true, force: true });
  const folder = mkdtempSync(path.join(tmpdir(), 'roshambo-e2e-'));
  const binary = process.env.ROSHAMBO_BINARY ?? build();
  const data = Array.from({ length: project.config.maxWorkers }, (_, i) => path.join(folder, `data-${i}`));
  const servers = await Promise.all(data.map((dir) => serve(binary, dir)));
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
  /** The address without a trailing slash. */
  base: string;
  stop: () => Promise<void>;
}

/** Starts a server with a data folder, on a free port by default. */
export async function serve(
  binary: string,
  data: string,
  port = '0',
  options: readonly string[] = ['--house-bots=false'],
): Promise<Server> {
  const listen = `127.0.0.1:${port}`;
  const server = spawn(binary, [
    'serve',
    '--listen',
    listen,
    '--rate-limit',
    '0',
    '--data',
    data,
    ...options,
  ]);
  const lines: string[] = [];
  const base = await new Promise<string>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      createInterface(stream).on('line', (line) => {
        lines.push(line);
        const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
        if (address) resolve(address);
      });
    }
    server.once('exit', (code) => {
      reject(new Error(`the server stopped with ${String(code)}:\n${lines.join('\n')}`));
    });
  });
  const stop = async () => {
    const exited = once(server, 'exit');
    server.kill('SIGTERM');
    await exited;
  };
  return { base, stop };
}

/**
 * Builds the server at a fixed path, so that Go compiles and links only after changes.
 */
function build(): string {
  const root = path.resolve(import.meta.dirname, '../..');
  const binary = path.join(root, '.cache/e2e/roshambo');
  execFileSync('go', ['build', '-o', binary, './cmd/roshambo'], { cwd: root, stdio: 'inherit' });
  return binary;
}
