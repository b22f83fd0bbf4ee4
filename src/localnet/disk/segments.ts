import { readdirSync, readFileSync, rmSync, truncateSync, openSync, renameSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import { type ChainBase, readBase } from './chain-base.ts';
import { readFrames, frame } from './frames.ts';
import { type AccountChange, accountBytes, readAccounts } from './account-bytes.ts';
import { decodeTransaction } from '../../core/wire/decode-transaction.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { BlockRewards, TransactionMeta, TransactionRecord } from '../model.ts';

/** A file of consecutive slots: those after its base. */
export type Segment = {
  readonly path: string;
  readonly base: ChainBase;
  /** The last slot in it; that of its base if it has none. */
  readonly last: bigint;
  readonly slots: readonly Buffer[];
  /** Length of the readable part. */
  readonly goodBytes: number;
  readonly isTorn: boolean;
};

const SEGMENT = /^slots-(\d+)\.log$/;
const SNAPSHOT = /^accounts-(\d+)\.bin$/;

/** Returns the path of the segment whose base is a slot. */
export function segmentPath(directory: string, base: bigint): string {
  return join(directory, `slots-${base}.log`);
}

/** Returns the bases of the segments of a folder, ascending. */
export function segmentBases(directory: string): readonly bigint[] {
  return numbersOf(directory, SEGMENT);
}

/** Returns the slots of which a folder has snapshots, newest first. */
export function snapshotSlots(directory: string): readonly bigint[] {
  return numbersOf(directory, SNAPSHOT).toReversed();
}

/** Deletes a snapshot. */
export function deleteSnapshot(directory: string, slot: bigint): void {
  rmSync(snapshotPath(directory, slot), { force: true });
}

/** Reads a segment up to its first torn frame; undefined: even its base is unreadable. */
export function readSegment(directory: string, number: bigint): Segment | undefined {
  const path = segmentPath(directory, number);
  const { payloads, goodBytes, isTorn } = readFrames(readFileSync(path));
  const base = readBase(payloads[0]);
  if (base === undefined) return undefined;
  const slots = payloads.slice(1);
  const last = slots.at(-1);
  return { path, base, slots, goodBytes, isTorn, last: last === undefined ? base.slot : slotOfBytes(last) };
}

/** Truncates a segment after its readable part. */
export function cutSegment({ path, goodBytes }: Segment): void {
  truncateSync(path, goodBytes);
}

function numbersOf(directory: string, pattern: RegExp): readonly bigint[] {
  const numbers = readdirSync(directory).flatMap((name) => {
    const [, digits] = pattern.exec(name) ?? [];
    return digits === undefined ? [] : [BigInt(digits)];
  });
  return numbers.sort((a, b) => (a < b ? -1 : 1));
}

/** Approximate size of the parts in which accounts are written; other work runs between them. */
const PART_BYTES = 1024 * 1024;
/** The end mark of a snapshot: a file without it is incomplete. */
const END = createHash('sha256').update('end of snapshot').digest();

/** Returns the path of the snapshot of all accounts at the end of a slot. */
export function snapshotPath(directory: string, slot: bigint): string {
  return join(directory, `accounts-${slot}.bin`);
}

/** Writes all accounts, and those known not to exist, as of the end of a slot; the file appears as a whole and survives a power loss. */
export async function writeSnapshot(
  directory: string,
  slot: bigint,
  accounts: readonly AccountChange[],
): Promise<void> {
  const path = snapshotPath(directory, slot);
  const file = await open(`${path}.tmp`, 'w', 0o600);
  try {
    for (const part of snapshotParts(accounts)) await file.write(part);
    await file.sync();
  } finally {
    await file.close();
  }
  renameSync(`${path}.tmp`, path);
}

/** Reads all accounts; undefined: the file is torn or missing. */
export function readSnapshot(directory: string, slot: bigint): readonly AccountChange[] | undefined {
  const path = snapshotPath(directory, slot);
  if (!canOpen(path)) return undefined;
  const { payloads, isTorn } = readFrames(readFileSync(path));
  if (isTorn || payloads.at(-1)?.equals(END) !== true) return undefined;
  return payloads.slice(0, -1).flatMap((part) => [...readAccounts(part)]);
}

/** Yields the bytes of a snapshot. */
export function* snapshotParts(accounts: readonly AccountChange[]): Generator<Buffer> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for (const entry of accounts) {
    for (const part of accountBytes(entry)) {
      parts.push(part);
      size += part.length;
    }
    if (size < PART_BYTES) continue;
    yield frame(Buffer.concat(parts));
    parts = [];
    size = 0;
  }
  if (parts.length > 0) yield frame(Buffer.concat(parts));
  yield frame(END);
}

function canOpen(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return true;
  } catch {
    return false;
  }
}

/** A closed slot on disk: its block, and the accounts written in it as they are at its end. Time in Unix seconds. */
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
/** Added to the transaction count of a slot whose record has rewards after its transactions. */
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
function slotOfBytes(bytes: Buffer): bigint {
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
    slot,
    transactions,
    rewards,
    time: bytes.readBigInt64LE(8),
    transactionCount: Number(bytes.readBigUInt64LE(16 + HASH_BYTES)),
    blockhash: Uint8Array.from(bytes.subarray(16, 16 + HASH_BYTES)),
    accounts: readAccounts(bytes.subarray(at)),
  };
}
