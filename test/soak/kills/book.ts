import type { ReceivedWallet } from '../../wallets/kill/read-wallets.ts';
import { CHARGED, type ChargedOperation, type Tally } from './charge-rule.ts';

/** Where a child stands: m/44'/501'/x'/0' below its master. */
export type ChildPosition = { readonly masterId: string; readonly x: number };

/** What the clients of one server were told since it was made, and in the round that runs. */
export type Book = {
  /** Managed wallets that a client was told of and nobody asked to destroy. */
  readonly living: Map<string, ReceivedWallet>;
  /** Those whose destruction was acknowledged, or seen. */
  readonly destroyed: Map<string, ReceivedWallet>;
  readonly masters: Set<string>;
  readonly children: Map<string, ChildPosition>;
  /** Those whose destruction was asked for and not answered. */
  readonly unsure: Map<string, ReceivedWallet>;
  /** Told of in the round that runs. */
  readonly newest: ReceivedWallet[];
  readonly acknowledged: () => number;
  readonly tell: (wallet: ReceivedWallet) => void;
  /** Counts units that came whole. */
  readonly deliver: (operation: ChargedOperation, units: number) => void;
  /** Counts units that were asked for and may have been charged, but did not come. */
  readonly interrupt: (operation: ChargedOperation, units: number) => void;
  readonly tally: (operation: ChargedOperation) => Tally;
  /** Begins a round: nothing is new, and all is counted from 0. */
  readonly beginRound: () => void;
};

/** An empty book. */
export function createBook(): Book {
  const tallies = new Map<ChargedOperation, Tally>();
  const tally = (operation: ChargedOperation): Tally =>
    tallies.get(operation) ?? { delivered: 0, interrupted: 0 };
  let acknowledged = 0;
  const book: Book = {
    ...{
      living: new Map(),
      destroyed: new Map(),
      unsure: new Map(),
      masters: new Set(),
      children: new Map(),
    },
    ...{ newest: [], tally },
    acknowledged: () => acknowledged,
    tell: (wallet) => {
      acknowledged += 1;
      book.living.set(wallet.wallet_id, wallet);
      book.newest.push(wallet);
    },
    deliver: (operation, units) => {
      const { delivered, interrupted } = tally(operation);
      tallies.set(operation, { delivered: delivered + units, interrupted });
    },
    interrupt: (operation, units) => {
      const { delivered, interrupted } = tally(operation);
      tallies.set(operation, { delivered, interrupted: interrupted + units });
    },
    beginRound: () => {
      book.newest.length = 0;
      for (const operation of CHARGED) tallies.delete(operation);
    },
  };
  return book;
}
