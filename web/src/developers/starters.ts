// The starter bots: the page shows the files of starter/ that the tests run.

import { t } from '../text/language.ts';

export interface Starter {
  language: string;
  /** File name of the download. */
  file: string;
  /** Runtime requirements. */
  needs: string;
  /** The command line. The key is in the environment, as other users of the machine can list arguments. */
  run: (base: string, key: string) => string;
  source: () => Promise<string>;
}

type Text = { default: string };
const text = (file: Promise<Text>): Promise<string> => file.then((module) => module.default);

export const starters: readonly Starter[] = [
  {
    language: 'Python',
    file: 'bot.py',
    needs: t('Python 3.9 or newer, nothing else'),
    run: (base, key) => `ROSHAMBO_KEY=${key} python3 bot.py ${base} 3`,
    source: () => text(import('../../../starter/python/bot.py?raw')),
  },
  {
    language: 'TypeScript',
    file: 'bot.mts',
    needs: t('Node.js 20 or newer, nothing else'),
    run: (base, key) => `ROSHAMBO_KEY=${key} npx --yes tsx bot.mts ${base} 3`,
    source: () => text(import('../../../starter/typescript/bot.mts?raw')),
  },
  {
    language: 'Go',
    file: 'bot.go',
    needs: t('Go, nothing else'),
    run: (base, key) => `ROSHAMBO_KEY=${key} go run bot.go ${base} 3`,
    source: () => text(import('../../../starter/go/bot.go?raw')),
  },
  {
    language: 'Rust',
    file: 'bot.rs',
    needs: t('rustc, no crates; it speaks plain HTTP'),
    run: (base, key) => `rustc --edition 2021 -O bot.rs && ROSHAMBO_KEY=${key} ./bot ${base} 3`,
    source: () => text(import('../../../starter/rust/bot.rs?raw')),
  },
  {
    language: 'Java',
    file: 'Bot.java',
    needs: t('Java 17 or newer, nothing else'),
    run: (base, key) => `ROSHAMBO_KEY=${key} java Bot.java ${base} 3`,
    source: () => text(import('../../../starter/java/Bot.java?raw')),
  },
];
