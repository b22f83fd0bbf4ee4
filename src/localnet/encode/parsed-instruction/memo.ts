import { decodeBytes } from '../../bytes/byte-reader.ts';

/** The text of a memo; undefined if it is not UTF-8. */
export function parseMemo(data: Uint8Array): string | undefined {
  return decodeBytes(data, (reader) => reader.text(reader.left));
}
