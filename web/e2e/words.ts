// The words that a window shows.

import type { Page } from 'playwright-core';

/** Returns the words that are visible in the window: neither hidden, nor clipped, nor behind another element. */
export function visibleWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!parent?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      for (const match of (node.textContent ?? '').matchAll(/\S*[\p{L}\p{N}]\S*/gu)) {
        const range = document.createRange();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const box = range.getBoundingClientRect();
        const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        if (top && (top.contains(parent) || parent.contains(top))) found.push(match[0]);
      }
    }
    return found;
  });
}
