import type { MethodName } from '../../../generated/ledger/methods.ts';
import type { Ledger } from '../ledger.ts';
import type { DecodedTransaction } from '../../core/wire/message.ts';
import { readTransaction } from '../transaction/read-transaction.ts';
import type { Listing } from './cassette.ts';
import type { Fork } from './fork.ts';
import { touchTransaction } from './touch-transaction.ts';

/** A call with params that have been checked. */
export type ForkedCall = { readonly method: MethodName; readonly params: readonly unknown[] };

type Outcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: unknown };

/**
 * Makes a call of a ledger that is a fork: the accounts that it needs are fetched first, and a read-only call is repeated as long as it
 * reads accounts that were never touched.
 *
 * @throws ServiceError forkFailed naming what the node does not give; and those of the call.
 */
export async function callInFork(
  ledger: Ledger,
  fork: Fork,
  call: ForkedCall,
  run: () => unknown,
): Promise<unknown> {
  const { method, params } = call;
  if (method === 'requestAirdrop') await fork.touch(ledger, params.slice(0, 1).map(String));
  if (method === 'sendTransaction' || method === 'simulateTransaction')
    await touchTransaction(ledger, transactionOf(params));
  if (method === 'sendTransaction' || method === 'requestAirdrop') return run();
  const listing = listingOf(call);
  if (listing !== undefined) await fork.touchListed(ledger, listing);
  for (;;) {
    const { value: outcome, missing } = fork.addresses.collect(() => outcomeOf(run));
    if (missing.length > 0) await fork.touch(ledger, missing);
    else if (outcome.kind === 'error') throw outcome.error;
    else return outcome.value;
  }
}

function outcomeOf(run: () => unknown): Outcome {
  try {
    return { kind: 'value', value: run() };
  } catch (error) {
    return { kind: 'error', error };
  }
}

function transactionOf([text, config]: readonly unknown[]): DecodedTransaction {
  const { encoding } = (config ?? {}) as { readonly encoding?: 'base58' | 'base64' };
  return readTransaction(String(text), encoding);
}

/** The accounts that a listing method asks for, as params for the node: options that select no accounts are left out. */
function listingOf({ method, params }: ForkedCall): Listing | undefined {
  const [subject, second] = params;
  switch (method) {
    case 'getProgramAccounts': {
      const { filters } = (second ?? {}) as { readonly filters?: readonly unknown[] | null };
      return [method, subject, filters ?? []];
    }
    case 'getTokenAccountsByOwner':
    case 'getTokenAccountsByDelegate':
      return [method, subject, second];
    case 'getTokenLargestAccounts':
      return [method, subject];
    default:
      return undefined;
  }
}
