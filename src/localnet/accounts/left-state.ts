import type { Commitment } from '../blocks/commitment.ts';
import type { Account } from '../model.ts';
import type { AccountStore } from './account-store.ts';

/** The accounts of a state that a ledger leaves, at each commitment. */
export type LeftState = {
  readonly read: (address: string, commitment: Commitment) => Account | undefined;
  /** Releases the state. */
  readonly release: () => void;
};

/** Captures the current accounts before the ledger goes to another state. */
export function leaveState(accounts: AccountStore, slotAt: (commitment: Commitment) => bigint): LeftState {
  const state = accounts.take();
  const slots = {
    processed: slotAt('processed'),
    confirmed: slotAt('confirmed'),
    finalized: slotAt('finalized'),
  };
  return {
    read: (address, commitment) => {
      const change = state.changes.before(address, slots[commitment]);
      return change === undefined ? accounts.readTaken(state, address) : change.account;
    },
    release: () => accounts.release(state),
  };
}

/** True for two accounts that a reader cannot tell apart, or that are both absent. */
export function isSameAccount(one: Account | undefined, other: Account | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.lamports === other.lamports &&
    one.owner === other.owner &&
    one.executable === other.executable &&
    one.rentEpoch === other.rentEpoch &&
    Buffer.compare(one.data, other.data) === 0
  );
}
