// Reading something again while it may change: at once, then every few seconds for as long as somebody looks.

/** Calls `read` now and then; returns what ends it, for an effect. */
export function often(read: () => unknown, seconds = 3): () => void {
  read();
  const timer = setInterval(() => {
    if (!document.hidden) read();
  }, seconds * 1000);
  return () => {
    clearInterval(timer);
  };
}
