import type { Config } from '../../../../generated/config.ts';
import type { Hsm, KeyOwner, SealedKey } from '../hsm.ts';
import { keyFailure } from '../key-failure.ts';
import { SEALED_FORMAT } from '../sealed-format.ts';
import type { Cryptoki, TokenInfo } from './cryptoki.ts';
import type { KeyKeeping } from './key-keeping.ts';
import { loadCryptoki } from './load-cryptoki.ts';
import { createObjectLock } from './object-lock.ts';
import { readPin } from './read-pin.ts';
import { openToken, type Token } from './token.ts';
import { createTokenObjects, type TokenObjects } from './token-objects.ts';
import { createWrappedKeys, findWrapMechanism } from './wrapped-keys.ts';

/** A token may make one or two keys a second. */
const KEYS_PER_REQUEST = 16;

export type Pkcs11Settings = NonNullable<Config['hsm']['pkcs11']>;

/**
 * Loads the library of a token and opens it: see `openTokenHsm`.
 *
 * @throws ServiceError `signerNotStarted` if the package, the library or the token does not match the configuration; `tokenPinRefused`.
 */
export async function openPkcs11(settings: Pkcs11Settings): Promise<Hsm> {
  return openTokenHsm(await loadCryptoki(settings.library), settings);
}

/**
 * Opens a PKCS#11 token. Keys are wrapped in the wallet's row if the token can wrap Ed25519 keys and `wrap` allows it; otherwise they are
 * objects in the token. Keys made in one of these ways still work after a change to the other.
 *
 * @throws ServiceError `signerNotStarted` if the token does not match the configuration; `tokenPinRefused`.
 */
export async function openTokenHsm(cryptoki: Cryptoki, settings: Pkcs11Settings): Promise<Hsm> {
  const { token: label, slot, sessions } = settings;
  const token = await openToken(cryptoki, { label, slot, sessions, readPin: () => readPin(settings) });
  const mechanism = settings.wrap
    ? await token.use((session) => findWrapMechanism(cryptoki, session))
    : undefined;
  const lock = createObjectLock();
  const parts: Parts = {
    token,
    objects: createTokenObjects(cryptoki, lock),
    wrapped: createWrappedKeys(cryptoki, lock, mechanism ?? 0),
    isWrapping: mechanism !== undefined,
  };
  return createHsm(parts, sessions);
}

type Parts = {
  readonly token: Token;
  readonly objects: TokenObjects;
  readonly wrapped: KeyKeeping;
  readonly isWrapping: boolean;
};

function createHsm(parts: Parts, concurrency: number): Hsm {
  const { token, objects, wrapped, isWrapping } = parts;
  const keeping = isWrapping ? wrapped : objects;
  const destroyKey = (owner: KeyOwner): Promise<void> =>
    token.use((session) => objects.destroy(session, owner));
  return {
    traits: {
      kind: 'pkcs11',
      protection: protectionText(token.info(), isWrapping),
      keysIn: isWrapping ? 'row' : 'token',
      concurrency,
      keysPerRequest: KEYS_PER_REQUEST,
    },
    createKey: (owner, { isRepeat }) => {
      let mayHaveLeftover = isRepeat;
      return token.use(async (session, loginEpoch) => {
        if (mayHaveLeftover && !isWrapping) await objects.destroy(session, owner);
        mayHaveLeftover = true;
        return keeping.create(session, loginEpoch, owner);
      });
    },
    sign: async (key, message) => {
      const way = keepingOf(key, parts);
      return token.use((session, loginEpoch) => way.sign(session, loginEpoch, key, message));
    },
    destroyKey,
    health: () => token.use(async () => undefined),
    close: token.close,
  };
}

function keepingOf({ sealed: [format] }: SealedKey, { objects, wrapped }: Parts): KeyKeeping {
  if (format === SEALED_FORMAT.tokenObject) return objects;
  if (format === SEALED_FORMAT.wrapped) return wrapped;
  throw keyFailure('the sealed key is of a format that hsm.kind pkcs11 does not write');
}

function protectionText({ manufacturerID, model }: TokenInfo, isWrapping: boolean): string {
  const name = [manufacturerID.trim(), model.trim()].filter((text) => text !== '').join(' ');
  return isWrapping
    ? `PKCS#11 token (${name}): wrapped by a key that does not leave the token, and unwrapped inside it for each use`
    : `PKCS#11 token (${name}): made in the token, kept there, marked as sensitive and not extractable`;
}
