// Each reason that the verifier can state has a translation.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { languages, type Catalog } from '../text/language.ts';
import { isNode, literal, quasis, walk, type Node } from '../../words/nodes.ts';
import { parse } from 'svelte/compiler';
import { translator } from './reasons.ts';
import { verify } from './proof.ts';

const read = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8');
const catalogOf = (language: string) => JSON.parse(read(`reasons/reasons.${language}.json`)) as Catalog;
const translated = Object.keys(languages).filter((language) => language !== 'en');
const keys = Object.keys(catalogOf('de'));
const slots = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();

/** Marks each known reason, whatever its values are. */
const mark = translator(Object.fromEntries(keys.map((key) => [key, '✓'])), 'en');

describe.each(translated)('%s', (language) => {
  const catalog = catalogOf(language);

  test('has each reason with its values and plural forms', () => {
    expect(Object.keys(catalog)).toEqual(keys);
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, text] of Object.entries(catalog)) {
      const texts = typeof text === 'string' ? [text] : Object.values(text);
      for (const one of texts) expect([one, slots(one)]).toEqual([one, slots(key)]);
      expect([key, typeof text]).toEqual([key, key.includes('{n}') ? 'object' : 'string']);
      if (typeof text === 'object') expect(Object.keys(text).sort()).toEqual([...forms].sort());
    }
  });
});

test('the English forms are those of known reasons', () => {
  expect(Object.keys(catalogOf('en')).filter((key) => !keys.includes(key))).toEqual([]);
});

/** Returns the reasons in the source of the verifier, with 1 in place of each value. */
function inSource(): string[] {
  const source = read('../../../verify/ts/verify.ts');
  const root = parse(`<script lang="ts">${source}\n</script>`, { modern: true }) as unknown as {
    instance: Node;
  };
  const found: string[] = [];
  const add = (node: unknown): void => {
    if (!isNode(node)) return;
    const text = node.type === 'TemplateLiteral' ? quasis(node).join('1') : literal(node);
    if (text !== null) found.push(text);
  };
  walk(root.instance, (node) => {
    const callee = isNode(node.callee) ? node.callee.name : '';
    const args = (node.arguments ?? []) as Node[];
    if (node.type === 'CallExpression' && callee === 'require') add(args[1]);
    if (node.type === 'NewExpression' && ['Fail', 'Note', 'Contradiction'].includes(String(callee)))
      add(args[0]);
    return undefined;
  });
  return found;
}

/** Reasons with clauses in place of values, which vectors cause. The document of `another kind` is refused elsewhere. */
const composed = [
  'another kind',
  '1, the key in the proof: key not pinned',
  'seed 1 does not hash to 1',
  'a run that is 1 has 1 end transaction',
  'each move and salt hash to their commitment; 1',
  'each outcome follows; 1 by forfeit, and 1',
  'recovery 1 1; it 1; the SHA-256 of its reason is 1',
];

test('each reason in the source of the verifier is known', () => {
  const found = inSource().filter((reason) => /[a-z]{2} [a-z]{2}/.test(reason) && !composed.includes(reason));
  expect(found.length).toBeGreaterThan(90);
  expect(found.filter((reason) => !mark(reason).includes('✓'))).toEqual([]);
});

const folder = path.resolve(import.meta.dirname, '../../../vectors');
interface Vector {
  file: string;
  key: string | null;
  witnesses: string[];
  quorum: number;
}
const { vectors } = JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8')) as {
  vectors: Vector[];
};

test('each reason that a vector causes is known', async () => {
  const unknown = new Set<string>();
  for (const { file, key, witnesses, quorum } of vectors) {
    const bytes = new Uint8Array(readFileSync(path.join(folder, file))).buffer;
    const { report } = await verify(bytes, { key, witnesses, quorum });
    for (const { text } of report.checks) if (!mark(text).includes('✓')) unknown.add(text);
  }
  expect([...unknown]).toEqual([]);
});

test.each([
  [
    'de',
    '1 seeds: each hashes to the one before it, the first to the commitment',
    '1 Seed: sein Hash ist das Commitment',
  ],
  ['fr', 'the throws clear 3, not 4', 'les coups franchissent 3, pas 4'],
  [
    'es',
    '2 receipts agree with the proof; 1 state later than it; 3 of other games',
    '2 recibos concuerdan con la prueba; 1 es de un estado posterior; 3 de otros juegos',
  ],
  [
    'de',
    'receipt 2 states another seed of throw 5 than the proof',
    'Beleg 2 nennt ein anderes seed als der Beweis, zu: Wurf 5',
  ],
  ['ja', 'end.header is of another height', 'end.headerの高さが異なります'],
  [
    'en',
    '1 transactions: each raw hashes to its hash and is canonical, of its kind',
    /^1 transaction: its raw/,
  ],
  ['en', 'the run goes on', 'the run goes on'],
  ['de', 'a reason of a later verifier', 'a reason of a later verifier'],
])('in %s: %s', (language, reason, text) => {
  expect(translator(catalogOf(language), language)(reason)).toMatch(text);
});
