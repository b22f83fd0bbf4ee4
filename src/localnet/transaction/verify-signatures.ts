import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import type { DecodedTransaction } from '../../core/wire/message.ts';

/** DER head of an Ed25519 public key (RFC 8410 section 4); the 32 bytes of the key follow. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

const NO_SIGNATURE = base58.encode(new Uint8Array(64));

/** True when a signature is all zeros: the transaction is not fully signed. */
export function missesSignature({ signatures }: DecodedTransaction): boolean {
  return signatures.includes(NO_SIGNATURE);
}

/** True when every required signature is the signer's own Ed25519 signature of the message bytes, or that of an impersonated key. */
export function signaturesAreValid(
  transaction: DecodedTransaction,
  impersonated: ReadonlySet<string>,
): boolean {
  if (VERIFIED.has(transaction)) return true;
  const { signatures, message, messageBytes } = transaction;
  let isVerified = true;
  const areValid = signatures.every((signature, index) => {
    const signer = message.staticKeys[index];
    if (signer === undefined) return false;
    if (!impersonated.has(signer))
      return verify(null, messageBytes, publicKey(signer), base58.decode(signature));
    isVerified = false;
    return true;
  });
  if (areValid && isVerified) VERIFIED.add(transaction);
  return areValid;
}

/** Transactions never change, and one that had its preflight is verified again when it lands. */
const VERIFIED = new WeakSet<DecodedTransaction>();

/** Payers send more than once, and creating a key takes half as long as verifying with it. */
const KEYS = new Map<string, KeyObject>();
const MAX_KEYS = 1_024;

function publicKey(address: string): KeyObject {
  const known = KEYS.get(address);
  if (known !== undefined) return known;
  const der = Buffer.concat([SPKI_HEAD, base58.decode(address)]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const [oldest] = KEYS.keys();
  if (KEYS.size >= MAX_KEYS && oldest !== undefined) KEYS.delete(oldest);
  KEYS.set(address, key);
  return key;
}
