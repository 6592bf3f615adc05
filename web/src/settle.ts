// While a part of a page loads, the parts below it are not shown, as its content would move them. A selector with :has()
// would say the same, but Chromium 156 does not always notice that the last loading part is gone.

/** Marks the parts below loading ones, until they have loaded. Returns a function that stops it. */
export function hideBelowLoading(main: HTMLElement): () => void {
  const update = () => {
    for (const parent of [main, ...main.querySelectorAll(':scope > div')]) mark(parent);
  };
  // Its callbacks run before the next frame is painted.
  const observer = new MutationObserver(update);
  observer.observe(main, { childList: true, subtree: true });
  update();
  return () => observer.disconnect();
}

function mark(parent: Element): void {
  let loading = false;
  for (const part of parent.children) {
    part.toggleAttribute('data-waits', loading);
    loading ||= part.classList.contains('loading') || part.querySelector('.loading') !== null;
  }
}
