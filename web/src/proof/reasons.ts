// The reasons that the verifiers state, in the language of the page. The verifiers state them in English, all three in the
// same words. The keys of a catalog are those sentences, with names in braces for their values.

import { loadChunk } from '../chunks.ts';
import { language, type Catalog } from '../text/language.ts';

const catalogs = import.meta.glob<{ default: Catalog }>('./reasons/*.json');

/** Names of values that are numbers. */
const numbers = ['n', 'm', 'l', 'max', 'count', 'all', 'quorum', 'tier', 'coins', 'cleared'];

/** Returns the pattern of the sentences of a key. */
function patternOf(key: string): RegExp {
  const names = new Set<string>();
  const parts = key.split(/\{(\w+)\}/).map((part, i) => {
    if (i % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    if (names.has(part)) return `\\k<${part}>`;
    names.add(part);
    return `(?<${part}>${numbers.includes(part) ? '\\d+' : '.+?'})`;
  });
  return new RegExp(`^${parts.join('')}$`, 's');
}

/** The number of characters of a key outside of its values: of two keys that fit, the longer one says more. */
const fixed = (key: string) => key.replace(/\{\w+\}/g, '').length;

/** Returns a function that translates a reason by a catalog, and leaves one that it does not know as it is. */
export function translator(catalog: Catalog, of: string): (reason: string) => string {
  const plurals = new Intl.PluralRules(of);
  const known = Object.keys(catalog)
    .sort((a, b) => fixed(b) - fixed(a))
    .map((key) => ({ pattern: patternOf(key), text: catalog[key] ?? key }));
  const translate = (sentence: string): string | null => {
    for (const { pattern, text } of known) {
      const match = pattern.exec(sentence);
      if (!match) continue;
      const values = match.groups ?? {};
      const form = typeof text === 'string' ? text : (text[plurals.select(Number(values.n))] ?? text.other);
      return (form ?? '').replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = values[name] ?? '';
        return name === 'subject' ? (translate(value) ?? value) : value;
      });
    }
    return null;
  };
  return (reason) => {
    const whole = translate(reason);
    if (whole !== null) return whole;
    const clauses = reason.split('; ').map(translate);
    return clauses.includes(null) ? reason : clauses.join('; ');
  };
}

/** Returns the function that translates reasons to the language of the page. */
export async function reasons(): Promise<(reason: string) => string> {
  const load = catalogs[`./reasons/reasons.${language}.json`];
  return load ? translator((await loadChunk('reasons', load)).default, language) : (reason) => reason;
}
