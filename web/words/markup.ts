// Replaces the texts of a component's markup by calls of text/language.ts.
//
// A message is a run of text, values and inline elements: "Recorded in <0>block {height}</0>." A translation may order
// its values and elements as its language needs.

import { isNode, literal, nameOf, quasis, type Node } from './nodes.ts';
import { pluralForms } from './source.ts';

/** Attributes and properties of components with text for the player. */
export const textAttributes = new Set([
  ...['label', 'title', 'placeholder', 'alt', 'aria-label', 'aria-description', 'aria-roledescription'],
  ...[
    'what',
    'hint',
    'empty',
    'summary',
    'unit',
    'text',
    'content',
    'advice',
    'note',
    'action',
    'word',
    'end',
    'confirm',
  ],
]);
/** Elements that stand inside a sentence. */
const inline = new Set([
  'a',
  'strong',
  'em',
  'b',
  'i',
  'code',
  'span',
  'kbd',
  'time',
  'small',
  'abbr',
  'sup',
]);
const inlineComponents = new Set([
  'RelativeTime',
  'Coins',
  'Hash',
  'AddressLink',
  'Scramble',
  'Countdown',
  'Knot',
]);
/** Elements whose text is the same in every language. */
export const verbatim = new Set(['code', 'pre', 'kbd', 'script', 'style', 'svg']);
const brand = 'Roshambo';

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** A message and the node with its text. */
export interface Found {
  key: string;
  node: Node;
}

/** A message while it is put together. */
interface Draft {
  key: string;
  params: Map<string, string>;
  /** The number that chooses the plural form, and the key of the form for many. */
  plural: { n: string; other: string } | null;
}

/** Reports whether a text has words. */
function hasWords(text: string): boolean {
  return /\p{L}\p{Ll}/u.test(text) && text.trim() !== brand;
}

function nodesOf(node: Node): Node[] {
  const fragment = node.fragment as { nodes?: Node[] } | undefined;
  return fragment?.nodes ?? [];
}

export class Markup {
  readonly messages: Found[] = [];
  /** Calls of counted that became the plural forms of a message. */
  readonly folded = new Set<Node>();
  /** Nodes whose text is a message. */
  readonly taken = new Set<Node>();
  readonly #source: string;
  readonly #edits: Edit[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  read(fragment: Node): void {
    this.#fragment((fragment as unknown as { nodes: Node[] }).nodes);
  }

  /** Returns the source with all edits. The lines keep their numbers. */
  code(): string {
    return this.#slice(0, this.#source.length);
  }

  #slice(start: number, end: number): string {
    let text = '';
    let at = start;
    const edits = this.#edits.filter((edit) => edit.start >= start && edit.end <= end);
    for (const edit of edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
      if (edit.start < at) continue; // inside a larger edit
      const lines =
        this.#source.slice(edit.start, edit.end).split('\n').length - edit.text.split('\n').length;
      text += this.#source.slice(at, edit.start) + edit.text + '\n'.repeat(Math.max(0, lines));
      at = edit.end;
    }
    return text + this.#source.slice(at, end);
  }

  #edit(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }

  #fragment(nodes: Node[]): void {
    let run: Node[] = [];
    const flush = () => {
      this.#run(run);
      run = [];
    };
    for (const node of nodes) {
      if (isInline(node)) run.push(node);
      else {
        flush();
        this.#visit(node);
      }
    }
    flush();
  }

  #visit(node: Node): void {
    if (node.type === 'ExpressionTag') {
      this.#values(node.expression as Node);
      return;
    }
    for (const attribute of (node.attributes as Node[] | undefined) ?? []) this.#attribute(attribute);
    if (node.type === 'RegularElement' && verbatim.has(String(node.name))) return;
    for (const part of [
      'fragment',
      'consequent',
      'alternate',
      'body',
      'fallback',
      'pending',
      'then',
      'catch',
    ]) {
      const inner = node[part] as { nodes?: Node[] } | null | undefined;
      if (inner?.nodes) this.#fragment(inner.nodes);
    }
  }

  #run(run: Node[]): void {
    const blank = (node: Node | undefined) => node?.type === 'Text' && !String(node.data).trim();
    const all = [...run];
    while (blank(all[0])) all.shift();
    while (blank(all.at(-1))) all.pop();
    if (!all.some((node) => node.type === 'Text' && hasWords(String(node.data)))) {
      for (const node of all) this.#visit(node);
      return;
    }
    this.#message(all);
  }

  #message(run: Node[]): void {
    const [first, last] = [run[0], run.at(-1)];
    if (!first || !last) return;
    const draft: Draft = { key: '', params: new Map(), plural: null };
    const kept: Node[] = [];
    for (const node of run) {
      if (node.type === 'Text' || node.type === 'ExpressionTag') this.#add(draft, node);
      else {
        this.#element(draft, node, kept.length);
        kept.push(node);
      }
    }
    // Spaces around a message, which separate it from its neighbours, stay in the markup.
    const start = first.start + (first.type === 'Text' ? blanks(first, /^(?:[ \t\r\n]|&nbsp;)*/) : 0);
    const end = last.end - (last.type === 'Text' ? blanks(last, /(?:[ \t\r\n]|&nbsp;)*$/) : 0);
    const call = this.#call(draft, first, kept.length > 0);
    if (kept.length === 0) {
      this.#edit(start, end, `{${call}}`);
      return;
    }
    const branches = kept.map((node, i) => `{:else if __p.i === ${i}}${this.#slice(node.start, node.end)}`);
    const body = `{#if __p.i === undefined}{__p.text}${branches.join('')}{/if}`;
    this.#edit(start, end, `{#each ${call} as __p}${body}{/each}`);
  }

  /** Adds an element to a message, with its text if that is all it has. */
  #element(draft: Draft, node: Node, i: number): void {
    for (const attribute of (node.attributes as Node[] | undefined) ?? []) this.#attribute(attribute);
    const inner = nodesOf(node);
    const simple =
      node.type === 'RegularElement' &&
      !verbatim.has(String(node.name)) &&
      inner.every(({ type }) => type === 'Text' || type === 'ExpressionTag') &&
      inner.some((one) => one.type === 'Text' && hasWords(String(one.data)));
    const [first, last] = [inner[0], inner.at(-1)];
    if (!simple || !first || !last) {
      if (!verbatim.has(String(node.name))) this.#fragment(inner);
      this.#append(draft, `<${i}/>`);
      return;
    }
    this.#append(draft, `<${i}>`);
    for (const one of inner) this.#add(draft, one);
    this.#append(draft, `</${i}>`);
    this.#edit(first.start, last.end, '{__p.text}');
  }

  /** Adds a text or a value to a message. */
  #add(draft: Draft, node: Node): void {
    this.taken.add(node);
    if (node.type === 'Text') {
      this.#append(draft, String(node.data));
      return;
    }
    const expression = node.expression as Node;
    const text = literal(expression);
    const forms = pluralForms(expression);
    if (text !== null) {
      this.#append(draft, text);
    } else if (forms && !draft.plural) {
      this.folded.add(expression);
      const [n] = expression.arguments as Node[];
      draft.plural = { n: n ? this.#slice(n.start, n.end) : '0', other: draft.key + forms[1] };
      draft.key += forms[0];
    } else {
      this.#values(expression);
      this.#append(draft, `{${this.#param(draft, expression)}}`);
    }
  }

  #append(draft: Draft, text: string): void {
    draft.key += text;
    if (draft.plural) draft.plural.other += text;
  }

  #param(draft: Draft, expression: Node): string {
    const value = this.#slice(expression.start, expression.end);
    const name0 = nameOf(expression);
    const base = name0 === 'n' ? 'count' : name0 || 'value';
    let name = base;
    for (let i = 2; draft.params.has(name) && draft.params.get(name) !== value; i++) name = `${base}${i}`;
    draft.params.set(name, value);
    return name;
  }

  /** Returns the call that gives the text of a message, or its parts if it has elements. */
  #call({ key, params, plural }: Draft, node: Node, parts: boolean): string {
    const clean = (text: string) => text.replace(/[ \t\r\n]+/g, ' ').trim();
    const values = [...params].map(([name, value]) => `${name}: ${value}`).join(', ');
    const tail = values ? `, { ${values} }` : '';
    const text = JSON.stringify(clean(key));
    if (!plural) {
      this.messages.push({ key: clean(key), node });
      return `${parts ? '__parts' : '__t'}(${text}${tail})`;
    }
    this.messages.push({ key: `${clean(key)}|${clean(plural.other)}`, node });
    const call = parts ? '__pluralParts' : '__plural';
    return `${call}(${plural.n}, ${text}, ${JSON.stringify(clean(plural.other))}${tail})`;
  }

  #attribute(attribute: Node): void {
    if (attribute.type !== 'Attribute' || !textAttributes.has(String(attribute.name))) return;
    const { value } = attribute;
    const parts = Array.isArray(value) ? (value as Node[]) : isNode(value) ? [value] : [];
    const [only] = parts;
    if (parts.length === 1 && only?.type === 'ExpressionTag') {
      this.#values(only.expression as Node);
      return;
    }
    if (!parts.some((part) => part.type === 'Text' && hasWords(String(part.data)))) return;
    const draft: Draft = { key: '', params: new Map(), plural: null };
    for (const part of parts) this.#add(draft, part);
    this.#edit(
      attribute.start,
      attribute.end,
      `${String(attribute.name)}={${this.#call(draft, attribute, false)}}`,
    );
  }

  /** Replaces the texts that an expression may give. */
  #values(node: Node): void {
    if (node.type === 'ConditionalExpression') {
      this.#values(node.consequent as Node);
      this.#values(node.alternate as Node);
    } else if (node.type === 'LogicalExpression') {
      this.#values(node.left as Node);
      this.#values(node.right as Node);
    } else if (node.type === 'TemplateLiteral') {
      this.#template(node);
    } else {
      const text = literal(node);
      if (text === null || !hasWords(text)) return;
      this.taken.add(node);
      this.messages.push({ key: text, node });
      this.#edit(node.start, node.end, `__t(${JSON.stringify(text)})`);
    }
  }

  #template(node: Node): void {
    const texts = quasis(node);
    if (!texts.some(hasWords)) return;
    this.taken.add(node);
    const draft: Draft = { key: '', params: new Map(), plural: null };
    (node.expressions as Node[]).forEach((expression, i) => {
      this.#append(draft, texts[i] ?? '');
      this.#add(draft, { type: 'ExpressionTag', start: expression.start, end: expression.end, expression });
    });
    this.#append(draft, texts.at(-1) ?? '');
    this.#edit(node.start, node.end, this.#call(draft, node, false));
  }
}

function isInline(node: Node): boolean {
  if (node.type === 'Text' || node.type === 'ExpressionTag') return true;
  if (node.type === 'Component') return inlineComponents.has(String(node.name));
  return node.type === 'RegularElement' && inline.has(String(node.name));
}

function blanks(text: Node, pattern: RegExp): number {
  return pattern.exec(String(text.raw))?.[0].length ?? 0;
}
