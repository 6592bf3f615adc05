// A transaction in one sentence. It is read from the raw text that the transaction's hash covers.

import type { TransactionRow } from '../api/shapes.ts';
import { rules } from '../stores/rules.svelte.ts';
import { t } from '../text/language.ts';
import { counted, shortAddress } from '../text/numbers.ts';
import { dataOf } from './runs.ts';

/** The parts of a sentence. A member that the data lacks is empty. */
interface Facts {
  actor: string;
  /** The sum of the moved coins, in words. */
  coins: string;
  /** The number of the token that changes hands. */
  token: number;
  /** Returns a member of the data as text. */
  text: (name: string) => string;
  number: (name: string) => number;
  tx: TransactionRow;
}

type Sentence = (facts: Facts) => string;

/** Returns what happened; the sentence of the service for a kind that this page does not know. */
export function summary(tx: TransactionRow): string {
  const data = dataOf(tx.raw);
  const sum = tx.transfers.reduce((total, { amount }) => total + (amount ?? 0), 0);
  const sentence = Object.hasOwn(sentences, tx.kind) ? sentences[tx.kind] : undefined;
  return (
    sentence?.({
      actor: shortAddress(tx.actor ?? ''),
      coins: counted(sum, 'coin'),
      token: tx.transfers.find(({ asset }) => asset === 'token')?.token_id ?? 0,
      text: (name) => (typeof data[name] === 'string' ? data[name] : ''),
      number: (name) => Number(data[name]),
      tx,
    }) ?? tx.summary
  );
}

const sentences: Readonly<Record<string, Sentence>> = {
  genesis: ({ text }) => t('The chain {name} began.', { name: text('name') }),
  rules: ({ number }) => t('Rules number {number} were announced.', { number: number('number') }),
  'account.create': ({ actor, coins, text }) =>
    ({
      guest: t('{actor} joined as a guest with {coins}.', { actor, coins }),
      bot: t('{actor} joined as a bot with {coins}.', { actor, coins }),
    })[text('kind')] ?? t('{actor} joined as a player with {coins}.', { actor, coins }),
  'account.secure': ({ actor }) => t('{actor} secured the account.', { actor }),
  faucet: ({ actor, coins }) => t('{actor} got {coins} from the faucet.', { actor, coins }),
  recovery: ({ number }) =>
    t('Recovery {number}: the house continues from an older state of its database.', {
      number: number('recovery'),
    }),
  'commitment.rotate': ({ actor }) => t('{actor} got the commitment of another seed chain.', { actor }),
  'run.start': started,
  'run.end': ended,
  'duel.stake': ({ actor, coins, text }) =>
    t('{actor} staked {coins} on duel {duel}.', { actor, coins, duel: text('duel_id') }),
  'duel.settle': settled,
  'market.sale': ({ actor, coins, token, tx }) => {
    const seller = tx.transfers.find(({ asset }) => asset === 'token')?.from ?? '';
    return t('{actor} bought token {token} from {seller} for {coins}.', {
      actor,
      token,
      seller: shortAddress(seller),
      coins,
    });
  },
  buyback: ({ actor, coins, token }) =>
    t('{actor} sold token {token} to the house for {coins}.', { actor, token, coins }),
  'season.close': ({ number }) => t('Season {season} closed.', { season: number('season') }),
  'cup.close': ({ number }) => t('Cup {cup} closed.', { cup: number('cup') }),
  'result.void': ({ text }) => {
    const [kind, id = ''] = text('game').split(':');
    return kind === 'duel'
      ? t('The result of duel {id} was declared void.', { id })
      : t('The result of run {id} was declared void.', { id });
  },
  'result.restore': ({ text }) => {
    const [kind, id = ''] = text('game').split(':');
    return kind === 'duel'
      ? t('The result of duel {id} counts again.', { id })
      : t('The result of run {id} counts again.', { id });
  },
};

function started({ actor, coins, token, text }: Facts): string {
  switch (text('entry')) {
    case 'fee':
      return t('{actor} began a run for {coins}.', { actor, coins });
    case 'burn':
      return t('{actor} burned token {token} and began a run at its tier.', { actor, token });
    case 'daily':
      return t('{actor} began the daily run.', { actor });
    default:
      return t('{actor} began a free run.', { actor });
  }
}

function ended({ actor, token, text, number }: Facts): string {
  const throws = number('throws');
  switch (text('status')) {
    case 'claimed': {
      const tier = number('cleared');
      const material = t(rules.tier(tier)?.material ?? '{tier}', { tier });
      return counted(
        throws,
        '{actor} claimed {material} after {n} throw: token {token}.',
        '{actor} claimed {material} after {n} throws: token {token}.',
        { actor, material, token },
      );
    }
    case 'lost':
      return counted(throws, '{actor} lost a run after {n} throw.', '{actor} lost a run after {n} throws.', {
        actor,
      });
    case 'void':
      return counted(
        throws,
        'A run of {actor} was void after {n} throw. The entry was given back.',
        'A run of {actor} was void after {n} throws. The entry was given back.',
        { actor },
      );
    default:
      return counted(
        throws,
        '{actor} abandoned a run after {n} throw.',
        '{actor} abandoned a run after {n} throws.',
        { actor },
      );
  }
}

function settled({ text }: Facts): string {
  const [duel, a, b] = [text('duel_id'), shortAddress(text('a')), shortAddress(text('b'))];
  if (!text('b')) return t('Duel {duel} of {a} found no opponent. The stake was refunded.', { duel, a });
  const winner = text('winner');
  if (!winner) return t('Duel {duel} between {a} and {b} ended in a draw.', { duel, a, b });
  const [won, lost] = winner === 'a' ? [a, b] : [b, a];
  return t('{winner} won duel {duel} against {loser}.', { winner: won, duel, loser: lost });
}
