import type { WalletRow } from './wallet-row.ts';
import { isWalletId } from '../wallet-id.ts';

/** The last wallet of a page. Lists are in descending order of both. */
export type ListPosition = Pick<WalletRow, 'id' | 'createdAt'>;

/** Six bytes of milliseconds since 1970; then the id. */
const INSTANT_BYTES = 6;

/** Prints where a page ended, as an opaque text. */
export function printCursor({ id, createdAt }: ListPosition): string {
  const instant = Buffer.alloc(INSTANT_BYTES);
  instant.writeUIntBE(createdAt.getTime(), 0, INSTANT_BYTES);
  return Buffer.concat([instant, Buffer.from(id)]).toString('base64url');
}

/** Reads a cursor; undefined if it is none. */
export function readCursor(text: string): ListPosition | undefined {
  const bytes = Buffer.from(text, 'base64url');
  const id = bytes.toString('latin1', INSTANT_BYTES);
  if (!isWalletId(id) || bytes.toString('base64url') !== text) return undefined;
  return { id, createdAt: new Date(bytes.readUIntBE(0, INSTANT_BYTES)) };
}
