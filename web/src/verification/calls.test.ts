import { beforeEach, expect, test, vi, type Mock } from 'vitest';
import { Unreachable } from '../api/unreachable.ts';
import { connect, serve, type Port } from './calls.ts';

const start = vi.hoisted(() => vi.fn());
vi.mock('./inprocess.ts', () => ({ start }));

const functions = {
  twice: (n: number) => n * 2,
  bytes: (from: Uint8Array) => Promise.resolve(from.map((byte) => byte + 1)),
  fails: () => {
    throw new RangeError('out of range');
  },
  offline: () => Promise.reject(new Unreachable('no answer')),
};

function channel() {
  const { port1, port2 } = new MessageChannel();
  serve(port1, functions);
  for (const port of [port1, port2]) port.start();
  return port2;
}

/** A worker whose script never runs. */
const dead = () =>
  Object.assign(new EventTarget(), { postMessage: vi.fn() }) as EventTarget & { postMessage: Mock } & Port;

test('calls get their own results, in any order', async () => {
  const call = connect(channel(), () => undefined);
  expect(
    await Promise.all([call('bytes', [Uint8Array.of(1, 2)]), call('twice', [3]), call('twice', [4])]),
  ).toEqual([Uint8Array.of(2, 3), 6, 8]);
});

test('errors arrive, and an unreachable service stays one', async () => {
  const call = connect(channel(), () => undefined);
  await expect(call('fails', [])).rejects.toThrow('out of range');
  await expect(call('offline', [])).rejects.toThrow(Unreachable);
  await expect(call('missing', [])).rejects.toThrow('no such function');
  // What cannot be copied is refused, and the next call works.
  await expect(call('twice', [() => 1])).rejects.toThrow('could not be cloned');
  expect(await call('twice', [1])).toBe(2);
});

test('a worker that fails rejects every call, also those that come before it fails', async () => {
  const [port, lost] = [dead(), vi.fn()];
  const call = connect(port, lost);
  const calls = [call('twice', [1]), call('twice', [2])];
  port.dispatchEvent(new Event('error'));
  for (const result of await Promise.allSettled(calls))
    expect(result).toMatchObject({ status: 'rejected', reason: { name: 'ChunkLoadError' } });
  expect(lost).toHaveBeenCalledOnce();
});

beforeEach(() => {
  vi.resetModules();
  start.mockReset();
});

test('one worker serves all calls, and another one starts after a failure', async () => {
  const { call } = await import('./client.ts');
  start.mockRejectedValueOnce(new Error('the digest does not match'));
  await expect(call('twice', [1])).rejects.toThrow('could not be loaded');
  const port = dead();
  start.mockResolvedValueOnce(port);
  const waiting = call('twice', [1]);
  await vi.waitFor(() => {
    expect(port.postMessage).toHaveBeenCalledOnce();
  });
  port.dispatchEvent(new Event('error'));
  await expect(waiting).rejects.toThrow('could not be loaded');
  start.mockResolvedValue(channel());
  expect(await Promise.all([call('twice', [1]), call('twice', [2])])).toEqual([2, 4]);
  expect(start).toHaveBeenCalledTimes(3);
});
