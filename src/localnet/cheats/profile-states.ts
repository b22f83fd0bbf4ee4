import type { AccountEncoding, UiAccount } from '../../../generated/ledger/types.ts';
import type { SurfnetAccountState, SurfnetProfile } from '../../../generated/localnet/types.ts';
import type { Message } from '../../wire/message.ts';
import { isSameAccount } from '../accounts/left-state.ts';
import { viewAccount } from '../accounts/account-view.ts';
import { ED25519_PROGRAM, SECP256K1_PROGRAM, SECP256R1_PROGRAM } from '../addresses/program-ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Account } from '../model.ts';
import { errorText } from '../transaction/error-text.ts';
import type { SimulationRun } from '../transaction/simulate.ts';

/** How accounts are shown, and which of them the transaction may change. */
export type ProfileView = {
  readonly ledger: Ledger;
  readonly slot: bigint;
  readonly encoding: AccountEncoding;
  readonly writable: ReadonlySet<string>;
};

/** What ran before: the accounts that it left, and the compute units that it took. */
type Before = {
  readonly keys: readonly string[];
  readonly before: (address: string) => Account | undefined;
  readonly units: bigint;
};

/** Precompiles write no logs. */
const SILENT: ReadonlySet<string> = new Set([ED25519_PROGRAM, SECP256K1_PROGRAM, SECP256R1_PROGRAM]);
const FIRST_LINE = /^Program \w+ invoke \[1\]$/;

/** Returns what a run did to accounts, beyond what was done before. */
export function profileOf(
  view: ProfileView,
  run: SimulationRun,
  { keys, before, units }: Before,
): SurfnetProfile {
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
export function readonlyStates(view: ProfileView, keys: readonly string[]): Record<string, UiAccount> {
  const { ledger, slot, writable } = view;
  const shown = keys.flatMap((address): readonly [string, UiAccount][] => {
    const account = writable.has(address) ? undefined : ledger.accounts.read(address, slot);
    return account === undefined ? [] : [[address, show(view, address, account)]];
  });
  return Object.fromEntries(shown);
}

/** Returns the lines of an instruction among the logs of its transaction. */
export function ownLogs(message: Message, logs: readonly string[], index: number): string[] {
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
