// Texts of a run, for headings and for screen readers.

import type { Move, Outcome, Run, Throw } from '../api/shapes.ts';
import { handNames } from '../text/names.ts';
import { counted, grouped } from '../text/numbers.ts';
import { t } from '../text/language.ts';
import { lostIn, priced, type Loss, type Outlook, type Priced, type Rules } from './outlook.ts';

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

/** Returns the two prices of a tier, in coins: "base value 96, house pays 76". */
export function pricesText({ base, pays }: Priced): string {
  return t('base value {base}, house pays {pays}', { base: grouped(base), pays: grouped(pays) });
}

/** Returns the cost of a lost throw: "Lose: the Clay is gone." */
export function lossText(loss: Loss): string {
  switch (loss.of) {
    case 'nothing':
      return t('Lose: the run is over.');
    case 'coins':
      return counted(loss.coins, 'Lose: {n} coin is gone.', 'Lose: {n} coins are gone.');
    case 'tier':
      return t('Lose: the {material} is gone.', { material: t(loss.tier.material) });
  }
}

/** Returns the question before a run is abandoned, with what that costs. */
export function abandonText(loss: Loss): string {
  switch (loss.of) {
    case 'nothing':
      return t('Abandon this run?');
    case 'coins':
      return counted(
        loss.coins,
        'Abandon this run? {n} coin is gone.',
        'Abandon this run? {n} coins are gone.',
      );
    case 'tier':
      return t('Abandon this run? The {material} is gone.', { material: t(loss.tier.material) });
  }
}

/** Returns the price of the next start, for the hands: "50 coins", "burns Clay #12"; undefined when it costs nothing. */
export function priceText({ cost, burns }: Outlook): string | undefined {
  if (burns) return t('burns {material} #{token_id}', { ...burns, material: t(burns.material) });
  return cost > 0 ? counted(cost, 'coin') : undefined;
}

/** Returns the average return of the run, in coins and in base value; '' where it depends on the strategy. */
export function returnText({ entry, cost, from, back }: Outlook): string {
  if (!back) return '';
  const values = { cost: grouped(cost), pays: grouped(back.pays), base: grouped(back.base) };
  if (entry === 'burn' && from === 0) return ''; // no token is selected
  if (entry === 'fee')
    return t(
      'On average a run for {cost} coins returns {pays} coins from the house, or {base} in base value.',
      values,
    );
  return t('On average this run returns {pays} coins from the house, or {base} in base value.', values);
}

/** Returns what a run that ended without a claim has cost: "You lost 50 coins."; '' when it cost nothing. */
export function lostText(rules: Rules, run: Run): string {
  const { coins, tier } = lostIn(rules, run);
  const texts = [
    tier
      ? t('You lost the {material}: {prices}.', { material: t(tier.material), prices: pricesText(tier) })
      : '',
    coins > 0 ? counted(coins, 'You lost {n} coin.', 'You lost {n} coins.') : '',
  ];
  return texts.filter(Boolean).join(' ');
}

/** Returns the last event: "You: rock. House: scissors. You win. You can claim Wood: base value 192, house pays 153." */
export function outcomeSentence(run: Run, rules: Rules | null): string {
  const last = run.throws.at(-1);
  if (!last) return t('The run has started. Throw rock, paper or scissors.');
  const thrown = t('You: {move}. House: {house}. {outcome}.', {
    move: handNames[last.move],
    house: handNames[last.house],
    outcome: outcomeTitle[last.outcome],
  });
  const tier = run.claimable_tier;
  const prices = rules && tier ? priced(rules, tier.tier) : null;
  switch (run.status) {
    case 'deciding':
      return prices
        ? t('{thrown} You can claim {material}: {prices}.', {
            thrown,
            material: t(prices.material),
            prices: pricesText(prices),
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
      return [t('{thrown} The run is over.', { thrown }), rules ? lostText(rules, run) : '']
        .filter(Boolean)
        .join(' ');
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
