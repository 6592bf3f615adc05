// Drives verify/ts/verify.ts for the Go tests; see twin.py beside it. TypeScript comes from web/node_modules.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
let ts;
try {
  ts = createRequire(`${root}web/`)('typescript');
} catch {
  console.error('TypeScript is not installed in web/node_modules: run npm ci in web, or make test, which does so.');
  process.exit(1);
}
async function load(name) {
  const source = readFileSync(`${root}verify/ts/${name}`, 'utf8');
  const { outputText } = ts.transpileModule(source, { compilerOptions: { target: 'ES2022', module: 'ESNext' } });
  return import(`data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`);
}
const verify = await load('verify.ts');
const record = await load('record.ts');

const bytes = (base64) => new Uint8Array(Buffer.from(base64, 'base64'));
const unhex = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
const hex = (data) => Buffer.from(data).toString('hex');
const utf8 = (text) => new TextEncoder().encode(text);

async function proofs() {
  for await (const line of createInterface({ input: process.stdin })) {
    const { proof, ...options } = JSON.parse(line);
    const report = await verify.verifyProof(bytes(proof), options);
    process.stdout.write(JSON.stringify({ json: JSON.stringify(report), text: verify.asText(report) }) + '\n');
  }
}

function readable(base64) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes(base64));
    return { text, value: verify.parse(text) };
  } catch {
    return null;
  }
}

function isCanonical(base64) {
  const read = readable(base64);
  return read !== null && verify.canonical(read.value) === read.text;
}

function chain(last) {
  const seeds = { 256: last };
  for (let n = 256; n >= 1; n--) seeds[n - 1] = verify.previousSeed(n, seeds[n]);
  return [seeds[0], seeds[1], seeds[2]].join();
}

const same = {
  seeds: (v) => verify.previousSeed(v.n, v.seed) === v.previous && verify.checkSeed(v.previous, v.n, v.seed),
  chains: (v) => chain(v.last) === [v.commitment, v.seed_1, v.seed_2].join(),
  moves: (v) => verify.houseMove(v.seed, v.n, verify.textHash(v.client_seed), verify.textHash(v.entropy)) === v.move,
  streams: (v) => (verify.drawMove(unhex(v.stream)) ?? null) === v.move,
  outcomes: (v) => verify.outcome(v.move, v.house) === v.outcome,
  addresses: (v) =>
    verify.isAddress(v.address) === v.valid && (!v.valid || verify.address(unhex(v.payload)) === v.address),
  escrows: (v) => verify.address(verify.hashText('escrow', v.duel_id).slice(0, 20)) === v.address,
  hashes: (v) => ['tx', 'block', 'transcript'].every((domain) => hex(verify.hashText(domain, v.raw)) === v[domain]),
  trees: (v) => verify.included(utf8(v.leaf), v.index, v.size, v.proof, v.root) === v.included,
  json: (v) => (readable(v.base64) !== null) === v.valid,
  canonical: (v) => isCanonical(v.base64) === v.valid,
  keys: (v) => (verify.parseKey(v.key) !== null) === v.valid,
  signatures: (v) => verify.signed(unhex(v.public), unhex(v.message), unhex(v.signature)) === v.valid,
  intervals: (v) => {
    const [low, high] = record.interval(v.count, v.of);
    return Math.floor(low * 1e6) === v.low_ppm && Math.ceil(high * 1e6) === v.high_ppm;
  },
  commitments: (v) => hex(verify.sha256(utf8(`${v.move}:${v.salt}`))) === v.commitment,
};

function values(file) {
  for (const [kind, entries] of Object.entries(JSON.parse(readFileSync(file, 'utf8')))) {
    if (kind === 'format') continue;
    for (const v of entries) if (!same[kind]?.(v)) console.log(kind, JSON.stringify(v));
  }
}

/** Reads records as JSON, one per line, and prints the figures of each. */
async function audits() {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(record.audit(JSON.parse(line))));
  }
}

/** Reads requests as proofs does, and prints for each how often blocks of the verifier's code ran. */
async function work() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const { proof, witnesses, ...options } = JSON.parse(line);
    await session.post('Profiler.takePreciseCoverage'); // begins to count anew
    await verify.verifyProof(bytes(proof), { ...options, witnesses: witnesses ?? [] });
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const own = result.filter(({ url }) => url.startsWith('data:')).flatMap(({ functions }) => functions);
    console.log(own.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0));
  }
}

/** Reads names of files of proofs and of receipts, as JSON, and prints what the other programs print of them. */
async function files() {
  for await (const line of createInterface({ input: process.stdin })) {
    const { proofs, receipts } = JSON.parse(line);
    const options = { receipts: receipts ? readFileSync(receipts, 'utf8') : null };
    const { text, status } = await verify.verifyFile(readFileSync(proofs), options);
    console.log(JSON.stringify(`${text}\nstatus ${status}`));
  }
}

if (process.argv[2] === 'proofs') await proofs();
else if (process.argv[2] === 'work') await work();
else if (process.argv[2] === 'audits') await audits();
else if (process.argv[2] === 'files') await files();
else values(process.argv[3]);
