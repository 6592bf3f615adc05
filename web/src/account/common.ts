// The commonest passwords: the list of the service, which tools/common-passwords makes.

import { loadChunk } from '../chunks.ts';

let list: Promise<ReadonlySet<string>> | undefined;

/** Reports whether a password of at least 8 characters is among the 10,000 commonest, in any letter case. */
export async function isCommon(password: string): Promise<boolean> {
  list ??= loadChunk('passwords', async () => {
    const module = await import('../../../internal/service/account/common-passwords.txt?raw');
    return new Set(module.default.trimEnd().split('\n'));
  });
  try {
    return (await list).has(password.toLowerCase());
  } catch (error) {
    list = undefined; // the next call loads it again
    throw error;
  }
}
