// The language of the page: English, or a catalog that is loaded before anything is drawn. The key of a message is its
// English text; `npm run check` compares the catalogs with the source. See words/markup.ts for the texts in markup.

/** The languages of the page by their code, each by its own name. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
} as const;
export type Language = keyof typeof languages;

/** The forms of a message by the plural category of its number. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>>;
export type Catalog = Readonly<Record<string, string | Forms>>;
export type Params = Readonly<Record<string, string | number | null | undefined>>;

const catalogs = import.meta.glob<{ default: Catalog }>('./catalog/*.json');

/** Returns the language that start.js chose before the first paint, and its catalog; English without the catalog. */
async function load(): Promise<{ language: Language; catalog: Catalog }> {
  const english = { language: 'en', catalog: {} } as const;
  if (typeof document === 'undefined') return english;
  const chosen = document.documentElement.lang;
  const catalog = catalogs[`./catalog/${chosen}.json`];
  if (!catalog) return english;
  try {
    return { language: chosen as Language, catalog: (await catalog()).default };
  } catch {
    document.documentElement.lang = 'en';
    return english;
  }
}

// Modules that use this one are evaluated after the catalog has arrived, so their constants may be messages.
const { language, catalog } = await load();
export { language };

const integers = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const rules = new Intl.PluralRules(language);

/** Stores the choice of the player and loads the page in that language. */
export function choose(next: string): void {
  try {
    localStorage.setItem('language', next);
  } catch {
    return; // Without storage the page stays in the language of the browser.
  }
  location.reload();
}

/** Formats an integer with the separators of the language: 1234567 → "1,234,567". */
export function grouped(n: number): string {
  return integers.format(n);
}

/** Returns a text in the language of the page. */
export function t(key: string, params?: Params): string {
  return fill(textOf(key), params);
}

/** Returns the form of a text for a number, which replaces {n}: plural(3, '{n} throw', '{n} throws'). */
export function plural(n: number, one: string, other: string, params?: Params): string {
  return fill(formOf(n, one, other), { n: grouped(n), ...params });
}

/** A part of a message: text outside of its elements, or the text of its element number `i`. */
export interface Part {
  text: string;
  i?: number;
}

/** Returns the parts of a message with elements: "Recorded in <0>block {height}</0>." */
export function parts(key: string, params?: Params): Part[] {
  return split(textOf(key), params);
}

/** Returns the parts of a message with elements and plural forms. */
export function pluralParts(n: number, one: string, other: string, params?: Params): Part[] {
  return split(formOf(n, one, other), { n: grouped(n), ...params });
}

function textOf(key: string): string {
  const text = catalog[key];
  return typeof text === 'string' ? text : key;
}

function formOf(n: number, one: string, other: string): string {
  const forms = catalog[`${one}|${other}`];
  return typeof forms === 'object' ? select(forms, rules.select(n)) : n === 1 ? one : other;
}

function select(forms: Forms, category: Intl.LDMLPluralRule): string {
  return forms[category] ?? forms.other ?? '';
}

function fill(text: string, params: Params | undefined): string {
  if (!params) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in params ? String(params[name] ?? '') : whole,
  );
}

/** Splits before it fills in the values, so that a value never counts as an element. */
function split(text: string, params: Params | undefined): Part[] {
  const found: Part[] = [];
  let at = 0;
  for (const match of text.matchAll(/<(\d)(?:\/>|>(.*?)<\/\1>)/g)) {
    if (match.index > at) found.push({ text: fill(text.slice(at, match.index), params) });
    found.push({ text: fill(match[2] ?? '', params), i: Number(match[1]) });
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push({ text: fill(text.slice(at), params) });
  return found;
}
