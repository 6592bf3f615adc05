// What the page says about the witnesses of a checkpoint, in the explorer and in the verdict on a proof.

import type { Cosigned } from '../log/log.ts';
import { t } from '../text/language.ts';

/** Returns how many witnesses have cosigned, or what else is wrong with their lines. */
export function cosignedText(result: Cosigned): string {
  if (result.fault !== '' && !tooFew(result)) return result.fault;
  return t('{count} of {of} witnesses have cosigned; the policy that this browser keeps requires {quorum}.', {
    count: result.count,
    of: result.of,
    quorum: result.quorum,
  });
}

export function tooFew({ count, quorum }: Cosigned): boolean {
  return count < quorum;
}
