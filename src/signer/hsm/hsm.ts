/** Whose key it is: a sealed key opens for this wallet of this account only. Each has 1 to 64 bytes of UTF-8. */
export type KeyOwner = { readonly walletId: string; readonly accountId: string };

/** A key as the wallet's row keeps it: sealed, or a reference to an object in a token. At most 1,024 bytes. */
export type SealedKey = KeyOwner & { readonly sealed: Uint8Array };

/** A new key: its 32 bytes of public key, and what the wallet's row keeps of it. */
export type MadeKey = { readonly publicKey: Uint8Array; readonly sealed: Uint8Array };

/** A child at `m/44'/501'/x'/y'`; x and y from 0 to 2^31−1. */
export type ChildKey = { readonly owner: KeyOwner; readonly x: number; readonly y: number };

/** Where a backend may keep files of its own, and whether nothing has been kept there before. */
export type HsmPlace = { readonly directory: string; readonly isFirstStart: boolean };

/** What a backend says of itself. */
export type HsmTraits = {
  readonly kind: 'soft' | 'pkcs11';
  /** How a key is protected, in a sentence for the wallet's metadata. */
  readonly protection: string;
  /** `row`: what `createKey` gives is the key, and nothing stays behind. `token`: an object in a token stays behind. */
  readonly keysIn: 'row' | 'token';
  /** Calls that it works on at the same time. */
  readonly concurrency: number;
};

/** Keys below a SLIP-0010 master; for backends that can. */
export type HsmDerivation = {
  /** Makes a random master. Its public key is that of the master node. */
  readonly createMaster: (owner: KeyOwner) => Promise<MadeKey>;
  /** The children of a master, in the order asked for. The same child has the same public key, always. */
  readonly deriveKeys: (master: SealedKey, children: readonly ChildKey[]) => Promise<readonly MadeKey[]>;
};

/** The change to another master key, while two are live; for backends that have one of their own. */
export type HsmRotation = {
  /** From now on everything is sealed under a new master key. Resumes one that was begun. */
  readonly begin: () => Promise<void>;
  /** The key sealed under the new master key; undefined if it is. */
  readonly reseal: (key: SealedKey) => Promise<Uint8Array | undefined>;
  /** Forgets the old master key: what is still sealed under it can never be opened again. */
  readonly finish: () => Promise<void>;
};

/**
 * What a key backend can do. It runs inside the signer's process and nowhere else. Each call rejects with `keyBackendFailed`
 * when the backend fails, and when a sealed key is not its own, was changed, or is another wallet's or account's.
 */
export type Hsm = {
  readonly traits: HsmTraits;
  /**
   * Makes an Ed25519 key (RFC 8032). `isRepeat`: the same call was lost once, and what it may have left behind in a token
   * is destroyed first.
   */
  readonly createKey: (owner: KeyOwner, options: { readonly isRepeat: boolean }) => Promise<MadeKey>;
  /** The 64 bytes of an Ed25519 signature over a message of at least one byte. A master signs as its master node. */
  readonly sign: (key: SealedKey, message: Uint8Array) => Promise<Uint8Array>;
  /** Destroys what the backend itself keeps of a key, which may be nothing. Destroying twice is no failure. */
  readonly destroyKey: (owner: KeyOwner) => Promise<void>;
  /** Resolves when a key could be used now. */
  readonly health: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly derivation?: HsmDerivation;
  readonly rotation?: HsmRotation;
};
