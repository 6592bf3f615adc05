// The catalogs hold a translation of each text of the page, and nothing else.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import routes from '../src/routes.json';
import { languages, type Catalog, type Forms } from '../src/text/language.ts';
import { readSource } from './source.ts';
import served from './served.json';

const source = path.join(import.meta.dirname, '../src');

/** Returns the components and scripts of the page. */
function files(): string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(svelte|ts)$/.test(name) && !/\.test\.ts$|\.d\.ts$/.test(name))
    .sort();
}

const sources = files().map(
  (name) => [name, readSource(name, readFileSync(path.join(source, name), 'utf8'))] as const,
);
const keys = new Set([
  ...sources.flatMap(([, { messages }]) => messages.map(({ key }) => key)),
  ...routes.map(({ title }) => title),
  ...Object.values(served).flat(),
]);

/** Returns the values and elements of a text, each once: "{n}", "<0>", "<1/>". */
function slots(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}|<\/?\d\/?>/g) ?? [])].sort();
}

/** Returns the faults in the translation of a key. */
function faults(language: string, key: string, translation: string | Forms | undefined): string[] {
  if (translation === undefined) return [`${key}: missing`];
  const [one = '', other] = key.split('|');
  const plural = keys.has(key) && other !== undefined;
  if (!plural)
    return typeof translation === 'string' && translation !== ''
      ? compare(key, slots(key), translation)
      : [`${key}: not a text`];
  if (typeof translation !== 'object') return [`${key}: without plural forms`];
  const expected = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const wrong =
    Object.keys(translation).sort().join() === [...expected].sort().join()
      ? []
      : [`${key}: forms are not ${expected.join()}`];
  const forms = Object.entries(translation);
  // The form for one may say "a duel" in place of its number.
  return [
    ...wrong,
    ...forms.flatMap(([form, text]) =>
      compare(`${key} (${form})`, slots(form === 'one' ? one : other), text),
    ),
  ];
}

function compare(key: string, expected: string[], text: string): string[] {
  return slots(text).join() === expected.join() ? [] : [`${key}: ${text}`];
}

/** Scripts with names of programs and languages, code to copy, and the API reference, which is in English. */
const sameEverywhere = new Set([
  'account/device.ts',
  'developers/snippets.ts',
  'developers/starters.ts',
  'proof/verifiers.ts',
  'reference/document.ts',
  'text/language.ts',
]);
/** Names of chunks, classes and keys in the code, and the start of a verifier's text. */
const codeNames = new Set([
  'Roshambo',
  'Verify',
  'Alarm',
  'Alive',
  'Enter',
  'Invitations',
  'Date',
  'Unreachable',
  'Declined',
  'Unsigned',
  'not anchored: ',
  'Part of this page could not be loaded.',
]);

test('every text of the page can be translated', () => {
  const unmarked = sources.flatMap(([name, found]) =>
    sameEverywhere.has(name)
      ? []
      : found.unmarked
          .filter(({ key }) => !codeNames.has(key))
          .map(({ key, line }) => `${name}:${String(line)}: ${key}`),
  );
  expect(unmarked).toEqual([]);
  expect(keys.size).toBeGreaterThan(1000);
});

test('no text is the rest of a sentence, which other languages would begin differently', () => {
  expect([...keys].filter((key) => /^[,;:.)]/.test(key))).toEqual([]);
});

describe.each(Object.keys(languages).filter((language) => language !== 'en'))('%s', (language) => {
  const file = path.join(source, `text/catalog/${language}.json`);
  const catalog = JSON.parse(readFileSync(file, 'utf8')) as Catalog;

  test('has every text, with its values and elements', () => {
    expect([...keys].flatMap((key) => faults(language, key, catalog[key]))).toEqual([]);
  });

  test('has no other text', () => {
    expect(Object.keys(catalog).filter((key) => !keys.has(key))).toEqual([]);
  });
});
