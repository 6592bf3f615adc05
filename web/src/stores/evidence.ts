// Evidence from the answers of a service that may lie: named members alone, each of a bounded length, so that the
// browser can store it whatever the service has answered.

/** Characters of a member. Honest ones have at most some hundred. */
const longest = 512;

/** Returns the named members of what the service has shown. A longer one is cut. */
export function evidenceOf(shown: unknown, names: readonly string[]): Record<string, unknown> {
  const members = (shown ?? {}) as Record<string, unknown>;
  return Object.fromEntries(names.map((name) => [name, bounded(members[name])]));
}

function bounded(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= longest ? value : text.slice(0, longest);
}
