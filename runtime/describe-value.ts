/** A JSON value in serde's words. */
export const describe = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`;
  if (isInteger(value)) return `integer \`${value}\``;
  if (typeof value === 'number') return `floating point \`${value}\``;
  return typeof value === 'boolean' ? `boolean \`${value}\`` : 'map';
};

/** True when a JSON number was written as an integer. */
export const isInteger = (value: unknown): boolean =>
  typeof value === 'bigint' || Number.isSafeInteger(value);
