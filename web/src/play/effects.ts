// What follows the steps of a run, beside the state that stores/game.svelte.ts holds: sound and haptics, celebrations, the
// reads after its end, the alarms about it, and the stored run that a reload shows again.

import type { Move, Run, Throw } from '../api/shapes.ts';
import { feel } from '../stores/feel.svelte.ts';
import { live } from '../stores/live.svelte.ts';
import { session } from '../stores/session.svelte.ts';
import { evidenceOf } from '../stores/evidence.ts';
import { reportFailed } from '../stores/failed.ts';
import { getStored, isText, setStored } from '../stores/storage.ts';
import { trust } from '../stores/trust.svelte.ts';
import { checkUnlocks } from '../stores/unlocks.ts';
import { celebration } from './celebration.svelte.ts';
import { broken, type RunSoFar } from './continuity.ts';
import { checkThrow, passes, type ThrowCheck } from './fairness.ts';
import { reportAltered } from './texts.ts';

/** The result of a throw is on display. */
export function afterThrow(last: Throw | null): void {
  if (last) feel.cue({ kind: last.outcome });
}

/** The player has claimed what the run has reached. */
export function afterClaim(run: Run): void {
  if (run.claimable_tier) celebration.claimed(run.claimable_tier, run.token_id);
}

/** The end of a run is on display. It is `news` if it came on this page, which began the run at the block `begunAt`. */
export function afterEnd(run: Run, begunAt: string | undefined, news: boolean): void {
  setStored('ended', run.id);
  live.expectBlock();
  // One call reads the account and the block of its next commitment, which the start of the run has published.
  if (begunAt && begunAt === live.tip?.hash) session.loadSoon();
  else void session.load();
  if (news) checkUnlocks();
}

/** Returns the id of the last finished run, until the player has gone on to the next. */
export function storedEnd(): string | null {
  return getStored('ended', isText);
}

export function forgetEnd(): void {
  setStored('ended', null);
}

/** Returns the checks of a run's throws. */
export async function checkRun(run: Run | null): Promise<ThrowCheck[]> {
  if (!run) return [];
  return Promise.all(run.throws.map((_, i) => checkThrow(run, i + 1)));
}

/** Members of a throw that its check reads. */
const checked = ['n', 'move', 'house', 'outcome', 'seed', 'entropy', 'entropy_hash'];

/** Raises alarms about a run: throws that have failed their check, and texts that the house has altered. */
export async function reportRun(run: Run | null, checks: readonly ThrowCheck[]): Promise<void> {
  if (!run) return;
  const failed = checks.filter((check) => !passes(check));
  reportFailed(
    run.id,
    failed.map(({ n, digest, drawn }) => ({
      n,
      evidence: {
        ...evidenceOf(run, ['commitment', 'client_seed', 'client_seed_hash']),
        ...evidenceOf({ sealed: n === 1 ? run.commitment : run.throws[n - 2]?.seed }, ['sealed']),
        digest,
        drawn,
        throw: evidenceOf(run.throws[n - 1], checked),
      },
    })),
  );
  await reportAltered({ ...run, run_id: run.id }, (lines) => trust.report('texts', lines));
}

/** Raises the alarm about an answer that does not continue the run before it. `sent` is the hand of a throw. */
export function reportBroken(before: RunSoFar, after: Run, sent: Move | null): void {
  const failed = broken(before, after, sent);
  if (failed) reportFailed(before.id, [failed]);
}
