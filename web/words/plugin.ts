// Translates the texts of components when Vite compiles them. The types and the linter see the source as it is written.

import path from 'node:path';
import type { PreprocessorGroup } from 'svelte/compiler';
import { readSource } from './source.ts';

const runtime = path.join(import.meta.dirname, '../src/text/language.ts');

export function words(): PreprocessorGroup {
  return {
    name: 'words',
    markup: ({ content, filename = '' }) => ({
      code: readSource(filename, content, `./${path.relative(path.dirname(filename), runtime)}`).code,
    }),
  };
}
