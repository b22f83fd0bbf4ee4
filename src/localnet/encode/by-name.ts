/**
 * Returns a value with the members of every object in the order of their names, as serde_json keeps them in a Value: nodes write the
 * results of calls this way, and everything `parsed`. Notifications have the order of their types.
 */
export function byName<T>(value: T): T {
  return sorted(value) as T;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = value as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort()) copy[name] = sorted(members[name]);
  return copy;
}
