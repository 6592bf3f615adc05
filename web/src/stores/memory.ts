// What this browser remembers between visits. Storage may be closed to the page; then nothing is remembered, and
// nothing else breaks.

/** What was remembered under the key; null when nothing was, or when it is not of the kind that `fits` asks for. */
export function recall<T>(key: string, fits: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`roshambo/${key}`) ?? 'null');
    return fits(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether something was remembered under the key and is not of that kind any more. */
export function spoilt(key: string, fits: (value: unknown) => boolean): boolean {
  try {
    return (
      localStorage.getItem(`roshambo/${key}`) !== null &&
      recall(key, (value): value is object => fits(value)) === null
    );
  } catch {
    return false; // closed to the page: nothing was remembered
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function remember(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(`roshambo/${key}`);
    else localStorage.setItem(`roshambo/${key}`, JSON.stringify(value));
  } catch {
    // Private mode or a full disk: the page works without.
  }
}
