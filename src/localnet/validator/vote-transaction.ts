import { base58 } from '@scure/base';
import { VOTE_PROGRAM } from '../addresses/program-ids.ts';
import { SYSVAR_CLOCK, SYSVAR_SLOT_HASHES } from '../addresses/sysvar-addresses.ts';
import type { BlockHistory } from '../blocks/block-history.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Genesis } from '../genesis/genesis.ts';
import type { DecodedTransaction } from '../../wire/message.ts';

const VOTE_TAG = 2;
const VOTE_BYTES = 61;
/** One signature, by the validator, which pays; three keys are read-only. */
const MESSAGE_HEAD = Uint8Array.of(1, 0, 3, 5);
const MAX_VOTE_SIGNATURES = 2;

/** Returns the signature (64 bytes) of the transaction with which the validator votes for a closed slot. It is in no block. */
export function signVote(blocks: BlockHistory, { identity, voteAddress }: Genesis, slot: bigint): Uint8Array {
  const blockhash = blocks.blockhashBytes(slot);
  const keys = [identity.address, voteAddress, SYSVAR_SLOT_HASHES, SYSVAR_CLOCK, VOTE_PROGRAM];
  const vote = new ByteWriter(VOTE_BYTES).u32(VOTE_TAG).u64(1n).u64(slot).put(blockhash);
  const data = vote.u8(1).i64(blocks.time(slot)).bytes;
  const message = Buffer.concat([
    MESSAGE_HEAD,
    ...keys.map((key) => base58.decode(key)),
    blockhash,
    Uint8Array.of(1, keys.indexOf(VOTE_PROGRAM), 4, 1, 2, 3, 0, data.length),
    data,
  ]);
  return identity.sign(message);
}

/** True when nodes would treat a transaction as a vote (agave, `is_simple_vote_transaction`). */
export function isVote({ message, signatures }: DecodedTransaction): boolean {
  const [instruction, ...others] = message.instructions;
  if (message.version !== 'legacy' || instruction === undefined || others.length > 0) return false;
  const program = message.staticKeys[instruction.programIdIndex];
  return program === VOTE_PROGRAM && signatures.length <= MAX_VOTE_SIGNATURES;
}
