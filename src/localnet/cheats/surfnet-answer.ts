import type { EpochInfo, SurfnetContext } from '../../../generated/localnet/types.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import { epochInfo } from '../epoch/epoch-info.ts';

/** Returns surfpool's answer for calls without a result. */
export function surfnetContext(ledger: Ledger): SurfnetContext {
  return { context: viewBank(ledger, { commitment: 'processed' }).context, value: null };
}

/** Returns the epoch of the open slot, with which surfpool answers changes of time. */
export function surfnetEpoch(ledger: Ledger): EpochInfo {
  return epochInfo(ledger, ledger.blocks.openSlot);
}
