// The player's texts of a run: its client seed and the entropy of each throw. The house cannot know its own hand before it
// receives them, as long as it receives one text for each throw. So a text is stored before it is sent, and after an
// error, a lost answer or a reload the same text is sent again: another one would be a second draw, of which the house
// could keep the better one.

import { randomHex } from '../api/client.ts';
import { evidenceOf } from '../stores/evidence.ts';
import { getStored, isText, setStored } from '../stores/storage.ts';
import { ask } from '../verifier.ts';

/** The texts of a run. The commitment names it, because a run has no id before the house has received its texts. */
interface Texts {
  commitment: string;
  /** null when another browser has started the run. */
  client_seed: string | null;
  /** Entry n - 1 is the entropy of throw n; null when another browser sent that throw. */
  entropy: (string | null)[];
  /** The run's id; null until the house has answered with it. */
  run: string | null;
  /** A difference was reported, and its evidence stored; it is reported once. */
  reported: boolean;
}

/** What the house states about the texts of a run, in an answer or in a proof. */
export interface Recorded {
  run_id: string;
  commitment: string;
  client_seed_hash: string;
  throws: readonly { entropy_hash: string }[];
}

/** Runs whose texts are kept. One has some 0.5 kB of them. */
const MAX_RUNS = 100;
/** Characters of a text that the contract permits. */
const MAX_TEXT = 64;

/** The texts, once the browser has refused to store them. They are lost with the page. */
let inMemory: Texts[] | null = null;

function areTexts(value: unknown): value is Texts[] {
  return (
    Array.isArray(value) &&
    (value as (Partial<Texts> | null)[]).every((one) => isText(one?.commitment) && Array.isArray(one.entropy))
  );
}

const all = (): Texts[] => inMemory ?? getStored('texts', areTexts) ?? [];
const textsOf = (commitment: string) => all().find((one) => one.commitment === commitment);

/** Returns the commitment that a run's texts were stored under: a house that states another one receives the same texts. */
export function firstCommitment(run: { id: string; commitment: string }): string {
  return all().find((one) => one.run === run.id)?.commitment ?? run.commitment;
}

function change(commitment: string, apply: (texts: Texts) => void): void {
  const list = all();
  const found = list.find((one) => one.commitment === commitment);
  const texts = found ?? { commitment, client_seed: null, entropy: [], run: null, reported: false };
  apply(texts);
  const kept = [...list.filter((one) => one !== found), texts].slice(-MAX_RUNS);
  inMemory = setStored('texts', kept) ? null : kept;
}

/** Returns the text that a player chose, without characters that the contract refuses; a fresh one for an empty text. */
function draw(chosen: string): string {
  const text = Array.from(chosen.replace(/[\p{Cc}\p{Cs}]/gu, ''))
    .slice(0, MAX_TEXT)
    .join('');
  return text || randomHex(8);
}

/** Returns the client seed to send. It is stored when this returns, and the same in each call. */
export function clientSeedFor(commitment: string, chosen: string): string {
  const stored = storedSeed(commitment);
  if (stored !== null) return stored;
  const text = draw(chosen);
  change(commitment, (texts) => (texts.client_seed = text));
  return text;
}

/** Returns the entropy to send with throw n (1, 2, …). It is stored when this returns, and the same in each call. */
export function entropyFor(commitment: string, n: number, chosen: string): string {
  const stored = storedEntropy(commitment, n);
  if (stored !== null) return stored;
  const text = draw(chosen);
  change(commitment, ({ entropy }) => {
    while (entropy.length < n) entropy.push(null);
    entropy[n - 1] = text;
  });
  return text;
}

/** Returns the stored client seed of a run; null if this browser has sent none. */
export function storedSeed(commitment: string): string | null {
  return textsOf(commitment)?.client_seed ?? null;
}

/** Returns the stored entropy of throw n; null if this browser has sent none. */
export function storedEntropy(commitment: string, n: number): string | null {
  return textsOf(commitment)?.entropy[n - 1] ?? null;
}

/** Notes the id of the run with a commitment, once. Texts are kept only for runs of this browser. */
export function noteBegun(commitment: string, run: string): void {
  const known = all().some((one) => one.run === run);
  if (!known && textsOf(commitment)?.run === null) change(commitment, (one) => (one.run = run));
}

/** Returns the id of the run with a commitment; null if the house has not answered with one. The next run has another. */
export function runOf(commitment: string): string | null {
  return textsOf(commitment)?.run ?? null;
}

/**
 * Returns the texts that a recorded run concerns: those that were stored for its id, and those of another run of this
 * browser with its commitment; otherwise those that were sent for the commitment, if any.
 */
function sentFor({ run_id, commitment }: Recorded): Texts[] {
  const same = all().filter((one) => one.run === run_id || one.commitment === commitment);
  const begun = same.filter(({ run }) => run !== null);
  return begun.length > 0 ? begun : same;
}

/**
 * Reports the differences between what the house has recorded and what this browser sent, each as a JSON text. They are
 * reported once: `report` returns whether they are stored.
 */
export async function reportAltered(
  recorded: Recorded,
  report: (lines: readonly string[]) => boolean,
): Promise<void> {
  const news = sentFor(recorded).filter(({ reported }) => !reported);
  const lines = await Promise.all(news.map((sent) => differences(recorded, sent)));
  const altered = news.filter((_, i) => (lines[i]?.length ?? 0) > 0);
  if (altered.length === 0 || !report(lines.flat())) return;
  for (const { commitment } of altered) change(commitment, (texts) => (texts.reported = true));
}

/** Returns the differences between what the house has recorded and what was sent. Throws are compared by position. */
async function differences(recorded: Recorded, sent: Texts): Promise<string[]> {
  const { run_id, commitment, client_seed_hash, throws } = recorded;
  const pairs = [
    { text: sent.client_seed, hash: client_seed_hash, of: { client_seed: sent.client_seed } },
    ...throws.map(({ entropy_hash }, i) => {
      const entropy = sent.entropy[i] ?? null;
      return { text: entropy, hash: entropy_hash, of: { throw: i + 1, entropy } };
    }),
  ];
  const lines: string[] = [];
  if (sent.commitment !== commitment || (sent.run !== null && sent.run !== run_id)) {
    const of = { run_id: sent.run, commitment: sent.commitment };
    lines.push(line(recorded, of, { recorded_commitment: commitment }));
  }
  for (const { text, hash, of } of pairs) {
    if (text === null || (await ask('textHash', text)) === hash) continue;
    lines.push(line(recorded, of, { recorded_hash: hash }));
  }
  return lines;
}

function line({ run_id }: Recorded, sent: object, stated: object): string {
  const [of, other] = [evidenceOf({ run_id }, ['run_id']), evidenceOf(stated, Object.keys(stated))];
  return JSON.stringify({ ...of, sent, ...other });
}
