import { base58 } from '@scure/base';
import { VOTE_PROGRAM } from '../addresses/program-ids.ts';
import type { BlockHistory } from '../blocks/block-history.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Genesis } from '../genesis/genesis.ts';
import { decodeTransaction } from '../../core/wire/decode-transaction.ts';
import type { DecodedTransaction } from '../../core/wire/message.ts';
import { MAX_LOCKOUTS } from './vote-state.ts';

const TOWER_SYNC_TAG = 14;
const NO_ROOT = 2n ** 64n - 1n;
const HASH_BYTES = 32;
/** Tag, root, number of votes, each as distance 1 and its confirmations, hash, time, block id. */
const TOWER_BYTES = 4 + 8 + 1 + HASH_BYTES + 9 + HASH_BYTES;
/** One signature, by the validator, which pays; one key is read-only. */
const MESSAGE_HEAD = Uint8Array.of(1, 0, 1, 3);

/**
 * Returns the transaction with which the validator votes for a slot that was just closed, and for those before it (`TowerSync`). Its blockhash
 * and its hash are those of the slot.
 */
export function voteTransaction(
  blocks: BlockHistory,
  { identity, voteAddress }: Genesis,
  slot: bigint,
): DecodedTransaction {
  const blockhash = blocks.blockhashBytes(slot);
  const data = towerSync(blocks, slot);
  const message = Buffer.concat([
    MESSAGE_HEAD,
    ...[identity.address, voteAddress, VOTE_PROGRAM].map((key) => base58.decode(key)),
    blockhash,
    Uint8Array.of(1, 2, 2, 1, 0, ...shortLength(data.length)),
    data,
  ]);
  return decodeTransaction(Buffer.concat([Uint8Array.of(1), identity.sign(message), message]));
}

function towerSync(blocks: BlockHistory, slot: bigint): Uint8Array {
  const starts = [slot + 1n - MAX_LOCKOUTS, blocks.skipped.runStart(slot), blocks.firstAvailable];
  const oldest = starts.reduce((latest, start) => (start > latest ? start : latest));
  const root = oldest > blocks.firstAvailable ? blocks.skipped.parentOf(oldest) : undefined;
  const votes = Number(slot - oldest) + 1;
  const first = varint(oldest - (root ?? 0n));
  const writer = new ByteWriter(TOWER_BYTES + first.length + votes * 2 - 1);
  writer
    .u32(TOWER_SYNC_TAG)
    .u64(root ?? NO_ROOT)
    .u8(votes);
  for (let confirmations = votes; confirmations > 0; confirmations--)
    writer.put(confirmations === votes ? first : Uint8Array.of(1)).u8(confirmations);
  const hash = blocks.blockhashBytes(slot);
  return writer.put(hash).u8(1).i64(blocks.time(slot)).put(hash).bytes;
}

/** An integer in groups of seven bits, the lowest first. */
function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  for (let left = value; ; left >>= 7n) {
    const byte = Number(left & 0x7fn);
    bytes.push(left > 0x7fn ? byte | 0x80 : byte);
    if (left <= 0x7fn) return Uint8Array.from(bytes);
  }
}

function shortLength(length: number): Uint8Array {
  return varint(BigInt(length));
}
