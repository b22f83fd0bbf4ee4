import { deserialize, serialize } from 'node:v8';
import { decodeTransaction } from '../../wire/decode-transaction.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { BlockRewards, TransactionMeta, TransactionRecord } from '../model.ts';
import { type AccountChange, accountBytes, readAccounts } from './account-bytes.ts';

/** A closed slot as it is kept on disk: its block, and the accounts written in it as they are at its end. Time in Unix seconds. */
export type SlotRecord = {
  readonly slot: bigint;
  readonly time: bigint;
  readonly blockhash: Uint8Array;
  /** Since genesis, including this slot. */
  readonly transactionCount: number;
  readonly transactions: readonly TransactionRecord[];
  readonly rewards: BlockRewards | undefined;
  readonly accounts: Iterable<AccountChange>;
};

const HASH_BYTES = 32;
const HEAD_BYTES = 8 + 8 + HASH_BYTES + 8 + 4 + 4;
/** Added to the number of transactions: rewards follow them. */
const REWARDS = 2 ** 31;

/** Returns the bytes of a slot. */
export function slotBytes(record: SlotRecord): Buffer {
  const { slot, time, blockhash, transactionCount, transactions, rewards, accounts } = record;
  const head = new ByteWriter(HEAD_BYTES).u64(slot).i64(time).put(blockhash).u64(BigInt(transactionCount));
  head.u32(transactions[0]?.index ?? 0).u32(transactions.length + (rewards === undefined ? 0 : REWARDS));
  const parts: Uint8Array[] = [head.bytes];
  const lists = transactions.map(({ transaction, meta }) => [transaction.wire, serialize(meta)]);
  for (const part of [...lists, rewards === undefined ? [] : [serialize(rewards)]].flat())
    parts.push(new ByteWriter(4).u32(part.length).bytes, part);
  for (const change of accounts) parts.push(...accountBytes(change));
  return Buffer.concat(parts);
}

/** Returns the number of the slot in its bytes. */
export function slotOfBytes(bytes: Buffer): bigint {
  return bytes.readBigUInt64LE(0);
}

/** Reads a slot from its bytes. */
export function readSlot(bytes: Buffer): SlotRecord {
  const slot = slotOfBytes(bytes);
  const transactions: TransactionRecord[] = [];
  let at = HEAD_BYTES;
  const next = (): Buffer => {
    const end = at + 4 + bytes.readUInt32LE(at);
    const part = Buffer.from(bytes.subarray(at + 4, end));
    at = end;
    return part;
  };
  const first = bytes.readUInt32LE(HEAD_BYTES - 8);
  const count = bytes.readUInt32LE(HEAD_BYTES - 4);
  const end = first + (count % REWARDS);
  for (let index = first; index < end; index++) {
    const transaction = decodeTransaction(next());
    const meta = deserialize(next()) as TransactionMeta;
    transactions.push({ slot, index, transaction, meta });
  }
  const rewards = count < REWARDS ? undefined : (deserialize(next()) as BlockRewards);
  return {
    ...{ slot, transactions, rewards, time: bytes.readBigInt64LE(8) },
    transactionCount: Number(bytes.readBigUInt64LE(16 + HASH_BYTES)),
    blockhash: Uint8Array.from(bytes.subarray(16, 16 + HASH_BYTES)),
    accounts: readAccounts(bytes.subarray(at)),
  };
}
