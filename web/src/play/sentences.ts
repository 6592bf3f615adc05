// Texts of a run, for headings and for screen readers.

import type { Move, Outcome, Run, Throw } from '../api/shapes.ts';
import { counted, grouped } from '../text/numbers.ts';

export const beats: Readonly<Record<Move, string>> = {
  rock: 'Rock beats scissors',
  paper: 'Paper beats rock',
  scissors: 'Scissors beat paper',
};

/** Returns the reason for the outcome of a throw. */
export function reason(last: Throw): string {
  return last.outcome === 'tie' ? 'Throw again' : beats[last.outcome === 'win' ? last.move : last.house];
}

export const outcomeTitle: Readonly<Record<Outcome, string>> = {
  win: 'You win',
  loss: 'You lose',
  tie: 'Tie',
};

/** Returns the last event: "You: rock. House: scissors. You win. You can claim Wood, worth 192 coins." */
export function outcomeSentence(run: Run): string {
  const last = run.throws.at(-1);
  if (!last) return 'The run has started. Throw rock, paper or scissors.';
  const thrown = `You: ${last.move}. House: ${last.house}. ${outcomeTitle[last.outcome]}.`;
  const tier = run.claimable_tier;
  switch (run.status) {
    case 'deciding':
      return tier ? `${thrown} You can claim ${tier.material}, worth ${grouped(tier.value)} coins.` : thrown;
    case 'claimed':
      return tier ? `${tier.material} claimed. The token is in your wallet.` : 'The run is over.';
    case 'abandoned':
      return 'You abandoned the run.';
    case 'void':
      return 'The service continued from a backup. This run is void, and its entry was given back.';
    case 'lost':
      return `${thrown} The run is over.`;
    case 'active':
      return last.outcome === 'tie'
        ? `${thrown} Throw again.`
        : 'The run continues. Throw rock, paper or scissors.';
  }
}

/** Returns the heading for the result of a run. */
export function endingTitle(run: Run): string {
  switch (run.status) {
    case 'claimed':
      return run.claimable_tier ? `${run.claimable_tier.material} claimed` : 'Claimed';
    case 'lost':
      return run.cleared === 0 ? 'Lost on the first step' : `Lost after ${counted(run.cleared, 'step')}`;
    case 'abandoned':
      return 'Abandoned';
    case 'void':
      return 'Void, entry given back';
    default:
      return 'In progress';
  }
}
