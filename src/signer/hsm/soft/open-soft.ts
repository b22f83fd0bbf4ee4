import sodium from 'sodium-native';
import type { ChildKey, Hsm, KeyOwner, MadeKey, SealedKey } from '../hsm.ts';
import { keyFailure } from '../key-failure.ts';
import { createEd25519 } from './ed25519.ts';
import type { MasterKeyStore } from './master-keys.ts';
import { createSealer, masterKeyIdOf, type SealedContent } from './sealed-key.ts';
import { secretBuffer, wipe } from './secret.ts';
import { createSlip10 } from './slip10.ts';

const PROTECTION =
  'software: sealed with AES-256-GCM under a master key that only the signer process holds, and opened in its memory for each use';
/** m/44'/501', above every wallet. */
const PURPOSE = 44;
const COIN = 501;

/**
 * Keys sealed in software. Nothing stays behind: what `createKey` gives is the key. A seed is in memory, outside the
 * collected heap, for the time of one call, and wiped after.
 */
export function openSoft(masters: MasterKeyStore): Hsm {
  const sealer = createSealer();
  const ed25519 = createEd25519();
  const slip10 = createSlip10();
  const seed = secretBuffer(64);
  const coin = secretBuffer(64);
  const account = secretBuffer(64);
  const wallet = secretBuffer(64);

  const make = (owner: KeyOwner, content: SealedContent, secret: Buffer): MadeKey => ({
    publicKey: ed25519.publicKey(secret.subarray(0, 32)),
    sealed: sealer.seal(masters.keys().current, owner, content, secret),
  });

  const deriveFrom = (node: Buffer, children: readonly ChildKey[]): readonly MadeKey[] => {
    try {
      slip10.child(node, PURPOSE, coin);
      slip10.child(coin, COIN, coin);
      let accountOf = -1;
      return children.map(({ owner, x, y }) => {
        if (x !== accountOf) slip10.child(coin, x, account);
        accountOf = x;
        slip10.child(account, y, wallet);
        return make(owner, 'seed', wallet);
      });
    } finally {
      for (const secret of [coin, account, wallet]) wipe(secret);
    }
  };

  const reseal = (key: SealedKey): Uint8Array | undefined => {
    const { current } = masters.keys();
    if (masterKeyIdOf(key.sealed).equals(current.id)) return undefined;
    return sealer.open(masters.keys(), key, (secret, content) => sealer.seal(current, key, content, secret));
  };

  return {
    traits: {
      kind: 'soft',
      protection: PROTECTION,
      keysIn: 'row',
      keysPerSecond: undefined,
      concurrency: 1,
    },
    createKey: async (owner) => {
      sodium.randombytes_buf(seed);
      const made = make(owner, 'seed', seed);
      wipe(seed);
      return made;
    },
    sign: async (key, message) =>
      sealer.open(masters.keys(), key, (secret) => ed25519.sign(secret.subarray(0, 32), message)),
    destroyKey: async () => undefined,
    health: async () => undefined,
    close: async () => undefined,
    derivation: {
      createMaster: async (owner) => {
        sodium.randombytes_buf(seed);
        slip10.masterNode(seed, wallet);
        const made = make(owner, 'masterNode', wallet);
        wipe(seed);
        wipe(wallet);
        return made;
      },
      deriveKeys: async (master, children) =>
        sealer.open(masters.keys(), master, (node, content) => {
          if (content !== 'masterNode') throw keyFailure('the key is no master: nothing is derived from it');
          return deriveFrom(node, children);
        }),
    },
    rotation: { begin: masters.begin, reseal: async (key) => reseal(key), finish: masters.finish },
  };
}
