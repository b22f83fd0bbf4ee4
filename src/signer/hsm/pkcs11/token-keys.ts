import { keyFailure } from '../key-failure.ts';
import { CK, type Cryptoki, type Handle, type Template } from './cryptoki.ts';
import { findObjects } from './objects.ts';

/** A secret key of the token: its mechanism and its uses. */
export type TokenKeyKind = { readonly label: string; readonly generate: number; readonly uses: Template };

const { attribute, keyType, mechanism } = CK;

/** An AES-256 key that wraps and unwraps. */
export const WRAPPING_KEY: TokenKeyKind = {
  label: 'keyslot wrapping key',
  generate: mechanism.aesKeyGen,
  uses: [
    { type: attribute.keyType, value: keyType.aes },
    { type: attribute.wrap, value: true },
    { type: attribute.unwrap, value: true },
  ],
};

/** A 32-byte HMAC key. */
export const BINDING_KEY: TokenKeyKind = {
  label: 'keyslot binding key',
  generate: mechanism.genericSecretKeyGen,
  uses: [
    { type: attribute.keyType, value: keyType.genericSecret },
    { type: attribute.sign, value: true },
  ],
};

/** Finds the token's key of a kind; undefined if there is none. @throws ServiceError if there are several. */
export function findTokenKey(
  cryptoki: Cryptoki,
  session: Handle,
  { label }: TokenKeyKind,
): Handle | undefined {
  const [found, ...others] = findObjects(cryptoki, session, [
    ...kindOf(true),
    { type: attribute.label, value: label },
  ]);
  if (others.length > 0) throw keyFailure(`the token has several keys labelled ${JSON.stringify(label)}`);
  return found;
}

/** Makes a key that the token keeps, or that ends with the session. It can be neither read nor wrapped. */
export function makeTokenKey(
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
