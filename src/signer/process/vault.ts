import { serviceError } from '../../core/service-error.ts';
import {
  type ChildKey,
  type Hsm,
  type HsmRotation,
  type KeyOwner,
  type MadeKey,
  type Resealed,
  type SealedKey,
  keyFailure,
} from '../hsm/hsm.ts';
import type { ChildPosition, KeyOrigin, RecordPage, Tombstones } from '../tombstones/tombstones.ts';
import { AUDIT_WALLET_ID, type AuditKey } from './audit-key.ts';
import { mapInOrder } from '../map-in-order.ts';

/** The signer's operations, whatever the backend: a destroyed key is refused, and its own key signs the audit log only. */
export type Vault = {
  readonly create: (owners: readonly KeyOwner[], isRepeat: boolean) => Promise<readonly MadeKey[]>;
  readonly createMaster: (owner: KeyOwner) => Promise<MadeKey>;
  readonly derive: (
    master: SealedKey,
    children: readonly ChildKey[],
  ) => Promise<readonly (MadeKey | 'destroyed')[]>;
  readonly sign: (key: SealedKey, message: Uint8Array) => Promise<Uint8Array>;
  /** Recorded on disk as destroyed before anything else happens, so that a crash leaves no half of it. */
  readonly destroy: (owner: KeyOwner, derivedFrom: ChildPosition | undefined) => Promise<void>;
  /** Returns for each whether it, or the key at its index, is destroyed; waits until earlier destructions are recorded or have failed. */
  readonly findDestroyed: (origins: readonly KeyOrigin[]) => Promise<readonly boolean[]>;
  /** Returns entries of the record of destroyed keys from one on, and the state of the whole record. */
  readonly readTombstones: (from: number) => Promise<RecordPage>;
  /** Destroys keys by their fingerprints from another record. */
  readonly addTombstones: (fingerprints: Uint8Array) => Promise<void>;
  /** Records that the store knows the record. */
  readonly adoptTombstones: () => Promise<void>;
  readonly signAuditHead: (head: Uint8Array) => Promise<Uint8Array>;
  readonly auditPublicKey: () => Uint8Array;
  readonly beginRotation: () => Promise<void>;
  readonly reseal: (keys: readonly SealedKey[]) => Promise<readonly Resealed[]>;
  readonly finishRotation: () => Promise<void>;
  readonly health: () => Promise<void>;
};

export type VaultParts = { readonly hsm: Hsm; readonly tombstones: Tombstones; readonly auditKey: AuditKey };

/** Creates the vault from an open backend, its tombstones and its own key. */
export function createVault({ hsm, tombstones, auditKey }: VaultParts): Vault {
  const assertLive = ({ walletId }: KeyOwner): void => {
    if (walletId === AUDIT_WALLET_ID) throw keyFailure('this wallet id is reserved for the signer');
    if (tombstones.hasWallet(walletId))
      throw serviceError('walletNotFound', {}, new Error('the key was destroyed'));
  };
  const derivation = () => {
    if (hsm.derivation === undefined) throw serviceError('deriveNotSupported');
    return hsm.derivation;
  };
  return {
    create: async (owners, isRepeat) => {
      owners.forEach(assertLive);
      return mapInOrder(owners, hsm.traits.concurrency, (owner) => hsm.createKey(owner, { isRepeat }));
    },
    createMaster: async (owner) => {
      assertLive(owner);
      return derivation().createMaster(owner);
    },
    derive: async (master, children) => {
      assertLive(master);
      const isGone = ({ owner, x, y }: ChildKey): boolean =>
        tombstones.hasChild({ masterWalletId: master.walletId, x, y }) ||
        tombstones.hasWallet(owner.walletId);
      const gone = children.map(isGone);
      const made = await derivation().deriveKeys(
        master,
        children.filter((_, index) => !gone[index]),
      );
      const rest = made.values();
      return gone.map((wasGone) => (wasGone ? 'destroyed' : next(rest)));
    },
    sign: async (key, message) => {
      assertLive(key);
      return hsm.sign(key, message);
    },
    destroy: async (owner, derivedFrom) => {
      if (owner.walletId === AUDIT_WALLET_ID) throw keyFailure('this wallet id is reserved for the signer');
      await tombstones.bury(owner.walletId, derivedFrom);
      await hsm.destroyKey(owner);
    },
    findDestroyed: async (origins) => {
      await tombstones.settled();
      return origins.map(
        ({ walletId, derivedFrom }) =>
          tombstones.hasWallet(walletId) || (derivedFrom !== undefined && tombstones.hasChild(derivedFrom)),
      );
    },
    readTombstones: tombstones.read,
    addTombstones: (fingerprints) => tombstones.add(Buffer.from(fingerprints)),
    adoptTombstones: tombstones.adopt,
    signAuditHead: auditKey.sign,
    auditPublicKey: () => auditKey.publicKey,
    beginRotation: async () => rotationOf(hsm).begin(),
    reseal: (keys) =>
      mapInOrder(keys, 1, async (key) => {
        if (tombstones.hasWallet(key.walletId)) return { kind: 'destroyed' };
        const sealed = await rotationOf(hsm).reseal(key);
        return sealed === undefined ? { kind: 'current' } : { kind: 'resealed', sealed };
      }),
    finishRotation: async () => {
      await auditKey.reseal();
      await rotationOf(hsm).finish();
    },
    health: async () => {
      await hsm.health();
      await auditKey.probe();
    },
  };
}

function rotationOf({ rotation, traits }: Hsm): HsmRotation {
  if (rotation !== undefined) return rotation;
  throw serviceError('invalidCommand', {
    reason: `hsm.kind ${traits.kind} has no master key to rotate: the token protects its keys`,
  });
}

function next(made: Iterator<MadeKey>): MadeKey {
  const { value, done } = made.next();
  if (done === true) throw keyFailure('the backend derived fewer keys than requested');
  return value;
}
