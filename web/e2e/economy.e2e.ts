import { expect, test } from 'vitest';
import { guest, tab } from './browser.ts';
import { winner } from './players.ts';

test('of two concurrent buyers one succeeds, and the other sees the reason', async () => {
  const [seller, token] = await winner();
  await seller.goto(`/token/${token}`);
  await seller.getByLabel('Price').fill('90');
  await seller.getByRole('button', { name: 'List for sale' }).click();
  await seller.getByRole('button', { name: 'Cancel listing' }).waitFor();
  const buyers = await Promise.all([0, 1].map(async () => tab(await guest(), `/token/${token}`)));
  for (const page of buyers) await page.getByRole('button', { name: /^Buy / }).click();
  await Promise.all(buyers.map((page) => page.getByRole('button', { name: 'Buy for 90' }).click()));
  for (const page of buyers)
    await page
      .getByText('Sell your token')
      .or(page.locator('.error-notice'))
      .or(page.getByText('is not for sale'))
      .first()
      .waitFor();
  const owners = await Promise.all(buyers.map((page) => page.getByText('Sell your token').count()));
  expect(owners.reduce((sum, n) => sum + n, 0)).toBe(1);
});

test('a seller cancels a listing on the market', async () => {
  const [page, token] = await winner();
  await page.goto('/portfolio');
  const row = page.locator(`li[data-token="${token}"]`);
  await row.getByRole('button', { name: 'Sell' }).click();
  await row.getByLabel('Price').fill('77');
  await row.getByRole('button', { name: 'List for sale' }).click();
  await row.getByRole('button', { name: 'For sale, 77' }).waitFor();
  await page.goto('/market');
  const card = page.locator('li[data-listing]', { hasText: `#${token}` });
  await card.getByRole('button', { name: 'Cancel listing' }).click();
  await card.waitFor({ state: 'detached' });
});

test('a team is created, joined by its code, and left', async () => {
  const founder = await tab(await guest(), '/leaderboard?board=teams');
  await founder.getByLabel('Name', { exact: true }).fill('Paper Tigers');
  await founder.getByLabel('Private: members join with a code').check();
  await founder.getByRole('button', { name: 'Create', exact: true }).click();
  await founder.waitForURL('**/t/paper-tigers');
  const code = await founder.locator('strong.mono').innerText();

  const other = await tab(await guest(), '/leaderboard?board=teams');
  await other.getByLabel('Team name or invitation code').fill('Paper Tigers');
  await other.getByRole('button', { name: 'Join', exact: true }).click();
  await other.locator('[aria-invalid="true"]').waitFor();
  await other.getByLabel('Team name or invitation code').fill(code.toLowerCase());
  await other.getByRole('button', { name: 'Join', exact: true }).click();
  await other.waitForURL('**/t/paper-tigers');
  await other.getByText('2 of 20 members').waitFor();
  await other.getByRole('button', { name: 'Leave team' }).click();
  await other.getByRole('button', { name: 'Yes, leave' }).click();
  await other.getByText('1 of 20 members').waitFor();

  await other.goto('/leaderboard?board=teams');
  await other.getByLabel('Name', { exact: true }).fill('Rock Garden');
  await other.getByRole('button', { name: 'Create', exact: true }).click();
  await other.waitForURL('**/t/rock-garden');
  await founder.goto('/t/rock-garden');
  await founder.getByText('You are a member of Paper Tigers.').waitFor();
  await founder.getByRole('button', { name: 'Join' }).waitFor({ state: 'detached' });
});
