/** A document whose digest the audit log records. */
export type DocumentKind = 'invoice' | 'credit note';

const encoder = new TextEncoder();

/**
 * The bytes whose SHA-256 is the digest of a document: `keyslot <kind> v1`, a zero byte, and the document as canonical JSON (RFC 8785: members
 * sorted by name, no spaces), in UTF-8.
 */
export const documentBytes = (kind: DocumentKind, document: object): Uint8Array<ArrayBuffer> =>
  encoder.encode(`keyslot ${kind} v1\0${canonicalJson(document)}`);

/** Strings, booleans and integers are in JSON.stringify as RFC 8785 has them, which takes them from ECMAScript. */
const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
};
