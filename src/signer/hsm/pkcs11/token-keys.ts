import { CK, type Cryptoki, type Handle, type Template } from './cryptoki.ts';
import { findObjects } from './objects.ts';

const { attribute, keyType, mechanism } = CK;
const PROTECTED: Template = [
  { type: attribute.private, value: true },
  { type: attribute.sensitive, value: true },
  { type: attribute.extractable, value: false },
  { type: attribute.valueLength, value: 32 },
];

/** An AES-256 key of the token that wraps and unwraps. With a label it is kept, and found again; without it is the session's. */
export function wrappingKey(cryptoki: Cryptoki, session: Handle, label: string | undefined): Promise<Handle> {
  return secretKey(cryptoki, session, label, mechanism.aesKeyGen, [
    { type: attribute.keyType, value: keyType.aes },
    { type: attribute.wrap, value: true },
    { type: attribute.unwrap, value: true },
  ]);
}

/** A 32-byte HMAC key of the token, kept under a label. */
export function bindingKey(cryptoki: Cryptoki, session: Handle, label: string | undefined): Promise<Handle> {
  return secretKey(cryptoki, session, label, mechanism.genericSecretKeyGen, [
    { type: attribute.keyType, value: keyType.genericSecret },
    { type: attribute.sign, value: true },
  ]);
}

async function secretKey(
  cryptoki: Cryptoki,
  session: Handle,
  label: string | undefined,
  generate: number,
  uses: Template,
): Promise<Handle> {
  const isKept = label !== undefined;
  const name: Template = isKept ? [{ type: attribute.label, value: label }] : [];
  const kind: Template = [
    { type: attribute.class, value: CK.class.secretKey },
    { type: attribute.token, value: isKept },
  ];
  const [found] = isKept ? findObjects(cryptoki, session, [...kind, ...name]) : [];
  return (
    found ??
    cryptoki.C_GenerateKeyAsync(session, { mechanism: generate }, [...kind, ...name, ...PROTECTED, ...uses])
  );
}
