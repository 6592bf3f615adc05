// Proof files on the page for verification, and its verdicts.

import type { Page } from 'playwright-core';

/** Returns the verdict and the result of each check. */
export async function verdict(page: Page): Promise<{ valid: boolean; results: Record<string, string> }> {
  const shown = page.getByTestId('verdict-of-proof');
  await shown.waitFor();
  const rows = await shown
    .locator('li')
    .evaluateAll((items) =>
      items.map((item) => [item.getAttribute('data-check') ?? '', item.getAttribute('data-result') ?? '']),
    );
  return {
    valid: (await shown.getAttribute('data-valid')) === 'true',
    results: Object.fromEntries(rows) as Record<string, string>,
  };
}

/** Drops a file on the page. */
export async function drop(page: Page, text: string): Promise<void> {
  const transfer = await page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], 'proof.json', { type: 'application/json' }));
    return data;
  }, text);
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: transfer });
}
