import { isSignature, keyFailure } from '../hsm.ts';
import { CK, type Cryptoki, type Handle, type Template } from './cryptoki.ts';

export type GeneratedKey = { readonly privateKey: Handle; readonly publicKey: Buffer };

/** Names and lifetime of a new key: in the token until it is destroyed, or as long as a session. */
export type NewKeyOptions = {
  readonly id: Buffer;
  readonly label: string;
  readonly isTokenObject: boolean;
  /** True if a key of the token may wrap it. It can never be read in the clear. */
  readonly isWrappable: boolean;
};

const { attribute, keyType, mechanism } = CK;
const FIRST_MESSAGE = Buffer.from('keyslot: the first message of a key');

/**
 * Makes an Ed25519 key in the token and verifies it: sensitive, not extractable unless it is to be wrapped, and able to sign for its public
 * half, since funds sent to a wrong address would be lost. The public half is read and not kept there.
 *
 * @throws ServiceError `keyBackendFailed` for a key that fails this. It then stays in the token, or until the session ends.
 */
export async function generateKey(
  cryptoki: Cryptoki,
  session: Handle,
  options: NewKeyOptions,
): Promise<GeneratedKey> {
  const made = await cryptoki.C_GenerateKeyPairAsync(
    session,
    { mechanism: mechanism.edwardsKeyPairGen },
    publicTemplate(options),
    privateTemplate(options),
  );
  const publicKey = readPublicKey(cryptoki, session, made.publicKey);
  cryptoki.C_DestroyObject(session, made.publicKey);
  assertProtected(cryptoki, session, made.privateKey, options.isWrappable);
  const key = { mechanism: mechanism.eddsa, key: made.privateKey };
  const signature = await signWith(cryptoki, session, key, FIRST_MESSAGE);
  if (!isSignature(publicKey, FIRST_MESSAGE, signature))
    throw keyFailure('the token made a key that does not sign for its public key');
  return { privateKey: made.privateKey, publicKey };
}

function publicTemplate({ id }: NewKeyOptions): Template {
  return [
    { type: attribute.token, value: false },
    { type: attribute.keyType, value: keyType.edwards },
    { type: attribute.ecParams, value: CK.ed25519 },
    { type: attribute.verify, value: true },
    { type: attribute.id, value: id },
  ];
}

function privateTemplate({ id, label, isTokenObject, isWrappable }: NewKeyOptions): Template {
  return [
    { type: attribute.token, value: isTokenObject },
    { type: attribute.keyType, value: keyType.edwards },
    { type: attribute.private, value: true },
    { type: attribute.sensitive, value: true },
    { type: attribute.extractable, value: isWrappable },
    { type: attribute.sign, value: true },
    { type: attribute.id, value: id },
    { type: attribute.label, value: label },
  ];
}

/** CKA_EC_POINT is the point as an OCTET STRING (04 20, then 32 bytes) or raw: tokens differ. */
function readPublicKey(cryptoki: Cryptoki, session: Handle, object: Handle): Buffer {
  const [point] = cryptoki.C_GetAttributeValue(session, object, [{ type: attribute.ecPoint }]);
  const value = point?.value;
  if (Buffer.isBuffer(value)) {
    if (value.length === 32) return Buffer.from(value);
    if (value.length === 34 && value[0] === 0x04 && value[1] === 0x20) return Buffer.from(value.subarray(2));
  }
  throw keyFailure('the token made a public key that is not an Ed25519 key');
}

function assertProtected(cryptoki: Cryptoki, session: Handle, key: Handle, isWrappable: boolean): void {
  const flag = (type: number): boolean | undefined => readFlag(cryptoki, session, key, type);
  if (flag(attribute.sensitive) !== true) throw keyFailure('the token made a key that is not sensitive');
  if (flag(attribute.alwaysSensitive) === false)
    throw keyFailure('the token made a key that was not always sensitive');
  if (isWrappable) return;
  if (flag(attribute.extractable) !== false) throw keyFailure('the token made a key that is extractable');
  if (flag(attribute.neverExtractable) === false)
    throw keyFailure('the token made a key that was extractable once');
}

const FOUND_AT_ONCE = 16;
const SIGNATURE_BYTES = 64;

/** Returns the objects with all the attributes, up to 16. A token may read all its objects for this. */
export function findObjects(cryptoki: Cryptoki, session: Handle, template: Template): readonly Handle[] {
  cryptoki.C_FindObjectsInit(session, template);
  const found = cryptoki.C_FindObjects(session, FOUND_AT_ONCE);
  cryptoki.C_FindObjectsFinal(session);
  return found;
}

/** Signs with a key in the token: 64 bytes with Ed25519, 32 with HMAC-SHA-256. */
export async function signWith(
  cryptoki: Cryptoki,
  session: Handle,
  { mechanism, key }: { readonly mechanism: number; readonly key: Handle },
  message: Uint8Array,
): Promise<Buffer> {
  cryptoki.C_SignInit(session, { mechanism }, key);
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
  const signature = await cryptoki.C_SignAsync(session, bytes, Buffer.alloc(SIGNATURE_BYTES));
  return Buffer.from(signature);
}

/** Returns whether an attribute of an object is true; undefined if the token does not reveal it. */
export function readFlag(
  cryptoki: Cryptoki,
  session: Handle,
  object: Handle,
  type: number,
): boolean | undefined {
  try {
    const [attribute] = cryptoki.C_GetAttributeValue(session, object, [{ type }]);
    const { value } = attribute ?? {};
    return Buffer.isBuffer(value) ? value[0] === 1 : undefined;
  } catch {
    return undefined;
  }
}
