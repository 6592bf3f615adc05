// The words that the sides of a duel can say to each other.

import { t } from '../text/language.ts';

export const emotes = ['hello', 'nice', 'thanks', 'oops'] as const;
export type Emote = (typeof emotes)[number];

export const emoteTexts: Readonly<Record<Emote, string>> = {
  hello: t('Hello!'),
  nice: t('Nice one!'),
  thanks: t('Thanks!'),
  oops: t('Oops!'),
};

/** Reports whether the page knows a word: a newer service may have others. */
export function isEmote(word: string): word is Emote {
  return (emotes as readonly string[]).includes(word);
}
