// Finds the texts of the page in its source. The English text is the key of a message, so the source needs no names:
// in markup, plain text and the attributes below are messages; scripts mark theirs with t() and counted().

import { parse } from 'svelte/compiler';
import { Markup, verbatim, type Found } from './markup.ts';
import { isNode, literal, quasis, walk, type Node } from './nodes.ts';

/** The functions of text/language.ts that compiled markup calls, by the names that it uses. */
const helpers = 'import { t as __t, plural as __plural, parts as __parts, pluralParts as __pluralParts }';

/** A text of the page; the key of one with plural forms is "one|other". */
export interface Message {
  key: string;
  line: number;
}

export interface Source {
  /** The component with its texts replaced by calls of text/language.ts. */
  code: string;
  messages: Message[];
  /** Texts that the page would show in English, whatever its language. */
  unmarked: Message[];
}

/** Reads a component (.svelte) or a script (.ts). `runtime` is the path by which it imports text/language.ts. */
export function readSource(file: string, source: string, runtime = ''): Source {
  const script = !file.endsWith('.svelte');
  const text = script ? `<script lang="ts">${source}\n</script>` : source;
  const root = parse(text, { modern: true }) as unknown as Record<string, Node | null>;
  const markup = new Markup(text);
  if (isNode(root.fragment) && !script) markup.read(root.fragment);
  const line = (at: number) => text.slice(0, at).split('\n').length;
  const calls = [root.instance, root.module, root.fragment].flatMap((part) => (part ? marked(part) : []));
  const found = [...markup.messages, ...calls.filter(({ node }) => !markup.folded.has(node))];
  const unmarked = [root.instance, root.module, root.fragment].flatMap((part) =>
    part ? unmarkedIn(part, markup) : [],
  );
  return {
    code: markup.messages.length > 0 ? withImport(markup.code(), root.instance, runtime) : text,
    messages: found.map(({ key, node }) => ({ key, line: line(node.start) })),
    unmarked: unmarked.map(({ key, node }) => ({ key, line: line(node.start) })),
  };
}

function withImport(code: string, instance: Node | null | undefined, runtime: string): string {
  const line = `${helpers} from ${JSON.stringify(runtime)};`;
  if (!instance) return `<script lang="ts">${line}</script>${code}`;
  // The markup follows the script, so the position of the script's content is unchanged.
  const at = (instance.content as Node).start;
  return `${code.slice(0, at)}${line}${code.slice(at)}`;
}

/** The functions whose first argument is a message. */
const translators = new Set(['t', 'parts']);

/** Returns the messages that calls of translators and counted name. */
function marked(root: Node): Found[] {
  const found: Found[] = [];
  walk(root, (node) => {
    if (node.type !== 'CallExpression' || !isNode(node.callee) || node.callee.type !== 'Identifier') return;
    const args = node.arguments as Node[];
    if (translators.has(String(node.callee.name)))
      for (const key of choices(args[0])) found.push({ key, node });
    const forms = pluralForms(node);
    if (forms) found.push({ key: forms.join('|'), node });
  });
  return found;
}

/** Returns the string literals that an expression chooses from. */
function choices(node: Node | undefined): string[] {
  if (node?.type === 'ConditionalExpression')
    return [...choices(node.consequent as Node), ...choices(node.alternate as Node)];
  const text = literal(node);
  return text === null ? [] : [text];
}

/** Returns the forms of a call counted(n, one, many) with literal nouns, or null. */
export function pluralForms(node: Node): [one: string, other: string] | null {
  if (node.type !== 'CallExpression' || (node.callee as Node).name !== 'counted') return null;
  const [, first, second] = node.arguments as Node[];
  const one = literal(first);
  if (one === null) return null;
  return [withNumber(one), withNumber(literal(second) ?? `${one}s`)];
}

function withNumber(form: string): string {
  return form.includes('{') ? form : `{n} ${form}`;
}

const sentence = /^(\p{Lu}[\p{Ll}’]+([ .,:;…!?(]|$)|[\p{Ll}’]{2,} [\p{Ll}’]{2,}|\p{Lu}\p{Ll}* \p{Ll}+)/u;
const words = / \p{L}\p{Ll}+ \p{Ll}{2,}/u;
/** Nodes without text for the player: types, comparisons, and errors, of which problems.ts says what the player reads. */
const silent = new Set(['ImportDeclaration', 'ThrowStatement', 'TSLiteralType', 'BinaryExpression']);
const errorClass = /Error$|^Unreachable$/;
const silentAttributes = /^(class|style|href|src|rel|d|viewBox|type|name|autocomplete|generics|data-.*)$/;

/** Returns the strings in scripts and expressions that look like English and are no messages. */
function unmarkedIn(root: Node, markup: Markup): Found[] {
  const found: Found[] = [];
  walk(root, (node, parent) => {
    if (markup.taken.has(node) || silent.has(node.type) || isKey(node, parent)) return false;
    if (node.type === 'Attribute' && silentAttributes.test(String(node.name))) return false;
    if (node.type === 'NewExpression' && errorClass.test(String((node.callee as Node).name))) return false;
    if (node.type === 'RegularElement' && verbatim.has(String(node.name))) return false;
    const callee = node.type === 'CallExpression' ? String((node.callee as Node).name) : '';
    if (callee === 'counted' || translators.has(callee)) return false;
    const text = textOf(node);
    if (text !== null && (sentence.test(text) || words.test(text))) found.push({ key: text, node });
    return undefined;
  });
  return found;
}

/** Reports whether a string is a name in the code. */
function isKey(node: Node, parent: Node | null): boolean {
  if (parent?.type === 'Property') return parent.key === node;
  if (parent?.type === 'MemberExpression') return parent.property === node;
  return parent?.type === 'SwitchCase' && parent.test === node;
}

function textOf(node: Node): string | null {
  if (node.type === 'TemplateLiteral') return quasis(node).join('{}');
  if (node.type === 'Text' && typeof node.data === 'string') return node.data.trim();
  return literal(node);
}
