// The page's side of the worker. It starts with the first call, and again after a failure.

import { ChunkLoadError } from '../chunks.ts';
import { connect } from './calls.ts';
import { start } from './start.ts';

let connection: Promise<ReturnType<typeof connect>> | null = null;

function open(): Promise<ReturnType<typeof connect>> {
  const lost = () => {
    connection = null;
  };
  return start().then(
    (port) => connect(port, lost),
    (cause: unknown) => {
      lost();
      throw new ChunkLoadError('verifier', cause);
    },
  );
}

export async function call(name: string, args: unknown[]): Promise<unknown> {
  connection ??= open();
  return (await connection)(name, args);
}
