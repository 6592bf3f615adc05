// Friends: former opponents find each other again.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { guest, phone, tab } from './browser.ts';
import { pair, ready, round, see } from './duel.ts';

test('past opponents challenge each other, talk, and keep the score of their rematches', async () => {
  const [a, b, first] = await pair();
  // Words reach both sides once their streams are open, and the other side's can be muted.
  for (const page of [a, b]) {
    const named = page.waitForResponse((response) => /\/api\/events\?.*duel=/.test(response.url()));
    await page.reload();
    await named;
  }
  await a.getByRole('button', { name: 'Hello!' }).click();
  await b.getByTestId('emote').getByText('Hello!').waitFor();
  await b.getByRole('button', { name: 'Mute the other side' }).click();
  await b.getByRole('button', { name: 'Nice one!' }).click();
  await a.getByTestId('emote').getByText('Nice one!').waitFor();
  for (let n = 1; n <= 3; n++) await round(a, b, 'rs', n);
  await a.getByRole('button', { name: /^Rematch/ }).click();
  await b.getByRole('button', { name: /^Accept rematch/ }).click();
  await Promise.all([a.locator(ready).waitFor(), b.locator(ready).waitFor()]);
  await a.getByRole('button', { name: 'Resign…' }).click();
  await a
    .locator('.resign[data-settled="true"]')
    .getByRole('button', { name: 'Resign', exact: true })
    .click();
  await a
    .getByTestId('series')
    .getByText(/You 1 : 1/)
    .waitFor();
  await b
    .getByTestId('series')
    .getByText(/You 1 : 1/)
    .waitFor();

  // Back shows the first duel, which links its rematch and does not open it again.
  const second = a.url();
  await a.goBack();
  const rematch = a.getByRole('link', { name: 'Go to the rematch' });
  await rematch.waitFor();
  await a.getByRole('heading', { name: 'You won the duel' }).waitFor();
  expect(a.url()).toBe(first);
  await rematch.click();
  await a.getByTestId('series').waitFor();
  expect(a.url()).toBe(second);
  // The rematch links the duel before it.
  expect(new URL(first).pathname).toBe(
    await a.getByRole('link', { name: first.slice(-8) }).getAttribute('href'),
  );

  // A challenge reaches the opponent on any page. It is declined, and challenges wait for some minutes.
  await b.goto('/market');
  await a.goto('/duels');
  const opponents = (page: Page) =>
    page.locator('section', { has: page.getByRole('heading', { name: 'Past opponents' }) });
  await opponents(a).getByText('1 : 0').waitFor(); // a duel that is resigned at once does not count
  await opponents(a)
    .getByRole('button', { name: /^Challenge/ })
    .click();
  await a.locator('.table[data-status="open"]').waitFor();
  await b
    .getByTestId('challenge')
    .getByText(/challenges you/)
    .waitFor();
  await b.getByTestId('challenge').getByRole('button', { name: 'Decline' }).click();
  await b.getByTestId('challenge').waitFor({ state: 'detached' });
  await a.getByText('Your challenge was declined.').waitFor();

  // The other side may challenge, unless it is blocked.
  await b.goto('/duels');
  await opponents(b)
    .getByRole('button', { name: /^Challenge/ })
    .click();
  await b.locator('.table[data-status="open"]').waitFor();
  await a.goto('/');
  await a.getByTestId('challenge').getByRole('button', { name: 'Accept' }).click();
  await Promise.all([a.locator(ready).waitFor(), b.locator(ready).waitFor()]);
  expect((await see(a)).status).toBe('active');
  await a.goto('/duels');
  await opponents(a)
    .getByRole('button', { name: /^Block/ })
    .click();
  await opponents(a)
    .getByRole('button', { name: /^Unblock/ })
    .waitFor();
  expect(
    await opponents(a)
      .getByRole('button', { name: /^Challenge/ })
      .isDisabled(),
  ).toBe(true);
  // A disabled button gives its reason.
  await opponents(a).getByText('You take no challenges of this player, and send none.').waitFor();
});

test('a search for a stranger offers practice, goes on during it, and opens the duel', async () => {
  const [a, b] = [await tab(await guest(phone), '/duels'), await tab(await guest(), '/duels')];
  await a.getByRole('button', { name: 'Find an opponent' }).click();
  await a.getByRole('button', { name: 'Practise while waiting' }).click({ timeout: 30_000 });
  await a.locator(ready).waitFor();
  const practice = a.url();
  await a.getByTestId('looking').waitFor();
  await b.getByRole('button', { name: 'Find an opponent' }).click();
  await Promise.all([a, b].map((page) => page.getByTestId('presence').waitFor()));
  expect(a.url()).not.toBe(practice);
  expect(a.url()).toBe(b.url());
});
