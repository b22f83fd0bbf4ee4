import { createPublicKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import type { DecodedTransaction } from '../../wire/message.ts';

/** DER head of an Ed25519 public key (RFC 8410 section 4); the 32 bytes of the key follow. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

const NO_SIGNATURE = base58.encode(new Uint8Array(64));

/** True when all signatures are zeros: the transaction is unsigned. */
export function isUnsigned({ signatures }: DecodedTransaction): boolean {
  return signatures.length > 0 && signatures.every((signature) => signature === NO_SIGNATURE);
}

/** True when every required signature is the signer's own Ed25519 signature of the message bytes. */
export function signaturesAreValid({ signatures, message, messageBytes }: DecodedTransaction): boolean {
  return signatures.every((signature, index) => {
    const signer = message.staticKeys[index];
    return signer !== undefined && verify(null, messageBytes, publicKey(signer), base58.decode(signature));
  });
}

function publicKey(address: string): ReturnType<typeof createPublicKey> {
  const key = Buffer.concat([SPKI_HEAD, base58.decode(address)]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}
