import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KeyOwner } from '../hsm.ts';
import { keyFailure } from '../key-failure.ts';
import { SEALED_FORMAT } from '../sealed-format.ts';
import { CK, type Cryptoki, type Handle, type Template } from './cryptoki.ts';
import { generateKey } from './generate-key.ts';
import { keyIdOf } from './key-id.ts';
import type { KeyKeeping } from './key-keeping.ts';
import type { ObjectTurns } from './object-turns.ts';
import { findObjects, signWith } from './objects.ts';

/** About 200 bytes each. */
const MAX_HANDLES = 100_000;

export type TokenObjects = KeyKeeping & {
  /** Destroys every object of the owner; none is no failure. */
  readonly destroy: (session: Handle, owner: KeyOwner) => Promise<void>;
};

/**
 * Keys that stay in the token. What the row has is a reference: the format, and the CKA_ID, which is of this wallet and
 * account. Handles are remembered, since a token may read all its objects to find one.
 */
export function createTokenObjects(cryptoki: Cryptoki, turns: ObjectTurns): TokenObjects {
  const handles = new LRUCache<string, Handle>({ max: MAX_HANDLES });
  let lifeOfHandles: object | undefined;

  const find = (session: Handle, id: Buffer): Handle => {
    const [found, ...others] = findObjects(cryptoki, session, templateOf(id));
    if (found === undefined) throw keyFailure('the token has no such key');
    if (others.length > 0) throw keyFailure('the token has several keys of that name');
    handles.set(id.toString('latin1'), found);
    return found;
  };
  const handleOf = async (session: Handle, life: object, id: Buffer): Promise<Handle> => {
    if (life !== lifeOfHandles) handles.clear();
    lifeOfHandles = life;
    return handles.get(id.toString('latin1')) ?? turns.looking(() => find(session, id));
  };
  return {
    create: async (session, _life, owner) => {
      const id = keyIdOf(owner);
      const place = { id, label: `keyslot ${owner.walletId}`, isTokenObject: true, isWrappable: false };
      const { publicKey } = await turns.adding(() => generateKey(cryptoki, session, place));
      return { publicKey, sealed: Buffer.concat([Buffer.of(SEALED_FORMAT.tokenObject), id]) };
    },
    sign: async (session, life, { sealed, ...owner }, message) => {
      const id = keyIdOf(owner);
      if (sealed.length !== id.length + 1 || !timingSafeEqual(sealed.subarray(1), id)) {
        throw keyFailure('the reference to the key was changed, or is another wallet’s or account’s');
      }
      const key = await handleOf(session, life, id);
      return signWith(cryptoki, session, { mechanism: CK.mechanism.eddsa, key }, message);
    },
    destroy: (session, owner) =>
      turns.looking(() => {
        const id = keyIdOf(owner);
        handles.delete(id.toString('latin1'));
        for (const object of findObjects(cryptoki, session, templateOf(id)))
          cryptoki.C_DestroyObject(session, object);
      }),
  };
}

function templateOf(id: Buffer): Template {
  return [
    { type: CK.attribute.class, value: CK.class.privateKey },
    { type: CK.attribute.token, value: true },
    { type: CK.attribute.id, value: id },
  ];
}
