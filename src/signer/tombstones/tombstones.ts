import { hash as digest } from 'node:crypto';
import { join } from 'node:path';
import { createFingerprintSet, FINGERPRINT_BYTES } from './fingerprint-set.ts';
import type { ReadOptions } from './read-tombstone-file.ts';
import type { RecordState } from './record-chain.ts';
import { openTombstoneFile } from './tombstone-file.ts';

/** A child of a master, by its index: the key at `m/44'/501'/x'/y'`. */
export type ChildPosition = { readonly masterWalletId: string; readonly x: number; readonly y: number };

/** The origin of a wallet's key: a random one, or derived from a master. */
export type KeyOrigin = { readonly walletId: string; readonly derivedFrom: ChildPosition | undefined };

/** A part of a record of destroyed keys. */
export type RecordPage = RecordState & { readonly isAdopted: boolean; readonly fingerprints: Buffer };

/** Number of entries read at a time. */
export const RECORD_PAGE = 4096;

/** The destroyed keys, kept here so that a store restored from a backup revives none of them. */
export type Tombstones = {
  readonly hasWallet: (walletId: string) => boolean;
  readonly hasChild: (child: ChildPosition) => boolean;
  /** Destroys the wallet, and, for a child, its index below the master, for good; resolves when this is on disk. */
  readonly bury: (walletId: string, derivedFrom?: ChildPosition) => Promise<void>;
  /** Destroys keys from another record in the same way, by their concatenated fingerprints. */
  readonly add: (fingerprints: Buffer) => Promise<void>;
  /** Resolves when what was begun before is on disk, or has failed. */
  readonly settled: () => Promise<void>;
  readonly size: () => number;
  /** Returns concatenated fingerprints of the record in order, and the state of the whole record. */
  readonly read: (from: number) => Promise<RecordPage>;
  /** Records that the store knows the record. */
  readonly adopt: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Opens `<directory>/tombstones`. An entry is a 16-byte fingerprint, 20 bytes on disk and 22 to 43 in memory; a destroyed child takes two.
 * The odds that two different names share a fingerprint are n²/2^129.
 *
 * @throws ServiceError `signerNotStarted` if the file is lost or damaged, or lacks acknowledged entries.
 */
export async function openTombstones(
  directory: string,
  options: Omit<ReadOptions, 'path'>,
): Promise<Tombstones> {
  const buried = createFingerprintSet();
  const file = await openTombstoneFile({
    ...options,
    path: join(directory, 'tombstones'),
    onFound: buried.add,
  });
  const underWay = new Set<Promise<void>>();
  const record = async (names: readonly Buffer[]): Promise<void> => {
    const fresh = names.filter((name) => !buried.has(name));
    if (fresh.length === 0) return;
    await file.append(fresh);
    for (const name of fresh) buried.add(name);
  };
  const write = async (names: readonly Buffer[]): Promise<void> => {
    const recorded = record(names);
    underWay.add(recorded);
    try {
      await recorded;
    } finally {
      underWay.delete(recorded);
    }
  };
  return {
    hasWallet: (walletId) => buried.has(walletFingerprint(walletId)),
    hasChild: (child) => buried.has(childFingerprint(child)),
    bury: (walletId, derivedFrom) =>
      write([
        walletFingerprint(walletId),
        ...(derivedFrom === undefined ? [] : [childFingerprint(derivedFrom)]),
      ]),
    add: (fingerprints) => write(split(fingerprints)),
    settled: async () => void (await Promise.allSettled(underWay)),
    size: buried.size,
    read: async (from) => {
      const { count, hash } = file.state();
      const fingerprints = await file.read(from, Math.min(RECORD_PAGE, count - from));
      return { count, hash, isAdopted: file.isAdopted(), fingerprints };
    },
    adopt: file.adopt,
    close: file.close,
  };
}

function split(fingerprints: Buffer): readonly Buffer[] {
  return Array.from({ length: fingerprints.length / FINGERPRINT_BYTES }, (_, index) =>
    fingerprints.subarray(index * FINGERPRINT_BYTES, (index + 1) * FINGERPRINT_BYTES),
  );
}

const walletFingerprint = (walletId: string): Buffer => fingerprint(`wallet\n${walletId}`);

const childFingerprint = ({ masterWalletId, x, y }: ChildPosition): Buffer =>
  fingerprint(`child\n${x}\n${y}\n${masterWalletId}`);

function fingerprint(name: string): Buffer {
  return digest('sha256', name, 'buffer').subarray(0, FINGERPRINT_BYTES);
}
