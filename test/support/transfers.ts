import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { base58 } from '@scure/base';

/** A key that pays for its transfers. */
export type Payer = {
  readonly publicKey: Uint8Array;
  readonly address: string;
  readonly privateKey: KeyObject;
};

const KEY_BYTES = 32;

export function newPayer(): Payer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
  return { publicKey: bytes, address: base58.encode(bytes), privateKey };
}

/** A signed transfer of lamports to an address, in base-64; made by hand, so that a load costs little. */
export function signedTransfer(from: Payer, to: Uint8Array, lamports: bigint, blockhash: Uint8Array): string {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(lamports, 4);
  const message = Buffer.concat([
    Uint8Array.of(1, 0, 1, 3),
    from.publicKey,
    to,
    new Uint8Array(KEY_BYTES),
    blockhash,
    Uint8Array.of(1, 2, 2, 0, 1, data.length),
    data,
  ]);
  return Buffer.concat([Uint8Array.of(1), sign(null, message, from.privateKey), message]).toString('base64');
}
