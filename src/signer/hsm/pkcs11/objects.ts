import type { Cryptoki, Handle, Template } from './cryptoki.ts';

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
