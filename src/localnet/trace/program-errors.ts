// A table of texts; longer than other files.
import * as programs from '../addresses/program-ids.ts';

/** Words for the errors of programs that the ledger knows, by the number after `custom program error`. */
const SYSTEM = [
  'the account already exists',
  'the account holds fewer lamports than are to be taken',
  'the account cannot be assigned to this program',
  'the account cannot have data of this length',
  'the seed is too long',
  'the address is not the one that follows from base, seed and program',
  'the nonce cannot be advanced without a recent blockhash',
  'the nonce was advanced in this slot already',
  'the nonce does not match the stored one',
];
const TOKEN = [
  'too few lamports for the rent exemption',
  'the account holds fewer tokens than the amount',
  'the mint is invalid',
  'the account belongs to another mint',
  'the owner or authority does not match',
  'the mint has no mint authority: its supply is fixed',
  'the account is in use already',
  'too few or too many signers were given',
  'too few or too many signers are required',
  'the account is not initialized',
  'not for native tokens',
  'an account with tokens of this kind can be closed only when it holds none',
  'the instruction is invalid',
  'the account is in a state that does not allow it',
  'the number is too large',
  'the account has no authority of this kind',
  'the mint has no freeze authority',
  'the account is frozen',
  'the decimals are not those of the mint',
  'only for native tokens',
];
const STAKE = [
  'there are no credits to redeem',
  'the lockup has not expired',
  'the stake is deactivated already',
  'it is too soon to delegate again',
  'the split amount exceeds the stake',
  'stake that is activating or deactivating cannot be merged',
  'the stake accounts do not match',
  'the custodian of the lockup is missing',
  'the custodian of the lockup has not signed',
  'the reference vote account has too few votes',
  'the vote account does not match',
  'the validator has not been delinquent for long enough',
  'less than the minimum delegation',
];

const ERRORS: ReadonlyMap<string, readonly string[]> = new Map([
  [programs.SYSTEM_PROGRAM, SYSTEM],
  [programs.TOKEN_PROGRAM, TOKEN],
  [programs.TOKEN_2022_PROGRAM, TOKEN],
  [programs.STAKE_PROGRAM, STAKE],
  [programs.CONFIG_PROGRAM, ['the account to write is read-only in this transaction']],
  [programs.ASSOCIATED_TOKEN_PROGRAM, ['the account belongs to another owner']],
]);

/** Returns the words for the custom error of a program; undefined if they are not known. */
export function programErrorWords(programId: string, code: number): string | undefined {
  return ERRORS.get(programId)?.[code];
}
