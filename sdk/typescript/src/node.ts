// Stores in files, for Node.js. What they have stored survives a crash of the program and of the machine.

import { mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { receiptLine, type ReceiptStore, type StateStore } from './stores.js';

/** Returns a store in a file, which is replaced atomically and only its owner can read. */
export function fileState(path: string): StateStore {
  return {
    load: () => read(path),
    save: async (text) => {
      // A crash before the rename leaves the previous file; nothing has been sent then.
      const folder = await mkdtemp(join(dirname(path), '.state-'));
      try {
        await write(join(folder, 'new'), 'wx', `${text}\n`);
        await rename(join(folder, 'new'), path);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/**
 * Returns a store of receipts in a file, to which each is appended as a line: the file that `roshambo verify --receipts`
 * reads. Only its owner can read it. Several programs may share it.
 */
export function fileReceipts(path: string): ReceiptStore {
  return {
    // One write appends the whole line, so that a program that shares the file cannot interleave.
    add: (receipt) => write(path, 'a', receiptLine(receipt)),
    lines: async () => (await read(path)) ?? '',
  };
}

/** Returns the text of a file; null if there is none. */
async function read(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes a text to a file that is opened with the flags, and syncs it. */
async function write(path: string, flags: string, text: string): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
