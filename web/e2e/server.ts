// The real server, built from this tree (or the program that ROSHAMBO_BINARY names), on a free port and a folder of its
// own, for as long as the tests run.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the server, without a slash at the end. */
    base: string;
    /** The server's data folder. */
    data: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Pictures of the time before.
  rmSync(path.resolve(import.meta.dirname, '../test-results'), { recursive: true, force: true });
  const folder = mkdtempSync(path.join(tmpdir(), 'roshambo-e2e-'));
  const binary = process.env.ROSHAMBO_BINARY ?? build(path.join(folder, 'roshambo'));
  const server = spawn(binary, [
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--rate-limit',
    '0',
    '--data',
    path.join(folder, 'data'),
  ]);
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
  project.provide('base', base);
  project.provide('data', path.join(folder, 'data'));
  return async () => {
    const gone = once(server, 'exit');
    server.kill('SIGTERM');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
}

function build(binary: string): string {
  const root = path.resolve(import.meta.dirname, '../..');
  execFileSync('go', ['build', '-o', binary, './cmd/roshambo'], { cwd: root, stdio: 'inherit' });
  return binary;
}
