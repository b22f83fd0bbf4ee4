import { decodeBytes } from '../../bytes/byte-reader.ts';
import type { ParsedState } from './parsed-state.ts';

const VERSIONS = ['legacy', 'current'];
const INITIALIZED = 1;

/**
 * Parses the durable nonce in a system account. An account without one, even one of the right size, is not parsed: it may be meant for any
 * other program.
 */
export function parseNonce(data: Uint8Array): ParsedState | undefined {
  return decodeBytes(data, (reader) => {
    reader.oneOf(reader.u32(), VERSIONS);
    if (reader.u32() !== INITIALIZED) reader.reject();
    const authority = reader.address();
    const blockhash = reader.address();
    const feeCalculator = { lamportsPerSignature: reader.u64().toString() };
    return { type: 'initialized', info: { authority, blockhash, feeCalculator } };
  });
}
