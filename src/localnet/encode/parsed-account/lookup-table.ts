import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import type { ParsedState } from './parsed-state.ts';

/** Addresses start here, with or without an authority. */
const META_SIZE = 56;
const LOOKUP_TABLE = 1;

/** An address lookup table; all integers of 64 bits become text. */
export function parseLookupTable(data: Uint8Array): ParsedState | undefined {
  const meta = decodeBytes(data, readMeta);
  if (meta === undefined) return undefined;
  if (meta === 'uninitialized') return { type: meta };
  if (data.length < META_SIZE) return undefined;
  const addresses = decodeBytes(data.subarray(META_SIZE), readAddresses);
  return addresses && { type: 'lookupTable', info: { ...meta, addresses } };
}

function readMeta(reader: ByteReader) {
  const type = reader.u32();
  if (type === 0) return 'uninitialized';
  if (type !== LOOKUP_TABLE) reader.reject();
  const deactivationSlot = reader.u64().toString();
  const lastExtendedSlot = reader.u64().toString();
  const lastExtendedSlotStartIndex = reader.u8();
  const authority = reader.option(() => reader.address());
  const meta = { deactivationSlot, lastExtendedSlot, lastExtendedSlotStartIndex };
  return authority === null ? meta : { ...meta, authority };
}

function readAddresses(reader: ByteReader): string[] {
  if (reader.left % 32 !== 0) reader.reject();
  return reader.list(reader.left / 32, () => reader.address());
}
