// The OpenAPI document of the service, as the reference page reads it. It comes from the service's own generator, so
// only what that generator writes is understood here.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: (string | number | null)[];
  'x-extensible-enum'?: string[];
  default?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  examples?: unknown[];
  deprecated?: boolean;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  deprecated?: boolean;
  schema: Schema;
}

interface Content {
  schema?: Schema;
  examples?: Record<string, { value: unknown }>;
}

interface Response {
  $ref?: string;
  description: string;
  content?: Record<string, Content>;
}

interface RawOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: boolean;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Response>;
}

export interface Document {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, RawOperation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
  };
}

/** One call of the API. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  /** More than the summary; empty for nothing more. */
  description: string;
  /** The permitted callers: `anyone`, `key` (a key or a session), or `either`, with other answers for each. */
  access: 'anyone' | 'key' | 'either' | 'session';
  parameters: Parameter[];
  body: { schema: Schema; required: boolean; example: string } | null;
  /** The answer to a successful call. */
  answer: { type: string; schema: Schema | null } | null;
  errors: { status: string; codes: string[]; text: string }[];
}

/** A member of an object, one line of its description. */
export interface Field {
  name: string;
  type: string;
  required: boolean;
  description: string;
  /** The object that the member holds, if it does. */
  inner: Schema | null;
}

/** Returns all operations in the order of the document. */
export function operations(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => operation(document, path, method.toUpperCase(), raw)),
  );
}

function operation(document: Document, path: string, method: string, raw: RawOperation): Operation {
  const content = raw.requestBody?.content['application/json'];
  const success = raw.responses['200'];
  const [type, answer] = Object.entries(success?.content ?? {})[0] ?? [];
  return {
    id: raw.operationId,
    method,
    path,
    tag: raw.tags[0] ?? '',
    summary: raw.summary,
    description: [
      raw.deprecated ? 'Deprecated: its answers say since when, and when it ends.' : '',
      raw.description === raw.summary ? '' : (raw.description ?? ''),
    ]
      .filter(Boolean)
      .join(' '),
    access: access(raw.security ?? []),
    parameters: (raw.parameters ?? [])
      .map((parameter) => named(document.components.parameters, parameter))
      .map((one) => (one.deprecated ? { ...one, schema: { ...one.schema, deprecated: true } } : one)),
    body: content?.schema
      ? {
          schema: content.schema,
          required: raw.requestBody?.required ?? false,
          example: JSON.stringify(Object.values(content.examples ?? {})[0]?.value ?? {}, null, 2),
        }
      : null,
    answer: type ? { type, schema: answer?.schema ?? null } : null,
    errors: Object.entries(raw.responses)
      .filter(([status]) => status !== '200')
      .map(([status, response]) => {
        const { description } = named(document.components.responses, response);
        return { status, codes: codesIn(description), text: description };
      }),
  };
}

function access(security: Record<string, unknown>[]): Operation['access'] {
  const names = security.flatMap((one) => Object.keys(one));
  if (names.length === 0) return 'anyone';
  if (security.some((one) => Object.keys(one).length === 0)) return 'either';
  return names.some((name) => name !== 'session') ? 'key' : 'session';
}

/** Returns the codes that a description of an error begins its sentences with. */
function codesIn(description: string): string[] {
  return [...new Set([...description.matchAll(/^`(\w+)`:/gm)].map(([, code]) => code ?? ''))];
}

function named<T extends { $ref?: string }>(all: Record<string, T>, one: T): T {
  return one.$ref ? (all[one.$ref.split('/').at(-1) ?? ''] ?? one) : one;
}

/** Follows the reference of a schema. */
export function resolve(document: Document, schema: Schema): Schema {
  return named(document.components.schemas, schema);
}

/** Returns the members of the object that a schema describes, or of the objects in its list; null for others. */
export function fields(document: Document, schema: Schema): Field[] | null {
  const object = objectOf(document, schema);
  if (!object?.properties) return null;
  return Object.entries(object.properties).map(([name, member]) => {
    const inner = objectOf(document, member);
    return {
      name,
      type: typeText(document, member),
      required: object.required?.includes(name) ?? false,
      description: member.description ?? '',
      inner: inner?.properties ? inner : null,
    };
  });
}

/** Returns the object that a schema describes: itself, the element of a list, or the alternative to null. */
function objectOf(document: Document, schema: Schema): Schema | null {
  const found = resolve(document, schema);
  if (found.properties) return found;
  if (found.items) return objectOf(document, found.items);
  const other = found.anyOf?.find((one) => one.type !== 'null');
  return other ? objectOf(document, other) : null;
}

/** Returns a type as people write it, with its bounds: "integer, 1 to 100, default 20". */
export function typeText(document: Document, schema: Schema): string {
  const found = resolve(document, schema);
  // A set that may grow ends with dots.
  const choices = found.enum ?? (found['x-extensible-enum'] && [...found['x-extensible-enum'], '…']);
  const parts = [
    choices
      ? choices.map((one) => (one === null ? 'null' : String(one))).join(' | ')
      : plainType(document, found),
    span(found.minimum, found.maximum, ''),
    span(found.minLength, found.maxLength, ' characters'),
    found.default === undefined || found.default === '' ? '' : `default ${JSON.stringify(found.default)}`,
    schema.deprecated ? 'deprecated' : '',
  ];
  return parts.filter(Boolean).join(', ');
}

function plainType(document: Document, schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map((one) => typeText(document, one)).join(' or ');
  if (schema.items) return `list of ${plural(typeText(document, schema.items))}`;
  const types = [schema.type ?? 'any'].flat();
  const first = types[0] === 'string' && schema.format === 'date-time' ? 'time' : types[0];
  return types.length > 1 && types.includes('null') ? `${String(first)} or null` : String(first);
}

function plural(type: string): string {
  return /^\w+$/.test(type) && type !== 'any' ? `${type}s` : type;
}

function span(least: number | undefined, most: number | undefined, unit: string): string {
  if (most === undefined) return least ? `at least ${least}${unit}` : '';
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
}

/** Returns the operations that contain every word of a text in their path, method, name or summary. */
export function search(all: readonly Operation[], text: string): Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((one) => {
    const where = `${one.method} ${one.path} ${one.id} ${one.summary} ${one.tag}`.toLowerCase();
    return words.every((word) => where.includes(word));
  });
}

/** A request as the visitor filled it in. */
export interface Draft {
  key: string;
  values: Readonly<Record<string, string>>;
  body: string;
}

/** Returns the address of a request, and the headers besides those that the browser adds. */
export function request(
  operation: Operation,
  draft: Draft,
): { address: string; headers: Record<string, string> } {
  const value = (name: string) => draft.values[name]?.trim() ?? '';
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { in: place, name } of operation.parameters) {
    if (!value(name)) continue;
    if (place === 'query') query.set(name, value(name));
    if (place === 'header') headers[name] = value(name);
  }
  if (draft.key.trim()) headers.Authorization = `Bearer ${draft.key.trim()}`;
  if (operation.body) headers['Content-Type'] = 'application/json';
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value(name)));
  return { address: query.size > 0 ? `${path}?${query.toString()}` : path, headers };
}

/** Returns the same request as a curl command. The key comes from a variable, as others can list command lines. */
export function curl(base: string, operation: Operation, draft: Draft): string {
  const { address, headers } = request(operation, draft);
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = [
    `curl -s ${operation.method === 'GET' ? '' : `-X ${operation.method} `}${quoted(base + address)}`,
  ];
  for (const [name, text] of Object.entries(headers)) {
    if (name !== 'Authorization') lines.push(`-H ${quoted(`${name}: ${text}`)}`);
  }
  if (operation.body && draft.body.trim()) lines.push(`-d ${quoted(draft.body)}`);
  if (!headers.Authorization) return lines.join(' \\\n  ');
  return `${[...lines, '-H @-'].join(' \\\n  ')} <<<"Authorization: Bearer $KEY"`;
}
