// npm run check: types, lint and form side by side, then the unit tests. Types, lint and form depend on nothing but the
// files that are hashed here; when these are what they were when all three last passed, they are not looked at again.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const web = import.meta.dirname;
const stamp = path.join(web, 'node_modules/.cache/roshambo/checked');
/** Of web: what is made, and what npm brings, of which package-lock.json says all. */
const left = new Set(['node_modules', 'dist', 'test-results']);
/** What the page imports from beside web. */
const beside = ['../verify/ts', '../starter'];

/**
 * Every file below a folder, but for what is in `skip`, in an order that is always the same.
 *
 * @param {string} folder
 * @param {Set<string>} skip names in that folder
 * @returns {Generator<string>}
 */
function* files(folder, skip = new Set()) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    if (skip.has(entry.name)) continue;
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(name);
    else if (entry.isFile()) yield name;
  }
}

function inputs() {
  const hash = createHash('sha256').update(process.version);
  const all = [...files(web, left), ...beside.flatMap((name) => [...files(path.join(web, name))])];
  for (const name of all) {
    const content = createHash('sha256').update(readFileSync(name)).digest('hex');
    hash.update(`${path.relative(web, name)}\0${content}\n`);
  }
  return hash.digest('hex');
}

/**
 * Runs a command; what it prints is shown when it has ended, so that commands that run side by side stay apart.
 *
 * @param {string} command
 * @param {...string} args
 * @returns {Promise<boolean>} whether it succeeded
 */
async function run(command, ...args) {
  const began = performance.now();
  const child = spawn(command, args, { cwd: web, env: { FORCE_COLOR: '0', ...process.env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  /** @type {Promise<number | null>} */
  const ended = new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  const code = await ended;
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(
    `${said.trimEnd()}\n${code === 0 ? 'ok' : 'FAILED'} ${command} ${args.join(' ')} (${seconds} s)`,
  );
  return code === 0;
}

const now = inputs();
let holds = existsSync(stamp) && readFileSync(stamp, 'utf8') === now;
if (holds) {
  console.log('types, lint and form: nothing has changed since they last passed');
} else {
  const results = await Promise.all([
    run('svelte-check', '--tsconfig', './tsconfig.json', '--fail-on-warnings'),
    // The longest one has the second processor until it ends.
    (async () => (await run('eslint', '.')) && (await run('prettier', '--check', '.')))(),
  ]);
  holds = results.every(Boolean);
  // What was changed meanwhile was not all looked at.
  if (holds && inputs() === now) {
    mkdirSync(path.dirname(stamp), { recursive: true });
    writeFileSync(stamp, now);
  }
}
const tested = await run('vitest', 'run');
process.exitCode = holds && tested ? 0 : 1;
