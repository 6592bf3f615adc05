import { expect, test } from 'vitest';
import { curl, fields, operations, request, search, typeText, type Document } from './document.ts';

const document: Document = {
  info: { title: 'API', version: '1', description: '' },
  tags: [{ name: 'Runs', description: 'Games.' }],
  paths: {
    '/api/runs/{run_id}/throw': {
      post: {
        operationId: 'throw',
        tags: ['Runs'],
        summary: 'Throw',
        description: 'Throw',
        security: [{ session: [] }, { key: [] }],
        parameters: [
          { name: 'run_id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
          { $ref: '#/components/parameters/Prefer' } as never,
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/ThrowIn' },
              examples: { example: { value: { move: 'rock' } } },
            },
          },
        },
        responses: {
          '200': { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } },
          '409': { description: '`run_state`: The run is over.\n\n`conflict`: Another change.' },
          '429': { $ref: '#/components/responses/TooMany', description: '' },
        },
      },
    },
    '/api/tiers': {
      get: {
        operationId: 'getTiers',
        tags: ['Runs'],
        summary: 'The ladder',
        description: 'All tiers.',
        deprecated: true,
        security: [{}, { key: [] }],
        parameters: [{ name: 'old', in: 'query', deprecated: true, schema: { type: 'boolean' } }],
        responses: { '200': { description: 'ok' } },
      },
    },
  },
  components: {
    schemas: {
      ThrowIn: {
        type: 'object',
        required: ['move'],
        properties: {
          move: { type: 'string', enum: ['rock', 'paper', null], description: 'The hand.' },
          tiers: { type: 'array', items: { $ref: '#/components/schemas/Tier' } },
          tier: { anyOf: [{ $ref: '#/components/schemas/Tier' }, { type: 'null' }] },
        },
      },
      Tier: { type: 'object', properties: { name: { type: 'string', minLength: 1, maxLength: 9 } } },
    },
    parameters: { Prefer: { name: 'Prefer', in: 'header', schema: { type: 'string' } } },
    responses: { TooMany: { description: '`rate_limited`: Too many.' } },
  },
};
const [throwing, tiers] = operations(document) as [
  ReturnType<typeof operations>[0],
  ReturnType<typeof operations>[0],
];

test('an operation has its access, parameters, body, answer and errors', () => {
  expect(throwing).toMatchObject({
    id: 'throw',
    method: 'POST',
    access: 'key',
    description: '',
    answer: { type: 'application/json' },
    body: { required: true, example: '{\n  "move": "rock"\n}' },
    errors: [
      { status: '409', codes: ['run_state', 'conflict'] },
      { status: '429', codes: ['rate_limited'], text: '`rate_limited`: Too many.' },
    ],
  });
  expect(throwing.parameters.map(({ name }) => name)).toEqual(['run_id', 'limit', 'Prefer']);
  expect(tiers).toMatchObject({
    access: 'either',
    body: null,
    description: 'Deprecated: its answers say since when, and when it ends. All tiers.',
  });
  expect(tiers.parameters.map(({ schema }) => typeText(document, schema))).toEqual(['boolean, deprecated']);
});

test('fields follow references, lists and null', () => {
  const list = fields(document, { $ref: '#/components/schemas/ThrowIn' });
  expect(list?.map(({ name, type, required, inner }) => [name, type, required, inner !== null])).toEqual([
    ['move', 'rock | paper | null', true, false],
    ['tiers', 'list of objects', false, true],
    ['tier', 'object or null', false, true],
  ]);
  expect(fields(document, { type: 'string' })).toBeNull();
});

test.each([
  [{ type: 'integer', minimum: 1, maximum: 100, default: 20 }, 'integer, 1 to 100, default 20'],
  [{ type: ['string', 'null'], maxLength: 64 }, 'string or null, at most 64 characters'],
  [{ type: 'string', format: 'date-time' }, 'time'],
  [{ type: 'string', 'x-extensible-enum': ['win', 'loss'] }, 'win | loss | …'],
  [{ $ref: '#/components/schemas/Tier', deprecated: true }, 'object, deprecated'],
])('%j is %s', (schema, text) => {
  expect(typeText(document, schema)).toBe(text);
});

test('a request encodes what the visitor typed', () => {
  const draft = { key: ' rsk_x ', values: { run_id: 'a/b?c', limit: '5' }, body: '{"move":"it\'s"}' };
  expect(request(throwing, draft)).toEqual({
    address: '/api/runs/a%2Fb%3Fc/throw?limit=5',
    headers: { Authorization: 'Bearer rsk_x', 'Content-Type': 'application/json' },
  });
  const command = curl('https://play.example', throwing, draft);
  expect(command).not.toContain('rsk_x');
  expect(command).toContain(`-d '{"move":"it'\\''s"}'`);
  expect(command).toContain('<<<"Authorization: Bearer $KEY"');
});

test('the search finds operations by all words', () => {
  expect(search([throwing, tiers], 'post RUNS').map(({ id }) => id)).toEqual(['throw']);
  expect(search([throwing, tiers], 'runs nothing')).toEqual([]);
  expect(search([throwing, tiers], ' ')).toHaveLength(2);
});
