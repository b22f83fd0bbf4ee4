import type { Commitment } from '../blocks/commitment.ts';
import { KeyedSets } from './keyed-sets.ts';
import type {
  AccountWatch,
  BlockWatch,
  ProgramWatch,
  SignatureWatch,
  SlotWatch,
  TransactionWatch,
  Watch,
} from './watch.ts';

/** The key of watches without a specific address. */
export const ANY = '';

/** Watches by the events that they wait for, at one level. */
export class LevelIndex {
  readonly accounts = new KeyedSets<AccountWatch>();
  readonly programs = new KeyedSets<ProgramWatch>();
  readonly signatures = new KeyedSets<SignatureWatch>();
  /** By the address that a transaction must mention, or ANY. */
  readonly transactions = new KeyedSets<TransactionWatch>();
  readonly blocks = new KeyedSets<BlockWatch>();
}

/** All watches, found by event: one without events costs nothing. */
export class WatchIndex {
  readonly slots = new Set<SlotWatch>();
  readonly levels: Readonly<Record<Commitment, LevelIndex>> = {
    processed: new LevelIndex(),
    confirmed: new LevelIndex(),
    finalized: new LevelIndex(),
  };

  add(watch: Watch): void {
    this.#change(watch, 'add');
  }

  delete(watch: Watch): void {
    this.#change(watch, 'delete');
  }

  #change(watch: Watch, change: 'add' | 'delete'): void {
    switch (watch.kind) {
      case 'slot':
        this.slots[change](watch);
        break;
      case 'account':
        this.levels[watch.commitment].accounts[change](watch.address, watch);
        break;
      case 'program':
        this.levels[watch.commitment].programs[change](watch.program, watch);
        break;
      case 'signature':
        this.levels[watch.commitment].signatures[change](watch.signature, watch);
        break;
      case 'transaction':
        this.levels[watch.commitment].transactions[change](watch.mention ?? ANY, watch);
        break;
      case 'block':
        this.levels[watch.commitment].blocks[change](watch.mention ?? ANY, watch);
        break;
      default:
        watch satisfies never;
    }
  }
}
