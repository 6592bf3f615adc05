// Texts of a run, for headings and for screen readers.

import type { Move, Outcome, Run, Throw } from '../api/shapes.ts';
import { handNames } from '../text/names.ts';
import { counted, grouped } from '../text/numbers.ts';
import { t } from '../text/language.ts';

export const beats: Readonly<Record<Move, string>> = {
  rock: t('Rock beats scissors'),
  paper: t('Paper beats rock'),
  scissors: t('Scissors beat paper'),
};

/** Returns the reason for the outcome of a throw. */
export function reason(last: Throw): string {
  return last.outcome === 'tie' ? t('Throw again') : beats[last.outcome === 'win' ? last.move : last.house];
}

export const outcomeTitle: Readonly<Record<Outcome, string>> = {
  win: t('You win'),
  loss: t('You lose'),
  tie: t('Tie'),
};

/** Returns the last event: "You: rock. House: scissors. You win. You can claim Wood, worth 192 coins." */
export function outcomeSentence(run: Run): string {
  const last = run.throws.at(-1);
  if (!last) return t('The run has started. Throw rock, paper or scissors.');
  const thrown = t('You: {move}. House: {house}. {outcome}.', {
    move: handNames[last.move],
    house: handNames[last.house],
    outcome: outcomeTitle[last.outcome],
  });
  const tier = run.claimable_tier;
  switch (run.status) {
    case 'deciding':
      return tier
        ? t('{thrown} You can claim {material}, worth {value} coins.', {
            thrown,
            material: t(tier.material),
            value: grouped(tier.value),
          })
        : thrown;
    case 'claimed':
      return tier
        ? t('{material} claimed. The token is in your wallet.', { material: t(tier.material) })
        : t('The run is over.');
    case 'abandoned':
      return t('You abandoned the run.');
    case 'void':
      return t('The service continued from a backup. This run is void, and its entry was given back.');
    case 'lost':
      return t('{thrown} The run is over.', { thrown });
    case 'active':
      return last.outcome === 'tie'
        ? t('{thrown} Throw again.', { thrown })
        : t('The run continues. Throw rock, paper or scissors.');
  }
}

/** Returns the heading for the result of a run. */
export function endingTitle({ status, cleared, claimable_tier }: Run): string {
  return runTitle(status, cleared, claimable_tier?.material);
}

/** Returns the state of a run in a few words. */
export function runTitle(status: string | null, cleared: number, material?: string): string {
  switch (status) {
    case 'claimed':
      return material ? t('{material} claimed', { material: t(material) }) : t('Claimed');
    case 'lost':
      return cleared === 0
        ? t('Lost on the first step')
        : counted(cleared, 'Lost after {n} step', 'Lost after {n} steps');
    case 'abandoned':
      return t('Abandoned');
    case 'void':
      return t('Void, entry given back');
    default:
      return t('In progress');
  }
}
