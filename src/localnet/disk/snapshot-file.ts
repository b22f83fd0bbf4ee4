import { createHash } from 'node:crypto';
import { openSync, readFileSync, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { type AccountChange, accountBytes, readAccounts } from './account-bytes.ts';
import { frame, readFrames } from './frames.ts';

/** Accounts are written in parts of about this size, between which other work gets its turn. */
const PART_BYTES = 1024 * 1024;
/** Ends a snapshot: a file without it was not finished. */
const END = createHash('sha256').update('end of snapshot').digest();

/** Returns the path of the snapshot of all accounts at the end of a slot. */
export function snapshotPath(directory: string, slot: bigint): string {
  return join(directory, `accounts-${slot}.bin`);
}

/** Writes all accounts, and those that are known not to exist, as they are at the end of a slot; the file appears as a whole, and stays when the machine stops. */
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

/** Reads all accounts; undefined: the file is torn or not there. */
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
