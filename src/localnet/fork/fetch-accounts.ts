import { isObject, readAccountJson } from '../genesis-options/account-json.ts';
import type { Account } from '../model.ts';
import type { CallNode } from './call-node.ts';

/** An account as a node has it; undefined: it has none there. */
export type FetchedAccount = { readonly address: string; readonly account: Account | undefined };

export type Fetched =
  | { readonly kind: 'accounts'; readonly slot: bigint; readonly accounts: readonly FetchedAccount[] }
  /** `asked`: the addresses of the refused call. */
  | { readonly kind: 'refusal'; readonly asked: readonly string[]; readonly reason: string };

/** The maximum that nodes accept in one call. */
export const ACCOUNTS_PER_CALL = 100;

/**
 * Fetches up to 100 accounts with one call. If the node refuses it, or its answer would be too long, each half is requested separately,
 * down to the single account that the node refuses.
 */
export async function fetchAccounts(call: CallNode, addresses: readonly string[]): Promise<Fetched> {
  const answer = await call('getMultipleAccounts', [
    addresses,
    { encoding: 'base64', commitment: 'confirmed' },
  ]);
  if (answer.kind === 'result') return readAccounts(answer.result, addresses);
  if (!answer.mayBeSmaller || addresses.length === 1)
    return { kind: 'refusal', asked: addresses, reason: answer.reason };
  const middle = Math.ceil(addresses.length / 2);
  const first = await fetchAccounts(call, addresses.slice(0, middle));
  if (first.kind === 'refusal') return first;
  const second = await fetchAccounts(call, addresses.slice(middle));
  if (second.kind === 'refusal') return second;
  const isLater = second.slot > first.slot;
  const slot = isLater ? second.slot : first.slot;
  return { kind: 'accounts', slot, accounts: [...first.accounts, ...second.accounts] };
}

function readAccounts(result: unknown, addresses: readonly string[]): Fetched {
  const { value, context } = isObject(result) ? result : {};
  if (!Array.isArray(value) || value.length !== addresses.length)
    return { kind: 'refusal', asked: addresses, reason: 'its answer does not match getMultipleAccounts' };
  const accounts: FetchedAccount[] = [];
  for (const [index, address] of addresses.entries()) {
    const read = value[index] === null ? undefined : readAccountJson(value[index]);
    if (read?.kind === 'fault')
      return {
        kind: 'refusal',
        asked: [address],
        reason: `its account ${address} cannot be read: ${read.reason}`,
      };
    accounts.push({ address, account: read?.account });
  }
  const slot = isObject(context) ? readSlot(context.slot) : undefined;
  if (slot === undefined) return { kind: 'refusal', asked: addresses, reason: 'its answer names no slot' };
  return { kind: 'accounts', slot, accounts };
}

/** Reads the slot of an answer. */
export function readSlot(value: unknown): bigint | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? BigInt(Number(value)) : undefined;
}
