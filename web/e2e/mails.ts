// The mails of the service, which it writes to files without a mail server.

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { data } from './browser.ts';

/** Returns the newest link that was mailed to an address. Without a mail server the service writes mails to files. */
export async function mailed(to: string): Promise<string> {
  const folder = path.join(data, 'mail');
  let link: string | undefined;
  await expect
    .poll(async () => {
      const files = await readdir(folder).catch(() => []);
      const mails = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
      link = mails
        .filter((mail) => mail.includes(`<${to}>`))
        .map((mail) => /http\S+\/link#\S+/.exec(mail)?.[0])[0];
      return link;
    })
    .toBeTruthy();
  return link ?? '';
}
