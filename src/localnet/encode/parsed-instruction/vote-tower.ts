import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { Info } from './instruction-form.ts';

const U64_MAX = 2n ** 64n - 1n;
const U16_MAX = 2n ** 16n - 1n;

/**
 * Reads the compact form of a validator's votes: the root, then each vote as its distance from the previous one. A root of all ones means
 * none (solana-vote-interface, `serde_compact_vote_state_update` and `serde_tower_sync`).
 */
export function readTower(reader: ByteReader): Info {
  const root = reader.u64();
  let slot = root === U64_MAX ? 0n : root;
  const count = readVarint(reader, U16_MAX);
  const lockouts = reader.list(count, () => {
    slot += readVarint(reader, U64_MAX);
    if (slot > U64_MAX) reader.reject();
    return { slot, confirmation_count: reader.u8() };
  });
  const hash = reader.address();
  const timestamp = reader.option(() => reader.i64());
  return { lockouts, root: root === U64_MAX ? null : root, hash, timestamp };
}

/** Reads an integer in groups of seven bits, the lowest first, in its shortest form. */
function readVarint(reader: ByteReader, maximum: bigint): bigint {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = reader.u8();
    value |= BigInt(byte & 0x7f) << shift;
    if (value > maximum || (byte === 0 && shift > 0n)) reader.reject();
    if ((byte & 0x80) === 0) return value;
  }
}
