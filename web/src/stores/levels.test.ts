import { describe, expect, test, vi } from 'vitest';
import { ApiError, Unreachable } from '../api/client.ts';
import { ChunkLoadError } from '../chunks.ts';
import { problem } from '../text/problems.ts';
import { defaultWaitMs, levelOf, levelOfFault } from './levels.ts';

vi.stubGlobal('navigator', { onLine: true });

const refused = (status: number, code: string, headers = {}) =>
  new ApiError(new Response(null, { status, headers }), { code, message: 'x' });

describe('errors', () => {
  test.each([
    ['wait', new Unreachable('gone')],
    ['wait', new ChunkLoadError('Market', null)],
    ['wait', refused(429, 'rate_limited')],
    ['wait', refused(503, 'unavailable')],
    ['wait', refused(503, 'recovering')],
    ['wait', refused(502, 'unknown')],
    ['wait', refused(409, 'idempotency_in_flight')],
    ['notice', refused(401, 'unauthenticated')],
    ['notice', refused(404, 'not_found')],
    ['notice', refused(409, 'run_active')],
    ['notice', refused(500, 'internal')],
    ['notice', refused(507, 'storage_full')],
    ['notice', new Error('a fault of the page')],
  ])('level %s: %s', (level, error) => {
    expect(levelOf(error)).toBe(level);
    expect(problem(error).level).toBe(level);
  });

  test('a 429 says that it is busy, and when the page checks again', () => {
    const busy = problem(refused(429, 'rate_limited', { 'Retry-After': '20' }));
    expect(busy).toMatchObject({ level: 'wait', waitMs: 20_000, retryable: true });
    expect(busy.title).toMatch(/^Busy/);
    expect(problem(refused(503, 'unavailable')).waitMs).toBe(defaultWaitMs);
    expect(problem(refused(404, 'not_found')).waitMs).toBe(null);
  });
});

describe('faults of the chain', () => {
  test.each([
    ...(['key', 'signature', 'root', 'history', 'shorter', 'policy'] as const),
    ...(['check', 'receipt', 'texts', 'commitment'] as const),
  ])('%s is an alarm', (fault) => {
    expect(levelOfFault(fault)).toBe('alarm');
  });

  test.each(['unproved', 'damaged'] as const)('%s contradicts no signature', (fault) => {
    expect(levelOfFault(fault)).toBe('notice');
  });
});
