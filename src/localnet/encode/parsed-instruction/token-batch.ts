import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import type { ParsedBody } from './instruction-form.ts';

/** Type byte of a batch. */
const BATCH = 255;

type ParseOne = (data: Uint8Array, accounts: readonly string[]) => ParsedBody | undefined;

/**
 * Parses a batch of token instructions, each preceded by the number of its accounts and the length of its data; undefined for any other
 * data, and if one of them cannot be parsed. Batches do not nest.
 */
export function parseBatch(
  data: Uint8Array,
  accounts: readonly string[],
  parseOne: ParseOne,
): ParsedBody | undefined {
  const calls = decodeBytes(data, readCalls);
  if (calls === undefined) return undefined;
  const instructions: ParsedBody[] = [];
  let next = 0;
  for (const call of calls) {
    const own = accounts.slice(next, next + call.accounts);
    const parsed = own.length === call.accounts && own.length > 0 ? parseOne(call.data, own) : undefined;
    if (parsed === undefined) return undefined;
    instructions.push(parsed);
    next += call.accounts;
  }
  return { type: 'batch', info: { instructions } };
}

function readCalls(reader: ByteReader) {
  if (reader.u8() !== BATCH) reader.reject();
  const calls: { readonly accounts: number; readonly data: Uint8Array }[] = [];
  while (reader.left > 0) {
    const accounts = reader.u8();
    calls.push({ accounts, data: reader.bytes(reader.u8()) });
  }
  return calls;
}
