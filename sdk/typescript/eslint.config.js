import js from '../../web/node_modules/@eslint/js/src/index.js';
import ts from '../../web/node_modules/typescript-eslint/dist/index.js';

export default [
  { ignores: ['dist/', 'src/verify.ts', 'src/operations.ts', 'src/types.ts', 'examples/', '*.js', '*.mjs'] },
  js.configs.recommended,
  ...ts.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      'max-lines': ['error', { max: 600 }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 5],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
];
