import sodium from 'sodium-native';
import { COIN_TYPE, PURPOSE } from '../../../keys/derivation-path.ts';
import type { KeyEngine } from '../../../keys/engine.ts';
import { createChildren, createMasters, NODE_BYTES, nodeSeed } from '../../../keys/slip10.ts';
import type { ChildKey, Hsm, KeyOwner, MadeKey, SealedKey } from '../hsm.ts';
import { MAX_ITEMS } from '../../wire/limits.ts';
import { keyFailure } from '../key-failure.ts';
import type { MasterKeyStore } from './master-keys.ts';
import { createSealer, masterKeyIdOf, type SealedContent } from './sealed-key.ts';
import { secretBuffer, wipe } from './secret.ts';

const PROTECTION =
  'software: sealed with AES-256-GCM under a master key that only the signer process holds, and opened in its memory for each use';
/** Size of the random seed of a master. */
const SEED_BYTES = 64;

/**
 * Seals keys in software. Nothing stays behind: the result of `createKey` is the key. A seed is in memory, outside the garbage-collected
 * heap, for one call, and wiped after.
 */
export function openSoft(engine: KeyEngine, masters: MasterKeyStore): Hsm {
  const sealer = createSealer();
  const masterNodes = createMasters(engine, SEED_BYTES, secretBuffer);
  const [accounts, wallets] = [createChildren(engine, secretBuffer), createChildren(engine, secretBuffer)];
  const seed = secretBuffer(SEED_BYTES);
  const node = secretBuffer(NODE_BYTES);

  const make = (owner: KeyOwner, content: SealedContent, secret: Buffer): MadeKey => ({
    publicKey: engine.publicKey(nodeSeed(secret)),
    sealed: sealer.seal(masters.keys().current, owner, content, secret),
  });

  /** Children of m/44'/501'; those of one account cost one derivation each. */
  const deriveFrom = (master: Buffer, children: readonly ChildKey[]): readonly MadeKey[] => {
    try {
      master.copy(node);
      for (const index of [PURPOSE, COIN_TYPE]) {
        accounts.setParent(node);
        accounts.deriveInto(node, index);
      }
      accounts.setParent(node);
      let accountOf = -1;
      return children.map(({ owner, x, y }) => {
        if (x !== accountOf) {
          accounts.deriveInto(node, x);
          wallets.setParent(node);
          accountOf = x;
        }
        wallets.deriveInto(node, y);
        return make(owner, 'seed', node);
      });
    } finally {
      accounts.wipe();
      wallets.wipe();
      wipe(node);
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
      concurrency: 1,
      keysPerRequest: MAX_ITEMS,
    },
    createKey: async (owner) => {
      sodium.randombytes_buf(seed);
      const made = make(owner, 'seed', seed);
      wipe(seed);
      return made;
    },
    sign: async (key, message) =>
      sealer.open(masters.keys(), key, (secret) => engine.sign(nodeSeed(secret), message)),
    destroyKey: async () => undefined,
    health: async () => undefined,
    close: async () => undefined,
    derivation: {
      createMaster: async (owner) => {
        sodium.randombytes_buf(seed);
        masterNodes.computeInto(node, seed);
        const made = make(owner, 'masterNode', node);
        wipe(seed);
        wipe(node);
        return made;
      },
      deriveKeys: async (master, children) =>
        sealer.open(masters.keys(), master, (opened, content) => {
          if (content !== 'masterNode')
            throw keyFailure('the key is not a master; nothing can be derived from it');
          return deriveFrom(opened, children);
        }),
    },
    rotation: { begin: masters.begin, reseal: async (key) => reseal(key), finish: masters.finish },
  };
}
