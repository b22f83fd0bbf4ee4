import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { base58 } from '@scure/base';

const SOL = 1_000_000_000n;
const FAUCET_LAMPORTS = 500_000_000n * SOL;

/** The initial parameters of the ledger. Amounts are lamports, times Unix seconds. */
export type Genesis = {
  readonly hash: Uint8Array;
  readonly time: bigint;
  readonly identity: Keypair;
  readonly faucet: Keypair;
  readonly voteAddress: string;
  readonly stakeAddress: string;
  readonly faucetLamports: bigint;
  readonly identityLamports: bigint;
  readonly stakeLamports: bigint;
};

/** Creates the genesis of a new ledger: the keys are the same on every localnet, the hash differs with the time. */
export function createGenesis(nowMs: number, faucetLamports = FAUCET_LAMPORTS): Genesis {
  const identity = namedKeypair('identity');
  const time = BigInt(Math.trunc(nowMs / 1000));
  const hash = createHash('sha256')
    .update(`keyslot localnet genesis ${nowMs}`)
    .update(base58.decode(identity.address))
    .digest();
  return {
    hash,
    time,
    identity,
    faucet: namedKeypair('faucet'),
    voteAddress: namedKeypair('vote account').address,
    stakeAddress: namedKeypair('stake account').address,
    faucetLamports,
    identityLamports: 500n * SOL,
    stakeLamports: 1_000_000n * SOL,
  };
}

/** DER head of an Ed25519 private key (RFC 8410 section 7); the 32 bytes of the seed follow. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

/** A signing key of the ledger's own. */
export type Keypair = {
  readonly address: string;
  /** Seed and public key. */
  readonly secretKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
};

/** Returns the key for a name, the same on every localnet. Anyone can compute it: its accounts are worth nothing outside a local ledger. */
export function namedKeypair(name: string): Keypair {
  const seed = createHash('sha256').update(`keyslot localnet ${name}`).digest();
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const publicKey = spki.subarray(spki.length - KEY_BYTES);
  return {
    address: base58.encode(publicKey),
    secretKey: Buffer.concat([seed, publicKey]),
    sign: (message) => sign(null, message, privateKey),
  };
}
