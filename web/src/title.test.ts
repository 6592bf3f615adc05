import { expect, test } from 'vitest';
import { match } from './routes.ts';
import { titleOf } from './title.ts';

test.each([
  ['/', 'The house seals its moves first.', 'Play · Roshambo'],
  ['/chain', 'Chain', 'Chain · Roshambo'],
  ['/chain', '', 'Chain · Roshambo'],
  ['/season', 'Season 3', 'Season 3 · Roshambo'],
  ['/token/7', 'Gold #7', 'Gold #7 · Roshambo'],
  ['/token/7', '', 'Token 7 · Roshambo'],
  ['/r/0198c3a2', 'Receipt', 'Receipt 0198c3a2 · Roshambo'],
  ['/tx/' + 'ab'.repeat(32), 'Transaction', 'Transaction ababab…ababab · Roshambo'],
  ['/players/ada', 'ada', 'ada · Roshambo'],
  ['/address/rps1abcdefghijklmnop', 'Your address', 'Your address rps1ab…klmnop · Roshambo'],
  ['/nowhere', 'Nothing here', 'Not found · Roshambo'],
])('%s with the heading %j has the title %j', (path, heading, title) => {
  expect(titleOf(match(path), heading)).toBe(title);
});
