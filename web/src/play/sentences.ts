// The state of a run in words, for those who listen and for titles.

import type { Move, Outcome, Run, Throw } from '../api/shapes.ts';
import { counted, grouped } from '../text/numbers.ts';

export const beats: Readonly<Record<Move, string>> = {
  rock: 'Rock beats scissors',
  paper: 'Paper beats rock',
  scissors: 'Scissors beat paper',
};

/** Why a throw came out as it did. */
export function reason(last: Throw): string {
  return last.outcome === 'tie' ? 'Throw again' : beats[last.outcome === 'win' ? last.move : last.house];
}

export const outcomeWord: Readonly<Record<Outcome, string>> = {
  win: 'You win',
  loss: 'You lose',
  tie: 'Tie',
};

/** What just happened: "You: rock. House: scissors. You win. Wood is yours to claim, worth 192 coins." */
export function outcomeSentence(run: Run): string {
  const last = run.throws.at(-1);
  if (!last) return 'The run begins. Throw rock, paper or scissors.';
  const thrown = `You: ${last.move}. House: ${last.house}. ${outcomeWord[last.outcome]}.`;
  const tier = run.claimable_tier;
  switch (run.status) {
    case 'deciding':
      return tier
        ? `${thrown} ${tier.material} is yours to claim, worth ${grouped(tier.value)} coins.`
        : thrown;
    case 'claimed':
      return tier ? `${tier.material} is claimed and in your wallet.` : 'The run is over.';
    case 'abandoned':
      return 'You gave the run up.';
    case 'lost':
      return `${thrown} The run is over.`;
    case 'active':
      return last.outcome === 'tie' ? `${thrown} Throw again.` : 'You go on. Throw rock, paper or scissors.';
  }
}

/** How a run came out, as a heading. */
export function endingTitle(run: Run): string {
  switch (run.status) {
    case 'claimed':
      return run.claimable_tier ? `${run.claimable_tier.material} claimed` : 'Claimed';
    case 'lost':
      return run.cleared === 0 ? 'Lost on the first step' : `Lost after ${counted(run.cleared, 'step')}`;
    case 'abandoned':
      return 'Given up';
    default:
      return 'Still on the table';
  }
}
