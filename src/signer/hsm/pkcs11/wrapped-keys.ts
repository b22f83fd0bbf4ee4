import { timingSafeEqual, hash } from 'node:crypto';
import { type KeyOwner, type MadeKey, type SealedKey, keyFailure, SEALED_FORMAT } from '../hsm.ts';
import { CK, type Cryptoki, type Handle, type Template } from './cryptoki.ts';
import { generateKey, signWith, findObjects } from './generate-key.ts';

/** A secret key of the token: its mechanism and its uses. */
type TokenKeyKind = { readonly label: string; readonly generate: number; readonly uses: Template };

const { attribute, keyType, mechanism } = CK;

/** An AES-256 key that wraps and unwraps. */
const WRAPPING_KEY: TokenKeyKind = {
  label: 'keyslot wrapping key',
  generate: mechanism.aesKeyGen,
  uses: [
    { type: attribute.keyType, value: keyType.aes },
    { type: attribute.wrap, value: true },
    { type: attribute.unwrap, value: true },
  ],
};

/** A 32-byte HMAC key. */
const BINDING_KEY: TokenKeyKind = {
  label: 'keyslot binding key',
  generate: mechanism.genericSecretKeyGen,
  uses: [
    { type: attribute.keyType, value: keyType.genericSecret },
    { type: attribute.sign, value: true },
  ],
};

/** Finds the token's key of a kind, if it has one. @throws ServiceError if it has several. */
function findTokenKey(cryptoki: Cryptoki, session: Handle, { label }: TokenKeyKind): Handle | undefined {
  const [found, ...others] = findObjects(cryptoki, session, [
    ...kindOf(true),
    { type: attribute.label, value: label },
  ]);
  if (others.length > 0) throw keyFailure(`the token has several keys labelled ${JSON.stringify(label)}`);
  return found;
}

/** Creates a key that stays in the token, or ends with the session. It can be neither read nor wrapped. */
function makeTokenKey(
  cryptoki: Cryptoki,
  session: Handle,
  { label, generate, uses }: TokenKeyKind,
  isKept: boolean,
): Promise<Handle> {
  const template: Template = [
    ...kindOf(isKept),
    { type: attribute.label, value: label },
    { type: attribute.private, value: true },
    { type: attribute.sensitive, value: true },
    { type: attribute.extractable, value: false },
    { type: attribute.valueLength, value: 32 },
    ...uses,
  ];
  return cryptoki.C_GenerateKeyAsync(session, { mechanism: generate }, template);
}

function kindOf(isKept: boolean): Template {
  return [
    { type: attribute.class, value: CK.class.secretKey },
    { type: attribute.token, value: isKept },
  ];
}

/** AES key wrap with padding (RFC 5649), by its number in PKCS#11 3.0, then by the older one. */
const WRAP_MECHANISMS = [CK.mechanism.aesKeyWrapKwp, CK.mechanism.aesKeyWrapPad];
const MAX_WRAPPED_BYTES = 512;
const MAC_BYTES = 32;
const WRAPPED_AT = 5;

type TokenKeys = { readonly wrap: Handle; readonly bind: Handle };

/**
 * Keeps keys in the wallet's row, wrapped by a key that never leaves the token, and unwraps them inside the token for each use. A second
 * key of the token authenticates the wrapped bytes together with wallet and account, which wrapping alone does not bind.
 *
 * Record: format, mechanism (4), wrapped key, HMAC-SHA-256 (32).
 */
export function createWrappedKeys(cryptoki: Cryptoki, lock: ObjectLock, mechanism: number): KeyKeeping {
  let keys: Promise<TokenKeys> | undefined;
  let keysEpoch: object | undefined;
  /** They are created with the first key, never because a row claims to be wrapped by them. */
  const tokenKeys = (session: Handle, loginEpoch: object, mayMake: boolean): Promise<TokenKeys> => {
    if (loginEpoch !== keysEpoch) keys = undefined;
    keysEpoch = loginEpoch;
    keys ??= openKeys(session, mayMake).catch((error: unknown) => {
      keys = undefined;
      throw error;
    });
    return keys;
  };
  const openKey = async (session: Handle, kind: TokenKeyKind, mayMake: boolean): Promise<Handle> => {
    const found = await lock.withSearch(() => findTokenKey(cryptoki, session, kind));
    if (found !== undefined) return found;
    if (!mayMake) throw keyFailure(`the token has no key labelled ${JSON.stringify(kind.label)}`);
    return lock.withAdd(() => makeTokenKey(cryptoki, session, kind, true));
  };
  const openKeys = async (session: Handle, mayMake: boolean): Promise<TokenKeys> => ({
    wrap: await openKey(session, WRAPPING_KEY, mayMake),
    bind: await openKey(session, BINDING_KEY, mayMake),
  });
  const mac = (session: Handle, bind: Handle, owner: KeyOwner, head: Uint8Array): Promise<Buffer> =>
    signWith(
      cryptoki,
      session,
      { mechanism: CK.mechanism.sha256Hmac, key: bind },
      Buffer.concat([keyIdOf(owner), head]),
    );
  return {
    create: async (session, loginEpoch, owner) => {
      const { wrap, bind } = await tokenKeys(session, loginEpoch, true);
      const options = { id: keyIdOf(owner), label: 'keyslot', isTokenObject: false, isWrappable: true };
      const { privateKey, publicKey } = await generateKey(cryptoki, session, options);
      try {
        const wrapped = await cryptoki.C_WrapKeyAsync(
          session,
          { mechanism },
          wrap,
          privateKey,
          Buffer.alloc(MAX_WRAPPED_BYTES),
        );
        const head = Buffer.alloc(WRAPPED_AT);
        head[0] = SEALED_FORMAT.wrapped;
        head.writeUInt32BE(mechanism, 1);
        const record = Buffer.concat([head, wrapped]);
        return { publicKey, sealed: Buffer.concat([record, await mac(session, bind, owner, record)]) };
      } finally {
        cryptoki.C_DestroyObject(session, privateKey);
      }
    },
    sign: async (session, loginEpoch, { sealed, ...owner }, message) => {
      const { wrap, bind } = await tokenKeys(session, loginEpoch, false);
      const record = sealed.subarray(0, -MAC_BYTES);
      const expected = await mac(session, bind, owner, record);
      const isOurs =
        sealed.length > WRAPPED_AT + MAC_BYTES && timingSafeEqual(sealed.subarray(-MAC_BYTES), expected);
      if (!isOurs) throw keyFailure('the wrapped key was changed, or belongs to another wallet or account');
      const bytes = Buffer.from(record);
      const by = { mechanism: bytes.readUInt32BE(1) };
      const key = await cryptoki.C_UnwrapKeyAsync(session, by, wrap, bytes.subarray(WRAPPED_AT), UNWRAPPED);
      try {
        return await signWith(cryptoki, session, { mechanism: CK.mechanism.eddsa, key }, message);
      } finally {
        cryptoki.C_DestroyObject(session, key);
      }
    },
  };
}

/** Attributes of an unwrapped key: it ends with the session, and can never be extracted. */
const UNWRAPPED: Template = [
  { type: CK.attribute.class, value: CK.class.privateKey },
  { type: CK.attribute.keyType, value: CK.keyType.edwards },
  { type: CK.attribute.token, value: false },
  { type: CK.attribute.private, value: true },
  { type: CK.attribute.sensitive, value: true },
  { type: CK.attribute.extractable, value: false },
  { type: CK.attribute.sign, value: true },
];

/**
 * Returns the mechanism by which the token wraps Ed25519 keys, tried on a key of the session: wrapped, unwrapped, signed with. Undefined if
 * it cannot wrap them.
 */
export async function findWrapMechanism(cryptoki: Cryptoki, session: Handle): Promise<number | undefined> {
  const by = await makeTokenKey(cryptoki, session, WRAPPING_KEY, false);
  const options = {
    id: Buffer.from('keyslot probe'),
    label: 'keyslot probe',
    isTokenObject: false,
    isWrappable: true,
  };
  const { privateKey } = await generateKey(cryptoki, session, options);
  for (const mechanism of WRAP_MECHANISMS) {
    const isAble = await tryWrap(cryptoki, session, { by, key: privateKey, mechanism });
    if (isAble) return mechanism;
  }
  return undefined;
}

type Attempt = { readonly by: Handle; readonly key: Handle; readonly mechanism: number };

async function tryWrap(
  cryptoki: Cryptoki,
  session: Handle,
  { by, key, mechanism }: Attempt,
): Promise<boolean> {
  try {
    const wrapped = await cryptoki.C_WrapKeyAsync(
      session,
      { mechanism },
      by,
      key,
      Buffer.alloc(MAX_WRAPPED_BYTES),
    );
    const again = await cryptoki.C_UnwrapKeyAsync(session, { mechanism }, by, wrapped, UNWRAPPED);
    const message = Buffer.from('keyslot probe');
    const [first, second] = [
      await signWith(cryptoki, session, { mechanism: CK.mechanism.eddsa, key }, message),
      await signWith(cryptoki, session, { mechanism: CK.mechanism.eddsa, key: again }, message),
    ];
    return first.equals(second);
  } catch {
    return false;
  }
}

/** Returns the CKA_ID of a wallet's key: SHA-256 of wallet and account, so that no other owner finds it. */
export function keyIdOf({ walletId, accountId }: KeyOwner): Buffer {
  return hash('sha256', JSON.stringify(['keyslot key, version 1', walletId, accountId]), 'buffer');
}

/** One of the two ways to use a token: keys in it, or keys wrapped by it. Each call has its own session. */
export type KeyKeeping = {
  /** `loginEpoch` is a new object after each login, which invalidates everything cached before. */
  readonly create: (session: Handle, loginEpoch: object, owner: KeyOwner) => Promise<MadeKey>;
  readonly sign: (
    session: Handle,
    loginEpoch: object,
    key: SealedKey,
    message: Uint8Array,
  ) => Promise<Uint8Array>;
};

/** Keeps searches of a token's objects apart from additions. See `createObjectLock`. */
export type ObjectLock = {
  /** Adds objects to the token. Several may run at once, but none while a search runs or waits. */
  readonly withAdd: <T>(work: () => Promise<T>) => Promise<T>;
  /** Searches the objects of the token, or removes some, once all additions under way are complete. */
  readonly withSearch: <T>(work: () => T) => Promise<T>;
};

/**
 * Prevents searches of a token's objects while a thread adds one. PKCS#11 allows it; but SoftHSM reads a half-written object from its file
 * over the memory of the thread that makes it, and the key comes out with parts missing. Waiting searches go before waiting additions, so
 * that a batch of keys does not delay a signature until its end.
 */
export function createObjectLock(): ObjectLock {
  let adding = 0;
  let searches: (() => void)[] = [];
  let additions: (() => void)[] = [];

  const endAdd = (): void => {
    adding -= 1;
    if (adding > 0) return;
    const [searched, added] = [searches, additions];
    searches = [];
    additions = [];
    for (const next of [...searched, ...added]) next();
  };
  return {
    withAdd: async (work) => {
      while (searches.length > 0) await new Promise<void>((resume) => additions.push(resume));
      adding += 1;
      try {
        return await work();
      } finally {
        endAdd();
      }
    },
    withSearch: async (work) => {
      if (adding === 0) return work();
      return new Promise((resolve, reject) => {
        searches.push(() => {
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        });
      });
    },
  };
}
