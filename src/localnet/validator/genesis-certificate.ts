import { createHash } from 'node:crypto';
import type { AlpenglowGenesisCertificate } from '../../../generated/ledger/types.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Genesis } from '../genesis/genesis.ts';

/** Seed of the validator's BLS key, the same on every localnet like all of its keys. */
const BLS_SEED = createHash('sha512').update('keyslot localnet bls').digest().subarray(0, 48);
/** Its public key, compressed, in G1: a constant, since computing it takes a tenth of a second. */
export const BLS_PUBLIC_KEY = Buffer.from(
  'acf5ef10ea9394e5bfbd6cd358c0452ac724cbacd86dfd6acf86c1fb5d5154bb0a9f51e9c9c9f06900c76e3973088877',
  'hex',
);

/** Signatures lie in G2 and keys have a proof of possession (draft-irtf-cfrg-bls-signature-05, section 4.2.3). */
const DOMAIN = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';
/** Tag of the payload of a vote for the last block before Alpenglow (agave, votor-messages, `VotePayloadToSign`). */
const GENESIS_VOTE_TAG = 6;
const HASH_BYTES = 32;
/** The signing validators: base-2 encoding, one validator, which signed (crate solana-signer-store). */
const SIGNED_BY_THE_ONLY_ONE = [0, 1, 0, 1];

/**
 * Returns the bytes that a validator signs for the genesis block: the tag, its slot, its id, which is the genesis hash here, and the shred
 * version.
 */
function genesisVotePayload({ hash }: Pick<Genesis, 'hash'>): Uint8Array {
  const writer = new ByteWriter(1 + 8 + HASH_BYTES + 2);
  return writer.u8(GENESIS_VOTE_TAG).u64(0n).put(hash).u16(shredVersion(hash)).bytes;
}

/** Cached certificates: signing one takes a tenth of a second. */
const made = new WeakMap<Pick<Genesis, 'hash'>, Promise<AlpenglowGenesisCertificate>>();

/** Returns the certificate of a ledger that has run Alpenglow since its genesis block. Its signature is real and can be verified. */
export function genesisCertificate(genesis: Pick<Genesis, 'hash'>): Promise<AlpenglowGenesisCertificate> {
  const certificate = made.get(genesis) ?? certify(genesis);
  made.set(genesis, certificate);
  return certificate;
}

async function certify(genesis: Pick<Genesis, 'hash'>): Promise<AlpenglowGenesisCertificate> {
  // Loaded on first use: it is large.
  const { bls12_381: curve } = await import('@noble/curves/bls12-381.js');
  const message = curve.longSignatures.hash(genesisVotePayload(genesis), DOMAIN);
  const signed = curve.longSignatures.sign(message, curve.utils.randomSecretKey(BLS_SEED));
  return {
    block: { slot: 0n, blockId: [...genesis.hash] },
    signature: { signature: [...signed.toBytes(false)], bitmap: SIGNED_BY_THE_ONLY_ONE },
  };
}

/** Returns the 16-bit shred version of a cluster, folded from its genesis hash (crate solana-shred-version). */
export function shredVersion(genesisHash: Uint8Array): number {
  const folded = genesisHash.reduce((sum, byte, index) => sum ^ (index % 2 === 0 ? byte << 8 : byte), 0);
  return Math.min(folded + 1, 0xffff);
}
