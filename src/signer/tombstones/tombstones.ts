import { hash } from 'node:crypto';
import { join } from 'node:path';
import { createFingerprintSet, FINGERPRINT_BYTES } from './fingerprint-set.ts';
import { openTombstoneFile } from './tombstone-file.ts';

/** A place below a master: the child at `m/44'/501'/x'/y'`. */
export type ChildPlace = { readonly masterWalletId: string; readonly x: number; readonly y: number };

/** Which key a wallet has: its own, or the one of a place below a master. */
export type KeyOrigin = { readonly walletId: string; readonly derivedFrom: ChildPlace | undefined };

/** The keys that were destroyed. They are kept here so that a store restored from a backup revives none of them. */
export type Tombstones = {
  readonly hasWallet: (walletId: string) => boolean;
  readonly hasChild: (place: ChildPlace) => boolean;
  /** Resolves when the wallet, and the place that it was derived at, are destroyed for good: on the disk. */
  readonly bury: (walletId: string, derivedFrom?: ChildPlace) => Promise<void>;
  readonly size: () => number;
  readonly close: () => Promise<void>;
};

/**
 * Opens `<directory>/tombstones`. An entry is a 16-byte fingerprint, 20 bytes on the disk and 22 to 43 in memory; a destroyed
 * child takes two. Two different names meet in one fingerprint with odds of n²/2^129.
 *
 * @throws ServiceError `signerNotStarted` if the file is lost or damaged.
 */
export async function openTombstones(
  directory: string,
  { isFirstStart }: { readonly isFirstStart: boolean },
): Promise<Tombstones> {
  const buried = createFingerprintSet();
  const file = await openTombstoneFile({
    path: join(directory, 'tombstones'),
    mayCreate: isFirstStart,
    onFound: buried.add,
  });
  return {
    hasWallet: (walletId) => buried.has(walletFingerprint(walletId)),
    hasChild: (place) => buried.has(childFingerprint(place)),
    bury: async (walletId, derivedFrom) => {
      const names = [walletFingerprint(walletId)];
      if (derivedFrom !== undefined) names.push(childFingerprint(derivedFrom));
      const fresh = names.filter((name) => !buried.has(name));
      if (fresh.length === 0) return;
      await file.append(fresh);
      for (const name of fresh) buried.add(name);
    },
    size: buried.size,
    close: file.close,
  };
}

const walletFingerprint = (walletId: string): Buffer => fingerprint(`wallet\n${walletId}`);

const childFingerprint = ({ masterWalletId, x, y }: ChildPlace): Buffer =>
  fingerprint(`child\n${x}\n${y}\n${masterWalletId}`);

function fingerprint(name: string): Buffer {
  return hash('sha256', name, 'buffer').subarray(0, FINGERPRINT_BYTES);
}
