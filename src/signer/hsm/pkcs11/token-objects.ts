import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KeyOwner } from '../hsm.ts';
import { keyFailure } from '../key-failure.ts';
import { SEALED_FORMAT } from '../sealed-format.ts';
import { CK, type Cryptoki, type Handle, type Template } from './cryptoki.ts';
import { generateKey } from './generate-key.ts';
import { keyIdOf } from './key-id.ts';
import type { KeyKeeping } from './key-keeping.ts';
import type { ObjectLock } from './object-lock.ts';
import { findObjects, signWith } from './objects.ts';

/** About 200 bytes each. */
const MAX_HANDLES = 100_000;

const NO_KEY = 'the token has no such key';

export type TokenObjects = KeyKeeping & {
  /** Destroys every object of the owner; it is not an error if there is none. */
  readonly destroy: (session: Handle, owner: KeyOwner) => Promise<void>;
};

/**
 * Keeps keys in the token. The row stores a reference: the format, and the CKA_ID of this wallet and account. Handles are cached, since a
 * token may read all its objects to find one.
 */
export function createTokenObjects(cryptoki: Cryptoki, lock: ObjectLock): TokenObjects {
  const known = new LRUCache<string, Handle>({ max: MAX_HANDLES });
  let knownEpoch: object | undefined;

  const handlesOf = (loginEpoch: object): typeof known => {
    if (loginEpoch !== knownEpoch) known.clear();
    knownEpoch = loginEpoch;
    return known;
  };
  const find = (session: Handle, id: Buffer): Handle => {
    const [found, ...others] = findObjects(cryptoki, session, templateOf(id));
    if (found === undefined) throw keyFailure(NO_KEY);
    if (others.length > 0) throw keyFailure('the token has several keys of that name');
    return found;
  };
  const destroy = (session: Handle, owner: KeyOwner): Promise<void> =>
    lock.withSearch(() => {
      const id = keyIdOf(owner);
      known.delete(nameOf(id));
      for (const object of findObjects(cryptoki, session, templateOf(id)))
        cryptoki.C_DestroyObject(session, object);
    });
  return {
    create: async (session, loginEpoch, owner) => {
      const id = keyIdOf(owner);
      const options = { id, label: `keyslot ${owner.walletId}`, isTokenObject: true, isWrappable: false };
      try {
        const { publicKey, privateKey } = await lock.withAdd(() => generateKey(cryptoki, session, options));
        handlesOf(loginEpoch).set(nameOf(id), privateKey);
        return { publicKey, sealed: Buffer.concat([Buffer.of(SEALED_FORMAT.tokenObject), id]) };
      } catch (error) {
        // Reports the original failure. A key that cannot be destroyed now is destroyed before the next try.
        await destroy(session, owner).catch(() => undefined);
        throw error;
      }
    },
    sign: async (session, loginEpoch, { sealed, ...owner }, message) => {
      const id = keyIdOf(owner);
      if (sealed.length !== id.length + 1 || !timingSafeEqual(sealed.subarray(1), id)) {
        throw keyFailure('the reference to the key was changed, or is another wallet’s or account’s');
      }
      const handles = handlesOf(loginEpoch);
      const name = nameOf(id);
      if (!handles.has(name)) await lock.withSearch(() => handles.set(name, find(session, id)));
      // The key may have been deleted in the meantime.
      const key = handles.get(name);
      if (key === undefined) throw keyFailure(NO_KEY);
      return signWith(cryptoki, session, { mechanism: CK.mechanism.eddsa, key }, message);
    },
    destroy,
  };
}

const nameOf = (id: Buffer): string => id.toString('latin1');

function templateOf(id: Buffer): Template {
  return [
    { type: CK.attribute.class, value: CK.class.privateKey },
    { type: CK.attribute.token, value: true },
    { type: CK.attribute.id, value: id },
  ];
}
