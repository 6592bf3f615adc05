// Whether a page fits into its window.

import type { Page } from 'playwright-core';

/** Returns the widths of a page that scrolls sideways, and the elements that are too wide; nothing if it fits. */
export function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter((one) => {
      const box = one.getBoundingClientRect();
      return box.width > 0 && box.right > root.clientWidth + 1;
    });
    return [
      `${root.scrollWidth} > ${root.clientWidth}`,
      ...wide.slice(-4).map((one) => `${one.tagName}.${String(one.getAttribute('class'))}`),
    ];
  });
}
