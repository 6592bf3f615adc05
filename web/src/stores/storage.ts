// Values in localStorage. Without access to storage nothing is stored, and the page works all the same.

/** Returns the value of a key; null if there is none, or if `fits` rejects it. */
export function getStored<T>(key: string, fits: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`roshambo/${key}`) ?? 'null');
    return fits(value) ? value : null;
  } catch {
    return null;
  }
}

/** Reports whether the key has a value that `fits` rejects. */
export function isCorrupt(key: string, fits: (value: unknown) => boolean): boolean {
  try {
    return (
      localStorage.getItem(`roshambo/${key}`) !== null &&
      getStored(key, (value): value is object => fits(value)) === null
    );
  } catch {
    return false; // no access to storage
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Stores a value as JSON; null deletes the key. It reports whether the browser has stored it. */
export function setStored(key: string, value: unknown): boolean {
  try {
    if (value === null) localStorage.removeItem(`roshambo/${key}`);
    else localStorage.setItem(`roshambo/${key}`, JSON.stringify(value));
    return true;
  } catch {
    return false; // private mode or a full disk: the page works without storage
  }
}
