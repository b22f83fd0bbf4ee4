import { timingSafeEqual } from 'node:crypto';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../../../generated/config.ts';
import { type Hsm, type KeyOwner, type SealedKey, keyFailure, SEALED_FORMAT } from '../hsm.ts';
import { type Cryptoki, type TokenInfo, CK, type Handle, type Template } from './cryptoki.ts';
import {
  type KeyKeeping,
  createWrappedKeys,
  findWrapMechanism,
  keyIdOf,
  createObjectLock,
  type ObjectLock,
} from './wrapped-keys.ts';
import { openToken, type Token } from './token.ts';
import { serviceError } from '../../../core/service-error.ts';
import { readSecretFile } from '../../files/write-durably.ts';
import { generateKey, findObjects, signWith } from './generate-key.ts';

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
  throw keyFailure('the sealed key has a format that hsm.kind pkcs11 does not write');
}

function protectionText({ manufacturerID, model }: TokenInfo, isWrapping: boolean): string {
  const name = [manufacturerID.trim(), model.trim()].filter((text) => text !== '').join(' ');
  return isWrapping
    ? `PKCS#11 token (${name}): wrapped by a key that does not leave the token, and unwrapped inside it for each use`
    : `PKCS#11 token (${name}): made in the token, kept there, marked as sensitive and not extractable`;
}

const MAX_PIN_BYTES = 256;

/**
 * Returns the PIN of the configuration, or of its file without a trailing line end. It is read again at each login.
 *
 * @throws ServiceError `signerNotStarted` without a PIN.
 */
async function readPin({ pin, pin_file: path }: NonNullable<Config['hsm']['pkcs11']>): Promise<string> {
  if (pin !== undefined) return pin;
  if (path === undefined) throw refuse('hsm.pkcs11 needs pin_file or pin');
  const bytes = await readSecretFile(path, MAX_PIN_BYTES).catch((error: unknown) => {
    throw refuse(`hsm.pkcs11.pin_file ${path}: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (bytes === undefined) throw refuse(`hsm.pkcs11.pin_file ${path}: the file does not exist`);
  const text = bytes.toString('utf8').replace(/\r?\n$/, '');
  bytes.fill(0);
  if (text === '' || bytes.length > MAX_PIN_BYTES)
    throw refuse(`hsm.pkcs11.pin_file ${path} contains no PIN`);
  return text;
}

const refuse = (reason: string): Error => serviceError('signerNotStarted', { reason });

/** An optional package: the name is a value, so that nothing here needs it to be installed. */
const PACKAGE: string = 'pkcs11js';

/** Checks that the library of a token can be read, if it is named by a path, and its PIN; loads neither. @throws ServiceError `signerNotStarted`. */
export async function checkPkcs11Files(settings: Pkcs11Settings): Promise<void> {
  const { library } = settings;
  if (library.includes('/'))
    await access(library, constants.R_OK).catch((error: unknown) => {
      throw libraryFault(library, error);
    });
  await readPin(settings);
}

/**
 * Loads the PKCS#11 package, and the token's library into it.
 *
 * @throws ServiceError `signerNotStarted` that says which of them does not load, and what to do.
 */
export async function loadCryptoki(library: string): Promise<Cryptoki> {
  const cryptoki = await createCryptoki();
  try {
    cryptoki.load(library);
  } catch (error) {
    throw libraryFault(library, error);
  }
  return cryptoki;
}

const libraryFault = (library: string, error: unknown): Error =>
  refuse(
    `the PKCS#11 library ${library} (hsm.pkcs11.library, KEYSLOT_PKCS11_LIBRARY) does not load: ${messageOf(error)}`,
  );

async function createCryptoki(): Promise<Cryptoki> {
  try {
    const { default: pkcs11js } = (await import(PACKAGE)) as { default: { PKCS11: new () => Cryptoki } };
    return new pkcs11js.PKCS11();
  } catch (error) {
    throw serviceError('signerNotStarted', {
      reason: `hsm.kind pkcs11 needs the optional package ${PACKAGE}, which does not load (${messageOf(error)}); it is built at install by a C++ compiler: npm rebuild ${PACKAGE}`,
    });
  }
}

/** Puts the message on one line. */
const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

/** About 200 bytes each. */
const MAX_HANDLES = 100_000;

const NO_KEY = 'the token has no such key';

type TokenObjects = KeyKeeping & {
  /** Destroys every object of the owner, if there are any. */
  readonly destroy: (session: Handle, owner: KeyOwner) => Promise<void>;
};

/**
 * Keeps keys in the token. The row stores a reference: the format, and the CKA_ID of this wallet and account. Handles are cached, since a
 * token may read all its objects to find one.
 */
function createTokenObjects(cryptoki: Cryptoki, lock: ObjectLock): TokenObjects {
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
    if (others.length > 0) throw keyFailure('the token has several keys with the same name');
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
        throw keyFailure('the reference to the key was changed, or belongs to another wallet or account');
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
