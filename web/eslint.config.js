import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default defineConfig(
  { ignores: ['dist/', 'test-results/', 'src/api/schema.d.ts'] },
  js.configs.recommended,
  ...ts.configs.strictTypeChecked,
  ...svelte.configs.recommended,
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: {
        projectService: { allowDefaultProject: ['*.js', '*.mjs'] },
        extraFileExtensions: ['.svelte'],
      },
    },
    rules: {
      'max-lines': ['error', { max: 600 }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 5],
      // Texts contain numbers.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // A handler in one line is an expression.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Links are plain <a href>: the router listens on the document.
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    // They run as they are: one inside index.html, one as the service worker.
    files: ['start.js', 'sw.js'],
    ...ts.configs.disableTypeChecked,
    languageOptions: { globals: { ...globals.browser, ...globals.serviceworker } },
  },
  {
    files: ['**/*.test.ts', 'e2e/**'],
    // Limits on functions do not apply to describe blocks.
    rules: { 'max-lines-per-function': 'off' },
  },
);
