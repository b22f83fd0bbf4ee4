import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import sodium from 'sodium-native';
import { serviceError } from '../../../core/service-error.ts';
import { writeDurably, readSecretFile } from '../../files/write-durably.ts';
import { secretBytes } from '../../../core/keys/secret-bytes.ts';

export const MASTER_KEY_BYTES = 32;
export const MASTER_KEY_ID_BYTES = 8;

const ID_LABEL = Buffer.from('keyslot master key id, version 1');

/** A master key in secret memory. `id` identifies it without revealing anything of it. */
export type MasterKey = { readonly id: Buffer; readonly key: Buffer };

/** The live master keys: everything is sealed under `current`; `previous` is kept for opening until its rotation is finished. */
export type MasterKeys = { readonly current: MasterKey; readonly previous: MasterKey | undefined };

/** Moves the 32 bytes into secret memory and wipes their source. */
export function takeMasterKey(bytes: Buffer): MasterKey {
  const key = secretBuffer(MASTER_KEY_BYTES);
  bytes.copy(key);
  wipe(bytes);
  const id = Buffer.alloc(32);
  sodium.crypto_auth(id, ID_LABEL, key);
  return { id: id.subarray(0, MASTER_KEY_ID_BYTES), key };
}

/** Returns a new random master key. */
export function newMasterKey(): MasterKey {
  const bytes = secretBytes(MASTER_KEY_BYTES);
  sodium.randombytes_buf(bytes);
  return takeMasterKey(bytes);
}

/**
 * Allocates memory for a secret: outside the garbage-collected heap, between guard pages, left out of core dumps, and kept out of swap as
 * far as the system lets a process lock memory (libsodium `sodium_malloc`). It costs pages: make few and reuse them.
 */
export function secretBuffer(sizeBytes: number): Buffer {
  return sodium.sodium_malloc(sizeBytes);
}

/** Overwrites a secret; the compiler cannot optimize it away. */
export function wipe(secret: Uint8Array): void {
  sodium.sodium_memzero(secret);
}

const MAGIC = Buffer.from('KSMK\x01');
const HEAD_BYTES = MAGIC.length + 1;
const CHECKSUM_BYTES = 8;
const MAX_BYTES = HEAD_BYTES + 2 * MASTER_KEY_BYTES + CHECKSUM_BYTES;

/**
 * Opens the master keys of `<directory>/master.key`: mark, count, the current key, the previous one during a rotation, checksum. The file
 * is created only with `isFirstStart`: in a directory that was used before, a lost master key must not be replaced silently.
 *
 * @throws ServiceError `signerNotStarted` if it is lost, damaged, or readable by others.
 */
export async function openOwnMasterKeys(
  directory: string,
  { isFirstStart }: { readonly isFirstStart: boolean },
): Promise<MasterKeyStore> {
  const path = join(directory, 'master.key');
  const found = await readOwnFile(path);
  if (found === undefined && !isFirstStart) {
    throw refuse(
      `${path} is missing: restore it; the wallets of this data directory cannot be used without it`,
    );
  }
  let keys: MasterKeys = found ?? { current: newMasterKey(), previous: undefined };
  const change = async (next: MasterKeys): Promise<void> => {
    await write(path, next);
    keys = next;
  };
  if (found === undefined) await change(keys);
  // One change at a time: with two new keys at once, the overwritten one might already have sealed something.
  let last: Promise<void> = Promise.resolve();
  const serialize = (step: () => Promise<void>): Promise<void> => {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    keys: () => keys,
    begin: () =>
      serialize(async () => {
        if (keys.previous === undefined) await change({ current: newMasterKey(), previous: keys.current });
      }),
    finish: () =>
      serialize(async () => {
        const { current, previous } = keys;
        if (previous === undefined) return;
        await change({ current, previous: undefined });
        wipe(previous.key);
      }),
  };
}

async function readOwnFile(path: string): Promise<MasterKeys | undefined> {
  const bytes = await readSecretFile(path, MAX_BYTES);
  if (bytes === undefined) return undefined;
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) throw refuse(`${path} can be read by other users: run chmod 600 on it`);
  try {
    return parse(bytes, path);
  } finally {
    wipe(bytes);
  }
}

function parse(bytes: Buffer, path: string): MasterKeys {
  const count = bytes[MAGIC.length] ?? 0;
  const end = HEAD_BYTES + count * MASTER_KEY_BYTES;
  const isWhole =
    bytes.subarray(0, MAGIC.length).equals(MAGIC) &&
    (count === 1 || count === 2) &&
    bytes.length === end + CHECKSUM_BYTES &&
    checksum(bytes.subarray(0, end)).equals(bytes.subarray(end));
  if (!isWhole) throw refuse(`${path} is damaged: restore it from its backup`);
  const keyAt = (index: number): MasterKey =>
    takeMasterKey(
      bytes.subarray(HEAD_BYTES + index * MASTER_KEY_BYTES, HEAD_BYTES + (index + 1) * MASTER_KEY_BYTES),
    );
  return { current: keyAt(0), previous: count === 2 ? keyAt(1) : undefined };
}

async function write(path: string, { current, previous }: MasterKeys): Promise<void> {
  const keys = previous === undefined ? [current] : [current, previous];
  const end = HEAD_BYTES + keys.length * MASTER_KEY_BYTES;
  const bytes = secretBuffer(end + CHECKSUM_BYTES);
  MAGIC.copy(bytes);
  bytes[MAGIC.length] = keys.length;
  for (const [index, { key }] of keys.entries()) key.copy(bytes, HEAD_BYTES + index * MASTER_KEY_BYTES);
  checksum(bytes.subarray(0, end)).copy(bytes, end);
  try {
    await writeDurably(path, bytes);
  } finally {
    wipe(bytes);
  }
}

const checksum = (bytes: Buffer): Buffer =>
  createHash('sha256').update(bytes).digest().subarray(0, CHECKSUM_BYTES);

const refuse = (reason: string): Error => serviceError('signerNotStarted', { reason });

/** The source of the live master keys, and their rotation. */
export type MasterKeyStore = {
  readonly keys: () => MasterKeys;
  /** Makes a new current key, synced to disk before it is used; does nothing while a previous key is live. */
  readonly begin: () => Promise<void>;
  /** Drops the previous key. */
  readonly finish: () => Promise<void>;
};
