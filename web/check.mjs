// npm run check: types, lint and format in parallel, then the unit tests; also lint and format of the SDK in TypeScript,
// which has no tools of its own. Types, lint and format depend only on the files that are hashed here, so they are skipped
// for contents that have passed all three, in any clone on this machine.

import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const web = import.meta.dirname;
/** The folder of tools/steps.sh, which holds a stamp for each content that has passed. */
const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'roshambo');
const sdk = path.join(web, '../sdk/typescript');
/** Folders outside web that the page imports from, and the SDK. */
const others = ['../verify/ts', '../starter', '../sdk/typescript'];

/** A digest of all files that are or could be committed: what tests leave behind does not count. */
function inputs() {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '.', ...others];
  const names = execFileSync('git', list, { cwd: web, encoding: 'utf8' }).split('\0').filter(Boolean).sort();
  const hash = createHash('sha256').update(process.version);
  for (const name of names) {
    const file = path.join(web, name);
    if (!existsSync(file)) continue; // deleted, and not committed yet
    const content = createHash('sha256').update(readFileSync(file)).digest('hex');
    hash.update(`${name}\0${content}\n`);
  }
  return hash.digest('hex');
}

/**
 * Runs a command in a folder and prints its output when it has ended, so that the output of parallel commands is not mixed.
 *
 * @param {string} folder
 * @param {string} command
 * @param {...string} args
 * @returns {Promise<boolean>} whether it succeeded
 */
async function run(folder, command, ...args) {
  const began = performance.now();
  const child = spawn(command, args, { cwd: folder, env: { FORCE_COLOR: '0', ...process.env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  /** @type {Promise<number | null>} */
  const ended = new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  const code = await ended;
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(
    `${output.trimEnd()}\n${code === 0 ? 'ok' : 'FAILED'} ${command} ${args.join(' ')} (${seconds} s)`,
  );
  return code === 0;
}

const now = inputs();
const stamp = path.join(cache, `page-${now}`);
let holds = existsSync(stamp);
if (holds) {
  console.log('types, lint and format: these contents have passed before');
} else {
  const results = await Promise.all([
    run(web, 'svelte-check', '--tsconfig', './tsconfig.json', '--fail-on-warnings'),
    // svelte-check takes longest and uses one processor; the other two share the second.
    (async () => {
      for (const folder of [web, sdk]) {
        if (!(await run(folder, 'eslint', '.')) || !(await run(folder, 'prettier', '--check', '.')))
          return false;
      }
      return true;
    })(),
  ]);
  holds = results.every(Boolean);
  // Files that changed during the checks were not checked completely.
  if (holds && inputs() === now) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(stamp, '');
  }
}
const tested = await run(web, 'vitest', 'run');
process.exitCode = holds && tested ? 0 : 1;
