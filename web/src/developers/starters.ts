// The starter bots: the page shows the files of starter/ that the tests run.

import { t } from '../text/language.ts';

export interface Starter {
  language: string;
  /** Whether it is the shorter file on the client of its language, in place of one without dependencies. */
  onClient: boolean;
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
    onClient: false,
    file: 'bot.py',
    needs: t('Python 3.9 or newer, nothing else'),
    run: (base, key) => `ROSHAMBO_KEY=${key} python3 bot.py ${base} 3`,
    source: () => text(import('../../../starter/python/bot.py?raw')),
  },
  {
    language: 'TypeScript',
    onClient: false,
    file: 'bot.mts',
    needs: t('Node.js 20 or newer, nothing else'),
    run: (base, key) => `ROSHAMBO_KEY=${key} npx --yes tsx bot.mts ${base} 3`,
    source: () => text(import('../../../starter/typescript/bot.mts?raw')),
  },
  {
    language: 'Go',
    onClient: false,
    file: 'bot.go',
    needs: t('Go, nothing else'),
    run: (base, key) => `ROSHAMBO_KEY=${key} go run bot.go ${base} 3`,
    source: () => text(import('../../../starter/go/bot.go?raw')),
  },
  {
    language: 'Rust',
    onClient: false,
    file: 'bot.rs',
    needs: t('rustc, no crates; it speaks plain HTTP'),
    run: (base, key) => `rustc --edition 2021 -O bot.rs && ROSHAMBO_KEY=${key} ./bot ${base} 3`,
    source: () => text(import('../../../starter/rust/bot.rs?raw')),
  },
  {
    language: 'Java',
    onClient: false,
    file: 'Bot.java',
    needs: t('Java 17 or newer, nothing else'),
    run: (base, key) => `ROSHAMBO_KEY=${key} java Bot.java ${base} 3`,
    source: () => text(import('../../../starter/java/Bot.java?raw')),
  },
  // The packages are in no registry: the commands are for the folder of the source.
  {
    language: 'Python',
    onClient: true,
    file: 'bot.py',
    needs: t('the source of Roshambo, Python 3.11 or newer, httpx'),
    run: (base, key) => `ROSHAMBO_KEY=${key} PYTHONPATH=sdk/python/src python3 starter/sdk/bot.py ${base} 3`,
    source: () => text(import('../../../starter/sdk/bot.py?raw')),
  },
  {
    language: 'TypeScript',
    onClient: true,
    file: 'bot.mts',
    needs: t('Node.js 20 or newer, the package that “make sdk” builds from the source of Roshambo'),
    run: (base, key) => `ROSHAMBO_KEY=${key} npx --yes tsx bot.mts ${base} 3`,
    source: () => text(import('../../../starter/sdk/bot.mts?raw')),
  },
  {
    language: 'Go',
    onClient: true,
    file: 'bot.go',
    needs: t('the source of Roshambo, Go 1.26 or newer'),
    run: (base, key) => `ROSHAMBO_KEY=${key} go run ./starter/sdk ${base} 3`,
    source: () => text(import('../../../starter/sdk/bot.go?raw')),
  },
];
