import { createPublicKey, verify } from 'node:crypto';
import { type ServiceError, serviceError } from '../../core/service-error.ts';

/** The owner of a key: a sealed key opens for this wallet of this account only. Each has 1 to 64 bytes of UTF-8. */
export type KeyOwner = { readonly walletId: string; readonly accountId: string };

/** A key as the wallet's row stores it: sealed, or a reference to an object in a token. At most 1,024 bytes. */
export type SealedKey = KeyOwner & { readonly sealed: Uint8Array };

/** A new key: its 32 bytes of public key, and the bytes that the wallet's row stores. */
export type MadeKey = { readonly publicKey: Uint8Array; readonly sealed: Uint8Array };

/** A child at `m/44'/501'/x'/y'`; x and y from 0 to 2^31−1. */
export type ChildKey = { readonly owner: KeyOwner; readonly x: number; readonly y: number };

/** Directory for the backend's own files, and whether it has never been used before. */
export type HsmDirectory = { readonly directory: string; readonly isFirstStart: boolean };

/** The traits of a backend. */
export type HsmTraits = {
  readonly kind: 'soft' | 'pkcs11';
  /** The protection of a key, in a sentence for the wallet's metadata. */
  readonly protection: string;
  /** `row`: the result of `createKey` is the key, and nothing stays behind. `token`: an object in a token stays behind. */
  readonly keysIn: 'row' | 'token';
  /** Number of calls that it processes at the same time. */
  readonly concurrency: number;
  /** Maximum number of keys in one request: they must be created before its deadline (30 s). At most 128. */
  readonly keysPerRequest: number;
};

/** Keys below a SLIP-0010 master, for backends that support it. */
export type HsmDerivation = {
  /** Makes a random master. Its public key is that of the master node. */
  readonly createMaster: (owner: KeyOwner) => Promise<MadeKey>;
  /** Derives children of a master, in the order of the request. The same child always has the same public key. */
  readonly deriveKeys: (master: SealedKey, children: readonly ChildKey[]) => Promise<readonly MadeKey[]>;
};

/** The rotation of the master key, while two are live; for backends with a master key. */
export type HsmRotation = {
  /** Seals everything under a new master key from now on. Resumes a rotation under way. */
  readonly begin: () => Promise<void>;
  /** Returns the key sealed under the new master key; undefined if it already is. */
  readonly reseal: (key: SealedKey) => Promise<Uint8Array | undefined>;
  /** Drops the old master key: keys still sealed under it can never be opened again. */
  readonly finish: () => Promise<void>;
};

/** A newly sealed key, a key that is already sealed under the current master key, or one that must not be revived. */
export type Resealed =
  | { readonly kind: 'resealed'; readonly sealed: Uint8Array }
  | { readonly kind: 'current' | 'destroyed' };

/**
 * The contract of a key backend. A new one is a folder here, and a line in open-hsm.ts, spec/config.yaml, core/config/cross-check.ts,
 * signer/settings.ts, the signer's check of the doctor, and test/signer/suites/backends.ts. It runs only in the signer's process. Each call rejects with `keyBackendFailed` when the backend fails,
 * and when a sealed key is not its own, was changed, or belongs to another wallet or account.
 */
export type Hsm = {
  readonly traits: HsmTraits;
  /**
   * Makes an Ed25519 key (RFC 8032). `isRepeat`: the same call was lost before; an object that it may have left in a token is destroyed
   * first.
   */
  readonly createKey: (owner: KeyOwner, options: { readonly isRepeat: boolean }) => Promise<MadeKey>;
  /** Returns the 64 bytes of an Ed25519 signature over a message of at least one byte. A master signs as its master node. */
  readonly sign: (key: SealedKey, message: Uint8Array) => Promise<Uint8Array>;
  /** Destroys the backend's own part of a key, which may be nothing. Destroying twice is not an error. */
  readonly destroyKey: (owner: KeyOwner) => Promise<void>;
  /** Resolves when keys can be used now. */
  readonly health: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly derivation?: HsmDerivation;
  readonly rotation?: HsmRotation;
};

/** True when a signature over the message is by the Ed25519 key (32 bytes). */
export function isSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
}

/** Returns `keyBackendFailed`, with a reason for the log that holds no secret. */
export function keyFailure(reason: string, cause?: unknown): ServiceError {
  return serviceError('keyBackendFailed', {}, new Error(reason, cause === undefined ? undefined : { cause }));
}

/** The first byte of a sealed key names the format of the rest. A number is never reused for another format. */
export const SEALED_FORMAT = { soft: 1, tokenObject: 2, wrapped: 3 } as const;
