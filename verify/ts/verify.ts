// Checks a Roshambo proof of a house run or of a duel, offline and without trust in the house, in a browser or in Node.
//
//     const report = await verifyProof(await file.arrayBuffer(), { key: 'the verifier key that you trust' });
//     report.verdict, report.checks[0].id, .result, .text
//
// A hashed document travels as its raw, the exact text that was hashed: canonical JSON (RFC 8785) of objects, lists,
// text, integers, true, false and null, so that every value has one text. A verifier hashes the raw, then parses it.
//
// Each check has a result: pass, fail, or note (not a fault, but something to know). A proof is VALID when no check
// failed and the checkpoint covers everything that the proof claims; PENDING when no check failed and a claim is in no
// block yet; CONTRADICTED when a receipt and a block that the house signed differ; else NOT VALID. A pinned key or a
// required witness needs every claim to be in a block. The Go package and the Python script beside this file give the
// same results in the same words. docs/protocol.md is the specification.
// The file imports nothing: it implements SHA-2 and Ed25519 itself, because crypto.subtle exists only over https and
// lacks Ed25519 in some browsers.

/** A move of a player or of the house. */
export type Move = 'rock' | 'paper' | 'scissors';
/** The result of one check of a proof. */
export interface Check {
  /** The name of the check, the same in all verifiers. */
  id: string;
  /** A note is not a fault, but something to know. */
  result: 'pass' | 'fail' | 'note';
  /** A sentence about it. */
  text: string;
}
/** The result of a verification. */
export interface Report {
  /** Whether the verdict is VALID. */
  valid: boolean;
  /** PENDING: a claim is in no block yet. CONTRADICTED: the house signed a receipt and a block that differ. */
  verdict: 'VALID' | 'PENDING' | 'NOT VALID' | 'CONTRADICTED';
  /** The format of the proof; "" when the format check failed. */
  format: string;
  /** The claims in no block yet: transactions, and "transcript" while the game goes on. */
  pending: string[];
  /** All checks, in their order. */
  checks: Check[];
}

const MAX_PROOF = 4 * 2 ** 20; // bytes
const MAX_DEPTH = 32; // nested objects and lists
const MAX_SIGNATURES = 100;
const MAX_CHECKPOINT = 64 * 2 ** 10; // bytes
const MAX_APART = 60n; // seconds that a block may be later than a cosignature of its tree
const MAX_TRANSFERS = 3; // of one transaction
const MAX_BACKDATED = 60_000; // milliseconds that a transaction may be earlier than a block before its own
const MAX_ID = 2 ** 31 - 1; // of a token; also the largest stake
const MAX_ID_BYTES = 64; // of the id of a run or a duel
const MAX_RULE_COINS = 2 ** 40; // of an amount in any rules
const [MAX_BURNT_TIER, MAX_TIER] = [62, 63];
const SEEDS = 256; // of a run
const MAX_TEXT = 64; // characters of a client seed and of an entropy
const TOP_TIER = 16; // of the standard rules; a proof does not hold the rules in force
const ROUNDS = 60; // the most rounds of a duel
const WINS = 3; // rounds that decide a duel
const MAX_SALT = 512; // bytes of a salt in a duel
const HANDS: readonly Move[] = ['rock', 'paper', 'scissors']; // each beats the one before it, and rock beats scissors

/** Thrown by a check that does not hold; its message says why. */
class Fail extends Error {}

/** Returned by a check that found no fault but something to know. */
class Note {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function require(holds: boolean, why: string): asserts holds {
  if (!holds) throw new Fail(why);
}

// -------------------------------------------------------------------- JSON

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const isObject = (v: Json): v is { [name: string]: Json } => typeof v === 'object' && v !== null && !Array.isArray(v);

/** Parses strict JSON: unique members, integers with |n| < 2^53, no lone surrogates. Throws SyntaxError otherwise. */
export function parse(text: string): Json {
  const value = JSON.parse(text) as Json;
  check(value, 0);
  // JSON.parse accepts 1.0 as 1 and drops duplicate members: then the text is longer than the value's own text.
  let length = 0;
  for (const token of text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[^"\s]+/g) ?? []) {
    const isText = token.startsWith('"');
    if (!isText && /\d[.eE]|-0/.test(token)) throw new SyntaxError('a number that is not whole');
    length += isText ? JSON.stringify(JSON.parse(token)).length : token.length;
  }
  if (length !== JSON.stringify(value).length) throw new SyntaxError('a member twice');
  return value;
}

function check(value: Json, depth: number): void {
  if (depth > MAX_DEPTH) throw new SyntaxError('nested too deeply');
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new SyntaxError('a number that is not whole');
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) throw new SyntaxError('a lone surrogate');
  if (typeof value !== 'object' || value === null) return;
  const items = Array.isArray(value) ? value : [...Object.keys(value), ...Object.values(value)];
  for (const item of items) check(item, depth + 1);
}

/** Returns the canonical text of a value (RFC 8785): no spaces, members sorted by UTF-16 code units. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join()}}`;
}

// ------------------------------------------------------------------ shapes
// Each document has exactly these members, checked in this order. A kind is a scalar (below), = and the allowed words,
// or another shape; * makes a list of it, ? allows null. The data of a transaction has the shape of its kind.

const TABLE = `
run_proof      format:text run_id:id account:address status:=active|deciding|claimed|lost|abandoned|void cleared:whole
               transcript:document texts:texts? commit:anchored start:anchored end:anchored? recovery:anchored?
               kept:text? checkpoint:text? verifier_key:text
duel_proof     format:text duel_id:id a:address b:address status:=active|finished|void wins:score winner:=a|b?
               transcript:document stake_a:anchored? stake_b:anchored? settle:anchored? recovery:anchored?
               kept:text? checkpoint:text? verifier_key:text
document       raw:text
texts          client_seed:text entropy:text*
score          a:whole b:whole
anchored       raw:text hash:hash height:whole? index:whole? header:text? tx_proof:hash*? block_proof:hash*?
throw          n:whole move:=rock|paper|scissors entropy_hash:hash house:=rock|paper|scissors outcome:=win|loss|tie
               seed:hash
transcript     duel_id:text a:address b:address stake:whole winner:=a|b? rounds:round*
round          n:whole commitment_a:hash? commitment_b:hash? move_a:=rock|paper|scissors? move_b:=rock|paper|scissors?
               salt_a:text? salt_b:text? forfeited_by:=a|b|both? outcome:=a|b|tie|void
header         v:one height:whole prev:hash merkle_root:hash tx_count:whole time:whole
tx             v:one kind:text time:whole actor:address? nonce:whole transfers:transfer* data:any
coins          asset:=coin from:address? to:address? amount:whole
token          asset:=token token_id:whole from:address? to:address?
new_token      asset:=token token_id:whole from:address? to:address? tier:positive
account.create commitment:hash kind:=guest|account|bot bound:bool
commitment.rotate commitment:hash next_commitment:hash
run.start      run_id:text entry:=fee|free|burn|daily commitment:hash client_seed_hash:hash first_tier:whole
               next_commitment:hash bound:bool
run.end        run_id:text status:=claimed|lost|abandoned|void cleared:whole throws:whole transcript_hash:hash
               bound:bool
duel.stake     duel_id:text
duel.settle    duel_id:text a:address b:address? winner:=a|b? rated:bool status:=finished|void transcript_hash:hash
recovery       lost:lost_tree? reason_hash:hash recovery:whole
lost_tree      root:hash size:positive
receipt        raw:text signature:text
start          kind:=start account:address run_id:text client_seed_hash:hash commitment:hash
               entry:=fee|free|burn|daily first_tier:whole next_commitment:hash time:whole
result         kind:=throw account:address run_id:text n:whole entropy_hash:hash house:=rock|paper|scissors
               move:=rock|paper|scissors outcome:=win|loss|tie seed:hash time:whole
decision       kind:=decision account:address run_id:text cleared:whole decision:=claim|continue|abandon throws:whole
               time:whole
commitments    kind:=round duel_id:text n:whole a:address b:address commitment_a:hash commitment_b:hash time:whole
`;
const SHAPES = new Map<string, [name: string, kind: string][]>();
for (const row of TABLE.trim().replace(/\n +/g, ' ').split('\n')) {
  const [shape = '', ...members] = row.split(/ +/);
  const pairs = members.map((member) => member.split(':') as [string, string]);
  SHAPES.set(shape, pairs);
}
const SCALARS: Record<string, (v: Json) => boolean> = {
  any: () => true,
  text: (v) => typeof v === 'string',
  bool: (v) => typeof v === 'boolean',
  whole: (v) => typeof v === 'number' && v >= 0,
  positive: (v) => typeof v === 'number' && v >= 1,
  one: (v) => v === 1,
  hash: (v) => typeof v === 'string' && /^[0-9a-f]{64}$/.test(v),
  id: (v) => typeof v === 'string' && /^[0-9A-Za-z-]{1,64}$/.test(v),
  address: (v) => typeof v === 'string' && isAddress(v),
};

/** Throws Fail unless value is of the kind. path is its position in the document, "" for the whole. */
function conform(value: Json, kind: string, path = ''): void {
  if (kind.endsWith('?')) {
    if (value === null) return;
    kind = kind.slice(0, -1);
  }
  if (kind === 'transfer' && isObject(value)) {
    kind = Object.hasOwn(value, 'amount') ? 'coins' : Object.hasOwn(value, 'tier') ? 'new_token' : 'token';
  }
  const called = path || 'the proof';
  const shape = SHAPES.get(kind);
  if (kind.endsWith('*') && Array.isArray(value)) {
    for (const [i, item] of value.entries()) conform(item, kind.slice(0, -1), `${path}[${i}]`);
  } else if (shape && isObject(value)) {
    for (const [name] of shape) require(Object.hasOwn(value, name), `${called} lacks ${name}`);
    require(Object.keys(value).length === shape.length, `${called} has an unknown member`);
    for (const [name, inner] of shape) conform(value[name] ?? null, inner, path ? `${path}.${name}` : name);
  } else if (kind.startsWith('=')) {
    require(typeof value === 'string' && kind.slice(1).split('|').includes(value), `${called} is malformed`);
  } else {
    require(SCALARS[kind]?.(value) ?? false, `${called} is malformed`);
  }
}

// A document that conform has checked against the table.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- conform checks the shapes at run time
type Doc = Record<string, any>;

/** Parses a raw of one of the kinds (of shape or transaction). Null unless it is canonical JSON of that kind. */
export function document(raw: string, ...kinds: string[]): Doc | null {
  const [kind = ''] = kinds;
  try {
    const value = parse(raw);
    if (!kind.includes('.') && kind !== 'recovery') { // the only kind of transaction in a proof without a dot
      conform(value, kind);
    } else {
      conform(value, 'tx');
      const tx = value as Doc;
      require(kinds.includes(tx.kind) && tx.transfers.length <= MAX_TRANSFERS, 'another kind');
      conform(tx.data, tx.kind);
    }
    return canonical(value) === raw ? (value as Doc) : null;
  } catch {
    return null;
  }
}

// --------------------------------------------------------------- addresses

/** Returns the checksum of BIP 173 over symbols of 5 bits. */
function polymod(symbols: number[]): number {
  let check = 1;
  for (const v of symbols) {
    const top = check >>> 25;
    check = ((check & 0x1ffffff) << 5) ^ v;
    [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].forEach((generator, i) => {
      if ((top >>> i) & 1) check ^= generator;
    });
  }
  return check;
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const BECH32M = 0x2bc830a3;
const PREFIX = [3, 3, 3, 0, 18, 16, 19]; // "rps", expanded as BIP 173 requires

/** Returns 20 bytes as an address: bech32m (BIP 350) with prefix rps. */
export function address(payload: Uint8Array): string {
  const number = BigInt('0x' + hex(payload));
  const symbols = Array.from({ length: 32 }, (_, i) => Number((number >> BigInt(5 * (31 - i))) & 31n));
  const check = polymod([...PREFIX, ...symbols, 0, 0, 0, 0, 0, 0]) ^ BECH32M;
  for (let i = 5; i >= 0; i--) symbols.push((check >>> (5 * i)) & 31);
  return 'rps1' + symbols.map((v) => BECH32[v]).join('');
}

/** Whether text is an address in lower case. 20 zero bytes stand for null and are not an address. */
export function isAddress(text: string): boolean {
  if (!/^rps1[02-9ac-hj-np-z]{38}$/.test(text)) return false;
  const symbols = [...text.slice(4)].map((c) => BECH32.indexOf(c));
  return polymod([...PREFIX, ...symbols]) === BECH32M && symbols.slice(0, 32).some((v) => v > 0);
}

// ------------------------------------------------------------------- SHA-2

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (data: Uint8Array): string => Array.from(data, (b) => b.toString(16).padStart(2, '0')).join('');
const unhex = (text: string): Uint8Array => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const number = (data: Uint8Array): bigint => BigInt('0x0' + hex(data));

function join(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The constants of SHA-2: the first 64 bits of the fraction of the k-th root of each of the first n primes. */
function rootBits(n: number, k: bigint): bigint[] {
  const primes: bigint[] = [];
  for (let p = 2n; primes.length < n; p++) if (primes.every((q) => p % q)) primes.push(p);
  return primes.map((p) => {
    const power = p << (64n * k);
    let low = 0n;
    for (let bit = 1n << 70n; bit; bit >>= 1n) if ((low + bit) ** k <= power) low += bit;
    return BigInt.asUintN(64, low);
  });
}
const [SHA2_START, SHA2_ROUND] = [rootBits(8, 2n), rootBits(80, 3n)];

/** Pads a message to whole blocks as SHA-2 does: 0x80, zeros, the length in bits. */
function pad(message: Uint8Array, block: number): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 1 + block / 8) / block) * block);
  padded.set(message);
  padded[message.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  return padded;
}

const START_256 = SHA2_START.map((v) => Number(v >> 32n) | 0);
const ROUND_256 = SHA2_ROUND.slice(0, 64).map((v) => Number(v >> 32n) | 0);

/** SHA-256 of FIPS 180-4. */
export function sha256(message: Uint8Array): Uint8Array {
  const data = new DataView(pad(message, 64).buffer);
  const rotr = (x: number, n: number): number => (x >>> n) | (x << (32 - n));
  const state = Int32Array.from(START_256);
  const w = new Int32Array(64);
  for (let at = 0; at < data.byteLength; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = data.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [x, y] = [w[i - 15] as number, w[i - 2] as number];
      const [s0, s1] = [rotr(x, 7) ^ rotr(x, 18) ^ (x >>> 3), rotr(y, 17) ^ rotr(y, 19) ^ (y >>> 10)];
      w[i] = (w[i - 16] as number) + s0 + (w[i - 7] as number) + s1;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let i = 0; i < 64; i++) {
      const s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
      const t1 = h + s1 + ((e & f) ^ (~e & g)) + (ROUND_256[i] as number) + (w[i] as number);
      const t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((v, i) => (state[i] = (state[i] as number) + v));
  }
  const out = new DataView(new ArrayBuffer(32));
  for (const [i, v] of state.entries()) out.setInt32(4 * i, v);
  return new Uint8Array(out.buffer);
}

/** SHA-512 of FIPS 180-4, for Ed25519. */
function sha512(message: Uint8Array): Uint8Array {
  const data = new DataView(pad(message, 128).buffer);
  const word = (x: bigint): bigint => BigInt.asUintN(64, x);
  const rotr = (x: bigint, n: bigint): bigint => (x >> n) | word(x << (64n - n));
  const state = [...SHA2_START];
  for (let at = 0; at < data.byteLength; at += 128) {
    const w = Array.from({ length: 16 }, (_, i) => data.getBigUint64(at + 8 * i));
    for (let i = 16; i < 80; i++) {
      const [x, y] = [w[i - 15] as bigint, w[i - 2] as bigint];
      const [s0, s1] = [rotr(x, 1n) ^ rotr(x, 8n) ^ (x >> 7n), rotr(y, 19n) ^ rotr(y, 61n) ^ (y >> 6n)];
      w.push(word((w[i - 16] as bigint) + s0 + (w[i - 7] as bigint) + s1));
    }
    let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state;
    for (let i = 0; i < 80; i++) {
      const s1 = rotr(e, 14n) ^ rotr(e, 18n) ^ rotr(e, 41n);
      const t1 = h + s1 + ((e & f) ^ (word(~e) & g)) + (SHA2_ROUND[i] as bigint) + (w[i] as bigint);
      const t2 = (rotr(a, 28n) ^ rotr(a, 34n) ^ rotr(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, word(d + t1), c, b, a, word(t1 + t2)];
    }
    [a, b, c, d, e, f, g, h].forEach((v, i) => (state[i] = word((state[i] as bigint) + v)));
  }
  return unhex(state.map((v) => v.toString(16).padStart(16, '0')).join(''));
}

function hmacSHA256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = join(key, new Uint8Array(64 - key.length)); // keys here are seeds, 32 bytes
  const padded = (value: number): Uint8Array => block.map((b) => b ^ value);
  return sha256(join(padded(0x5c), sha256(join(padded(0x36), message))));
}

// ---------------------------------------------------- hashes, seeds, moves

export const hashText = (domain: string, text: string): Uint8Array => sha256(utf8(`roshambo/${domain}/v1\n${text}`));
const u32 = (n: number): Uint8Array => Uint8Array.of(n >>> 24, n >>> 16, n >>> 8, n);

/** The hash of a transaction's raw, in hex. */
export const txHash = (raw: string): string => hex(hashText('tx', raw));

/** The hash of a block header's raw, in hex. */
export const blockHash = (headerRaw: string): string => hex(hashText('block', headerRaw));

/** Returns the seed before seed n, in hex. The one before seed 1 is the commitment. */
export function previousSeed(n: number, seed: string): string {
  return hex(sha256(join(utf8('roshambo/seed/v1'), u32(n - 1), unhex(seed))));
}

/** Whether seed n of a run hashes to the seed before it, or, for n = 1, to the commitment. */
export function checkSeed(previousSeedOrCommitment: string, n: number, seed: string): boolean {
  return previousSeed(n, seed) === previousSeedOrCommitment;
}

/** The hash of a player's text, in hex: the form in which it is on the chain and in a move. */
export const textHash = (text: string): string => hex(sha256(utf8(text)));

const NO_TEXT = textHash('');

/**
 * Returns the house's move of throw n, given the hashes of the player's texts. The house chooses none of its inputs
 * after the commitment.
 */
export function houseMove(seed: string, n: number, clientSeedHash: string, entropyHash: string): Move {
  let stream = join(utf8('roshambo/move/v1'), u32(n), unhex(clientSeedHash), unhex(entropyHash));
  for (;;) {
    stream = hmacSHA256(unhex(seed), stream);
    const move = drawMove(stream);
    if (move) return move;
  }
}

/** The first byte below 255 = 3 · 85, modulo 3, so the moves are equally likely. Undefined without such a byte. */
export function drawMove(stream: Uint8Array): Move | undefined {
  const b = stream.find((v) => v < 255);
  return b === undefined ? undefined : HANDS[b % 3];
}

export function outcome(one: Move, other: Move): 'tie' | 'win' | 'loss' {
  return (['tie', 'win', 'loss'] as const)[(HANDS.indexOf(one) - HANDS.indexOf(other) + 3) % 3] ?? 'tie';
}

const half = (n: number): number => Math.floor(n / 2);
export const leafHash = (data: Uint8Array): Uint8Array => sha256(join(Uint8Array.of(0), data));
export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(join(Uint8Array.of(1), left, right));

/** Whether data is leaf index of the Merkle tree with that size and root (RFC 9162, 2.1.3.2). Hashes in hex. */
export function included(data: Uint8Array, index: number, size: number, proof: string[], root: string): boolean {
  return index >= 0 && index < size && rootOf(leafHash(data), index, size - 1, proof.map(unhex))?.[1] === root;
}

// Returns the roots, in hex, of the trees over the first `old` leaves and over all that a consistency proof implies
// (RFC 9162, 2.1.4.2); null when it is malformed. The proof begins with the hash of the node that both trees share.
export function consistency(old: number, size: number, [start, ...proof]: string[]): [string, string] | null {
  if (old < 1 || old >= size || start === undefined) return null;
  let [node, last] = [old - 1, size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  return rootOf(unhex(start), node, last, proof.map(unhex));
}

/** Returns the roots above a node: of the tree that ends with the node, and of the one that ends with last. */
function rootOf(start: Uint8Array, node: number, last: number, proof: Uint8Array[]): [string, string] | null {
  let [left, whole] = [start, start];
  for (const sibling of proof) {
    if (last === 0) return null;
    if (node % 2 === 1 || node === last) {
      [left, whole] = [nodeHash(sibling, left), nodeHash(sibling, whole)];
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      whole = nodeHash(whole, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? [hex(left), hex(whole)] : null;
}

// ----------------------------------- the checkpoint: a signed note of C2SP

/** Decodes standard base64 in its one text for each value, or returns null. */
function base64Bytes(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  if (btoa(atob(text.slice(-4))) !== text.slice(-4)) return null; // unused bits must be zero
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** Whether text can name a chain and its key: printable ASCII without space and plus. */
const isName = (text: string): boolean => /^[!-*,-~]{1,64}$/.test(text);

export interface Key {
  name: string;
  id: string;
  public: Uint8Array;
}

/** Reads a verifier key, name+id+base64(algorithm || public key), or returns null; 1 for a log, 4 for a witness. */
export function parseKey(text: string, algorithm = 1): Key | null {
  const [name = '', id, ...rest] = text.split('+');
  const key = base64Bytes(rest.join('+'));
  if (!isName(name) || id === undefined || key?.length !== 33 || key[0] !== algorithm) return null;
  return hex(sha256(join(utf8(`${name}\n`), key)).slice(0, 4)) === id ? { name, id, public: key.slice(1) } : null;
}

/** A signed note: its body, and its signatures, each a name, a key id and the bytes. */
interface SignedNote {
  body: string;
  signatures: { name: string; id: string; bytes: Uint8Array }[];
}

/** Unicode's white space, and the plus: the name of a signer has none. */
const NOT_IN_NAME = /[+\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Splits a signed note into its parts. */
function parseNote(text: string): SignedNote {
  require(utf8(text).length <= MAX_CHECKPOINT, `the checkpoint is larger than ${MAX_CHECKPOINT} bytes`);
  const at = text.lastIndexOf('\n\n');
  const lines = text.slice(at + 2).split('\n');
  // eslint-disable-next-line no-control-regex -- the pattern matches control characters
  const clean = at >= 0 && lines.pop() === '' && !/[\0-\x09\x0b-\x1f]/.test(text);
  require(clean && lines.length >= 1 && lines.length <= MAX_SIGNATURES, 'the checkpoint is not a signed note');
  const signatures = lines.map((line) => {
    const [dash, name = '', encoded = '', ...rest] = line.split(' ');
    const data = base64Bytes(encoded);
    const named = name !== '' && !NOT_IN_NAME.test(name);
    const well = dash === '\u2014' && named && rest.length === 0 && (data?.length ?? 0) > 4;
    require(well && data !== null, 'the checkpoint has a malformed signature line');
    return { name, id: hex(data.slice(0, 4)), bytes: data.slice(4) };
  });
  return { body: text.slice(0, at + 1), signatures };
}

/** The signatures with the name and id of a key, the last one first; one that occurs again is there once. */
function linesOf(note: SignedNote, key: Key): Uint8Array[] {
  const own = note.signatures.filter(({ name, id }) => name === key.name && id === key.id).reverse();
  return [...new Map(own.map(({ bytes }) => [hex(bytes), bytes])).values()];
}

export interface Tree {
  origin: string;
  size: number;
  root: string;
}

/** Parses the body of a checkpoint: origin, number of blocks, root. Later lines are extensions. */
function parseTree(body: string): Tree {
  const lines = body.split('\n').slice(0, -1);
  const [origin = '', size = '', encoded = ''] = lines;
  const well = isName(origin) && /^(0|[1-9][0-9]{0,15})$/.test(size) && Number.isSafeInteger(Number(size));
  const root = base64Bytes(encoded);
  const whole = well && !lines.includes('') && root?.length === 32;
  require(whole && root !== null, 'the checkpoint does not state an origin, a size and a root');
  return { origin, size: Number(size), root: hex(root) };
}

/** Returns the tree in a checkpoint. Throws an Error with the reason when the key has not signed it. */
export function signedTree(note: string, key: Key): Tree {
  const parsed = parseNote(note);
  const tree = parseTree(parsed.body);
  require(tree.origin === key.name, 'the checkpoint is of another origin than the verifier key');
  const ours = linesOf(parsed, key);
  require(ours.length > 0, 'the checkpoint is not signed by the verifier key');
  const holds = ours.every((bytes) => signed(key.public, utf8(parsed.body), bytes));
  require(holds, "the checkpoint's signature is wrong");
  return tree;
}

// ------------------------------------------------------- Ed25519, RFC 8032

const P = 2n ** 255n - 19n; // the field
const L = 2n ** 252n + 27742317777372353535851937790883648493n; // the order of the base point
const mod = (n: bigint): bigint => ((n % P) + P) % P;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (; exponent; exponent >>= 1n, base = mod(base * base)) if (exponent & 1n) result = mod(result * base);
  return result;
}
const invert = (n: bigint): bigint => power(n, P - 2n);
const D = mod(-121665n * invert(121666n));

type Point = readonly [x: bigint, y: bigint, z: bigint, t: bigint]; // extended: x = X/Z, y = Y/Z, xy = T/Z

function add(p: Point, q: Point): Point {
  const [a, b] = [mod((p[1] - p[0]) * (q[1] - q[0])), mod((p[1] + p[0]) * (q[1] + q[0]))];
  const [c, d] = [mod(2n * p[3] * q[3] * D), mod(2n * p[2] * q[2])];
  return [mod((b - a) * (d - c)), mod((d + c) * (b + a)), mod((d - c) * (d + c)), mod((b - a) * (b + a))];
}

function multiply(scalar: bigint, point: Point): Point {
  let total: Point = [0n, 1n, 1n, 0n];
  for (; scalar; scalar >>= 1n, point = add(point, point)) if (scalar & 1n) total = add(total, point);
  return total;
}

/** Decodes a compressed point, or returns null when it is not on the curve. */
function decode(data: Uint8Array): Point | null {
  const all = number(data.slice().reverse());
  const [y, sign] = [BigInt.asUintN(255, all) % P, all >> 255n];
  const square = mod((y * y - 1n) * invert(mod(D * y * y + 1n)));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * power(2n, (P - 1n) / 4n));
  if (mod(x * x) !== square) return null;
  if ((x & 1n) !== sign) x = mod(-x);
  return [x, y, 1n, mod(x * y)];
}

/** Returns a point's compressed form as a number, little-endian. */
function encode(point: Point): bigint {
  const z = invert(point[2]);
  return mod(point[1] * z) | ((mod(point[0] * z) & 1n) << 255n);
}

const BASE = decode(unhex('58' + '66'.repeat(31)));

/** Whether signature is an Ed25519 signature of message by the 32-byte public key. */
export function signed(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = decode(publicKey);
  const s = number(signature.slice(32).reverse());
  if (!key || !BASE || s >= L || signature.length !== 64) return false;
  const k = number(sha512(join(signature.slice(0, 32), publicKey, message)).reverse()) % L;
  const minusKey: Point = [-key[0], key[1], 1n, -key[3]];
  return encode(add(multiply(s, BASE), multiply(k, minusKey))) === number(signature.slice(0, 32).reverse());
}

// ---------------------------------------- checks that runs and duels share
// A check returns its text or a Note, or throws Fail. p is the proof, t its parsed transactions by name.

type Txs = Map<string, Doc>;
type Finding = string | Note;

const KINDS: Record<string, string[]> = {
  commit: ['account.create', 'run.start', 'commitment.rotate'],
  start: ['run.start'],
  end: ['run.end'],
  stake_a: ['duel.stake'],
  stake_b: ['duel.stake'],
  settle: ['duel.settle'],
  recovery: ['recovery'],
};

const same = (a: Json, b: Json): boolean => canonical(a) === canonical(b);

function transactions(p: Doc, t: Txs): Finding {
  for (const [name, kinds] of Object.entries(KINDS)) {
    const anchored = p[name] as Doc | null | undefined;
    if (!anchored) continue;
    require(txHash(anchored.raw) === anchored.hash, `${name}.hash is not the hash of ${name}.raw`);
    const tx = document(anchored.raw, ...kinds);
    require(tx !== null, `${name}.raw is not a transaction of kind ${kinds.join(' or ')} in canonical JSON`);
    if (tx.kind === 'account.create') require(tx.nonce === 0, `${name} opens an account, so its nonce is 0`);
    if (tx.kind === 'run.start') checkEntry(name, tx, tx.data);
    require(bounded(tx), `${name} is outside the bounds of its kind`);
    t.set(name, tx);
  }
  if (t.size === 0) return new Note('the duel has no transactions: no stake, and no settlement');
  return `${t.size} transactions: each raw hashes to its hash and is canonical, of its kind`;
}

/** Checks that a run's transfers pay its entry, and that only a burnt token gives a first tier. */
function checkEntry(name: string, tx: Doc, data: Doc): void {
  const [burnt, fee] = [data.entry === 'burn', data.entry === 'fee'];
  require(data.first_tier > 0 === burnt, `${name} has a first tier that does not fit its entry`);
  const [move, ...more] = tx.transfers as (Doc | undefined)[];
  const paid =
    burnt || fee
      ? move?.asset === (burnt ? 'token' : 'coin') && move.from === tx.actor && move.to === null && more.length === 0
      : move === undefined;
  require(paid && move?.tier === undefined && move?.amount !== 0, `${name} is not paid for as its entry says`);
}

/** The address of side b of practice duels; it has no account. */
const SPARRING_BOT = address(sha256(utf8('roshambo/sparring-bot/v1')).slice(0, 20));

/** Whether a transaction is within the bounds that it shows alone. Amounts that depend on the rules are not checked. */
function bounded({ kind, data, actor, transfers }: Doc): boolean {
  const moves = transfers as Doc[];
  const odd = (m: Doc): boolean => m.from === m.to || m.amount === 0 || m.tier > MAX_TIER || m.token_id > MAX_ID;
  const created = ({ asset, tier, from }: Doc): boolean => asset === 'coin' || (tier !== undefined) === (from === null);
  const id = utf8((data.run_id ?? data.duel_id ?? 'none') as string).length;
  const zeros = [data.commitment, data.next_commitment].includes('0'.repeat(64));
  if (moves.some(odd) || !moves.every(created) || id < 1 || id > MAX_ID_BYTES || zeros) return false;
  const coins = Math.max(0, ...moves.map((m) => (m.amount ?? 0) as number));
  const [none, unrated, bot] = [moves.length === 0, data.rated === false, SPARRING_BOT];
  const start = none || same(moves, [{ asset: 'coin', from: null, to: actor as string, amount: coins }]);
  const ofKind: Record<string, boolean> = {
    'account.create': start && coins <= MAX_RULE_COINS,
    'commitment.rotate': none,
    'run.start': data.first_tier <= MAX_BURNT_TIER && coins <= MAX_RULE_COINS,
    'run.end': data.cleared <= MAX_TIER,
    'duel.stake': coins <= MAX_ID,
    'duel.settle': (data.b !== bot || (unrated && none)) && (data.status !== 'void' || (unrated && !none)),
    recovery: data.recovery >= 1,
  };
  return ofKind[kind as string] === true && actor !== bot && data.a !== bot;
}

function inclusion(p: Doc, t: Txs): Finding {
  let tree: Tree | null;
  try {
    tree = p.checkpoint === null ? null : parseTree(parseNote(p.checkpoint).body);
  } catch {
    return new Note('not checked: the checkpoint cannot be read');
  }
  const [pending, headers]: [string[], Doc[]] = [[], []];
  for (const name of t.keys()) {
    const { height, index, header, tx_proof, block_proof } = p[name] as Doc;
    const place = [index, header, tx_proof, block_proof];
    if (height === null) {
      require(place.every((v) => v === null), `${name} has no height but a position in a block`);
      pending.push(name);
    } else {
      require(!place.includes(null), `${name} has a height but no complete inclusion proof`);
      require(tree !== null, `${name} is in a block, but there is no checkpoint`);
      headers.push({ ...checkPlace(name, p[name], tree), name });
    }
  }
  headers.sort((a, b) => a.height - b.height);
  headers.slice(1).forEach((high, i) => {
    const low = headers[i] as Doc;
    require(low.time <= high.time, 'a later block has an earlier time');
    require(low.height + 1 !== high.height || low.hash === high.prev, 'a block does not name the one before it');
  });
  for (const { name, height, time } of headers) {
    const at = t.get(name)?.time as number;
    const dated = headers.some((other) => other.height < height && at < other.time - MAX_BACKDATED);
    require(!dated && at <= time, `the time of ${name} does not fit the blocks`);
  }
  if (pending.length > 0) return new Note(`not in a block yet: ${pending.join(', ')}`);
  return "each transaction is in its block, each block in the checkpoint's tree";
}

/** Checks the inclusion proofs of a transaction in its block and of the block in the log; returns the header. */
function checkPlace(name: string, tx: Doc, tree: Tree): Doc {
  const header = document(tx.header, 'header');
  require(header !== null, `${name}.header is not a block header in canonical JSON`);
  require(header.height === tx.height, `${name}.header is of another height`);
  const here = included(unhex(tx.hash), tx.index, header.tx_count, tx.tx_proof, header.merkle_root);
  require(here, `${name} is not in its block`);
  const known = included(utf8(tx.header), tx.height, tree.size, tx.block_proof, tree.root);
  require(known, `the block of ${name} is not in the checkpoint's tree`);
  return { ...header, hash: blockHash(tx.header) };
}

/** The claims that are in no block: transactions, and the transcript of a game that goes on. */
function unanchored(p: Doc): string[] {
  const names = Object.keys(KINDS).filter((name) => (p[name] as Doc | null | undefined)?.height === null);
  return (p.format === RUN ? p.end : p.settle) ? names : [...names, 'transcript'];
}

function requireAnchored(p: Doc): void {
  require(unanchored(p).length === 0, `not anchored: in no block yet: ${unanchored(p).join(', ')}`);
}

function checkpoint(p: Doc, pinned: string | undefined): Finding {
  require(pinned === undefined || parseKey(pinned) !== null, 'the pinned key is malformed');
  const key = parseKey(p.verifier_key);
  require(key !== null, "the proof's verifier key is malformed");
  const named = pinned === undefined || pinned === p.verifier_key;
  require(named, 'the proof names another verifier key than the pinned one');
  if (p.checkpoint === null && pinned !== undefined) requireAnchored(p);
  if (p.checkpoint === null) return new Note('no checkpoint: no transaction is in a block yet');
  const { size } = signedTree(p.checkpoint, key);
  const said = `a tree of ${size} blocks, signed by ${key.name}+${key.id}`;
  if (pinned === undefined) return new Note(`${said}, the key in the proof: key not pinned`);
  requireAnchored(p);
  return `${said}, the pinned key`;
}

/** The signers of the checkpoint other than the log (all when the proof's key is malformed); none if not parsed. */
function others(p: Doc): string[] {
  try {
    const log = parseKey(p.verifier_key);
    const lines = parseNote(p.checkpoint).signatures.filter(({ name, id }) => name !== log?.name || id !== log.id);
    return [...new Set(lines.map(({ name, id }) => `${isName(name) ? name : '?'}+${id}`))];
  } catch {
    return [];
  }
}

/** Witnesses, and how many of them must have cosigned a checkpoint: all if 0. */
type Policy = { keys: readonly string[]; quorum: number };

/** Returns the witnesses that have cosigned a checkpoint, with their times, or throws when too few have. blocks are times of blocks in its tree. */
export function cosigners(checkpoint: string | null, policy: Policy, blocks: number[]): Map<string, bigint> {
  const [keys, quorum] = [policy.keys, policy.quorum || policy.keys.length];
  require(quorum >= 1 && quorum <= keys.length, 'the quorum is not 1 to the number of witnesses');
  const [known, said] = [new Map<string, Key>(), new Map<string, bigint>()];
  for (const text of keys) {
    const key = parseKey(text, 4);
    require(key !== null, 'a witness key is malformed');
    const who = `${key.name}+${key.id}`;
    require(!known.has(who), 'a witness is named twice');
    known.set(who, key);
  }
  require(checkpoint !== null, 'no checkpoint to cosign: no transaction is in a block yet');
  const note = parseNote(checkpoint);
  for (const [who, key] of known) {
    for (const bytes of linesOf(note, key)) {
      const time = BigInt(`0x${hex(bytes.slice(0, 8))}`);
      const message = utf8(`cosignature/v1\ntime ${time}\n${note.body}`);
      const right = bytes.length === 72 && signed(key.public, message, bytes.slice(8));
      require(right, `the cosignature of ${who} is wrong`);
      said.set(who, said.get(who) ?? time); // that of the last line
    }
  }
  const missing = [...known.keys()].find((who) => !said.has(who));
  require(missing === undefined || quorum < keys.length, `the checkpoint is not cosigned by ${missing}`);
  require(said.size >= quorum, `${said.size} of ${keys.length} witnesses have cosigned, ${quorum} must`);
  // One witness of any quorum is honest: by its clock, the tree was seen by the quorum-th lowest time.
  const by = [...said.values()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))[quorum - 1] ?? 0n;
  const late = blocks.some((ms) => BigInt(Math.floor(ms / 1000)) - by > MAX_APART);
  require(!late, 'a block is later than the cosignatures by more than a minute');
  return said;
}

/** Checks that a quorum of the witnesses has cosigned the checkpoint, and no block of the proof is later. */
function witnesses(p: Doc, policy: Policy): Finding {
  const rest = others(p);
  if (policy.keys.length === 0 && policy.quorum === 0) return new Note(`not checked, as no witness key was given: lines of ${rest.join(', ')}`);
  const headers = Object.keys(KINDS).map((name) => p[name]?.header as string | null | undefined);
  const raws = [...headers, p.kept as string | null].flatMap((raw) => raw ?? []);
  const blocks = raws.flatMap((raw) => (document(raw, 'header')?.time as number | undefined) ?? []);
  const said = cosigners(p.checkpoint, policy, blocks);
  requireAnchored(p);
  const lines = [...said].map(([who, time]) => `${who} at ${time}`).join(', ');
  const unchecked = rest.filter((who) => !said.has(who));
  return `cosigned by ${lines}` + (unchecked.length > 0 ? `; not checked: lines of ${unchecked.join(', ')}` : '');
}

/** Checks that no transaction precedes one it builds on: by position in the chain, and by nonce of one actor. */
function order(p: Doc, t: Txs): Finding {
  let pending = false;
  const ofRun = ['commit start', 'start end', 'start recovery', 'recovery end'];
  const ofDuel = ['stake_a settle', 'stake_b settle', 'stake_a recovery', 'stake_b recovery', 'recovery settle'];
  for (const pair of [...ofRun, ...ofDuel]) {
    const [before = '', after = ''] = pair.split(' ');
    const [first, second] = [t.get(before), t.get(after)];
    if (!first || !second) continue;
    const [a, b] = [p[before] as Doc, p[after] as Doc];
    const rises = first.actor === null || first.actor !== second.actor || first.nonce < second.nonce;
    require(rises, `the nonce of ${after} is not above that of ${before}`);
    if (b.height === null) {
      pending = true;
    } else {
      require(a.height !== null, `${after} is in a block, but ${before} is not`);
      const comes = a.height < b.height || (a.height === b.height && (a.index ?? 0) < (b.index ?? 0));
      require(comes, `${before} does not come before ${after}`);
      // The client seed comes with the start: in one block, the house may know it when it rotates.
      const rotates = first.kind === 'commitment.rotate' && a.height === b.height;
      require(!rotates, `${before} rotates a commitment in the block of ${after}`);
    }
  }
  if (pending) return new Note('a transaction in no block has no position in the chain yet');
  return 'in the chain, each transaction comes after those it builds on';
}

// ------------------------------------------------------------- a house run

const dataOf = (t: Txs, name: string): Doc => t.get(name)?.data as Doc;

/** Checks that the account published the run's commitment before the run, and for it alone. */
function commitment(p: Doc, t: Txs): Finding {
  for (const [name, tx] of t) {
    if (name === 'recovery') continue;
    require(tx.actor === p.account, `the actor of ${name} is not the account`);
    require(name === 'commit' || tx.data.run_id === p.run_id, `${name} is of another run`);
  }
  const [commit, start] = [dataOf(t, 'commit'), dataOf(t, 'start')];
  const published = commit.next_commitment ?? commit.commitment;
  require(published === start.commitment, 'commit publishes another commitment than start uses');
  const again = commit.next_commitment !== undefined && commit.commitment === published;
  require(!again && start.next_commitment !== published, 'the commitment is used or published twice');
  require(commit.run_id !== p.run_id, 'commit starts the same run');
  return 'commit publishes the commitment that start uses';
}

function clientSeed(p: Doc, t: Txs): Finding {
  const digest = dataOf(t, 'start').client_seed_hash as string;
  const seed = p.texts === null ? null : (p.texts.client_seed as string);
  require(seed === null || textHash(seed) === digest, 'the client seed is not the one whose hash start holds');
  if (digest === NO_TEXT) return new Note('the player gave no client seed and added no randomness to the run');
  if (seed === null) return new Note(`the proof does not open the client seed, whose SHA-256 is ${digest}`);
  const ascii = (c: string): string => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0');
  const quoted = JSON.stringify(seed).replace(/[\x7f-\uffff]/g, ascii);
  return `the player's client seed is ${quoted}: it must be the one you gave`;
}

function seeds(p: Doc, t: Txs): Finding {
  let [before, called] = [dataOf(t, 'start').commitment as string, 'the commitment'];
  for (const { n, seed } of p.said as { n: number; seed: string }[]) {
    require(checkSeed(before, n, seed), `seed ${n} does not hash to ${called}`);
    [before, called] = [seed, `seed ${n}`];
  }
  return `${p.said.length} seeds: each hashes to the one before it, the first to the commitment`;
}

function moves(p: Doc, t: Txs): Finding {
  const entropies = p.texts === null ? null : (p.texts.entropy as string[]);
  for (const [i, { n, seed, entropy_hash, house }] of (p.said as Doc[]).entries()) {
    const opened = entropies === null || textHash(entropies[i] ?? '') === entropy_hash;
    require(opened, `throw ${n}: the entropy is not the one whose hash the transcript holds`);
    const move = houseMove(seed, n, dataOf(t, 'start').client_seed_hash, entropy_hash);
    require(house === move, `throw ${n}: the seed gives ${move}, not ${house}`);
  }
  const entropic = (p.said as Doc[]).filter((t) => t.entropy_hash !== NO_TEXT).map((t) => t.n);
  if (entropic.length === 0) {
    return 'each house move follows from its seed and the client seed; no entropy came with a throw';
  }
  // A house that made up the entropy could choose the move.
  return new Note(`each house move follows; entropy came with throw ${entropic.join(', ')}: it must be what you sent`);
}

function outcomes(p: Doc): Finding {
  for (const t of p.said as Doc[]) {
    const follows = outcome(t.move, t.house);
    require(t.outcome === follows, `throw ${t.n}: the outcome is ${follows}, not ${t.outcome}`);
  }
  return 'each outcome follows from the two moves';
}

/** Returns the tier that the throws reach: the first tier plus the wins. */
function tier(p: Doc, t: Txs): number {
  return dataOf(t, 'start').first_tier + (p.said as Doc[]).filter((t) => t.outcome === 'win').length;
}

function cleared(p: Doc, t: Txs): Finding {
  require(p.cleared === tier(p, t), `the throws clear ${tier(p, t)}, not ${p.cleared}`);
  return `the throws clear ${p.cleared}`;
}

function status(p: Doc, t: Txs): Finding {
  const [throws, says, reached] = [p.said as Doc[], p.status as string, tier(p, t)];
  for (const { n, outcome } of throws.slice(0, -1)) {
    require(outcome !== 'loss', `throw ${n} is a loss, but the run continued`);
  }
  const last = throws.at(-1)?.outcome ?? 'tie';
  let possible = last === 'loss' ? 'lost' : `active or abandoned or ${last === 'win' ? 'deciding or claimed' : 'void'}`;
  if (last !== 'loss' && throws.length === SEEDS) {
    possible = reached > 0 ? 'claimed' : 'abandoned'; // all seeds used up
  }
  require(possible.split(' or ').includes(says), `the throws leave a run ${possible}, not ${says}`);
  const ended = says !== 'active' && says !== 'deciding';
  require(ended === t.has('end'), `a run that is ${says} has ${ended ? 'an' : 'no'} end transaction`);
  if (reached > TOP_TIER || (reached === TOP_TIER && (says !== 'claimed' || last !== 'win'))) {
    const beyond = `the run goes beyond tier ${TOP_TIER}, which claims by itself in the standard rules`;
    return new Note(`${says} follows, but ${beyond}`);
  }
  return `${says} follows from the throws`;
}

function end(p: Doc, t: Txs): Finding {
  const tx = t.get('end');
  if (!tx) return new Note('the run goes on');
  const won = p.status === 'claimed' ? tier(p, t) : 0;
  const want = { cleared: tier(p, t), status: p.status, throws: p.said.length, transcript_hash: p.transcript_hash };
  for (const [member, value] of Object.entries(want)) {
    require(tx.data[member] === value, `end states another ${member} than the transcript`);
  }
  require(tx.data.bound === t.get('start')?.data.bound, 'of start and end, only one is bound');
  const made = unnumbered(tx);
  if (p.status === 'void') {
    require(same(made, entryBack(t.get('start') as Doc)), 'end does not give back the entry');
    return 'end pins the transcript and gives back the entry';
  }
  const token = { asset: 'token', token_id: 0, from: null, to: p.account as string, tier: won };
  require(same(made, won > 0 ? [token] : []), 'end does not create what the run won');
  return `end pins the transcript and creates ${won > 0 ? `a token of tier ${won}` : 'nothing'}`;
}

/** Returns the transfers with token id 0: which ids are unused depends on the whole chain. */
function unnumbered(tx: Doc): Doc[] {
  return (tx.transfers as Doc[]).map((move) => (move.asset === 'token' ? { ...move, token_id: 0 } : move));
}

/** Returns the transfers that give back an entry: the coins, or another token of the burnt one's tier. */
function entryBack(start: Doc): Doc[] {
  const tier = (move: Doc): Doc => (move.asset === 'token' ? { tier: start.data.first_tier } : {});
  return unnumbered(start).map((move) => ({ ...move, from: null, to: start.actor, ...tier(move) }));
}

// ------------------------------------------------------------------ a duel

const SIDES = ['a', 'b'] as const;

/** Whether both sides of a round have one commitment, so that it is void before any reveal. */
const equal = (r: Doc): boolean => r.commitment_a !== null && r.commitment_a === r.commitment_b;

function commitments(p: Doc): Finding {
  const copied: number[] = [];
  for (const r of p.said.rounds as Doc[]) {
    const both = r.commitment_a !== null && r.commitment_b !== null;
    if (equal(r)) {
      copied.push(r.n);
      const hidden = [r.move_a, r.move_b, r.salt_a, r.salt_b].every((v) => v === null);
      require(hidden, `round ${r.n}: both sides have one commitment, so neither reveals`);
    }
    for (const side of SIDES) {
      const [move, salt] = [r[`move_${side}`], r[`salt_${side}`]];
      require((move === null) === (salt === null), `round ${r.n}: ${side} has a move or a salt without the other`);
      const short = salt === null || utf8(salt).length <= MAX_SALT;
      require(short, `round ${r.n}: ${side} has a salt of more than ${MAX_SALT} bytes`);
      require(move === null || both, `round ${r.n}: ${side} revealed before both had committed`);
      const holds = move === null || hex(sha256(utf8(`${move}:${salt}`))) === r[`commitment_${side}`];
      require(holds, `round ${r.n}: ${side} revealed another move than it committed to`);
    }
  }
  if (copied.length > 0) {
    const why = `both sides have one commitment in round ${copied.join(', ')}: with random salts, one was copied`;
    return new Note(`each move and salt hash to their commitment; ${why}`);
  }
  return 'each move and salt hash to their commitment';
}

function roundOutcomes(p: Doc): Finding {
  let [forfeits, resigned]: [number, string | null] = [0, null];
  for (const r of p.said.rounds as Doc[]) {
    const step = r.commitment_a !== null && r.commitment_b !== null ? 'move' : 'commitment';
    const missing = SIDES.filter((side) => r[`${step}_${side}`] === null);
    const some = ['commitment', 'move', 'salt'].some((part) => SIDES.some((side) => r[`${part}_${side}`] !== null));
    const gaveUp = some || r.forfeited_by === 'both' ? null : (r.forfeited_by as 'a' | 'b' | null);
    require(resigned === null || gaveUp === resigned, `round ${r.n}: ${resigned} had resigned`);
    const late = missing.length === 2 ? 'both' : (missing[0] ?? null);
    const forfeiter = (resigned = gaveUp) ?? (equal(r) ? null : late);
    require(r.forfeited_by === forfeiter, `round ${r.n}: forfeited_by does not fit what is missing`);
    const follows = forfeiter
      ? { a: 'b', b: 'a', both: 'void' }[forfeiter]
      : equal(r)
        ? 'void'
        : { win: 'a', loss: 'b', tie: 'tie' }[outcome(r.move_a, r.move_b)];
    require(r.outcome === follows, `round ${r.n}: the outcome is ${follows}, not ${r.outcome}`);
    if (forfeiter) forfeits++;
  }
  if (forfeits === 0) return 'each outcome follows from the two moves';
  const rests = "that a deadline was missed or a side resigned rests on the service's word";
  return new Note(`each outcome follows; ${forfeits} by forfeit, and ${rests}`);
}

/** Returns the rounds won by each side, and whether the duel is decided. */
function played(p: Doc): { won: { a: number; b: number }; decided: boolean } {
  const won = { a: 0, b: 0 };
  let [voids, decided] = [0, false];
  for (const r of p.said.rounds as Doc[]) {
    require(!decided, `round ${r.n} comes after the duel was decided`);
    voids = r.outcome === 'void' && r.forfeited_by === 'both' ? voids + 1 : 0;
    if (r.outcome === 'a' || r.outcome === 'b') won[r.outcome as 'a' | 'b']++;
    decided = won.a === WINS || won.b === WINS || voids === 2 || r.n === ROUNDS;
  }
  return { won, decided };
}

function score(p: Doc): Finding {
  const { won } = played(p);
  require(p.wins.a === won.a && p.wins.b === won.b, `the rounds give ${won.a} to ${won.b}`);
  return `the rounds give ${won.a} to ${won.b}`;
}

function winner(p: Doc): Finding {
  const { won, decided } = played(p);
  const left = decided ? 'finished' : 'active or void';
  require((p.status === 'finished') === decided, `the rounds leave the duel ${left}`);
  const first = SIDES.find((side) => won[side] === WINS) ?? null;
  require(p.winner === first && p.said.winner === first, `the winner is ${first ?? 'none'}`);
  return `the winner is ${first ?? 'none'}`;
}

function settlement(p: Doc, t: Txs): Finding {
  const tx = t.get('settle');
  if (!tx) {
    require(p.status === 'active', `a duel that is ${p.status} has a settlement`);
    return new Note('no settlement: the duel goes on');
  }
  require(p.status !== 'active', 'a duel that goes on has no settlement');
  for (const member of ['a', 'b', 'duel_id', 'transcript_hash', 'winner']) {
    require(tx.data[member] === p[member], `settle states another ${member}`);
  }
  require((tx.data.status === 'void') === (p.status === 'void'), 'settle states another status');
  require(tx.actor === null && tx.nonce === 0, "settle has an actor or a nonce");
  return 'settle pins the transcript, the sides and the winner';
}

/** Checks that each stake goes into the duel's escrow, and from there to the winner or back. */
function payout(p: Doc, t: Txs): Finding {
  const stake = p.said.stake as number;
  const escrow = address(hashText('escrow', p.duel_id).slice(0, 20));
  const coins = (from: string, to: string, amount: number): Json => ({ asset: 'coin', from, to, amount });
  for (const side of SIDES) {
    const [name, tx] = [`stake_${side}`, t.get(`stake_${side}`)];
    require((tx !== undefined) === stake > 0, `${name} does not fit the stake of ${stake}`);
    if (!tx) continue;
    const ofThis = tx.actor === p[side] && tx.data.duel_id === p.duel_id;
    require(ofThis && same(tx.transfers, [coins(p[side], escrow, stake)]), `${name} does not pay in the stake`);
  }
  const settle = t.get('settle');
  if (!settle) return new Note('nothing is paid out');
  const back = SIDES.map((side) => coins(escrow, p[side], stake));
  const due = p.winner === null ? back : [coins(escrow, p[p.winner], 2 * stake)];
  require(same(settle.transfers, stake > 0 ? due : []), 'settle does not pay what the duel decides');
  return 'settle pays what the duel decides';
}

// -------------------------------------------------------------- a recovery

const LOST_APART = 60_000; // milliseconds before the newest kept block, and after the recovery's, of what it can lose

/** Checks the recovery that the game crosses: it lies between start and end (order), kept is the block before. */
function recovery(p: Doc, t: Txs): Finding {
  const [tx, at] = [t.get('recovery'), p.recovery as Doc | null];
  require(tx !== undefined && at !== null, 'a game that is void names the recovery, and kept belongs to one');
  const ended = p.status === 'void' || (p.format === RUN && p.status === 'claimed');
  const goesOn = p.format !== RUN && p.said.stake === 0; // a duel without a stake does
  require(ended || goesOn, `a recovery does not leave a game ${p.status}`);
  const own = tx.actor === null && tx.nonce === 0 && tx.transfers.length === 0;
  require(own, 'recovery has an actor, a nonce or a transfer');
  require((at.height === null) === (p.kept === null), 'kept is there exactly when recovery is in a block');
  if (p.kept !== null) {
    const [kept, header] = [document(p.kept, 'header'), at.header === null ? null : document(at.header, 'header')];
    require(kept !== null, 'kept is not a block header in canonical JSON');
    const before = header !== null && kept.height === header.height - 1 && blockHash(p.kept) === header.prev;
    require(at.header === null || before, 'kept is not the block before that of recovery');
    require(header === null || kept.time <= header.time, 'kept is later than the block of recovery');
    const late = header === null || tx.time >= kept.time - MAX_BACKDATED;
    require(late, 'recovery is earlier than kept by more than a minute');
    for (const name of header === null ? [] : t.keys()) {
      const raw = p[name].header as string | null;
      const below = raw === null ? null : document(raw, 'header');
      if (below === null || below.height > kept.height) continue;
      require(below.time <= kept.time, `kept is earlier than the block of ${name}`);
      const named = below.height !== kept.height - 1 || blockHash(raw as string) === kept.prev;
      require(named, `kept does not name the block of ${name}`);
    }
  }
  const { lost: tree, recovery: number, reason_hash } = tx.data as Doc;
  const fits = tree === null || at.height === null || tree.size >= at.height;
  require(fits, `recovery names a lost tree of ${tree?.size} blocks, and keeps ${at.height}`);
  const lost = tree === null ? 'names no lost tree' : `has lost a tree of ${tree.size} blocks`;
  const effect = ended ? 'ended the game' : 'came during the duel';
  return new Note(`recovery ${number} ${effect}; it ${lost}; the SHA-256 of its reason is ${reason_hash}`);
}

/** Whether the recovery excuses that the chain lacks what the house stated at a time. */
function excused(p: Doc, t: Txs, time: number): boolean {
  const tree = t.get('recovery')?.data.lost as Doc | null | undefined;
  if (!tree) return false;
  const read = (raw: string | null): Doc | null => (raw === null ? null : document(raw, 'header'));
  const [kept, own] = [read(p.kept), read(p.recovery.header)];
  return (kept === null || time >= kept.time - LOST_APART) && (own === null || time <= own.time + LOST_APART);
}

// ---------------------------------------------------------------- receipts
// What the house signed while a game went on, one receipt per line.

const MAX_RECEIPTS = 1000; // about one game
const MAX_RECEIPTS_SIZE = 64 * 2 ** 20; // bytes
const STATEMENTS = ['start', 'result', 'decision', 'commitments'];

/** Thrown by a receipt that states something else than the proof. */
class Contradiction extends Fail {
  /** Whether what the receipt contradicts is in a block, so that the house has signed both. */
  readonly anchored: boolean;
  constructor(text: string, anchored: boolean) {
    super(text);
    this.anchored = anchored;
  }
}

/** A receipt: the text that the house signed, and the signature in base64. */
export interface Receipt {
  raw: string;
  signature: string;
}

/** Returns the statement of a receipt, or null when it is malformed. */
function readReceipt({ raw, signature }: Receipt): Doc | null {
  const statement = STATEMENTS.map((shape) => document(raw, shape)).find((one) => one !== null);
  return statement && base64Bytes(signature)?.length === 64 ? statement : null;
}

/** Returns the statement of a receipt that the key signed, null otherwise. */
export function statementOf(receipt: Receipt, key: Key): Doc | null {
  const statement = readReceipt(receipt);
  const bytes = base64Bytes(receipt.signature);
  const message = utf8(`roshambo/receipt/v1\n${receipt.raw}`);
  return statement && bytes && signed(key.public, message, bytes) ? statement : null;
}

type Comparison = 'agree' | 'later' | 'lost'; // later: than the proof's state; lost: by a recovery that excuses it

/** Compares statement s of receipt n, about this game, with the proof. */
function compare(p: Doc, t: Txs, n: number, s: Doc): Comparison {
  const run = p.format === RUN;
  const last = run ? 'end' : 'settle';
  const anchored = (name: string): boolean => p[name] !== null && p[name].height !== null;
  const differ = (facts: Doc, subject: string, name: string): Comparison => {
    for (const member of Object.keys(facts)) {
      const text = `receipt ${n} states another ${member} of ${subject} than the proof`;
      if (s[member] !== facts[member]) throw new Contradiction(text, anchored(name));
    }
    return 'agree';
  };
  const lacking = (subject: string): Comparison => {
    differ(run ? { account: p.account } : { a: p.a, b: p.b }, subject, last); // no loss explains another player
    if (!t.has(last)) return 'later';
    if (excused(p, t, s.time)) return 'lost';
    throw new Contradiction(`receipt ${n} states ${subject}, which the proof lacks`, anchored(last));
  };
  if (s.kind === 'start') {
    const { client_seed_hash, commitment, entry, first_tier, next_commitment } = dataOf(t, 'start');
    const facts = { client_seed_hash, commitment, entry, first_tier, next_commitment };
    return differ({ account: t.get('start')?.actor, ...facts }, 'the start', 'start');
  }
  if (s.kind === 'decision') {
    const [about, made] = [`the decision after throw ${s.throws}`, p.said.length as number];
    const stayed = s.decision === 'continue' || (s.decision === 'claim' && p.status === 'claimed');
    const gone = t.has('recovery') && (s.throws > made || (s.throws === made && !stayed));
    if (!t.has(last) || gone) return lacking(about);
    return differ(decided(p, t, s), about, last);
  }
  const subject = `${run ? 'throw' : 'round'} ${s.n}`;
  const one = ((run ? p.said : p.said.rounds) as Doc[])[s.n - 1];
  if (!one) return lacking(subject);
  if (run) {
    const facts = { account: p.account, entropy_hash: one.entropy_hash, house: one.house, move: one.move };
    return differ({ ...facts, outcome: one.outcome, seed: one.seed }, subject, last);
  }
  differ({ a: p.a, b: p.b }, subject, last);
  const { commitment_a, commitment_b } = one;
  const same = s.commitment_a === commitment_a && s.commitment_b === commitment_b;
  // A duel without a stake goes on after a recovery, and its sides play a lost round again.
  if (!same && p.said.stake === 0 && excused(p, t, s.time)) return 'lost';
  return differ({ commitment_a, commitment_b }, subject, last);
}

/** Returns what a decision must state in a run that has ended, in the order of the comparison. */
function decided(p: Doc, t: Txs, s: Doc): Doc {
  const [made, n] = [p.said as Doc[], s.throws as number];
  const cleared = dataOf(t, 'start').first_tier + made.slice(0, n).filter((one) => one.outcome === 'win').length;
  const { account, status } = p;
  if (s.decision !== 'continue') {
    const decision = status === 'claimed' ? 'claim' : status === 'abandoned' ? 'abandon' : null;
    return { account, throws: made.length, cleared, decision };
  }
  // The run may have ended before its next throw.
  const decision = n < made.length || status === 'abandoned' || t.has('recovery') ? 'continue' : null;
  return { account, throws: made[n - 1]?.outcome === 'win' ? n : null, cleared, decision };
}

function receipts(p: Doc, t: Txs, text: string, pinned: string | undefined): Finding {
  const key = parseKey(pinned ?? p.verifier_key);
  require(key !== null, 'no verifier key to check receipts with');
  const content = text.replace(/\n$/, '');
  const fits = !/\p{Surrogate}/u.test(text) && utf8(content).length <= MAX_RECEIPTS_SIZE;
  require(fits, `the receipts are not UTF-8 of at most ${MAX_RECEIPTS_SIZE} bytes`);
  const game = p.format === RUN ? 'run_id' : 'duel_id';
  // Every canonical receipt about this game contains the mark, and no other does.
  const mark = `\\"${game}\\":\\"${p[game]}\\"`;
  const count: Record<Comparison, number> = { agree: 0, later: 0, lost: 0 };
  let [mine, others] = [0, 0];
  for (const [i, line] of content === '' ? [] : content.split('\n').entries()) {
    if (!line.includes(mark)) {
      others++;
      continue;
    }
    require(mine++ < MAX_RECEIPTS, `more than ${MAX_RECEIPTS} receipts are about this game`);
    const receipt = document(line, 'receipt') as Receipt | null;
    const statement = receipt && readReceipt(receipt);
    const about = receipt !== null && statement !== null && statement[game] === p[game];
    require(about, `receipt ${i + 1} is malformed`);
    require(statementOf(receipt, key) !== null, `receipt ${i + 1} is not signed by ${key.name}+${key.id}`);
    count[compare(p, t, i + 1, statement)]++;
  }
  const later = count.later > 0 ? `; ${count.later} state later than it` : '';
  const by = `declared by recovery ${t.get('recovery')?.data.recovery}`;
  const more = (count.lost > 0 ? `; ${count.lost} lost, ${by}` : '') + (others > 0 ? `; ${others} of other games` : '');
  const said = `${count.agree} receipts agree with the proof${later}${more}`;
  return count.agree > 0 && count.lost === 0 ? said : new Note(said);
}

// -------------------------------------------------------------- entry points

type Checker = (p: Doc, t: Txs) => Finding;
const [RUN, DUEL] = ['roshambo/run-proof/v1', 'roshambo/duel-proof/v1'];
const RUN_CHECKS: Record<string, Checker> = {
  ...{ order, commitment, client_seed: clientSeed, seeds, moves, outcomes, cleared, status, end },
};
const DUEL_CHECKS: Record<string, Checker> = {
  ...{ order, commitments, outcomes: roundOutcomes, score, winner, end: settlement, payout },
};

/** Parses strict JSON in UTF-8; returns undefined for anything else. */
function readJSON(data: Uint8Array): Json | undefined {
  try {
    return parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data));
  } catch {
    return undefined;
  }
}

/** Parses a proof and its transcript; throws Fail unless both are well formed. */
function readProof(data: Uint8Array): Doc {
  require(data.length <= MAX_PROOF, `the proof is larger than ${MAX_PROOF} bytes`);
  const p = readJSON(data);
  const why = `the proof is not UTF-8, or not JSON with unique members, whole numbers, ${MAX_DEPTH} levels`;
  require(p !== undefined, why);
  const format = isObject(p) ? p.format : null;
  require(format === RUN || format === DUEL, 'the proof has an unknown format');
  conform(p, format === RUN ? 'run_proof' : 'duel_proof');
  const proof = p as Doc;
  const raw = proof.transcript.raw as string;
  const said = document(raw, format === RUN ? 'throw*' : 'transcript');
  const fits = said !== null && (format === DUEL || said.length <= SEEDS);
  require(fits, 'transcript.raw is not a transcript in canonical JSON');
  ((format === RUN ? said : said.rounds) as { n: number }[]).forEach(({ n }, i) => {
    require(n === i + 1, 'the transcript is not numbered 1, 2, 3 and so on');
  });
  const texts = format === RUN ? proof.texts : null;
  if (texts !== null) {
    const short = [texts.client_seed, ...texts.entropy].every((text: string) => [...text].length <= MAX_TEXT);
    require(short, `texts has a text of more than ${MAX_TEXT} characters`);
    require(texts.entropy.length === said.length, 'texts does not have the entropy of each throw');
  }
  for (const member of format === DUEL ? ['a', 'b', 'duel_id'] : []) {
    require(said[member] === proof[member], `the transcript states another ${member}`);
  }
  require(format === RUN || proof.a !== proof.b, 'both sides have the same address');
  return { ...proof, said, transcript_hash: hex(hashText('transcript', raw)) };
}

function describe(p: Doc): string {
  return p.format === RUN
    ? `run ${p.run_id} of ${p.account}: ${p.status}, ${p.cleared} cleared, ${p.said.length} throws`
    : `duel ${p.duel_id} of ${p.a} and ${p.b}: ${p.status}, ${p.said.rounds.length} rounds`;
}

/**
 * Checks a proof. Pass bytes, not text, where possible: decoding to text may hide invalid UTF-8. options.key is the
 * trusted verifier key that must have signed the checkpoint; options.witnesses are the keys of witnesses, of which
 * options.quorum must have cosigned it, all if 0; options.receipts is the text of receipts, one per line, to compare with the proof. Never
 * rejects.
 */
export async function verifyProof(
  proof: string | ArrayBuffer | Uint8Array,
  options: { key?: string | null; witnesses?: readonly string[]; quorum?: number; receipts?: string | null } = {},
): Promise<Report> {
  const report: Report = { valid: true, verdict: 'NOT VALID', format: '', pending: [], checks: [] };
  let p: Doc = {};
  const t: Txs = new Map();
  let contradicted = false;
  const run = (id: string, check: () => Finding): void => {
    try {
      const found = check();
      const note = found instanceof Note;
      report.checks.push({ id, result: note ? 'note' : 'pass', text: note ? found.text : found });
    } catch (error) {
      contradicted = report.valid && error instanceof Contradiction && error.anchored;
      report.valid = false;
      report.checks.push({ id, result: 'fail', text: (error as Error).message });
    }
  };
  await Promise.resolve(); // lets a page render first
  run('format', () => {
    const lone = typeof proof === 'string' && /\p{Surrogate}/u.test(proof);
    p = readProof(lone ? Uint8Array.of(0xff) : typeof proof === 'string' ? utf8(proof) : new Uint8Array(proof));
    return describe(p);
  });
  if (!report.valid) return report;
  report.format = p.format;
  report.pending = unanchored(p);
  run('transactions', () => transactions(p, t));
  const readable = report.valid;
  const [keys, quorum] = [options.witnesses ?? [], options.quorum ?? 0];
  const checks: Record<string, Checker> = {
    inclusion,
    checkpoint: () => checkpoint(p, options.key ?? undefined),
    ...(keys.length > 0 || quorum !== 0 || others(p).length > 0 ? { witnesses: () => witnesses(p, { keys, quorum }) } : {}),
    ...(p.format === RUN ? RUN_CHECKS : DUEL_CHECKS),
    ...(p.recovery !== null || p.kept !== null || p.status === 'void' ? { recovery } : {}),
  };
  for (const [id, check] of Object.entries(checks)) {
    run(id, () => (readable ? check(p, t) : new Note('not checked: the transactions check failed')));
  }
  if (options.receipts != null) {
    const lines = options.receipts;
    run('receipts', () =>
      readable
        ? receipts(p, t, lines, options.key ?? undefined)
        : new Note('not checked: the transactions check failed'),
    );
  }
  if (contradicted) report.verdict = 'CONTRADICTED';
  if (report.valid) report.verdict = report.pending.length > 0 ? 'PENDING' : 'VALID';
  return { ...report, valid: report.verdict === 'VALID' };
}

/** Returns a report as text: a line per check, then the verdict. */
export function asText(report: Report): string {
  const lines = report.checks.map(({ id, result, text }) => `${result}  ${id.padEnd(12)}  ${text}`);
  const failed = report.checks.filter(({ result }) => result === 'fail').map(({ id }) => id);
  const pending = report.verdict === 'PENDING' ? `: not in a block yet: ${report.pending.join(', ')}` : '';
  const evidence = ': the house signed a receipt and a block that differ';
  const contradicted = report.verdict === 'CONTRADICTED' ? evidence : pending;
  const why = report.verdict === 'NOT VALID' ? `: ${failed.join(', ')}` : contradicted;
  return [...lines, report.verdict + why].join('\n');
}

/**
 * Returns where the proofs of a file are: one on each line that is not blank, if the first such line is JSON and
 * another one follows. A single proof has line 0; so has the whole of a file of more than `most`, which is no proof.
 */
export function proofsIn(file: Uint8Array, most = Infinity): { line: number; from: number; to: number }[] {
  const lines: { line: number; from: number; to: number }[] = [];
  for (let from = 0, to = 0; from < file.length && lines.length <= most; from = to) {
    to = file.indexOf(10, from) + 1 || file.length;
    const seen = file.subarray(from, Math.min(to, from + MAX_PROOF + 1)); // as the programs that read no more
    if (!seen.every((byte) => byte === 32 || (byte >= 9 && byte <= 13))) lines.push({ line: lines.length + 1, from, to });
  }
  const { from, to } = lines[0] ?? { from: 0, to: 0 };
  const single = lines.length > most || to - from > MAX_PROOF || readJSON(file.subarray(from, to)) === undefined;
  return single || lines.length < 2 ? [{ line: 0, from, to: single ? file.length : to }] : lines;
}

/** Checks each proof of a file. The text and the exit status are those of the programs in Go and Python. */
export async function verifyFile(
  file: Uint8Array,
  options?: Parameters<typeof verifyProof>[1],
): Promise<{ reports: Report[]; text: string; status: 0 | 1 | 3 }> {
  const [reports, text]: [Report[], string[]] = [[], []];
  for (const { line, from, to } of proofsIn(file)) {
    const report = await verifyProof(file.subarray(from, to), options);
    reports.push(report);
    if (line > 0) text.push(`line ${line}  ${report.verdict}`);
    if (line === 0 || !report.valid) text.push(asText(report));
  }
  const others = reports.filter(({ valid }) => !valid);
  const status = others.length === 0 ? 0 : others.every(({ verdict }) => verdict === 'PENDING') ? 3 : 1;
  return { reports, text: text.join('\n'), status };
}
