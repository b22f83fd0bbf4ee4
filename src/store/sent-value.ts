/** A value as it is sent: text in PostgreSQL's form of its type, bytes as they are. */
export type SentValue = string | Buffer | null;

/** @throws TypeError for a value that has no form. */
export function toSentValue(value: unknown): SentValue {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Array.isArray(value) ? arrayText(value) : scalarText(value);
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (value instanceof Date) return value.toISOString();
  throw new TypeError(`a statement cannot have a value of type ${typeof value}`);
}

/** Returns an array in PostgreSQL's form (PostgreSQL 17, section 8.15.6). */
function arrayText(values: readonly unknown[]): string {
  return `{${values.map(elementText).join(',')}}`;
}

function elementText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return arrayText(value);
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
  return `"${scalarText(value).replace(/["\\]/g, '\\$&')}"`;
}
