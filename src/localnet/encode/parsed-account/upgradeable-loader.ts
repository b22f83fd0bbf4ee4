import { encodeBase64 } from '../../bytes/base64.ts';
import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import type { ParsedState } from './parsed-state.ts';

/** A program, its code, or a buffer with code to be deployed (loader-v3 state); code as a base-64 pair. */
export function parseUpgradeableLoader(data: Uint8Array): ParsedState | undefined {
  return decodeBytes(data, (reader) => reader.oneOf(reader.u32(), STATES)(reader));
}

const STATES: readonly ((reader: ByteReader) => ParsedState)[] = [
  () => ({ type: 'uninitialized' }),
  (reader) => ({ type: 'buffer', info: { authority: readAuthority(reader), data: readCode(reader) } }),
  (reader) => ({ type: 'program', info: { programData: reader.address() } }),
  (reader) => ({
    type: 'programData',
    info: { slot: reader.u64(), authority: readAuthority(reader), data: readCode(reader) },
  }),
];

function readAuthority(reader: ByteReader): string | null {
  return reader.option(() => reader.address());
}

function readCode(reader: ByteReader): readonly [string, 'base64'] {
  return [encodeBase64(reader.rest()), 'base64'];
}
