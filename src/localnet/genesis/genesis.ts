import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { type Keypair, namedKeypair } from './keypair.ts';

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
