import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { SurfnetProfile, SurfnetAccountState } from '../../../generated/localnet/types.ts';
import { serviceError } from '../../core/service-error.ts';
import type { DecodedTransaction, Message } from '../../core/wire/message.ts';
import { viewBank } from '../bank/bank-view.ts';
import { touchTransaction } from '../fork/touch-transaction.ts';
import type { Ledger } from '../ledger.ts';
import { writableKeys } from '../transaction/account-keys.ts';
import { firstInstructions, setsBudget } from '../transaction/first-instructions.ts';
import { assertValid, readTransaction } from '../transaction/read-transaction.ts';
import { type SimulationRun, simulateTransactionAt } from '../transaction/simulate.ts';
import type { AccountEncoding, UiAccount } from '../../../generated/ledger/types.ts';
import { isSameAccount } from '../accounts/left-state.ts';
import { viewAccount } from '../accounts/account-view.ts';
import { ED25519_PROGRAM, SECP256K1_PROGRAM, SECP256R1_PROGRAM } from '../addresses/program-ids.ts';
import type { Account } from '../model.ts';
import { errorText } from '../transaction/error-text.ts';

/** Compute units of each instruction of the compute budget program. */
const BUDGET_UNITS = 150n;

export const surfnetProfileTransaction: LedgerHandler<Ledger, 'surfnet_profileTransaction'> = async (
  ledger,
  text,
  tag,
  config,
) => {
  if (tag !== null && tag !== undefined)
    throw serviceError('invalidParam', { reason: 'profiles are not kept, so that a tag has no use' });
  const transaction = readTransaction(text, 'base64');
  const { version } = transaction.message;
  if (version === 1 && config?.depth === 'instruction')
    throw serviceError('invalidParam', {
      reason:
        'the instructions of a transaction of version 1 cannot be profiled; ask for the depth transaction',
    });
  await touchTransaction(ledger, transaction);
  const { slot, context } = viewBank(ledger, { commitment: 'processed' });
  assertValid(ledger, transaction, slot);
  const run = simulateAll(ledger, transaction, slot);
  const writable = new Set(writableKeys(transaction.message, run.simulation.loadedAddresses));
  const view: ProfileView = { ledger, slot, encoding: config?.encoding ?? 'jsonParsed', writable };
  const read = (address: string) => ledger.accounts.read(address, slot);
  const profiles =
    version !== 1 && config?.depth !== 'transaction' ? instructionProfiles(view, transaction) : undefined;
  const value = {
    slot,
    key: transaction.signatures[0] ?? '',
    ...(profiles === undefined ? {} : { instructionProfiles: [...profiles] }),
    transactionProfile: profileOf(view, run, { keys: run.keys, before: read, units: 0n }),
    readonlyAccountStates: readonlyStates(view, run.keys),
  };
  return { context, value };
};

/** Runs the transaction up to each of its instructions; the difference between two runs is the effect of an instruction. */
function* instructionProfiles(view: ProfileView, transaction: DecodedTransaction): Generator<SurfnetProfile> {
  const { ledger, slot } = view;
  const { message } = transaction;
  let last = simulateAll(ledger, firstInstructions(transaction, 0), slot);
  let before = (address: string) => ledger.accounts.read(address, slot);
  for (const [index, instruction] of message.instructions.entries()) {
    const isBudget = setsBudget(message, instruction);
    const run = isBudget ? last : simulateAll(ledger, firstInstructions(transaction, index + 1), slot);
    const keys = [instruction.programIdIndex, ...instruction.accounts].flatMap(
      (each) => run.keys[each] ?? [],
    );
    const profile = profileOf(view, run, { keys, before, units: last.simulation.unitsConsumed });
    yield {
      ...profile,
      computeUnitsConsumed: isBudget ? BUDGET_UNITS : profile.computeUnitsConsumed,
      logMessages: ownLogs(message, run.simulation.logs, index),
    };
    if (run.simulation.err !== null) return;
    before = run.readAfter;
    last = run;
  }
}

function simulateAll(ledger: Ledger, transaction: DecodedTransaction, slot: bigint): SimulationRun {
  return simulateTransactionAt(ledger, transaction, { slot, verifySignatures: false, anyBlockhash: true });
}

/** The form in which accounts are shown, and the accounts that the transaction may change. */
type ProfileView = {
  readonly ledger: Ledger;
  readonly slot: bigint;
  readonly encoding: AccountEncoding;
  readonly writable: ReadonlySet<string>;
};

/** The previous run: the accounts that it left, and the compute units that it used. */
type Before = {
  readonly keys: readonly string[];
  readonly before: (address: string) => Account | undefined;
  readonly units: bigint;
};

/** Precompiles write no logs. */
const SILENT: ReadonlySet<string> = new Set([ED25519_PROGRAM, SECP256K1_PROGRAM, SECP256R1_PROGRAM]);
const FIRST_LINE = /^Program \w+ invoke \[1\]$/;

/** Returns the changes of accounts in a run, without those of the previous run. */
function profileOf(view: ProfileView, run: SimulationRun, { keys, before, units }: Before): SurfnetProfile {
  const { err, unitsConsumed, logs } = run.simulation;
  const states = keys.map((address): [string, SurfnetAccountState] => [
    address,
    view.writable.has(address)
      ? { type: 'writable', accountChange: change(view, address, before(address), run.readAfter(address)) }
      : { type: 'readonly' },
  ]);
  return {
    accountStates: Object.fromEntries(states),
    computeUnitsConsumed: unitsConsumed - units,
    logMessages: [...logs],
    errorMessage: err === null ? null : errorText(err),
  };
}

/** Returns the accounts that a transaction may not change, as they are. */
function readonlyStates(view: ProfileView, keys: readonly string[]): Record<string, UiAccount> {
  const { ledger, slot, writable } = view;
  const shown = keys.flatMap((address): readonly [string, UiAccount][] => {
    const account = writable.has(address) ? undefined : ledger.accounts.read(address, slot);
    return account === undefined ? [] : [[address, show(view, address, account)]];
  });
  return Object.fromEntries(shown);
}

/** Returns the lines of an instruction among the logs of its transaction. */
function ownLogs(message: Message, logs: readonly string[], index: number): string[] {
  const isSilent = (at: number): boolean =>
    SILENT.has(message.staticKeys[message.instructions[at]?.programIdIndex ?? 0] ?? '');
  if (isSilent(index)) return [];
  const position = Array.from({ length: index }, (_, at) => at).filter((at) => !isSilent(at)).length;
  const starts = logs.flatMap((line, at) => (FIRST_LINE.test(line) ? [at] : []));
  const start = starts[position];
  return start === undefined ? [] : logs.slice(start, starts[position + 1]);
}

function change(
  view: ProfileView,
  address: string,
  before: Account | undefined,
  after: Account | undefined,
): NonNullable<SurfnetAccountState['accountChange']> {
  const [old, now] = [before, after].map((account) =>
    account === undefined ? null : show(view, address, account),
  );
  if (before === undefined || after === undefined) {
    if (before === after) return { type: 'unchanged', data: null };
    return before === undefined
      ? { type: 'create', data: now ?? null }
      : { type: 'delete', data: old ?? null };
  }
  return isSameAccount(before, after)
    ? { type: 'unchanged', data: old ?? null }
    : { type: 'update', data: [old, now].flatMap((each) => each ?? []) };
}

function show({ ledger, slot, encoding }: ProfileView, address: string, account: Account): UiAccount {
  return viewAccount(ledger, { address, account }, { encoding, slot, defaultEncoding: encoding });
}
