// The signed statements of the house that come with answers are checked in their order, one after the other. An answer
// that cannot be checked now waits for the next call, and so does one whose evidence could not be kept.

import { onStatements } from '../api/receipts.ts';
import type { Answer } from '../proof/arrival.ts';

/** Answers whose receipts are not checked yet, behind those whose evidence is not kept. */
const arrived: Answer[] = [];
let checks: Promise<void> = Promise.resolve();
let ready: () => Promise<string | null> = () => Promise.resolve(null);
let report: (key: string, texts: readonly string[]) => boolean = () => false;

/**
 * Checks the statements of every answer from now on. `key` returns the key that must have signed them, null while it is
 * unknown; `unsigned` receives what it has not signed, and reports whether that is kept.
 */
export function checkStatements(key: typeof ready, unsigned: typeof report): void {
  [ready, report] = [key, unsigned];
  onStatements((answer) => {
    arrived.push(answer);
    recheck();
  });
}

/** Checks the answers that wait. */
export function recheck(): void {
  checks = checks.then(checkAll).catch(() => undefined);
}

async function checkAll(): Promise<void> {
  for (let i = 0, answer; (answer = arrived[i]);) {
    const key = await ready();
    if (key === null) return;
    const { unsigned } = await import('../proof/arrival.ts');
    const texts = await unsigned(answer, key);
    if (texts.length === 0 || report(key, texts)) arrived.splice(i, 1);
    else i++;
  }
}
