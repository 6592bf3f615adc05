// Short names for User-Agent strings. The name is a guess for display only.

import { t } from '../text/language.ts';

const browsers: readonly [pattern: RegExp, name: string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const systems: readonly [pattern: RegExp, name: string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** Returns "Firefox on Linux", or the first word of the User-Agent of a program that is not a browser. */
export function device(agent: string): string {
  const browser = browsers.find(([pattern]) => pattern.test(agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];
  if (browser) return system ? t('{browser} on {system}', { browser, system }) : browser;
  return /^[^\s/]+/.exec(agent)?.[0] ?? t('Unknown device');
}
