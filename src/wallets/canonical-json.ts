/** Prints a value as JSON text that does not depend on the order of members. Undefined members are left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_, member: unknown) => (isObject(member) ? inOrder(member) : member));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inOrder(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
