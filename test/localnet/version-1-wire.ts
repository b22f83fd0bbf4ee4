import { type Keypair, PublicKey } from '@solana/web3.js';
import { base58 } from '@scure/base';
import { sign } from 'node:crypto';
import { createPrivateKey } from 'node:crypto';

/** A version 1 transaction byte by byte, for what no client would build. */
export type RawVersion1 = {
  readonly header: readonly [signers: number, readonlySigners: number, readonlyOthers: number];
  readonly mask?: number;
  readonly config?: Uint8Array;
  readonly lifetime: string;
  readonly keys: readonly PublicKey[];
  readonly instructions: readonly {
    readonly program: number;
    readonly accounts: readonly number[];
    readonly data: Uint8Array;
  }[];
};

/** Encodes and signs it (SIMD-0385). In base-64. */
export function encodeVersion1(raw: RawVersion1, signers: readonly Keypair[]): string {
  const message = encodeVersion1Message(raw);
  const signatures = signers.map((signer) => signBytes(signer, message));
  return Buffer.concat([message, ...signatures]).toString('base64');
}

/** The bytes that are signed. */
export function encodeVersion1Message({
  header,
  mask = 0,
  config = new Uint8Array(0),
  lifetime,
  keys,
  instructions,
}: RawVersion1): Buffer {
  const maskBytes = Buffer.alloc(4);
  maskBytes.writeUInt32LE(mask);
  return Buffer.concat([
    Buffer.of(0x81, ...header),
    maskBytes,
    base58.decode(lifetime),
    Buffer.of(instructions.length, keys.length),
    ...keys.map((key) => key.toBytes()),
    config,
    ...instructions.map(({ program, accounts, data }) =>
      Buffer.of(program, accounts.length, data.length & 0xff, data.length >> 8),
    ),
    ...instructions.flatMap(({ accounts, data }) => [Buffer.from(accounts), data]),
  ]);
}

/** An address that is another one for each number. */
export function keyOf(number: number): PublicKey {
  return new PublicKey(Buffer.alloc(32, 1).fill(number, 0, 4));
}

function signBytes(signer: Keypair, message: Uint8Array): Uint8Array {
  const head = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({
    key: Buffer.concat([head, signer.secretKey.subarray(0, 32)]),
    format: 'der',
    type: 'pkcs8',
  });
  return sign(null, message, key);
}
