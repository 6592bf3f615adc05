// Calls of functions over a port: each is a message, and so is its result.

import { Unreachable } from '../api/unreachable.ts';
import { ChunkLoadError } from '../chunks.ts';

/** A Worker, a worker's own scope or a MessagePort. */
export interface Port {
  postMessage: (message: unknown) => void;
  addEventListener: (type: string, listener: (event: MessageEvent) => void) => void;
}

interface Call {
  id: number;
  name: string;
  args: unknown[];
}
interface Result {
  id: number;
  value?: unknown;
  /** Errors lose their class on the way. */
  error?: { name: string; message: string };
}
type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Answers calls of the functions. */
export function serve(port: Port, functions: Functions): void {
  port.addEventListener('message', ({ data }) => {
    const { id, name, args } = data as Call;
    Promise.resolve(args)
      .then(run(functions[name]))
      .then(
        (value) => port.postMessage({ id, value } satisfies Result),
        (thrown: unknown) => {
          const error = thrown instanceof Error ? thrown : new Error(String(thrown));
          port.postMessage({ id, error: { name: error.name, message: error.message } } satisfies Result);
        },
      );
  });
}

/** What the function throws rejects the promise. */
function run(called: Functions[string] | undefined): (args: unknown[]) => unknown {
  return (args) => {
    if (!called) throw new Error('There is no such function.');
    return called(...(args as never[]));
  };
}

/** Returns a function that calls the functions of the other side. `lost` is called once when the other side has failed. */
export function connect(port: Port, lost: () => void): (name: string, args: unknown[]) => Promise<unknown> {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let calls = 0;
  port.addEventListener('message', ({ data }) => {
    const { id, value, error } = data as Result;
    const call = waiting.get(id);
    waiting.delete(id);
    if (!error) call?.resolve(value);
    else
      call?.reject(error.name === 'Unreachable' ? new Unreachable(error.message) : new Error(error.message));
  });
  // The worker's script was refused or has crashed: no call will be answered.
  port.addEventListener('error', () => {
    lost();
    for (const { reject } of waiting.values()) reject(new ChunkLoadError('verifier', null));
    waiting.clear();
  });
  return (name, args) =>
    new Promise((resolve, reject) => {
      const id = ++calls;
      port.postMessage({ id, name, args } satisfies Call);
      waiting.set(id, { resolve, reject });
    });
}
