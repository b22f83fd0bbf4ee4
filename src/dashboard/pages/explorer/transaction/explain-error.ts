import type { InstructionError, TransactionError } from '../../../../../generated/ledger/types.ts';

/** Explanations for errors whose name alone is not clear. */
const REASONS: Readonly<Record<string, string>> = {
  AccountNotFound: 'the account that pays the fee does not exist: it has no lamports',
  AlreadyProcessed: 'the transaction was already processed',
  BlockhashNotFound: 'its blockhash has expired or belongs to another network',
  InsufficientFundsForFee: 'the balance does not cover the fee',
  InsufficientFunds: 'the balance does not cover it',
  SignatureFailure: 'a signature is invalid',
  ProgramAccountNotFound: 'the program does not exist on this network',
  MissingRequiredSignature: 'the signature of a required account is missing',
  ComputationalBudgetExceeded: 'it needed more compute units than it was given',
};

/** Puts the error of a transaction into words: which instruction failed, and why. */
export function explainTransactionError(error: TransactionError): string {
  if (typeof error === 'string') return wordsOf(error);
  if ('InstructionError' in error) {
    const [index, reason] = error.InstructionError;
    return `instruction ${index + 1} failed: ${explainInstructionError(reason)}`;
  }
  if ('DuplicateInstruction' in error) return `instruction ${error.DuplicateInstruction + 1} repeats another`;
  if ('InsufficientFundsForRent' in error)
    return `account ${error.InsufficientFundsForRent.account_index + 1} would have too few lamports for its rent`;
  const { account_index } = error.ProgramExecutionTemporarilyRestricted;
  return `the program at account ${account_index + 1} may not run at the moment`;
}

function explainInstructionError(error: InstructionError): string {
  if (typeof error === 'string') return wordsOf(error);
  return error.Custom === 1
    ? 'error 1 of the program itself (for the system and token programs: insufficient funds)'
    : `error ${error.Custom} of the program itself`;
}

/** The reason, or the words of the name: `CallDepth` is "call depth". */
function wordsOf(name: string): string {
  return REASONS[name] ?? name.replace(/(?<=.)([A-Z])/g, ' $1').toLowerCase();
}
