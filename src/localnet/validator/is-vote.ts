import type { DecodedTransaction } from '../../core/wire/message.ts';
import { VOTE_PROGRAM } from '../addresses/program-ids.ts';

const MAX_VOTE_SIGNATURES = 2;

/** True when nodes would treat a transaction as a vote (agave, `is_simple_vote_transaction`). */
export function isVote({ message, signatures }: DecodedTransaction): boolean {
  const [instruction, ...others] = message.instructions;
  if (message.version !== 'legacy' || instruction === undefined || others.length > 0) return false;
  const program = message.staticKeys[instruction.programIdIndex];
  return program === VOTE_PROGRAM && signatures.length <= MAX_VOTE_SIGNATURES;
}
