import type { TracedAccount, TracedBytes, TracedState } from '../../../generated/localnet/types.ts';
import { encodeBase64 } from '../bytes/base58.ts';
import type { Account } from '../model.ts';
import type { Message } from '../../core/wire/message.ts';
import { isSigner } from '../transaction/account-keys.ts';

/** An account before and after a transaction; undefined where it did not exist. */
export type AccountChange = { readonly before: Account | undefined; readonly after: Account | undefined };

export type AccountSources = {
  readonly message: Message;
  /** All account keys of the transaction. */
  readonly keys: readonly string[];
  readonly writable: ReadonlySet<string>;
  /** The accounts that the transaction may change; undefined: no longer kept. */
  readonly states: ReadonlyMap<string, AccountChange> | undefined;
  /** By index; null: the transaction was refused before they were read. */
  readonly balances: { readonly before: readonly bigint[]; readonly after: readonly bigint[] } | null;
};

const MAX_PARTS = 16;
const MAX_BYTES = 1_024;
/** Parts with fewer equal bytes between them are shown as one. */
const GAP_BYTES = 8;
const NO_BYTES = new Uint8Array(0);

/** Returns the accounts of a transaction in index order, each before and after it. */
export function tracedAccounts({
  message,
  keys,
  writable,
  states,
  balances,
}: AccountSources): TracedAccount[] {
  return keys.map((address, index) => {
    const change = states?.get(address);
    const { parts, isCut } = changedBytes(change?.before?.data ?? NO_BYTES, change?.after?.data ?? NO_BYTES);
    return {
      address,
      signer: isSigner(message, index),
      writable: writable.has(address),
      balance:
        balances === null
          ? null
          : { before: balances.before[index] ?? 0n, after: balances.after[index] ?? 0n },
      states: change === undefined ? null : { before: stateOf(change.before), after: stateOf(change.after) },
      dataChanges: parts,
      dataChangesCut: isCut,
    };
  });
}

function stateOf(account: Account | undefined): TracedState | null {
  if (account === undefined) return null;
  const { lamports, owner, executable, data } = account;
  return { lamports, owner, executable, space: BigInt(data.length) };
}

/** Returns where data differs, at most 16 parts and 1,024 bytes of each side. */
export function changedBytes(
  before: Uint8Array,
  after: Uint8Array,
): { readonly parts: TracedBytes[]; readonly isCut: boolean } {
  const parts: TracedBytes[] = [];
  const length = Math.max(before.length, after.length);
  let left = MAX_BYTES;
  for (let at = firstDifference(before, after, 0, length); at < length; ) {
    if (parts.length === MAX_PARTS || left === 0) return { parts, isCut: true };
    const end = Math.min(endOfPart(before, after, at, length), at + left);
    left -= end - at;
    parts.push({
      offset: BigInt(at),
      before: encodeBase64(before.subarray(at, end)),
      after: encodeBase64(after.subarray(at, end)),
    });
    at = firstDifference(before, after, end, length);
  }
  return { parts, isCut: false };
}

function firstDifference(before: Uint8Array, after: Uint8Array, from: number, length: number): number {
  let at = from;
  while (at < length && before[at] === after[at]) at++;
  return at;
}

/** Returns the end of a part, after which `GAP_BYTES` bytes are equal. */
function endOfPart(before: Uint8Array, after: Uint8Array, from: number, length: number): number {
  let end = from;
  for (let at = from; at < length && at - end < GAP_BYTES; at++) if (before[at] !== after[at]) end = at + 1;
  return end;
}
